import { expect, test } from 'vitest';
import { parseWorkspaceChanges } from '../../src/domain/workspace.ts';

test.each([
  [{}, {}],
  [{ name: null, plan: null, limits: null, walletCents: null }, {}],
  [{ name: ' Team ' }, { name: 'Team' }],
  [
    { plan: 'free', limits: 'off' },
    { plan: 'free', limits: 'off' },
  ],
  [{ walletCents: 12 }, { walletMillicents: 12_000 }],
  [{ walletCents: 0 }, { walletMillicents: 0 }],
])('%j changes %j', (given, changes) => {
  expect(parseWorkspaceChanges(given)).toEqual(changes);
});

test.each([
  [{ name: '' }, 'invalid_name'],
  [{ name: 5 }, 'invalid_name'],
  [{ plan: 'Free' }, 'invalid_plan'],
  [{ plan: 'toString' }, 'invalid_plan'],
  [{ limits: 'on' }, 'invalid_limits'],
  [{ walletCents: -1 }, 'invalid_wallet_cents'],
  [{ walletCents: 0.5 }, 'invalid_wallet_cents'],
  [{ walletCents: '10' }, 'invalid_wallet_cents'],
  [{ walletCents: 1e300 }, 'invalid_wallet_cents'],
])('%j is %s', (given, code) => {
  expect(() => parseWorkspaceChanges(given)).toThrow(expect.objectContaining({ code }));
});
