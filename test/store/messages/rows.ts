import fc from 'fast-check';
import type { MailboxId, MessageId, WorkspaceId } from '../../../src/domain/ids.ts';
import { sortedTags } from '../../../src/domain/marks.ts';
import { type BlobRef, kindOf, type Message, type MessageKind } from '../../../src/domain/message.ts';
import type { SortedRows } from '../../../src/store/tables/table.ts';
import { anyText } from '../../support/any-text.ts';
import { aMessage, NOON, ulidAt } from '../rows.ts';

/** A few ids in ascending order, so that changes often share an id. */
export const IDS = Array.from({ length: 40 }, (_, n) => ulidAt<MessageId>(NOON + n * 1_000));
export const MAILBOXES = Array.from({ length: 3 }, () => ulidAt<MailboxId>(NOON));
export const WORKSPACES = Array.from({ length: 2 }, () => ulidAt<WorkspaceId>(NOON));

/** Texts that an encoding could lose: lone surrogates, NUL, combining marks, and null. */
export const text = fc.oneof(
  anyText(),
  fc.constantFrom(
    '',
    ' ',
    '\ud800',
    'a\udfffb',
    '\ufeffbom',
    '\0',
    'null',
    '["x"]',
    'Ünïcödé',
    '😀',
    'a@x.test',
    '\ufffd',
  ),
);
const textOrNull = fc.option(text, { nil: null });

const uint32 = fc.oneof(fc.nat(5), fc.integer({ min: 0, max: 0xffffffff }));
/** Blob references in every form that a store writes, and texts that resemble one. */
export const ref = fc.oneof(
  fc.tuple(uint32, uint32, uint32).map((numbers) => numbers.join('.') as BlobRef),
  fc.constantFrom(
    '0.1.2,3.4.5',
    '7',
    '',
    '01.2.3',
    '1.2',
    '1.2.3.4',
    '1.2.4294967296',
    '-1.2.3',
    '1.2.3 ',
    'x',
  ) as fc.Arbitrary<BlobRef>,
);

const email: fc.Arbitrary<Message> = fc.record({
  id: fc.constantFrom(...IDS),
  workspaceId: fc.constantFrom(...WORKSPACES),
  mailboxId: fc.constantFrom(...MAILBOXES),
  receivedAt: fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
  sizeBytes: fc.nat(),
  attachmentCount: uint32,
  from: textOrNull,
  to: textOrNull,
  cc: textOrNull,
  subject: textOrNull,
  mailFrom: text,
  rcptTo: fc.array(text, { maxLength: 3 }),
  raw: ref,
  facts: ref,
  isRead: fc.boolean(),
  isStarred: fc.boolean(),
  tags: fc.array(fc.constantFrom('news', 'Spring', 'a b', 'größe'), { maxLength: 3 }).map(sortedTags),
});

export const message: fc.Arbitrary<Message> = fc
  .tuple(email, fc.nat(2))
  .map(([row, number]) => (number === 0 ? { ...row, kind: 'sms' } : row));

export const segment = fc.nat(3);
export const home = fc.record({ segment, offset: uint32 });

/** Positions that exist, positions that do not, and texts that are no ids. */
export const position = fc.option(
  fc.oneof(
    fc.constantFrom(...IDS),
    fc.nat(IDS.length).map((n) => ulidAt<MessageId>(NOON + n * 1_000 - 500)),
    fc.constantFrom(
      '',
      '0',
      '~',
      '7ZZZZZZZZZZZZZZZZZZZZZZZZZ',
      '00000000000000000000000000',
      IDS[7]?.toLowerCase() ?? '',
    ),
  ),
  { nil: undefined },
);

/** Returns the expected order: all rows sorted and filtered in the simplest way. */
export function ordered(rows: Iterable<Message>): Message[] {
  return [...rows].sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Returns the rows that a view yields in both directions from a position. */
export function told(rows: SortedRows<Message>, from: string | undefined): readonly Message[][] {
  return [[...rows.ascending(from)], [...rows.descending(from)]];
}

export function expected(rows: Iterable<Message>, from: string | undefined): readonly Message[][] {
  const all = ordered(rows);
  return [
    all.filter(({ id }) => from === undefined || id > from),
    all.filter(({ id }) => from === undefined || id < from).reverse(),
  ];
}

export function plainMessage(over: Partial<Message> = {}): Message {
  return aMessage({
    id: ulidAt<MessageId>(NOON),
    workspaceId: WORKSPACES[0] ?? ulidAt<WorkspaceId>(NOON),
    mailboxId: MAILBOXES[0] ?? ulidAt<MailboxId>(NOON),
    raw: '1.16.1000' as BlobRef, // the file store writes this format
    facts: '1.1016.400' as BlobRef,
    ...over,
  });
}

/** Returns the rows of a kind below an id, the newest first. */
export function newestOfKind(rows: readonly Message[], kind: MessageKind, before: string | undefined): Message[] {
  const chosen = rows.filter((row) => kindOf(row) === kind && (before === undefined || row.id < before));
  return chosen.sort((one, other) => (one.id < other.id ? 1 : -1));
}
