import { expect, test } from 'vitest';
import { replyFields, replyHeaders } from '../../src/domain/thread.ts';

test('a reply names the message, after those that it names itself (RFC 5322 3.6.4)', () => {
  expect(replyHeaders({ 'message-id': '<c@x>', references: '<a@x>\r\n <b@x>' })).toEqual([
    ['In-Reply-To', '<c@x>'],
    ['References', '<a@x> <b@x> <c@x>'],
  ]);
  // Without References, the message that it answers itself stands first.
  expect(replyHeaders({ 'message-id': ['<c@x>'], 'in-reply-to': '<b@x> <other@x>' })).toEqual([
    ['In-Reply-To', '<c@x>'],
    ['References', '<b@x> <c@x>'],
  ]);
  expect(replyHeaders({ 'message-id': '<a@x>' })).toEqual([
    ['In-Reply-To', '<a@x>'],
    ['References', '<a@x>'],
  ]);
});

test('a message without a valid Message-ID is answered without these fields', () => {
  for (const id of [undefined, '', 'a@x', '<a b@x>', `<${'a'.repeat(600)}@x>`])
    expect(replyHeaders({ ...(id !== undefined && { 'message-id': id }), references: '<a@x>' })).toEqual([]);
});

test('of a long conversation the first and the last messages are named', () => {
  const references = Array.from({ length: 200 }, (_none, at) => `<${at}@x>`).join(' ');
  const named = replyHeaders({ 'message-id': '<last@x>', references })[1]?.[1].split(' ') ?? [];
  expect(named).toHaveLength(50);
  expect([named[0], named[1], named.at(-1)]).toEqual(['<0@x>', '<152@x>', '<last@x>']);
});

test('what the request of a reply leaves out is that of the mail', () => {
  const mail = { from: 'Ada <ada@x.test>', replyTo: null, subject: 'Hi' };
  const envelope = { mailFrom: 'bounces@x.test', rcptTo: ['ben@y.test', 'eve@y.test'] };
  const usual = { from: 'ben@y.test', to: 'Ada <ada@x.test>', subject: 'Re: Hi' };
  expect(replyFields({ textBody: 'Yes.' }, mail, envelope)).toEqual({ textBody: 'Yes.', ...usual });
  expect(replyFields({ from: null, to: null, subject: null }, mail, envelope)).toEqual(usual);
  const named = { from: 'eve@y.test', to: 'bob@x.test', subject: '' };
  expect(replyFields(named, mail, envelope)).toEqual(named);
  expect(replyFields({}, { ...mail, replyTo: 'a@x.test, b@x.test' }, envelope).to).toBe('a@x.test, b@x.test');
  expect(replyFields({}, { ...mail, replyTo: 'nobody:;', from: 'ada' }, envelope).to).toBe('bounces@x.test');
  expect(replyFields({}, { ...mail, subject: null }, envelope).subject).toBe('Re:');
  expect(replyFields({}, { ...mail, subject: 'x'.repeat(60_000) }, envelope).subject).toHaveLength(2_001);
  const refused = (message: RegExp) =>
    expect.objectContaining({ code: 'invalid_body', extra: { message: expect.stringMatching(message) } });
  expect(() => replyFields({}, mail, { ...envelope, rcptTo: [] })).toThrow(refused(/no recipient/));
  expect(() => replyFields({}, { ...mail, from: null }, { ...envelope, mailFrom: '' })).toThrow(refused(/nobody/));
});
