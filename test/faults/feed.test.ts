import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { Wire } from '../smtp/wire.ts';
import { FeedClient } from '../support/feed-client.ts';
import { type Served, serve } from './served.ts';

const directory = mkdtempSync(join(tmpdir(), 'mailcap-feed-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const ROUNDS = 4;

/** Sends mail until the connection breaks. */
async function send({ ready }: Served, name: string): Promise<void> {
  const wire = await Wire.hello(ready.smtpPort);
  for (let i = 0; ; i++) {
    const reply = await wire.mail('anyone@inbox.mailcap.example.com', `Subject: ${name}-${i}\r\n\r\nbody`);
    if (!reply.startsWith('250')) throw new Error(reply);
  }
}

/** A subscriber that resumes after its last event, whatever happens to the server or the connection. */
class Reader {
  readonly ids: string[] = [];
  #since = '0'.repeat(26);

  /** Reads until it has `enough` events or the connection ends. It reconnects after every `reconnectAfter` events. */
  async follow({ ready }: Served, reconnectAfter: number, enough = Number.POSITIVE_INFINITY): Promise<void> {
    while (this.ids.length < enough) {
      const query = `types=message.received&since=${this.#since}`;
      await using client = await FeedClient.open(ready.feedUrl, query);
      const wanted = Math.min(reconnectAfter, enough - this.ids.length);
      const whole = await client.take(wanted).then(
        () => true,
        () => false,
      );
      // Received events count, even if the connection ended in the middle of a batch.
      this.ids.push(...client.events.map(({ id }) => id));
      this.#since = this.ids.at(-1) ?? this.#since;
      if (!whole) return;
    }
  }
}

test(`a feed that is resumed by its last id has all events in order and none twice, over ${ROUNDS} times kill -9 and many reconnects`, async () => {
  const readers = [new Reader(), new Reader()];
  const pace = [50, Number.POSITIVE_INFINITY];
  for (let round = 0; round < ROUNDS; round++) {
    const served = await serve(directory);
    const reading = readers.map((reader, i) => reader.follow(served, pace[i] ?? 1).catch(() => {}));
    const load = Promise.allSettled(Array.from({ length: 6 }, (_, i) => send(served, `r${round}-s${i}`)));
    // The server is killed during its work, after it has sent enough events.
    await using witness = await FeedClient.open(served.ready.feedUrl);
    await witness.take(300 + round * 70);
    await served.end('SIGKILL');
    await Promise.all([load, ...reading]);
  }
  const served = await serve(directory);
  const stored = (await served.messages()).map(({ id }) => id).reverse();
  expect(stored.length).toBeGreaterThan(ROUNDS * 300);
  for (const reader of readers) {
    // The feed only reports stored messages, because it reports after the commit.
    expect(stored.slice(0, reader.ids.length)).toEqual(reader.ids);
    await reader.follow(served, Number.POSITIVE_INFINITY, stored.length);
    expect(reader.ids).toEqual(stored);
  }
  expect(await served.end('SIGTERM')).toBe(0);
});
