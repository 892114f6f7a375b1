import { expect, test } from 'vitest';
import { FeedFollower } from '../../../ui/web/app/follow-feed.ts';
import type { FeedEvent, FeedListener } from '../../../ui/web/app/ports.ts';
import { manualClock } from './manual-clock.ts';

function start() {
  const clock = manualClock();
  const opened: { since: string | null; on: FeedListener }[] = [];
  const told: string[][] = [];
  const said: string[] = [];
  const pauses: (string | null)[] = [];
  const page = { mayPause: false };
  const feed = {
    open(since: string | null, on: FeedListener) {
      opened.push({ since, on });
      return () => {};
    },
  };
  const follower = new FeedFollower(feed, clock, {
    live: (again) => said.push(again ? 'live again' : 'live'),
    lost: (reason, ms) => said.push(`lost: ${reason}, ${ms}`),
    told: (events) => told.push(events.map(({ id }) => id)),
    mayPause: () => page.mayPause,
    paused: (since) => pauses.push(since),
  });
  follower.start();
  return { clock, opened, told, said, pauses, page, follower };
}

const event = (id: string, type = 'x'): FeedEvent => ({ id, type, at: '', workspaceId: null, data: {} });

test('an event after a pause is reported at once, and events within a frame after it together and in order', () => {
  const { clock, opened, told } = start();
  opened[0]?.on.told([event('1')]);
  expect(told).toEqual([['1']]);
  for (const id of ['2', '3', '4']) opened[0]?.on.told([event(id)]);
  expect(told).toEqual([['1']]);
  clock.pass(40);
  expect(told).toEqual([['1'], ['2', '3', '4']]);
});

test('a connection that is lost is opened again after the last event, each pause longer than the one before', () => {
  const { clock, opened, said } = start();
  opened[0]?.on.opened();
  opened[0]?.on.told([event('7')]);
  opened[0]?.on.ended('gone');
  clock.pass(250);
  expect(opened[1]?.since).toBe('7');
  opened[1]?.on.ended('gone');
  clock.pass(499);
  expect(opened).toHaveLength(2);
  clock.pass(1);
  opened[2]?.on.opened();
  expect(said).toEqual(['live', 'lost: gone, 250', 'lost: gone, 500', 'live again']);
});

test('another server is followed from its beginning, and after a stop nothing is requested', () => {
  const { clock, opened, follower } = start();
  opened[0]?.on.told([event('7')]);
  follower.forget();
  opened[0]?.on.ended('gone');
  clock.pass(250);
  expect(opened[1]?.since).toBe(null);
  follower.stop();
  opened[1]?.on.ended('gone');
  clock.pass(60_000);
  expect(opened).toHaveLength(2);
});

test('a flood is reported once a second, 100 events a second 15 times a second, and 50 as they come', () => {
  const { clock, opened, told } = start();
  let id = 0;
  /** Tells events evenly over some time, and returns how often the page heard of them. */
  const deliveries = (perSecond: number, seconds: number) => {
    const before = told.length;
    for (let sent = 0; sent < perSecond * seconds; sent++) {
      opened[0]?.on.told([event(String(id++).padStart(6, '0'))]);
      clock.pass(1_000 / perSecond);
    }
    return told.length - before;
  };
  expect(deliveries(50, 2)).toBeGreaterThan(45);
  deliveries(100, 2);
  expect(deliveries(100, 2)).toBeGreaterThan(26);
  deliveries(2_000, 2);
  expect(deliveries(2_000, 5)).toBeLessThanOrEqual(6);
  // After the flood the page hears at once again, within a second or two.
  deliveries(50, 2);
  expect(deliveries(50, 2)).toBeGreaterThan(45);
  clock.pass(1_000);
  expect(told.flat()).toHaveLength(id);
});

test('250 messages within a second are a flood: the feed pauses, and goes on after an event', () => {
  const { clock, opened, told, pauses, page, follower } = start();
  page.mayPause = true;
  const tell = (from: number, count: number) =>
    opened
      .at(-1)
      ?.on.told(Array.from({ length: count }, (_, n) => event(String(from + n).padStart(6, '0'), 'message.received')));
  tell(0, 249);
  clock.pass(1_000);
  tell(249, 249);
  expect(pauses).toEqual([]);
  tell(498, 1);
  expect(pauses).toEqual(['000498']);
  // Everything up to the position was told.
  expect(told.flat()).toHaveLength(499);
  clock.pass(60_000);
  expect(opened).toHaveLength(1);
  follower.goOn('000498');
  expect(opened[1]?.since).toBe('000498');
});
