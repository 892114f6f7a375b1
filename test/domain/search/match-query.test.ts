import { expect, test } from 'vitest';
import type { MailboxId, MessageId, WorkspaceId } from '../../../src/domain/ids.ts';
import type { BlobRef, Message } from '../../../src/domain/message.ts';
import type { ParsedMail } from '../../../src/domain/parsed-mail.ts';
import { type MatchOrUnknown, QueryMatcher, type ReadMail } from '../../../src/domain/search/match-query.ts';
import { parseQuery } from '../../../src/domain/search/query.ts';

const message: Message = {
  id: '01KAH7R6N3C6PMX5S7HAJ4VQ8D' as MessageId,
  workspaceId: 'w' as WorkspaceId,
  mailboxId: 'm' as MailboxId,
  receivedAt: Date.UTC(2026, 10, 20, 12),
  sizeBytes: 2_000,
  attachmentCount: 1,
  from: 'Grüße <Shop@x.test>',
  to: 'Ada <ada@inbox.test>',
  cc: 'Carl <carl@x.test>',
  subject: 'Your  Code\tis ready',
  mailFrom: 'bounce@mailer.test',
  rcptTo: ['ada@inbox.test', 'hidden@inbox.test'],
  raw: '' as BlobRef,
  facts: '' as BlobRef,
};
const parsed: ParsedMail = {
  ...{
    from: message.from,
    to: message.to,
    cc: message.cc,
    bcc: null,
    replyTo: 'help@x.test',
    subject: message.subject,
  },
  ...{
    textBody: 'x',
    htmlBody: null,
    headers: { 'message-id': '<M1@x.test>' },
    toAndCc: ['ada@inbox.test', 'carl@x.test'],
  },
  attachments: [
    { filename: 'Invoice.pdf', contentType: null, contentId: null, isInline: false, sizeBytes: 1, virusScanStatus: 0 },
  ],
  parseError: null,
};
const mail: ReadMail = { parsed, pieces: ['Please con', 'firm your\r\n', '  address by 4 pm'], hasCode: false };

test.each<[string, MatchOrUnknown, boolean]>([
  ['', true, true],
  ['from:SHOP', true, true],
  ['from:grÜSSE', false, false],
  ['from:GRÜßE', true, true],
  ['from:bounce@', true, true],
  ['from:ada', false, false],
  ['to:ada@', true, true],
  ['to:carl', false, false],
  ['to:hidden', false, false],
  ['cc:carl', true, true],
  ['subject:"your code is"', true, true],
  ['!subject:"your code"', false, false],
  ['subject:code subject:missing', false, false],
  ['after:2026-11-20', true, true],
  ['after:2026-11-20T12:00Z before:2026-11-20T12:00Z', false, false],
  ['before:2026-11-21 !before:2026-11-20', true, true],
  ['larger:1999 smaller:2001', true, true],
  ['larger:2000', false, false],
  ['has:attachment', true, true],
  ['!has:attachment', false, false],
  // The row alone cannot decide these.
  ['has:inline', null, false],
  ['!has:inline', null, true],
  ['has:code', null, false],
  ['!has:code', null, true],
  ['is:html', null, false],
  ['-is:html', null, true],
  ['bcc:hidden', null, true],
  ['bcc:ada', null, false],
  ['reply-to:help', null, true],
  ['message-id:m1@x', null, true],
  ['addressed:carl', true, true],
  ['addressed:hidden', null, true],
  ['addressed:help@', null, true],
  ['addressed:nobody', null, false],
  ['-addressed:nobody', null, true],
  ['body:"confirm your address"', null, true],
  ['body:code', null, false],
  ['!body:confirm', null, false],
  ['!body:nothing body:please', null, true],
  // A bare word is searched in the row first.
  ['code', true, true],
  ['hidden@inbox', true, true],
  ['carl', true, true],
  ['-code', false, false],
  ['address', null, true],
  ['invoice.pdf', null, true],
  ['-invoice.pdf', null, false],
  ['nowhere', null, false],
  ['-nowhere -elsewhere', null, true],
  ['subject:missing address', false, false],
  ['a.c', null, false],
  ['.*', null, false],
])('%j: the row says %j, the mail %j', (query, row, whole) => {
  const matcher = new QueryMatcher(parseQuery(query));
  expect(matcher.matchesRow(message)).toBe(row);
  expect(matcher.needsMail || row !== null).toBe(true);
  if (row !== null) return;
  const steps = matcher.matchesMail(message, mail);
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return expect(step.value).toBe(whole);
});

test('a large body is looked through in pieces, with a pause after each but the last', () => {
  const pieces = Array.from({ length: 10 }, () => 'abc '.repeat(1_000));
  const steps = [...new QueryMatcher(parseQuery('body:nowhere')).matchesMail(message, { ...mail, pieces })];
  expect(steps).toHaveLength(9);
});

test('a text across two pieces is found, wherever they are cut', () => {
  const body = `${'.'.repeat(40)}Your CODE\r\n ΟΔΟΣ is${'.'.repeat(40)}`;
  for (let size = 1; size < body.length; size++) {
    const pieces = body.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
    const found = (query: string) => {
      const steps = new QueryMatcher(parseQuery(query)).matchesMail(message, { ...mail, pieces });
      for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
    };
    expect([found('body:"your code οδος is"'), found('body:codes'), found('body:odos')], `${size}`).toEqual([
      true,
      false,
      false,
    ]);
  }
});
