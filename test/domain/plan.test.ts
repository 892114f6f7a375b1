import { expect, test } from 'vitest';
import { PLANS } from '../../src/domain/workspace.ts';

const MiB = 1024 * 1024;

// The rows of docs/contract.md#plans.
test.each([
  ['outbound', false, true],
  ['mailboxes', 5, 1_000],
  ['retentionDefaultDays', 3, 30],
  ['retentionMaxDays', 7, 90],
  ['inboundPerMailboxPerDay', 100, 10_000],
  ['outboundPerDay', 0, 1_000],
  ['storageBytes', 100 * MiB, 10 * 1024 * MiB],
  ['activeKeys', 5, 100],
  ['webhooks', 1, 50],
  ['walletStartCents', 0, 1_000],
] as const)('%s: Free %s, Business %s', (what, free, business) => {
  expect(PLANS.free[what]).toBe(free);
  expect(PLANS.business[what]).toBe(business);
});
