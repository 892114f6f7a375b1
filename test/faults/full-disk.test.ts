import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Wire } from '../smtp/wire.ts';
import { unless } from '../support/unless.ts';
import { serve } from './served.ts';
import { mountSmallDisk, NO_DISK } from './small-disk.ts';

const disk = mountSmallDisk(6);

// test/store tests the same with a failing adapter. This test needs the right to mount.
unless(test, disk === null ? NO_DISK : null)(
  'a disk that fills: 452 to the sender, 5xx to the API, nothing half written, recovery without a restart',
  async () => {
    if (disk === null) return;
    // Another program's file, which is deleted later to make room for mail. The server's own reserve for deletions is
    // not room for mail.
    const others = join(disk.path, 'others');
    writeFileSync(others, Buffer.alloc(1 << 20));
    const served = await serve(disk.path);
    try {
      const wire = await Wire.hello(served.ready.smtpPort);
      const body = `Subject: fill\r\n\r\n${'x'.repeat(200_000)}\r\n`;
      let accepted = 0;
      let reply = '';
      for (; accepted < 100; accepted++) {
        reply = await wire.mail('a@inbox.mailcap.example.com', body.slice(0, -2));
        if (!reply.startsWith('250')) break;
      }
      expect(reply).toMatch(/^452 4\.3\.1 /);
      expect(accepted).toBeGreaterThan(10);

      // The disk is filled to the last byte. A few small records may still fit in the last page of a file, which the
      // file has already.
      disk.takeAll();
      let small = 0;
      for (; small < 20; small++) {
        reply = await wire.mail('a@inbox.mailcap.example.com', 'Subject: small\r\n\r\nsmall');
        if (!reply.startsWith('250')) break;
      }
      expect(reply).toMatch(/^452 4\.3\.1 /);
      const create = () =>
        fetch(`${served.ready.apiUrl}/workspaces/${served.ready.workspaceId}/mailboxes`, {
          method: 'POST',
          headers: { authorization: `Bearer ${served.ready.apiKey}`, 'content-type': 'application/json' },
          body: JSON.stringify({ subdomain: 'made-later' }),
        });
      const refused = await create();
      expect(refused.status).toBe(503);
      expect(await refused.json()).toMatchObject({ error: 'disk_full' });
      const listed = await served.messages();
      expect(listed.length).toBe(accepted + small);
      expect((await served.raw(listed[small]?.id ?? '')).toString()).toBe(body);

      rmSync(join(disk.path, 'ballast'));
      rmSync(others);
      expect(await wire.mail('a@inbox.mailcap.example.com', 'Subject: after\r\n\r\nafter')).toMatch(/^250 /);
      expect((await create()).status).toBe(201);
      expect(await served.end('SIGKILL')).toBeNull();

      const again = await serve(disk.path);
      const kept = await again.messages();
      expect(kept.map(({ subject }) => subject)).toEqual([
        'after',
        ...Array.from({ length: small }, () => 'small'),
        ...Array.from({ length: accepted }, () => 'fill'),
      ]);
      for (const { id, subject } of kept) {
        const raw = (await again.raw(id)).toString();
        expect(raw === (subject === 'fill' ? body : `Subject: ${subject}\r\n\r\n${subject}\r\n`)).toBe(true);
      }
      expect(await again.end('SIGTERM')).toBe(0);
    } finally {
      await served.end('SIGKILL');
      disk.unmount();
    }
  },
);
