import { expect, test } from 'vitest';
import { FeedFollower } from '../../../ui/shell/follow-feed.ts';
import type { FeedEvent, FeedListener } from '../../../ui/shell/ports.ts';

/** Creates a clock that the test moves by hand. */
function manualClock() {
  let timers: { at: number; act: () => void }[] = [];
  let now = 0;
  return {
    now: () => now,
    after(ms: number, act: () => void) {
      const timer = { at: now + ms, act };
      timers.push(timer);
      return () => {
        timers = timers.filter((one) => one !== timer);
      };
    },
    /** Lets time go by in which no timer can run. */
    spend(ms: number) {
      now += ms;
    },
    pass(ms: number) {
      now += ms;
      const due = timers.filter(({ at }) => at <= now);
      timers = timers.filter(({ at }) => at > now);
      for (const { act } of due) act();
    },
  };
}

function start(drawMs = () => 0) {
  const clock = manualClock();
  const opened: { since: string | null; on: FeedListener }[] = [];
  const told: string[][] = [];
  const said: string[] = [];
  const feed = {
    open(since: string | null, on: FeedListener) {
      opened.push({ since, on });
      return () => {};
    },
  };
  const follower = new FeedFollower(feed, clock, {
    live: (again) => said.push(again ? 'live again' : 'live'),
    lost: (reason, ms) => said.push(`lost: ${reason}, ${ms}`),
    told: (events) => {
      told.push(events.map(({ id }) => id));
      clock.spend(drawMs());
    },
  });
  follower.start();
  return { clock, opened, told, said, follower };
}

const event = (id: string): FeedEvent => ({ id, type: 'x', at: '', workspaceId: null, data: {} });

test('what comes within a frame is told together, in order', () => {
  const { clock, opened, told } = start();
  for (const id of ['1', '2', '3']) opened[0]?.on.told(event(id));
  expect(told).toEqual([]);
  clock.pass(50);
  expect(told).toEqual([['1', '2', '3']]);
});

test('a connection that is lost is opened again after the last event, each pause longer than the one before', () => {
  const { clock, opened, said } = start();
  opened[0]?.on.opened();
  opened[0]?.on.told(event('7'));
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

test('another server is asked from its beginning, and who stopped asks nobody', () => {
  const { clock, opened, follower } = start();
  opened[0]?.on.told(event('7'));
  follower.forget();
  opened[0]?.on.ended('gone');
  clock.pass(250);
  expect(opened[1]?.since).toBe(null);
  follower.stop();
  opened[1]?.on.ended('gone');
  clock.pass(60_000);
  expect(opened).toHaveLength(2);
});

test('a page that takes long to draw is told less often, and as often as before when it is fast again', () => {
  let drawMs = 30;
  const { clock, opened, told } = start(() => drawMs);
  const on = opened[0]?.on;
  on?.opened();
  const next = (id: string) => {
    on?.told({ id, type: 'message.received', at: '', workspaceId: null, data: {} });
  };
  next('1');
  clock.pass(40);
  expect(told).toEqual([['1']]);
  clock.pass(0);
  // Drawing took 30 ms: a quarter of the time may be spent so.
  next('2');
  clock.pass(80);
  expect(told.length).toBe(1);
  next('3');
  drawMs = 1;
  clock.pass(40);
  expect(told).toEqual([['1'], ['2', '3']]);
  clock.pass(0);
  next('4');
  clock.pass(40);
  expect(told.length).toBe(3);
});
