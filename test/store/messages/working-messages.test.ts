import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sortedTags } from '../../../src/domain/marks.ts';
import { MESSAGE_KINDS, type Message } from '../../../src/domain/message.ts';
import { CommittedMessages } from '../../../src/store/tables/messages/committed-messages.ts';
import { WorkingMessages } from '../../../src/store/tables/messages/working-messages.ts';
import type { LogPosition, MessageTable, PendingChange } from '../../../src/store/tables/state.ts';
import {
  expected,
  home,
  IDS,
  MAILBOXES,
  message,
  newestOfKind,
  plainMessage,
  position,
  told,
  WORKSPACES,
} from './rows.ts';

type Rows = ReadonlyMap<string, Message>;

type Change =
  | { readonly kind: 'put'; readonly row: Message; readonly home: LogPosition }
  | { readonly kind: 'remove'; readonly id: string }
  | { readonly kind: 'clear'; readonly mailboxId: string; readonly upTo: string };
/** The operations on the pending changes: change, commit and undo. */
type Step = Change | { readonly kind: 'commit' } | { readonly kind: 'undo'; readonly count: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('put' as const), row: message, home }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('remove' as const), id: fc.constantFrom(...IDS.slice(0, 12)) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('clear' as const),
      mailboxId: fc.constantFrom(...MAILBOXES),
      upTo: fc.constantFrom(...IDS),
    }),
  },
  { weight: 5, arbitrary: fc.constant({ kind: 'commit' as const }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('undo' as const), count: fc.integer({ min: 1, max: 6 }) }) },
);
/** Steps with few ids, so that many changes concern the same row. */
const crowded = step.map((now) =>
  now.kind === 'put' ? { ...now, row: { ...now.row, id: IDS[IDS.indexOf(now.row.id) % 12] ?? now.row.id } } : now,
);

function after(rows: Rows, change: Change): Rows {
  const next = new Map(rows);
  if (change.kind === 'put') next.set(change.row.id, change.row);
  else if (change.kind === 'remove') next.delete(change.id);
  else
    for (const row of rows.values())
      if (row.mailboxId === change.mailboxId && row.id <= change.upTo) next.delete(row.id);
  return next;
}

function begin(working: WorkingMessages, change: Change): PendingChange {
  if (change.kind === 'put') return working.put(change.row);
  return change.kind === 'remove' ? working.remove(change.id) : working.clear(change.mailboxId, change.upTo);
}

function commit(committed: CommittedMessages, change: Change): void {
  if (change.kind === 'put') committed.put(change.row, change.home);
  else if (change.kind === 'remove') committed.remove(change.id);
  else committed.clear(change.mailboxId, change.upTo);
}

function checkAlike(table: MessageTable, model: Rows, from: string | undefined): void {
  const rows = [...model.values()];
  expect(table.size).toBe(rows.length);
  expect(table.inOrder.size).toBe(rows.length);
  expect(told(table.inOrder, from)).toEqual(expected(rows, from));
  expect([...table.values()]).toEqual(expected(rows, undefined)[0]);
  for (const mailboxId of MAILBOXES) {
    const own = rows.filter((row) => row.mailboxId === mailboxId);
    expect(table.of(mailboxId).size).toBe(own.length);
    expect(told(table.of(mailboxId), from)).toEqual(expected(own, from));
    for (const kind of MESSAGE_KINDS) {
      const rowsOfKind = newestOfKind(own, kind, from);
      expect([...table.ofKind(mailboxId, kind).descending(from)]).toEqual(rowsOfKind);
      expect(Array.from(table.glimpse(mailboxId, from, kind), whole)).toEqual(rowsOfKind);
    }
  }
  for (const mailboxId of [undefined, ...MAILBOXES]) {
    const own = rows.filter((row) => mailboxId === undefined || row.mailboxId === mailboxId);
    const glimpsed = Array.from(table.glimpse(mailboxId, from), whole);
    expect(glimpsed).toEqual(newestFirst(own).filter(({ id }) => from === undefined || id < from));
  }
  const bytes = (list: readonly Message[]) => list.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  expect(table.bytes).toBe(bytes(rows));
  for (const workspaceId of WORKSPACES)
    expect(table.bytesOf(workspaceId)).toBe(bytes(rows.filter((row) => row.workspaceId === workspaceId)));
  for (const mailboxId of MAILBOXES)
    expect(table.unreadOf(mailboxId)).toBe(rows.filter((row) => row.mailboxId === mailboxId && !row.isRead).length);
  for (const workspaceId of WORKSPACES) {
    const tags = rows.filter((row) => row.workspaceId === workspaceId).flatMap((row) => row.tags);
    const counts = sortedTags(tags).map((name) => ({ name, count: tags.filter((tag) => tag === name).length }));
    const counted = table.tagsOf(workspaceId);
    expect(counted.list()).toEqual(counts);
    expect(counted.size).toBe(counts.length);
    expect(counted.nameOf('SPRING')).toBe(tags.includes('Spring') ? 'Spring' : null);
  }
  for (const id of IDS) expect(table.get(id)).toEqual(model.get(id));
}

