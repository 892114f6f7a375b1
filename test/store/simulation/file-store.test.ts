import { expect, test } from 'vitest';
import { campaign } from './campaign.ts';
import { openTinyStore } from './files.ts';

test('x', async () => {
  const only = process.env['MAILCAP_SIMULATION_SEED'];
  const seeds = only === undefined ? Array.from({ length: 4000 }, (_, i) => i) : [Number(only)];
  const t = performance.now();
  const tried = await campaign(openTinyStore, seeds, 1000);
  expect(tried).toBeGreaterThan(0);
  process.stderr.write(`${tried} in ${performance.now() - t}\n`);
}, 300_000);
