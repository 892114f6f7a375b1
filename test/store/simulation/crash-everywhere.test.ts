import { expect, test } from 'vitest';
import { openTinyStore } from './files.ts';
import { tryHistories } from './histories.ts';

const HOURS = 12 * 3_600_000;

test(
  'a crash after every single operation leaves a store that keeps its promises',
  async () => {
    const { tried, wanted } = await tryHistories(openTinyStore, 'crashEverywhere');
    expect(tried).toBeGreaterThanOrEqual(wanted);
  },
  HOURS,
);
