import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLimiter } from '../../src/adapters/rate-limiter.ts';
import { createKeyedMutex } from '../../src/adapters/single-server.ts';
import { nodeRandom, systemClock } from '../../src/adapters/system.ts';
import type { KeyId, WorkspaceId } from '../../src/domain/ids.ts';
import type { RateLimiter } from '../../src/ports/server.ts';
import type { Log } from '../../src/ports/system.ts';
import { pgDriver } from '../../src/store/postgres/pg-driver.ts';
import { openPostgresStore } from '../../src/store/postgres/store.ts';
import { type Cluster, NO_POSTGRES, startCluster } from '../support/postgres-cluster.ts';
import { unless } from '../support/unless.ts';
import { measured } from './servers.ts';

const quiet: Log = { error() {}, warn() {}, info() {}, debug() {} };
const key = (n: number) => `K${n}` as KeyId; // a limiter takes any text
const workspace = (n: number) => `W${n}` as WorkspaceId;

unless(describe, NO_POSTGRES)('the rate limits of two servers', () => {
  let cluster: Cluster;
  let schemas = 0;
  beforeAll(async () => {
    cluster = await startCluster();
  });
  afterAll(() => cluster.remove());

  /** Opens the limiters of two servers, and runs `act` with them and their clocks. */
  async function withTwo(act: (limiters: readonly RateLimiter[]) => Promise<void>): Promise<void> {
    const schema = `l${schemas++}`;
    const stores = await Promise.all(
      [systemClock(), systemClock()].map(async (clock) =>
        openPostgresStore(
          {
            driver: await pgDriver(cluster.url(), schema, 'test'),
            ...{ schema, clock, random: nodeRandom, mutex: createKeyedMutex() },
          },
          quiet,
        ),
      ),
    );
    try {
      const limiters = stores.map((store) => store.cluster.shared?.limiter).filter((one) => one !== undefined);
      expect(limiters).toHaveLength(2);
      await act(limiters);
    } finally {
      await Promise.all(stores.map((store) => store.close()));
    }
  }

  test('are the same as of one server, for any keys, bursts and clock changes', { timeout: 180_000 }, async () => {
    const burst = fc.record({
      server: fc.constantFrom(0, 1),
      hits: fc.array(fc.nat(3), { minLength: 1, maxLength: 150 }),
      laterMs: fc.constantFrom(0, 1, 20_000, 59_999, 60_000, 70_000),
      clockMovesMs: fc.constantFrom(0, 0, 0, -90_000, -5_000, 300_000),
    });
    await withTwo(async (limiters) => {
      await fc.assert(
        fc.asyncProperty(fc.array(burst, { maxLength: 8 }), async (bursts) => {
          const one = createLimiter();
          await limiters[0]?.reset();
          let now = 1_000_000_000;
          let offset = 0;
          for (const { server, hits, laterMs, clockMovesMs } of bursts) {
            now += laterMs + clockMovesMs;
            offset += clockMovesMs;
            const ask = (limiter: RateLimiter | undefined) =>
              Promise.all(hits.map((n) => limiter?.hit(key(n), workspace(n % 2), { now, offsetMs: offset })));
            expect(await ask(limiters[server])).toEqual(await ask(one));
          }
        }),
        { numRuns: 40 },
      );
    });
  });

  test('are exact when both servers count at the same time', async () => {
    await withTwo(async (limiters) => {
      const verdicts = await Promise.all(
        Array.from({ length: 3_000 }, (_, i) =>
          limiters[i % 2]?.hit(key(i % 20), workspace(0), { now: 5_000, offsetMs: 0 }),
        ),
      );
      expect(verdicts.filter((verdict) => verdict?.allowed)).toHaveLength(1_000);
    });
  });

  test('share one window although the clocks of the servers are ten seconds apart', async () => {
    await withTwo(async ([ahead, behind]) => {
      const verdicts: boolean[] = [];
      for (let i = 0; i < 120; i++) {
        const at = 1_000_000 + i * 100;
        const verdict =
          i % 2 === 0
            ? await ahead?.hit(key(1), workspace(1), { now: at, offsetMs: 0 })
            : await behind?.hit(key(1), workspace(1), { now: at - 10_000, offsetMs: 0 });
        verdicts.push(verdict?.allowed ?? false);
        expect(verdict?.resetSeconds).toBeLessThanOrEqual(60);
      }
      expect(verdicts).toEqual(Array.from({ length: 120 }, (_, i) => i < 100));
    });
  });

  test('cost one statement for all requests of one turn of the event loop', async () => {
    await withTwo(async (limiters) => {
      const count = 20_000;
      const startedAt = performance.now();
      for (let i = 0; i < count; i += 500)
        await Promise.all(
          Array.from({ length: 500 }, (_, n) => limiters[n % 2]?.hit(key(0), workspace(0), { now: 0, offsetMs: 0 })),
        );
      const seconds = (performance.now() - startedAt) / 1_000;
      measured(`rate limits: ${Math.round(count / seconds)} requests/s counted on one row by two servers`);
      const startedOne = performance.now();
      for (let i = 0; i < 500; i++) await limiters[0]?.hit(key(0), workspace(0), { now: 0, offsetMs: 0 });
      measured(`rate limits: ${((performance.now() - startedOne) / 500).toFixed(2)} ms for one request alone`);
      expect((await limiters[1]?.hit(key(0), workspace(0), { now: 0, offsetMs: 0 }))?.allowed).toBe(false);
    });
  });
});
