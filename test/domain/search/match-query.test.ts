import { expect, test } from 'vitest';
import type { MailboxId, MessageId, WorkspaceId } from '../../../src/domain/ids.ts';
import { UNMARKED } from '../../../src/domain/marks.ts';
import type { BlobRef, Message } from '../../../src/domain/message.ts';
import type { ParsedMail } from '../../../src/domain/parsed-mail.ts';
import { documentOf, type MailFindings, MOST_TEXT, searchableMail } from '../../../src/domain/search/document.ts';
import { type MatchOrUnknown, QueryMatcher } from '../../../src/domain/search/match-query.ts';
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
  ...UNMARKED,
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
    textBody: 'Please confirm your\r\n  address by 4 pm. Straße, ΟΔΟΣ, ｶﾞｲﾄﾞ, pass\u00adword, 您的验证码是',
    htmlBody: null,
    headers: { 'message-id': '<M1@x.test>', 'x-campaign': ['Spring  Sale', 'b=c'], 'x-empty': '' },
    toAndCc: ['ada@inbox.test', 'carl@x.test'],
  },
  attachments: [
    {
      part: '2',
      filename: 'Invoice.pdf',
      contentType: null,
      contentId: null,
      isInline: false,
      sizeBytes: 1,
      virusScanStatus: 0,
    },
  ],
  parseError: null,
};
const findings: MailFindings = { htmlText: () => [], hasCode: false, hasLink: false };
const document = documentOf(message, parsed, findings);
const mail = searchableMail(message, parsed, findings);

/** Runs all steps and returns the result. */
function resultOf<T>(steps: Generator<unknown, T>): T {
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
}

test.each<[string, MatchOrUnknown, boolean]>([
  ['', true, true],
  ['from:SHOP', true, true],
  ['from:grÜSSE', true, true],
  ['from:ｇｒüsse', true, true],
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
  ['strasse -STRAẞEN', null, true],
  ['body:οδος', null, true],
  ['body:ガイド', null, true],
  ['password', null, true],
  ['body:验证码', null, true],
  ['filename:INVOICE', null, true],
  ['filename:ada', null, false],
  ['header:x-campaign', null, true],
  ['header:X-Campaign="spring sale"', null, true],
  ['header:x-campaign=b=c', null, true],
  ['header:campaign', null, false],
  ['header:x-campaign=campaign', null, false],
  ['header:x-empty', null, true],
  ['!header:x-absent', null, true],
  ['has:link', null, false],
  ['a.c', null, false],
  ['.*', null, false],
])('%j: the row says %j, the mail %j', (query, row, whole) => {
  const matcher = new QueryMatcher(parseQuery(query));
  expect(matcher.matchesRow(message)).toBe(row);
  // The document alone says the same as the row with the mail.
  expect(document !== null && matcher.matchesDocument(message, document)).toBe(whole);
  if (row === null) expect(resultOf(matcher.matchesMail(message, mail))).toBe(whole);
});

test('a large body is looked through in pieces, with a pause after each but the last', () => {
  const large = { ...parsed, textBody: 'abc '.repeat(40 * 1_024) };
  const steps = new QueryMatcher(parseQuery('body:nowhere')).matchesMail(
    message,
    searchableMail(message, large, findings),
  );
  expect([...steps].length).toBeGreaterThan(8);
});

test('a text across two pieces is found, wherever they are cut', () => {
  const html = `${'.'.repeat(40)}Your CODE\r\n ΟΔΟΣ is e\u0301${'.'.repeat(40)}`;
  for (let size = 1; size < html.length; size++) {
    const pieces = html.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
    const inPieces = searchableMail(message, { ...parsed, htmlBody: html }, { ...findings, htmlText: () => pieces });
    const found = (query: string) => resultOf(new QueryMatcher(parseQuery(query)).matchesMail(message, inPieces));
    expect([found('body:"your code οδος is é."'), found('body:codes'), found('body:odos')], `${size}`).toEqual([
      true,
      false,
      false,
    ]);
  }
});

test('a row that is shown in the same object as another one is a row of its own', () => {
  const matcher = new QueryMatcher(parseQuery('subject:code'));
  const view = { ...message };
  expect(matcher.matchesRow(view)).toBe(true);
  Object.assign(view, { id: `${message.id.slice(0, -1)}E`, subject: 'Other' });
  expect(matcher.matchesRow(view)).toBe(false);
});

test('no match spans two texts', () => {
  const two = { ...parsed, textBody: 'first', htmlBody: 'second' };
  const both = { ...findings, htmlText: () => ['second'] };
  for (const query of ['body:"first second"', 'body:tsec', '"ada@inbox.test hidden"'])
    for (const one of [query, `!${query}`]) {
      const matcher = new QueryMatcher(parseQuery(one));
      const made = documentOf(message, two, both);
      expect(made !== null && matcher.matchesDocument(message, made), one).toBe(one.startsWith('!'));
      expect(resultOf(matcher.matchesMail(message, searchableMail(message, two, both)))).toBe(one.startsWith('!'));
    }
});

test('a mail with too much text, or one that could not be parsed, has no document', () => {
  const long = 'a '.repeat(MOST_TEXT / 2);
  expect(documentOf(message, { ...parsed, textBody: long }, findings)).toBeNull();
  expect(documentOf(message, { ...parsed, textBody: long.slice(8_192) }, findings)).not.toBeNull();
  expect(documentOf(message, { ...parsed, parseError: 'It is too deep.' }, findings)).toBeNull();
});
