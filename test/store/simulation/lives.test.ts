import { expect, test } from 'vitest';
import { openTinyStore } from './files.ts';
import { tryHistories } from './histories.ts';

const HOURS = 12 * 3_600_000;

test(
  'a store keeps its promises over crashes, kills and refusals, life after life',
  async () => {
    const { tried, wanted } = await tryHistories(openTinyStore, 'liveThrough');
    expect(tried).toBeGreaterThanOrEqual(wanted);
  },
  HOURS,
);
