import { expect, test } from 'vitest';
import { systemClock } from '../../src/adapters/system.ts';
import { startServer } from '../support/mailcap.ts';
import { asCloud, type Seen, startProxy } from '../support/proxy.ts';
import { MODES, type Mode, stageOf } from './modes.ts';

type Overrides = NonNullable<Parameters<typeof startServer>[0]>['overrides'];

async function staged(mode: Mode, overrides: Overrides = {}) {
  const mailcap = await startServer({ overrides });
  const proxy = await startProxy(mailcap.url, mode === 'cloud' ? asCloud : undefined);
  const close = async () => {
    await proxy[Symbol.asyncDispose]();
    await mailcap.close();
  };
  return { ...stageOf(mode, mailcap, proxy), [Symbol.asyncDispose]: close };
}

function isAwait({ path }: Seen): boolean {
  return path.includes('/await?');
}

test.each(MODES)(
  'a wait makes a handful of requests however long it takes, and the message wakes it (%s)',
  async (mode) => {
    await using stage = await staged(mode);
    const mailbox = await stage.client.mailbox();
    const before = stage.proxy.seen.length;
    await expect(mailbox.waitForMessage({}, { timeout: 1_500 })).rejects.toMatchObject({ code: 'no_message' });
    const asked = stage.proxy.seen.slice(before);
    expect(asked.filter(isAwait)).toHaveLength(1);
    expect(asked.filter(({ path }) => path.startsWith('/v1')).length).toBeLessThanOrEqual(3);
    const again = stage.proxy.seen.length;
    const waiting = mailbox.waitForMessage();
    await stage.armed();
    const { id } = await stage.put(mailbox);
    expect(await waiting).toMatchObject({ id });
    // The await that was held brought it: none was made after it.
    expect(stage.proxy.seen.slice(again).filter(isAwait)).toHaveLength(1);
  },
);

test.each(MODES)(
  'an await that ends without a message is repeated, so a wait may be longer than 60 s (%s)',
  async (mode) => {
    await using stage = await staged(mode);
    const mailbox = await stage.client.mailbox();
    const { fate } = stage.proxy;
    let ended = 0;
    stage.proxy.fate = (seen) => (isAwait(seen) && ++ended <= 2 ? { status: 204 } : fate(seen));
    const waiting = mailbox.waitForMessage({}, { timeout: 120_000 });
    await stage.armed();
    expect(stage.proxy.seen.filter(isAwait).map(({ path }) => /timeout=(\d+)/.exec(path)?.[1])).toEqual([
      '60',
      '60',
      '60',
    ]);
    const { id } = await stage.put(mailbox);
    expect(await waiting).toMatchObject({ id });
  },
);

test.each(MODES)('messages that only the client can refuse cause no flood of requests (%s)', async (mode) => {
  await using stage = await staged(mode);
  const mailbox = await stage.client.mailbox();
  for (const subject of ['1', '2', '3']) await stage.put(mailbox, { Subject: subject });
  const before = stage.proxy.seen.length;
  const waiting = mailbox.waitForMessage({ subject: /never/ }, { timeout: 1_500 });
  await stage.armed();
  await stage.put(mailbox, { Subject: '4' });
  await expect(waiting).rejects.toMatchObject({ code: 'no_message' });
  const asked = stage.proxy.seen.slice(before).filter(({ path }) => path.startsWith('/v1'));
  expect(asked.filter(isAwait).length).toBeLessThanOrEqual(3);
  expect(asked.length).toBeLessThanOrEqual(12);
});

test.each(MODES)('a message of the same millisecond as one that was returned is found (%s)', async (mode) => {
  // The clock stands still, so all messages arrive in the same millisecond.
  const clock = systemClock();
  const at = clock.now();
  await using stage = await staged(mode, { clock: { ...clock, now: () => at } });
  const mailbox = await stage.client.mailbox();
  await stage.put(mailbox);
  await mailbox.waitForMessage();
  const waiting = mailbox.waitForMessage({}, { timeout: 20_000 });
  await stage.armed();
  const { id } = await stage.put(mailbox);
  const arrived = performance.now();
  expect(await waiting).toMatchObject({ id });
  expect(performance.now() - arrived).toBeLessThan(15_000);
});
