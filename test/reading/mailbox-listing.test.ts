import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Context } from '../../src/context.ts';
import { type MailboxId, type MessageId, numberDigits } from '../../src/domain/ids.ts';
import { MESSAGE_MARK, type PackedMessages, type PackedQuery } from '../../src/ports/store.ts';
import { ListRoom, ListsAreFull } from '../../src/reading/list-room.ts';
import { MailboxListing } from '../../src/reading/mailbox-listing.ts';
import type { ListedMessage } from '../../src/reading/message-block.ts';
import { propertyRuns } from '../support/night.ts';

// Lists of a mailbox share what they know alike. Each stays what its own session was told.

const MAILBOX = '01J00000000000000000000000' as MailboxId;
const NEVER = { isCancelled: false, onCancel: () => () => {} };

function messageOf(number: number, marks: Partial<ListedMessage> = {}): ListedMessage {
  const id = `01J0000000000000000${numberDigits(number)}` as MessageId;
  return { id, isRead: false, isStarred: false, tags: [], sizeBytes: 3 * number, receivedAt: 5 * number, ...marks };
}

/** A context whose store has these messages, and gives them in steps of some. */
function contextOf(rows: readonly ListedMessage[], stepRows: number): Context {
  const packed = async ({ before }: PackedQuery): Promise<PackedMessages> => {
    const older = before === undefined ? rows : rows.filter(({ id }) => id < before);
    const step = older.slice(-stepRows);
    return {
      ids: Buffer.from(step.map(({ id }) => id).join(''), 'latin1'),
      marks: Uint8Array.from(
        step,
        ({ isRead, isStarred }) => (isRead ? MESSAGE_MARK.read : 0) | (isStarred ? MESSAGE_MARK.starred : 0),
      ),
      sizes: step.map(({ sizeBytes }) => sizeBytes),
      times: step.map(({ receivedAt }) => receivedAt),
      tags: new Map(step.filter(({ tags }) => tags.length > 0).map(({ id, tags }) => [id, tags])),
      next: step.length < older.length ? (step[0]?.id ?? null) : null,
    };
  };
  const clock = { now: () => 0, offsetMs: () => 0 };
  return { clock, store: { read: { messages: { packed } } } } as unknown as Context; // a list uses no more of it
}

function shown(list: MailboxListing): ListedMessage[] {
  return Array.from({ length: list.length }, (_, index) => ({
    id: list.id(index),
    isRead: list.isRead(index),
    isStarred: list.isStarred(index),
    tags: list.tags(index),
    sizeBytes: list.sizeBytes(index),
    receivedAt: list.receivedAt(index),
  }));
}

const MARKS = fc.record({
  isRead: fc.boolean(),
  isStarred: fc.boolean(),
  tags: fc.constantFrom([], [], ['a'], ['a', 'b']),
});
const NUMBERS = fc.uniqueArray(fc.integer({ min: 1, max: 700 }), { maxLength: 60 });
const STEP = fc.oneof(
  fc.record({ kind: fc.constant('add' as const), gap: fc.integer({ min: 1, max: 200 }), marks: MARKS }),
  fc.record({ kind: fc.constant('mark' as const), at: fc.nat(), marks: MARKS }),
  fc.record({ kind: fc.constant('remove' as const), ats: fc.array(fc.nat(), { maxLength: 5 }) }),
  fc.record({ kind: fc.constant('share' as const) }),
  fc.record({ kind: fc.constant('read anew' as const) }),
);