/** Copies a row field by field, because it may be a view. */
function whole(row: Message): Message {
  const { id, kind, workspaceId, mailboxId, receivedAt, sizeBytes, attachmentCount } = row;
  const { from, to, cc, subject, mailFrom, rcptTo, raw, facts } = row;
  const texts = { from, to, cc, subject, mailFrom, rcptTo, raw, facts };
  const { isRead, isStarred, tags } = row;
  const place = { id, workspaceId, mailboxId, receivedAt, sizeBytes, attachmentCount };
  return { ...place, ...texts, ...(kind !== undefined && { kind }), isRead, isStarred, tags };
}

function newestFirst(rows: readonly Message[]): Message[] {
  return [...rows].sort((one, other) => (one.id < other.id ? 1 : -1));
}

test('transactions see every change at once, readers once it is committed, and an undone change leaves no trace', () => {
  fc.assert(
    fc.property(fc.array(crowded, { maxLength: 50 }), position, (steps, from) => {
      const committed = new CommittedMessages();
      const working = new WorkingMessages(committed);
      let durable: Rows = new Map();
      const waiting: { readonly change: Change; readonly pending: PendingChange }[] = [];
      const seen = () => waiting.reduce((rows, { change }) => after(rows, change), durable);
      for (const now of steps) {
        if (now.kind === 'commit') {
          const first = waiting.shift();
          if (first === undefined) continue;
          commit(committed, first.change);
          first.pending.settle();
          durable = after(durable, first.change);
        } else if (now.kind === 'undo') {
          for (let i = 0; i < now.count; i++) waiting.pop()?.pending.undo();
        } else waiting.push({ change: now, pending: begin(working, now) });
        checkAlike(working, seen(), from);
        checkAlike(committed, durable, from);
      }
    }),
    { numRuns: 60 },
  );
});

test('a clear of many rows and its undo leave them as they were', () => {
  const committed = new CommittedMessages();
  const working = new WorkingMessages(committed);
  const rows = Array.from({ length: 10_000 }, () => plainMessage());
  for (const row of rows) committed.put(row, { segment: 1, offset: 16 });
  const mailboxId = rows[0]?.mailboxId ?? '';
  const newest = rows.at(-1)?.id ?? '';
  const clear = working.clear(mailboxId, newest);
  expect([working.size, working.bytes, [...working.of(mailboxId).ascending()].length]).toEqual([0, 0, 0]);
  expect(committed.of(mailboxId).size).toBe(10_000);
  clear.undo();
  expect(working.size).toBe(10_000);
  expect([...working.of(mailboxId).descending()].map(({ id }) => id)).toEqual(rows.map(({ id }) => id).reverse());
});

test("a row that can't be packed is refused before anything is written", () => {
  const working = new WorkingMessages(new CommittedMessages());
  expect(() => working.put(plainMessage({ attachmentCount: -1 }))).toThrow(RangeError);
  expect(working.size).toBe(0);
});
