import { expect, test } from 'vitest';
import type { MailboxId, MessageId, WorkspaceId } from '../../src/domain/ids.ts';
import { UNMARKED } from '../../src/domain/marks.ts';
import { type BlobRef, type Message, matchesFilter, parseFilter } from '../../src/domain/message.ts';

const MESSAGE: Message = {
  // The filter never reads ids and references.
  id: '01JD5Z3V8W0123456789ABCDEF' as MessageId,
  workspaceId: '01JD5Z3V8W0123456789ABCDEG' as WorkspaceId,
  mailboxId: '01JD5Z3V8W0123456789ABCDEH' as MailboxId,
  receivedAt: 0,
  sizeBytes: 1,
  attachmentCount: 0,
  from: 'Ärzte Shop <noreply@shop.test>',
  to: '"User One" <user@box.mailcap.example.com>',
  cc: 'copy@else.test',
  subject: 'Confirm Your E-Mail',
  mailFrom: 'bounce+17@mailer.test',
  rcptTo: ['User@Box.mailcap.example.com', 'hidden@box.mailcap.example.com'],
  raw: '1' as BlobRef,
  facts: '2' as BlobRef,
  ...UNMARKED,
};

test.each([
  [{}, true],
  // An empty filter matches everything.
  [{ subject: '', from: '', to: '' }, true],
  [{ subject: 'confirm' }, true],
  [{ subject: 'YOUR e-mail' }, true],
  [{ subject: 'reset' }, false],
  // `from` searches the From header and the envelope sender.
  [{ from: 'NOREPLY@' }, true],
  [{ from: 'ärzte' }, true],
  [{ from: 'mailer.test' }, true],
  [{ from: 'user@' }, false],
  // `to` searches To, Cc, and the envelope recipients in this mailbox.
  [{ to: 'user one' }, true],
  [{ to: 'COPY@' }, true],
  [{ to: 'hidden@box' }, true],
  [{ to: 'shop.test' }, false],
  // All filters must match.
  [{ subject: 'confirm', from: 'shop', to: 'box' }, true],
  [{ subject: 'confirm', from: 'shop', to: 'nobody' }, false],
  // A match never spans two fields.
  [{ to: 'user@box.mailcap.example.com, hidden' }, false],
])('await filters match case-insensitively: %j is %s', (given, matches) => {
  expect(matchesFilter(MESSAGE, parseFilter(given))).toBe(matches);
});

test('a filter on a missing field never matches', () => {
  const bare = { ...MESSAGE, from: null, to: null, cc: null, subject: null, mailFrom: '', rcptTo: [] };
  expect(matchesFilter(bare, parseFilter({}))).toBe(true);
  expect(matchesFilter(bare, parseFilter({ subject: 'a' }))).toBe(false);
  expect(matchesFilter(bare, parseFilter({ from: 'a' }))).toBe(false);
  expect(matchesFilter(bare, parseFilter({ to: 'a' }))).toBe(false);
});

test('each message is matched by its own texts', () => {
  const other = { ...MESSAGE, subject: 'Reset' };
  const filter = parseFilter({ subject: 'reset' });
  expect([MESSAGE, other, MESSAGE, other].map((message) => matchesFilter(message, filter))).toEqual([
    false,
    true,
    false,
    true,
  ]);
});