test('each list stays what its session was told, and all together leave nothing', async () => {
  await fc.assert(
    fc.asyncProperty(
      NUMBERS,
      fc.integer({ min: 1, max: 40 }),
      fc.array(fc.record({ who: fc.nat({ max: 2 }), step: STEP }), { maxLength: 40 }),
      async (numbers, stepRows, steps) => {
        const first = numbers.sort((a, b) => a - b).map((number) => messageOf(number));
        const room = new ListRoom(20_000);
        const open = () => MailboxListing.read(contextOf(first, stepRows), MAILBOX, NEVER, room);
        const sessions = await Promise.all(
          Array.from({ length: 3 }, async () => ({ list: await open(), rows: [...first] })),
        );
        for (const { who, step } of steps) {
          const session = sessions[who];
          if (session === undefined) continue;
          const { list, rows } = session;
          if (step.kind === 'add') {
            const last = rows.at(-1);
            const message = messageOf((last === undefined ? 0 : list.number(list.length - 1)) + step.gap, step.marks);
            list.add(message);
            rows.push(message);
          } else if (step.kind === 'mark' && rows.length > 0) {
            const at = step.at % rows.length;
            list.setMarks(at, step.marks);
            rows[at] = { ...(rows[at] as ListedMessage), ...step.marks };
          } else if (step.kind === 'remove' && rows.length > 0) {
            const ats = [...new Set(step.ats.map((at) => at % rows.length))].sort((a, b) => a - b);
            list.removeAll(ats);
            session.rows = rows.filter((_, at) => !ats.includes(at));
          } else if (step.kind === 'share') expect(list.share()).toBe(true);
          else if (step.kind === 'read anew') {
            list.end();
            Object.assign(session, { list: await open(), rows: [...first] });
          }
          for (const { list: one, rows: wanted } of sessions) {
            expect(shown(one)).toEqual(wanted);
            expect(one.sumBytes()).toBe(wanted.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0));
            expect(one.unread).toBe(wanted.filter(({ isRead }) => !isRead).length);
            for (const [index, { id }] of wanted.entries()) expect(one.indexOf(id)).toBe(index);
            // Tags are told in no order, because a mark that came later is kept beside the list.
            const tagged = wanted.filter(({ tags }) => tags.length > 0).map(({ tags }) => tags.join());
            expect([...one.allTags()].map((tags) => tags.join()).sort()).toEqual(tagged.sort());
          }
        }
        for (const { list } of sessions) list.end();
        expect(room.left).toBe(20_000);
      },
    ),
    { numRuns: propertyRuns(2_000, 200) },
  );
});

test('a hundred sessions that know the same take the room of one, also after news', async () => {
  const rows = Array.from({ length: 2_000 }, (_, index) => messageOf(index + 1));
  const room = new ListRoom(100_000);
  const lists = await Promise.all(
    Array.from({ length: 100 }, () => MailboxListing.read(contextOf(rows, 1_000), MAILBOX, NEVER, room)),
  );
  const taken = 100_000 - room.left;
  expect(taken).toBeLessThan(2_200);
  for (const list of lists) {
    list.add(messageOf(2_001));
    list.setMarks(7, { isRead: true, isStarred: false, tags: ['x'] });
    list.removeAll([1, 300]);
    expect(list.share()).toBe(true);
  }
  expect(100_000 - room.left).toBeLessThan(2_200);
  for (const list of lists) list.end();
  expect(room.left).toBe(100_000);
});

test('a mailbox that does not fit beside the others is refused, and takes no room', async () => {
  const rows = Array.from({ length: 1_000 }, (_, index) => messageOf(index + 1));
  const room = new ListRoom(1_500);
  const list = await MailboxListing.read(contextOf(rows, 300), MAILBOX, NEVER, room);
  const other = MailboxListing.read(contextOf(rows, 300), '01J00000000000000000000001' as MailboxId, NEVER, room);
  await expect(other).rejects.toThrow(ListsAreFull);
  list.end();
  expect(room.left).toBe(1_500);
});

test('a session that differs from all others in more than there is room for learns so', async () => {
  const rows = Array.from({ length: 1_000 }, (_, index) => messageOf(index + 1));
  const room = new ListRoom(1_500);
  const open = () => MailboxListing.read(contextOf(rows, 300), MAILBOX, NEVER, room);
  const [one, other] = [await open(), await open()];
  const starred = { isRead: true, isStarred: true, tags: [] };
  for (let index = 0; index < one.length; index++) one.setMarks(index, starred);
  expect(one.share()).toBe(false);
  for (let index = 0; index < one.length; index++) other.setMarks(index, starred);
  expect(other.share()).toBe(true);
});
