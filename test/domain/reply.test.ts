import { expect, test } from 'vitest';
import { replyHeaders } from '../../src/domain/reply.ts';

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
