import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { mountSmallDisk, NO_DISK } from '../faults/small-disk.ts';
import { NO_POSTGRES, startCluster } from '../support/postgres-cluster.ts';
import { unless } from '../support/unless.ts';
import { expectTruth, MAILS, moreThan, UNDER_LOAD, under } from './load.ts';
import { call, measured, twoOn } from './servers.ts';

/** Room for the cluster, and for the mail of the night. */
const DISK_MB = MAILS > 0 ? 700 : 250;
const disk = NO_POSTGRES !== null ? null : mountSmallDisk(DISK_MB);

// This test needs the right to mount.
unless(describe, NO_POSTGRES ?? (disk === null ? NO_DISK : null))('a full disk under PostgreSQL', () => {
  test('452 to the sender and 503 to the API, nothing lost, and recovery without a restart', UNDER_LOAD, async () => {
    if (disk === null) return;
    const cluster = await startCluster({ fsync: 'on', max_wal_size: '64MB' }, disk.path);
    try {
      const [a, b] = await twoOn(cluster.url('full'));
      const outcomes = await under([a, b], async (sent) => {
        for (let i = 0; i < 2; i++) {
          disk.takeAll();
          const refused = sent.refused.size;
          await vi.waitFor(() => expect(sent.refused.size).toBeGreaterThan(refused + 50), { timeout: 60_000 });
          const made = await call(a, 'POST', `/v1/workspaces/${a.ready.workspaceId}/mailboxes`, { name: 'x' });
          expect([made.status, made.status === 201 ? {} : await made.json()]).toEqual([
            503,
            { error: expect.stringMatching(/^(disk_full|storage_unavailable)$/) },
          ]);
          rmSync(join(disk.path, 'ballast'));
          await cluster.startAgain();
          await moreThan(sent, 100);
        }
      });
      measured(`replies while the disk was full: ${[...outcomes.replies].join(' | ')}`);
      for (const reply of outcomes.replies) expect(reply).toMatch(/^45\d 4\.3\./);
      await expectTruth(b, outcomes, 'the disk full twice');
      for (const server of [a, b])
        await vi.waitFor(async () => expect((await call(server, 'GET', '/_mailcap/health')).status).toBe(200), 20_000);
    } finally {
      cluster.remove();
      disk.unmount();
    }
  });
});
