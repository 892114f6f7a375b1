import { expect, test } from 'vitest';
import { firstUlidAt } from '../../../src/text/ulid-digits.ts';
import type { FeedEvent } from '../../../ui/web/app/ports.ts';
import { MOST, newestEvents, PAGE } from '../../../ui/web/timeline/newest-events.ts';

const NOW = Date.parse('2026-11-20T16:00:00Z');
const HOUR = 3_600_000;

/** A server that has an event at each of these moments, and counts the requests for them. */
function serverWith(moments: readonly number[]) {
  const ids = moments.map((at, n) => `${firstUlidAt(at).slice(0, 18)}${String(n + 1).padStart(8, '0')}`).toSorted();
  const asked: string[] = [];
  const list = async (after: string) => {
    asked.push(after);
    return ids
      .filter((id) => id > after)
      .slice(0, PAGE)
      .map((id) => ({ id }) as FeedEvent);
  };
  return { ids, asked, list };
}
const spread = (count: number, from: number, to: number) =>
  Array.from({ length: count }, (_, n) => Math.floor(from + ((to - from) * n) / count));

test('one page is one request', async () => {
  const { ids, asked, list } = serverWith(spread(PAGE - 1, NOW - HOUR, NOW));
  const { events, isAll } = await newestEvents(list, NOW - HOUR, NOW);
  expect([events.map(({ id }) => id), isAll, asked.length]).toEqual([ids, true, 1]);
});

test.each([
  ['spread over the hour', spread(3_000, NOW - HOUR, NOW)],
  ['in a burst long ago', spread(4_000, NOW - HOUR + 1_000, NOW - HOUR + 20_000)],
  ['in a burst just now, whose clock is ahead', spread(2_000, NOW - 2_000, NOW + 60_000)],
])('several pages %s are complete, each event once and in order', async (_, moments) => {
  const { ids, list } = serverWith(moments);
  const { events, isAll } = await newestEvents(list, NOW - HOUR, NOW);
  expect(events.map(({ id }) => id)).toEqual(ids);
  expect(isAll).toBe(true);
});

test.each([
  ['over the hour', spread(MOST * 3, NOW - HOUR, NOW)],
  ['in the last minute', spread(MOST + 1, NOW - 30_000, NOW)],
])('of more events %s than are shown, the newest are, and they are told not to be all', async (_, moments) => {
  const { ids, list } = serverWith(moments);
  const { events, isAll } = await newestEvents(list, NOW - HOUR, NOW);
  expect(events.map(({ id }) => id)).toEqual(ids.slice(-MOST));
  expect(isAll).toBe(false);
});

test.each([
  ['in the last minute', NOW - 20_000],
  ['half an hour ago', NOW - HOUR / 2],
])('of a burst of 200,000 events %s no more pages are read than its halving takes', async (_, at) => {
  const { ids, asked, list } = serverWith(spread(200_000, at, at + 15_000));
  const { events, isAll } = await newestEvents(list, NOW - HOUR, NOW);
  expect(events.map(({ id }) => id)).toEqual(ids.slice(-MOST));
  expect(isAll).toBe(false);
  expect(asked.length).toBeLessThan(200);
});
