import { expect, test } from 'vitest';
import { freshOf } from '../../src/webhooks/sample.ts';
import { SAMPLES } from '../../src/webhooks/samples.ts';
import { delayAfter, isSuccess, SENDER_NAMES, senderNamed } from '../../src/webhooks/senders.ts';

const NO = { status: 500, isLate: false, headers: {} };

test.each([
  ['stripe', [300, 1_800, 7_200]],
  ['github', []],
  ['slack', [1, 60, 300]],
  ['shopify', [56, 112, 224, 448, 896, 1_792, 3_584, 7_168]],
  ['svix', [5, 300, 1_800, 7_200, 18_000, 36_000, 36_000]],
  ['standard-webhooks', [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]],
] as const)('%s tries again after %j seconds', (name, wanted) => {
  const sender = senderNamed(name);
  const delays = Array.from({ length: 20 }, (_, at) => delayAfter(sender, at + 1, NO, 20));
  expect(delays.filter((delay) => delay !== null)).toEqual(wanted.map((seconds) => seconds * 1_000));
  expect(delayAfter(sender, 1, NO, 0)).toBeNull();
});

test('a service ends its tries if the answer says so', () => {
  expect(delayAfter(senderNamed('svix'), 1, { ...NO, status: 410 }, 9)).toBe(5_000);
  expect(delayAfter(senderNamed('standard-webhooks'), 1, { ...NO, status: 410 }, 9)).toBeNull();
  expect(delayAfter(senderNamed('slack'), 1, { ...NO, headers: { 'x-slack-no-retry': '1' } }, 9)).toBeNull();
  expect(delayAfter(senderNamed('standard-webhooks'), 1, { ...NO, headers: { 'retry-after': '60' } }, 9)).toBe(60_000);
  expect([199, 200, 299, 302, 404, null].map(isSuccess)).toEqual([false, true, true, false, false, false]);
});

test('no two samples have the same name, each service has one, and its JSON is new each time', () => {
  expect(new Set(SAMPLES.map(({ name }) => name)).size).toBe(SAMPLES.length);
  expect(new Set(SAMPLES.map(({ sender }) => sender))).toEqual(new Set(SENDER_NAMES));
  for (const { make, name } of SAMPLES) {
    const [one, other] = [0, 1].map(() => JSON.stringify(make(freshOf(1_780_000_000_000, Math.random))));
    expect(one).not.toMatch(/undefined|(?<![A-Za-z0-9])NaN(?![A-Za-z0-9])|\[object/);
    if (name !== 'app/uninstalled') expect(one).not.toBe(other);
  }
});
