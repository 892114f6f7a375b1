import { readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { Wire } from '../smtp/wire.ts';
import { manualClock } from '../support/clock.ts';
import { startServer } from '../support/mailcap.ts';
import { byDay } from '../support/night.ts';
import { unless } from '../support/unless.ts';
import { type Served, serve } from './served.ts';
import { mountSmallDisk, NO_DISK, type SmallDisk } from './small-disk.ts';

const SIZE_MB = 32;
const DAY_MS = 86_400_000;
const large = `Subject: large\r\n\r\n${`${'x'.repeat(78)}\r\n`.repeat(12_500)}`;
const medium = `Subject: medium\r\n\r\n${`${'x'.repeat(78)}\r\n`.repeat(2_500)}`;
const small = 'Subject: small\r\n\r\nsmall';

const probe = mountSmallDisk(1);
probe?.unmount();
const mounted: SmallDisk[] = [];
afterAll(() => {
  for (const disk of mounted) disk.unmount();
});

function mount(): SmallDisk {
  const disk = mountSmallDisk(SIZE_MB);
  if (disk === null) throw new Error('a disk could be mounted, and can no longer');
  mounted.push(disk);
  return disk;
}

/** Sends large and then small mails until the server refuses both. */
async function fill(port: number): Promise<string> {
  const wire = await Wire.hello(port);
  let reply = '250';
  for (const mail of [large, small]) {
    do reply = await wire.mail('a@inbox.mailcap.example.com', mail);
    while (reply.startsWith('250'));
  }
  wire.close();
  return reply;
}

async function send(port: number, to: string, mail: string): Promise<string> {
  const wire = await Wire.hello(port);
  try {
    return await wire.mail(to, mail);
  } finally {
    wire.close();
  }
}

const isTaken = async (port: number) => (await send(port, 'a@inbox.mailcap.example.com', small)).startsWith('250');

const call = (served: Served, method: string, path: string) => fetch(served.ready.url + path, { method });

/** Returns deleted files whose space the process still holds. */
function heldDeleted(pid: number): string[] {
  const descriptors = `/proc/${pid}/fd`;
  return readdirSync(descriptors).flatMap((name) => {
    try {
      const target = readlinkSync(join(descriptors, name));
      return target.startsWith('/') && target.endsWith(' (deleted)') ? [target] : [];
    } catch {
      // The descriptor was closed meanwhile.
      return [];
    }
  });
}

const ways: Record<string, (served: Served) => Promise<Response>> = {
  'a message': async (served) => {
    const page = await served.messages();
    return call(served, 'DELETE', `/_mailcap/messages/${page.find(({ subject }) => subject === 'large')?.id}`);
  },
  'the messages of a mailbox': (served) =>
    call(served, 'DELETE', `/_mailcap/mailboxes/${served.ready.mailboxId}/messages`),
  'a mailbox with its mail': async (served) => {
    const mailboxes = await served.get<{ id: string; subdomain: string }[]>('/v1/mailboxes');
    return call(
      served,
      'DELETE',
      `/_mailcap/mailboxes/${mailboxes.find(({ subdomain }) => subdomain === 'other')?.id}`,
    );
  },
  'everything by a reset': (served) => call(served, 'POST', '/_mailcap/reset'),
};

// Without the right to mount, the simulated disk in test/store covers this case.
unless(describe, probe === null ? NO_DISK : null)('a server without a free byte on its disk', () => {
  const isByDay = (way: string) => way === 'a message' || way === 'everything by a reset';
  test.each(byDay(Object.keys(ways), isByDay))(
    'starts, reads, reports it, and takes mail again once %s is deleted',
    async (way) => {
      const disk = mount();
      const before = await serve(disk.path);
      await fetch(`${before.ready.apiUrl}/workspaces/${before.ready.workspaceId}/mailboxes`, {
        method: 'POST',
        headers: { authorization: `Bearer ${before.ready.apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ subdomain: 'other' }),
      });
      await send(before.ready.smtpPort, 'a@other.mailcap.example.com', large);
      expect(await fill(before.ready.smtpPort)).toMatch(/^452 4\.3\.1 /);
      await before.end('SIGKILL');
      disk.takeAll();

      const served = await serve(disk.path);
      try {
        const stored = await served.messages();
        expect(stored.some(({ subject }) => subject === 'large')).toBe(true);
        expect(await isTaken(served.ready.smtpPort)).toBe(false);
        const health = await call(served, 'GET', '/_mailcap/health');
        expect([health.status, await health.json()]).toEqual([503, expect.objectContaining({ status: 'disk_full' })]);
        const metrics = await (await call(served, 'GET', '/_mailcap/metrics')).text();
        expect(metrics).toMatch(/^mailcap_storage_health\{[^}]*disk_full[^}]*\} 1$/m);

        const deleted = await (ways[way] as (typeof ways)[string])(served);
        expect(deleted.status).toBe(204);
        await expect.poll(() => isTaken(served.ready.smtpPort)).toBe(true);
        await expect.poll(async () => (await call(served, 'GET', '/_mailcap/health')).status).toBe(200);
        await expect.poll(() => heldDeleted(served.ready.pid)).toEqual([]);
        expect(served.stderr().match(/is full: only removals/g)).toHaveLength(1);
      } finally {
        await served.end('SIGTERM');
      }
    },
  );

  test('takes mail again once retention made room', async () => {
    const disk = mount();
    const clock = manualClock();
    await using server = await startServer({ ephemeral: false, dataDir: disk.path, overrides: { clock } });
    expect(await fill(server.smtp.port)).toMatch(/^452 4\.3\.1 /);
    disk.takeAll();
    clock.pass(0);
    clock.follow(31 * DAY_MS);
    // A sweep may find a segment that only the next one can empty.
    await expect
      .poll(() => {
        clock.pass(25_000);
        return isTaken(server.smtp.port);
      })
      .toBe(true);
  });
});

test('a thousand rounds of storing and deleting mail leak no descriptor and no space', async ({
  onTestFinished,
  skip,
}) => {
  const disk = mountSmallDisk(32);
  if (disk === null) return skip(NO_DISK);
  onTestFinished(() => disk.unmount());
  const served = await serve(disk.path, '--durability', 'os');
  try {
    const descriptors = () => readdirSync(`/proc/${served.ready.pid}/fd`).length;
    const wire = await Wire.hello(served.ready.smtpPort);
    // The mails total six times the size of the disk.
    let least = Number.POSITIVE_INFINITY;
    for (let round = 0; round < 1_000; round++) {
      expect(await wire.mail('a@inbox.mailcap.example.com', medium)).toMatch(/^250 /);
      expect((await call(served, 'DELETE', `/_mailcap/mailboxes/${served.ready.mailboxId}/messages`)).status).toBe(204);
      if (round === 20) least = descriptors();
    }
    await expect.poll(() => heldDeleted(served.ready.pid)).toEqual([]);
    expect(descriptors()).toBeLessThanOrEqual(least + 8);
  } finally {
    await served.end('SIGTERM');
  }
});
