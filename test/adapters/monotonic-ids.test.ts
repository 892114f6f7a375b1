import { expect, test } from 'vitest';
import { createIds, nodeRandom } from '../../src/adapters/system.ts';
import { attachmentId, type MessageId, nextUid, parseUlid, uidOf, ulidTime } from '../../src/domain/ids.ts';

const NOW = Date.parse('2026-11-20T15:55:21.123Z');

function parsed(text: string): MessageId {
  const id = parseUlid<MessageId>(text);
  if (id === null) throw new Error(`${text} is no ULID`);
  return id;
}

test('ids increase strictly within a millisecond, over milliseconds, and when the clock goes back', () => {
  const ids = createIds(nodeRandom);
  const times = [...Array(2_000).fill(NOW), NOW + 1, NOW + 1, NOW - 86_400_000, NOW - 1, NOW + 2, 0, NOW + 3];
  const given = times.map((now) => ids.next<MessageId>(now));
  expect(given).toEqual([...given].sort());
  expect(new Set(given).size).toBe(given.length);
  for (const id of given) expect(parseUlid(id)).toBe(id);
});

test('the time of an id is that of its creation, or later', () => {
  const ids = createIds(nodeRandom);
  expect(ulidTime(ids.next(NOW))).toBe(NOW);
  expect(ulidTime(ids.next(NOW - 5))).toBeGreaterThanOrEqual(NOW);
});

test('an id is greater than the id before it, even if that has a later time', () => {
  const ids = createIds(nodeRandom);
  const later = createIds(nodeRandom).next<MessageId>(NOW + 60_000);
  const next = ids.next<MessageId>(NOW, later);
  expect(next > later).toBe(true);
  expect(ids.next<MessageId>(NOW) > next).toBe(true);
});

test('an id from the past does not change the next id', () => {
  const ids = createIds(nodeRandom);
  const earlier = createIds(nodeRandom).next<MessageId>(NOW - 60_000);
  expect(ulidTime(ids.next<MessageId>(NOW, earlier))).toBe(NOW);
});

test('the time of an id moves on when the random part is used up', () => {
  const last = parsed('01KAGHPMV3ZZZZZZZZZZZZZZZZ');
  const ids = createIds({ bytes: (count) => new Uint8Array(count) });
  const time = ulidTime(last);
  expect(ids.next<MessageId>(0, last)).toBe('01KAGHPMV40000000000000000');
  expect(ids.next<MessageId>(time + 1)).toBe('01KAGHPMV40000000000000001');
});

test('servers whose clocks are behind the ids of their store continue after the newest id, and never create the same one', () => {
  const servers = Array.from({ length: 5 }, () => createIds(nodeRandom));
  let newest = createIds(nodeRandom).next<MessageId>(NOW);
  const given: MessageId[] = [];
  for (let round = 0; round < 200; round++) {
    const after = newest;
    for (const ids of servers) given.push(ids.next<MessageId>(NOW - 60_000, after), ids.next<MessageId>(NOW - 60_000));
    newest = given.reduce((one, other) => (one > other ? one : other));
  }
  expect(new Set(given).size).toBe(given.length);
  expect(ulidTime(newest)).toBeLessThan(NOW + 5);
});

test('the random part comes from the port', () => {
  const ids = createIds({ bytes: (count) => new Uint8Array(count).fill(8) });
  expect(ids.next(NOW).slice(10)).toBe('1'.repeat(16));
});

test('an id ends with the number it is given, and still sorts behind all ids before it', () => {
  const ids = createIds(nodeRandom);
  let last = ids.next<MessageId>(1_000);
  for (const number of [1, 2, 2 ** 32 - 1, 1, 7, 2 ** 35 - 1, 0]) {
    const id = ids.next<MessageId>(1_000, null, number);
    expect(id > last).toBe(true);
    expect(uidOf(id)).toBe(number);
    const plain = ids.next<MessageId>(1_000);
    expect(plain > id).toBe(true);
    last = plain;
  }
  const other = createIds(nodeRandom);
  const id = other.next<MessageId>(1, last, 5);
  expect(id > last).toBe(true);
  expect([uidOf(id), nextUid(id), nextUid(null)]).toEqual([5, 6, 1]);
  expect(attachmentId(id, 3).slice(0, 23)).toBe(id.slice(0, 23));
});
