import fc from 'fast-check';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/adapters/system.ts';
import { type FeedItem, feedIdOf } from '../../src/domain/event.ts';
import type { EventId, MailboxId } from '../../src/domain/ids.ts';
import { createOutbox } from '../../src/events/outbox.ts';
import type { EventSink, Feed, FeedFilter } from '../../src/ports/events.ts';
import type { Store } from '../../src/ports/store.ts';
import type { Clock, Log } from '../../src/ports/system.ts';
import { memoryStore } from '../../src/store/memory.ts';
import { aPlace, deliver } from '../store/rows.ts';
import { propertyRuns } from '../support/night.ts';

const silent: Log = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} };
/** Encodes an event as its id alone. All ids have the same length. */
const encode = (item: FeedItem) => Buffer.from(feedIdOf(item));
const ID_BYTES = 26;

/** Returns a real-time clock whose retention time stands still, so that nothing expires. */
function steadyClock(): Clock {
  return { ...systemClock(), now: () => 0 };
}

/** An outlet that accepts a number of bytes and then blocks until it is resumed. */
class Recorder implements EventSink {
  readonly ids: string[] = [];
  readonly sizes: number[] = [];
  takes = Number.POSITIVE_INFINITY;
  #heard: () => void = () => {};

  write(events: Buffer): boolean {
    for (let at = 0; at < events.length; at += ID_BYTES) this.ids.push(events.toString('latin1', at, at + ID_BYTES));
    this.sizes.push(events.length);
    this.#heard();
    return this.ids.length < this.takes;
  }

  async take(count: number): Promise<string[]> {
    while (this.ids.length < count) {
      await new Promise<void>((resolve) => {
        this.#heard = resolve;
      });
    }
    return this.ids;
  }
}

function subscribe(feed: Feed, filter: FeedFilter = {}, after: EventId | null = null) {
  const recorder = new Recorder();
  return { recorder, ...feed.subscribe(filter, after, recorder) };
}

async function aFeed() {
  const store = memoryStore();
  const feed = createOutbox(store, steadyClock(), silent, () => ({ encode }));
  const { mailbox } = await aPlace(store);
  const { mailbox: other } = await aPlace(store);
  return { store, feed, mailbox, other };
}

type ListEvents = Store['read']['events']['list'];

/** Wraps a store so that its feed is read by `list`. */
function readingBy(store: Store, list: ListEvents): Pick<Store, 'read' | 'onCommit'> {
  const { read } = store;
  return {
    read: { ...read, events: { ...read.events, list } },
    onCommit: (listener) => store.onCommit(listener),
  };
}

test('every subscriber gets all events in order and none twice, in any order of reads, commits, pauses and reconnects', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom('deliver', 'deliver other', 'pause', 'resume', 'reconnect', 'turn', 'many'), {
        minLength: 10,
        maxLength: 60,
      }),
      async (steps) => {
        const { store, feed, mailbox, other } = await aFeed();
        const delivered: { id: string; mailboxId: MailboxId }[] = [];
        const told = { all: [] as string[], own: [] as string[] };
        const open = (after: EventId | null, filter: FeedFilter) => subscribe(feed, filter, after);
        let all = open(null, {});
        const own = open(null, { mailboxId: mailbox.id });
        const pending: Promise<unknown>[] = [];
        const into = (box: typeof mailbox) =>
          pending.push(deliver(store, box).then(({ id }) => delivered.push({ id, mailboxId: box.id })));
        for (const step of steps) {
          if (step === 'deliver') into(mailbox);
          if (step === 'deliver other') into(other);
          if (step === 'many') for (let i = 0; i < 300; i++) into(i % 2 === 0 ? mailbox : other);
          if (step === 'pause') all.recorder.takes = 0;
          if (step === 'resume') {
            all.recorder.takes = Number.POSITIVE_INFINITY;
            all.resume();
          }
          if (step === 'reconnect') {
            all.end();
            told.all.push(...all.recorder.ids);
            all = open((told.all.at(-1) ?? null) as EventId | null, {});
          }
          if (step === 'turn') await new Promise((resolve) => setImmediate(resolve));
        }
        await Promise.all(pending);
        all.recorder.takes = Number.POSITIVE_INFINITY;
        all.resume();
        delivered.sort((a, b) => (a.id < b.id ? -1 : 1));
        const expected = delivered.filter(({ mailboxId }) => mailboxId === mailbox.id).map(({ id }) => id);
        await all.recorder.take(delivered.length - told.all.length);
        await own.recorder.take(expected.length);
        expect([...told.all, ...all.recorder.ids]).toEqual(delivered.map(({ id }) => id));
        expect(own.recorder.ids).toEqual(expected);
        feed.close();
      },
    ),
    { numRuns: propertyRuns(60, 15) },
  );
});

test('an event is encoded once for all subscribers, and goes out together with its neighbours', async () => {
  const { store, mailbox } = await aFeed();
  let encoded = 0;
  const counting = (item: FeedItem) => {
    encoded++;
    return encode(item);
  };
  // No time passes, so no rest comes in between, after which the events would be read and encoded anew.
  const feed = createOutbox(store, { ...steadyClock(), steady: () => 0 }, silent, () => ({ encode: counting }));
  for (let i = 0; i < 100; i++) await deliver(store, mailbox);
  const subscribers = Array.from({ length: 200 }, () => subscribe(feed).recorder);
  for (const recorder of subscribers) {
    await recorder.take(100);
    expect(recorder.sizes).toEqual([100 * ID_BYTES]);
  }
  expect(encoded).toBe(100);
  feed.close();
});

