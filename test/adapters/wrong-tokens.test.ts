import { expect, test } from 'vitest';
import { createWrongTokens } from '../../src/adapters/rate-limiter.ts';
import { systemClock } from '../../src/adapters/system.ts';
import { MOST_HELD, MOST_HELD_FOR_CLIENT } from '../../src/domain/rate-limit.ts';
import type { CancelSignal } from '../../src/ports/waiting.ts';

/** Wrong tokens whose timers the test ends, and the exchanges that wait for them. */
function make() {
  const timers = new Map<object, { readonly ms: number; readonly act: () => void }>();
  const logged: unknown[] = [];
  const clock = {
    ...systemClock(),
    steady: () => 0,
    after: (ms: number, act: () => void) => {
      const timer = {};
      timers.set(timer, { ms, act });
      return () => void timers.delete(timer);
    },
  };
  const unused = () => {};
  const log = {
    error: unused,
    info: unused,
    debug: unused,
    warn: (_: string, fields?: unknown) => logged.push(fields),
  };
  const wrongTokens = createWrongTokens(clock, log);
  const exchange = () => {
    const listeners = new Set<() => void>();
    const cancelSignal: CancelSignal = {
      isCancelled: false,
      onCancel: (act) => {
        listeners.add(act);
        return () => listeners.delete(act);
      },
    };
    return { cancelSignal, listeners, end: () => [...listeners].map((act) => act()) };
  };
  const send = (address: string) => wrongTokens.answerLater(address, exchange().cancelSignal);
  const sendFree = async (address: string) => {
    for (let count = 0; count < 3; count++) expect(await send(address)).toBe(true);
  };
  return { wrongTokens, timers, logged, exchange, send, sendFree };
}

test('each client waits for its own wrong tokens, and no timer stays after its answer', async () => {
  const { timers, send, sendFree } = make();
  await sendFree('192.0.2.1');
  const answers = [send('192.0.2.1'), send('192.0.2.1')];
  await sendFree('192.0.2.2');
  expect([...timers.values()].map(({ ms }) => ms)).toEqual([100, 200]);
  for (const { act } of timers.values()) act();
  expect(await Promise.all(answers)).toEqual([true, true]);
  expect(timers.size).toBe(0);
});

test('an answer that is held ends when its request ends, and frees its place', async () => {
  const { timers, exchange, send, sendFree, wrongTokens } = make();
  await sendFree('192.0.2.1');
  const exchanges = Array.from({ length: MOST_HELD_FOR_CLIENT }, exchange);
  const answers = exchanges.map(({ cancelSignal }) => wrongTokens.answerLater('192.0.2.1', cancelSignal));
  expect(await send('192.0.2.1')).toBe(false);
  exchanges[0]?.end();
  expect(await answers[0]).toBe(true);
  expect(exchanges[0]?.listeners.size).toBe(0);
  void send('192.0.2.1');
  expect(timers.size).toBe(MOST_HELD_FOR_CLIENT);
});

test('the addresses of one IPv6 network count together', async () => {
  const { timers, send, sendFree } = make();
  await sendFree('2001:db8::1');
  void send('2001:db8::2');
  expect(timers.size).toBe(1);
});

test('the answers held for all clients have a bound', async () => {
  const { timers, send, sendFree } = make();
  const clients = Array.from({ length: MOST_HELD / MOST_HELD_FOR_CLIENT }, (_, index) => `192.0.2.${index}`);
  for (const client of clients) {
    await sendFree(client);
    for (let held = 0; held < MOST_HELD_FOR_CLIENT; held++) void send(client);
  }
  await sendFree('198.51.100.1');
  expect(await send('198.51.100.1')).toBe(false);
  expect(timers.size).toBe(MOST_HELD);
});

test('the client that was quiet longest is forgotten after 1,024 others', async () => {
  const { send, sendFree, timers } = make();
  await sendFree('192.0.2.1');
  for (let index = 0; index < 1_024; index++) await send(`10.0.${index >> 8}.${index & 255}`);
  expect(await send('192.0.2.1')).toBe(true);
  expect(timers.size).toBe(0);
});

test('the log tells the address, and how many it sent', async () => {
  const { logged, send } = make();
  for (let count = 0; count < 9; count++) void send('::ffff:192.0.2.1');
  expect(logged).toEqual([1, 2, 4, 8].map((count) => ({ client: '::ffff:192.0.2.1', count })));
});
