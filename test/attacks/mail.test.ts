import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { serve } from '../faults/served.ts';
import { Wire } from '../smtp/wire.ts';
import { attacked } from './attacked.ts';

const directory = mkdtempSync(join(tmpdir(), 'mailcap-attacks-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

test('a mail of a million links is taken, read and searched while health is answered', async () => {
  const served = await serve(directory);
  try {
    const lines = Array.from({ length: 1_000_000 }, (_, i) => `http://x.y/${i}\r\n`).join('');
    await attacked(served, 'a mail of a million links', async () => {
      const wire = await Wire.hello(served.ready.smtpPort);
      expect(await wire.mail('x@inbox.mailcap.example.com', `Subject: links\r\n\r\n${lines}`)).toMatch(/^250 /);
      wire.close();
      const [message] = await served.messages();
      const read = await served.get<{ links: unknown[]; findError: string | null }>(
        `/_mailcap/messages/${message?.id}`,
      );
      // The search has ten seconds, which a busy machine may need for less than this.
      if (!read.findError?.includes('took more than')) expect(read.links.length).toBeGreaterThan(0);
    });
  } finally {
    expect(await served.end('SIGTERM')).toBe(0);
  }
});