test('mail for one mailbox costs nothing for subscribers of others', async () => {
  const { store, mailbox, other } = await aFeed();
  let reads = 0;
  const { list } = store.read.events;
  const counted = readingBy(store, (query) => {
    if (query.mailboxId === mailbox.id) reads++;
    return list(query);
  });
  const feed = createOutbox(counted, steadyClock(), silent, () => ({ encode }));
  const { recorder: everything } = subscribe(feed);
  const { recorder } = subscribe(feed, { mailboxId: mailbox.id });
  const { id } = await deliver(store, mailbox);
  await recorder.take(1);
  await everything.take(1);
  const before = reads;
  for (let i = 0; i < 50; i++) await deliver(store, other);
  await everything.take(51);
  expect(reads).toBe(before);
  expect(recorder.ids).toEqual([id]);
  feed.close();
});

test('a store that fails for a while is read again from the same position', async () => {
  const { store, mailbox } = await aFeed();
  let failures = 3;
  const failing = readingBy(store, async (query) => {
    if (failures-- > 0) throw new Error('the disk is away');
    return store.read.events.list(query);
  });
  const errors: string[] = [];
  const log = { ...silent, error: (message: string) => void errors.push(message) };
  const feed = createOutbox(failing, steadyClock(), log, () => ({ encode }));
  const { id } = await deliver(store, mailbox);
  expect(await subscribe(feed).recorder.take(1)).toEqual([id]);
  expect(errors).toEqual(['the feed could not be read']);
  feed.close();
});

test('no subscriber gets an event after the end', async () => {
  const { store, feed, mailbox } = await aFeed();
  const ended = subscribe(feed);
  const { recorder } = subscribe(feed);
  ended.end();
  expect(feed.size).toBe(1);
  await deliver(store, mailbox);
  await recorder.take(1);
  expect(ended.recorder.ids).toEqual([]);
  feed.close();
  expect(feed.size).toBe(0);
});

test('time spent waiting for a slow database needs no rest: the next events go out at once', async () => {
  const store = memoryStore();
  const rests: number[] = [];
  const clock = steadyClock();
  const { events } = store.read;
  const slow: typeof events = {
    lastId: () => events.lastId(),
    list: async (query) => {
      await clock.sleep(30);
      return events.list(query);
    },
  };
  const sleep = (ms: number) => {
    rests.push(ms);
    return clock.sleep(ms);
  };
  const source = { read: { ...store.read, events: slow }, onCommit: store.onCommit.bind(store) };
  const feed = createOutbox(source, { ...clock, sleep }, silent, () => ({ encode }));
  const { mailbox } = await aPlace(store);
  const { recorder } = subscribe(feed);
  for (let count = 1; count <= 5; count++) {
    await deliver(store, mailbox);
    await recorder.take(count);
  }
  expect(Math.max(0, ...rests)).toBeLessThan(300);
  feed.close();
});

test('rests grow in a flood, up to the longest; an event after the flood goes out at once', async () => {
  const store = memoryStore();
  const { mailbox } = await aPlace(store);
  const arrive = async (count: number) => {
    for (let n = 0; n < count; n++) await deliver(store, mailbox);
  };
  const arrivals = [200, 400, 4];
  const rests: number[] = [];
  // Mail arrives while the outbox rests.
  const sleep = async (ms: number) => {
    rests.push(ms);
    await arrive(arrivals.shift() ?? 0);
  };
  const large = (item: FeedItem) => Buffer.from(feedIdOf(item).padEnd(10 * ID_BYTES));
  const clock = { ...steadyClock(), steady: () => 0, sleep };
  const feed = createOutbox(store, clock, silent, () => ({ encode: large }), { longestRestMs: 60 });
  await arrive(100);
  let told = 0;
  await new Promise<void>((resolve) => {
    const write = (bytes: Buffer) => {
      told += bytes.length / (10 * ID_BYTES);
      if (told === 704) resolve();
      return true;
    };
    feed.subscribe({ types: new Set(['message.received']) }, null, { write });
  });
  expect(rests).toEqual([26, 52, 60]);
  feed.close();
});

test('a subscriber does not wait for the rest after the events of another one', async () => {
  const store = memoryStore();
  const { mailbox } = await aPlace(store);
  for (let n = 0; n < 100; n++) await deliver(store, mailbox);
  // A database takes longer for one read than the outbox serves subscribers without a break.
  let steadyMs = 0;
  const { events } = store.read;
  const slow: typeof events = {
    lastId: () => events.lastId(),
    list: async (query) => {
      await null;
      steadyMs += 30;
      return events.list(query);
    },
  };
  const toldAtRests: number[][] = [];
  const recorders = Array.from({ length: 5 }, () => new Recorder());
  const clock: Clock = {
    ...steadyClock(),
    steady: () => steadyMs,
    sleep: async () => void toldAtRests.push(recorders.map(({ ids }) => ids.length)),
  };
  const source = { read: { ...store.read, events: slow }, onCommit: store.onCommit.bind(store) };
  const feed = createOutbox(source, clock, silent, () => ({ encode }));
  const received = new Set(['message.received'] as const);
  for (const recorder of recorders) feed.subscribe({ types: received }, null, recorder);
  await Promise.all(recorders.map((recorder) => recorder.take(100)));
  await expect.poll(() => toldAtRests[0]).toEqual([100, 100, 100, 100, 100]);
  feed.close();
});
