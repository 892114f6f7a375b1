import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { MailboxId } from '../../../src/domain/ids.ts';
import { type BlobRef, MESSAGE_KINDS, type Message } from '../../../src/domain/message.ts';
import { CommittedMessages } from '../../../src/store/tables/messages/committed-messages.ts';
import type { LogPosition } from '../../../src/store/tables/state.ts';
import { propertyRuns } from '../../support/night.ts';
import { ulidAt } from '../rows.ts';
import {
  expected,
  home,
  IDS,
  MAILBOXES,
  message,
  newestOfKind,
  ordered,
  plainMessage,
  position,
  segment,
  told,
  WORKSPACES,
} from './rows.ts';

interface Standing {
  readonly row: Message;
  readonly home: LogPosition;
}

type Step =
  | { readonly kind: 'put'; readonly row: Message; readonly home: LogPosition }
  | { readonly kind: 'remove'; readonly id: string }
  | { readonly kind: 'clear'; readonly mailboxId: string; readonly upTo: string }
  | { readonly kind: 'reload' };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('put' as const), row: message, home }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('remove' as const), id: fc.constantFrom(...IDS) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('clear' as const),
      mailboxId: fc.constantFrom(...MAILBOXES),
      upTo: fc.constantFrom(...IDS, '', '~'),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'reload' as const }) },
);

function goneOf({ row: { id, raw, facts }, home: at }: Standing) {
  return { table: 'messages', id, blobs: [raw, facts], home: at };
}

/** Copies a table by writing and reading its bytes. */
function reloaded(table: CommittedMessages): CommittedMessages {
  const other = new CommittedMessages();
  for (let number = 0; number <= 3; number++) other.load(number, Buffer.concat(table.pack(number)));
  return other;
}

function checkAlike(table: CommittedMessages, model: ReadonlyMap<string, Standing>, from: string | undefined): void {
  const rows = [...model.values()].map(({ row }) => row);
  expect(table.size).toBe(rows.length);
  expect([...table.values()]).toEqual(ordered(rows));
  expect(told(table.inOrder, from)).toEqual(expected(rows, from));
  for (const mailboxId of MAILBOXES) {
    const own = rows.filter((row) => row.mailboxId === mailboxId);
    expect(table.of(mailboxId).size).toBe(own.length);
    expect(told(table.of(mailboxId), from)).toEqual(expected(own, from));
    for (const kind of MESSAGE_KINDS)
      expect([...table.ofKind(mailboxId, kind).descending(from)]).toEqual(newestOfKind(own, kind, from));
  }
  const bytes = (list: readonly Message[]) => list.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  expect(table.bytes).toBe(bytes(rows));
  for (const workspaceId of WORKSPACES)
    expect(table.bytesOf(workspaceId)).toBe(bytes(rows.filter((row) => row.workspaceId === workspaceId)));
  for (const id of IDS) {
    expect(table.get(id)).toEqual(model.get(id)?.row);
    const home = model.get(id)?.home;
    if (home === undefined) continue;
    const isHere = (other: LogPosition) => other.segment === home.segment && other.offset === home.offset;
    const here = [...model.values()].filter((one) => isHere(one.home)).map(({ row }) => row.id);
    expect(table.idsAt(home.segment, new Set([home.offset])).sort()).toEqual(here.sort());
  }
}

