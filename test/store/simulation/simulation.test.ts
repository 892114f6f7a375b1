import { describe, expect, test } from 'vitest';
import { campaign } from './campaign.ts';
import { FAULTS } from './faults.ts';
import { openLineStore } from './line-store.ts';

const first = (count: number) => Array.from({ length: count }, (_, seed) => seed);

/** The simulation itself on trial: the simplest store there is, right and with each fault. */
const OF_LINES = [
  'contents are never synced',
  'a failed sync is believed',
  'a failed sync is tried again and believed',
  'the rest of a short write is forgotten',
  'a directory is never synced',
  'the name of a new file is not synced',
];

describe('a store that writes a line and syncs it', () => {
  test('keeps its promises', async () => {
    expect(await campaign(openLineStore, first(400), 300)).toBeGreaterThanOrEqual(300);
  }, 60_000);

  test.each(FAULTS.filter(({ name }) => OF_LINES.includes(name)))(
    'is found out where $name',
    async ({ put }) => {
      await expect(campaign((disk) => openLineStore(put(disk)), first(40), 400)).rejects.toThrow(
        /MAILCAP_SIMULATION_SEED=/,
      );
    },
    60_000,
  );
});
