import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { Wire } from '../smtp/wire.ts';
import { serve } from './served.ts';

const directory = mkdtempSync(join(tmpdir(), 'mailcap-stop-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

test('SIGTERM in the middle of DATA: the mail is finished, acknowledged and there after the next start', {
  timeout: 30_000,
}, async () => {
  const served = await serve(directory);
  const wire = await Wire.hello(served.ready.smtpPort);
  await wire.sayAll('MAIL FROM:<a@x.test>', 'RCPT TO:<b@inbox.mailcap.test>', 'DATA');
  wire.write('Subject: half way\r\n\r\nfirst half\r\n');
  const idle = await Wire.hello(served.ready.smtpPort);
  const ended = served.end('SIGTERM');
  // The idle connection is sent away at once: the stop has begun.
  expect(await idle.ended()).toMatch(/^421 /);
  expect(await wire.say('second half\r\n.')).toMatch(/^250 /);
  expect(await ended).toBe(0);
  const again = await serve(directory);
  const [message] = await again.messages();
  expect((await again.raw(message?.id ?? '')).toString()).toBe(
    'Subject: half way\r\n\r\nfirst half\r\nsecond half\r\n',
  );
  expect(await again.end('SIGTERM')).toBe(0);
});

test('SIGTERM in the middle of an await: it is answered, and the process ends with 0 at once', {
  timeout: 30_000,
}, async () => {
  const served = await serve(directory);
  const headers = { authorization: `Bearer ${served.ready.apiKey}` };
  const waiting = fetch(
    `${served.ready.apiUrl}/mailboxes/${served.ready.mailboxId}/messages/await?subject=never&timeout=60`,
    { headers },
  );
  // A second, short one: once it is answered, the first is being held.
  const probe = await fetch(
    `${served.ready.apiUrl}/mailboxes/${served.ready.mailboxId}/messages/await?subject=never&timeout=1`,
    { headers },
  );
  expect(probe.status).toBe(204);
  const start = performance.now();
  const ended = served.end('SIGTERM');
  expect((await waiting).status).toBe(204);
  expect(await ended).toBe(0);
  expect(performance.now() - start).toBeLessThan(5_000);
});