describe('packed messages', () => {
  test('behave as plain rows, whatever is put, moved, removed, cleared and loaded again', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), position, (steps, from) => {
        let table = new CommittedMessages();
        const model = new Map<string, Standing>();
        for (const now of steps) {
          if (now.kind === 'put') {
            const old = model.get(now.row.id);
            expect(table.put(now.row, now.home)).toEqual(old === undefined ? null : goneOf(old));
            model.set(now.row.id, { row: now.row, home: now.home });
          } else if (now.kind === 'remove') {
            const old = model.get(now.id);
            expect(table.remove(now.id)).toEqual(old === undefined ? null : goneOf(old));
            model.delete(now.id);
          } else if (now.kind === 'clear') {
            const doomed = [...model.values()].filter(
              ({ row }) => row.mailboxId === now.mailboxId && row.id <= now.upTo,
            );
            doomed.sort((a, b) => (a.row.id < b.row.id ? -1 : 1));
            expect([...table.clear(now.mailboxId, now.upTo)]).toEqual(doomed.map(goneOf));
            for (const { row } of doomed) model.delete(row.id);
          } else table = reloaded(table);
        }
        checkAlike(table, model, from);
        checkAlike(reloaded(table), model, from);
      }),
      { numRuns: 60 },
    );
  });

  test('know which rows are in a segment, which have bytes in it, and which places rows refer to', () => {
    const placed = fc.record({
      row: message,
      home,
      raw: fc.tuple(segment, fc.nat(5)),
      facts: fc.tuple(segment, fc.nat(5), segment, fc.nat(5)),
    });
    fc.assert(
      fc.property(fc.array(placed, { maxLength: 40 }), fc.nat(3), (list, number) => {
        const table = new CommittedMessages();
        const model = new Map<string, LogPosition & { readonly places: readonly (readonly [number, number])[] }>();
        for (const { row, home: at, raw, facts } of list) {
          const refs = {
            raw: `${raw.join('.')}.9` as BlobRef, // the store writes this format
            facts: `${facts[0]}.${facts[1]}.9,${facts[2]}.${facts[3]}.9` as BlobRef,
          };
          table.put({ ...row, ...refs }, at);
          model.set(row.id, { ...at, places: [raw, [facts[0], facts[1]], [facts[2], facts[3]]] });
        }
        const all = [...model];
        const at = all.filter(([, row]) => row.segment === number).map(([id]) => id);
        const guests = all.filter(([, row]) => row.segment !== number && row.places.some(([in_]) => in_ === number));
        expect(table.idsAt(number).sort()).toEqual(at.sort());
        expect(table.idsWithBytesIn(number).sort()).toEqual(guests.map(([id]) => id).sort());
        const keys = new Set([0, 1, 2, 3].map((offset) => number * 2 ** 32 + offset));
        const used = new Set(all.flatMap(([, { places }]) => places.map(([in_, offset]) => in_ * 2 ** 32 + offset)));
        const scan = table.referenced(keys, 1);
        let turn = scan.next();
        while (turn.done !== true) turn = scan.next();
        expect([...turn.value].sort()).toEqual([...keys].filter((key) => used.has(key)).sort());
      }),
    );
  });

  test('include a row that comes during a look-up of places', () => {
    const table = new CommittedMessages();
    for (let i = 0; i < 10; i++) table.put(plainMessage(), { segment: i, offset: 0 });
    const scan = table.referenced(new Set([5 * 2 ** 32 + 7]), 1);
    expect(scan.next().done).toBe(false);
    expect(scan.next().done).toBe(false);
    const late = plainMessage({ raw: '5.7.9' as BlobRef }); // the store writes this format
    table.put(late, { segment: 0, offset: 0 });
    table.remove(late.id);
    let turn = scan.next();
    while (turn.done !== true) turn = scan.next();
    expect(turn.value).toEqual(new Set([5 * 2 ** 32 + 7]));
  });

  test('return the same object for a row each time', () => {
    const table = new CommittedMessages();
    const row = plainMessage();
    table.put(row, { segment: 1, offset: 16 });
    const first = table.get(row.id);
    expect(first).toEqual(row);
    expect(table.get(row.id)).toBe(first);
    expect([...table.of(row.mailboxId).ascending()][0]).toBe(first);
  });

  test('return thousands of rows in many blocks in order, also after removals', () => {
    const table = new CommittedMessages();
    const rows = Array.from({ length: 20_000 }, (_, n) =>
      plainMessage({
        subject: `mail ${n}`,
        mailboxId: MAILBOXES[n % 3] ?? plainMessage().mailboxId,
        rcptTo: n % 2 === 0 ? ['a@x.test'] : ['a@x.test', `b${n}@x.test`],
      }),
    );
    for (const [n, row] of rows.entries()) table.put(row, { segment: Math.floor(n / 9_000), offset: n });
    // Only every fiftieth row is kept, so that whole blocks are freed and the others are compacted.
    const kept = rows.filter((_, n) => n % 50 === 0);
    for (const [n, row] of rows.entries()) if (n % 50 !== 0) table.remove(row.id);
    expect([...table.inOrder.ascending()]).toEqual(kept);
    const again = new CommittedMessages();
    for (const number of [2, 1, 0]) again.load(number, Buffer.concat(table.pack(number)));
    expect([...again.inOrder.ascending()]).toEqual(kept);
    expect(again.newestId).toBe(kept.at(-1)?.id);
    for (const mailboxId of MAILBOXES) {
      const own = kept.filter((row) => row.mailboxId === mailboxId);
      expect([...again.of(mailboxId).descending()]).toEqual([...own].reverse());
      expect([...again.clear(mailboxId, '~')].map(({ id }) => id)).toEqual(own.map(({ id }) => id));
    }
    expect([again.size, again.bytes, again.idsAt(0)]).toEqual([0, 0, []]);
  });

  test('clear a mailbox with a few rows among thousands', () => {
    const table = new CommittedMessages();
    const other = ulidAt<MailboxId>(0);
    const rows = Array.from({ length: 2_000 }, (_, n) => plainMessage(n % 700 === 0 ? { mailboxId: other } : {}));
    for (const row of rows) table.put(row, { segment: 1, offset: 16 });
    const few = rows.filter(({ mailboxId }) => mailboxId === other);
    expect([...table.clear(other, '~')].map(({ id }) => id)).toEqual(few.map(({ id }) => id));
    expect([...table.inOrder.ascending()]).toEqual(rows.filter((row) => !few.includes(row)));
  });

  test('refuse a row whose id is no ULID, and store nothing of it', () => {
    const table = new CommittedMessages();
    const row = plainMessage();
    table.put(row, { segment: 1, offset: 16 });
    const bad = { ...row, id: row.id.toLowerCase() as typeof row.id }; // no type can express this
    expect(() => table.put(bad, { segment: 1, offset: 16 })).toThrow(RangeError);
    expect(() => table.put(row, { segment: 1, offset: -1 })).toThrow(RangeError);
    expect(() => table.put({ ...row, attachmentCount: 0.5 }, { segment: 1, offset: 16 })).toThrow(RangeError);
    expect([...table.values()]).toEqual([row]);
  });
});

describe('packed bytes', () => {
  const table = new CommittedMessages();
  for (let n = 0; n < 3; n++) table.put(plainMessage({ id: ulidAt(n), subject: `s${n}` }), { segment: 1, offset: n });
  const packed = Buffer.concat(table.pack(1));

  test('bytes that end anywhere but behind a block are an error, and nothing is loaded', () => {
    for (let end = 1; end < packed.length; end++) {
      const other = new CommittedMessages();
      expect(() => other.load(1, Buffer.from(packed.subarray(0, end)))).toThrow(Error);
      expect(other.size).toBe(0);
    }
  });

  test('a changed byte is an error, or loads rows that can be read', () => {
    fc.assert(
      fc.property(fc.nat(packed.length - 1), fc.integer({ min: 1, max: 255 }), (at, by) => {
        const bytes = Buffer.from(packed);
        bytes[at] = (bytes[at] ?? 0) ^ by;
        const other = new CommittedMessages();
        try {
          other.load(1, bytes);
          for (const row of other.values()) expect(typeof row.subject === 'string' || row.subject === null).toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(Error);
          expect(error).not.toBeInstanceOf(TypeError);
        }
      }),
      { numRuns: propertyRuns(500) },
    );
  });

  test('a block of a second load replaces rows of the first one', () => {
    const other = new CommittedMessages();
    other.load(1, Buffer.from(packed));
    other.load(2, Buffer.from(packed));
    expect(other.size).toBe(3);
    expect([other.idsAt(1).length, other.idsAt(2).length]).toEqual([0, 3]);
    expect(other.bytes).toBe(3_000);
  });
});
