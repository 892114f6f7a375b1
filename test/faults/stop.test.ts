import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { Wire } from '../smtp/wire.ts';
import { startServer } from '../support/mailcap.ts';
import { serverIn } from '../support/server-in.ts';
import { serve } from './served.ts';

const directory = mkdtempSync(join(tmpdir(), 'mailcap-stop-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

test('after SIGTERM in the middle of DATA, the mail is received, acknowledged and there after the next start', async () => {
  const served = await serve(directory);
  const wire = await Wire.hello(served.ready.smtpPort);
  await wire.sayAll('MAIL FROM:<a@x.test>', 'RCPT TO:<b@inbox.mailcap.example.com>', 'DATA');
  wire.write('Subject: half way\r\n\r\nfirst half\r\n');
  const idle = await Wire.hello(served.ready.smtpPort);
  const ended = served.end('SIGTERM');
  // The server closes the idle connection at once, which shows that the stop has begun.
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

test('after SIGTERM while the mail of an await comes in, the await is answered with it', async () => {
  const served = await serve(directory);
  const headers = { authorization: `Bearer ${served.ready.apiKey}` };
  const wire = await Wire.hello(served.ready.smtpPort);
  await wire.sayAll('MAIL FROM:<a@x.test>', 'RCPT TO:<b@inbox.mailcap.example.com>', 'DATA');
  const path = `${served.ready.apiUrl}/mailboxes/${served.ready.mailboxId}/messages/await`;
  const waiting = fetch(`${path}?subject=late&timeout=60`, { headers });
  expect((await fetch(`${path}?subject=never&timeout=1`, { headers })).status).toBe(204);
  const idle = await Wire.hello(served.ready.smtpPort);
  const ended = served.end('SIGTERM');
  await idle.ended();
  expect(await wire.say('Subject: late\r\n\r\nhere\r\n.')).toMatch(/^250 /);
  const answer = await waiting;
  expect([answer.status, await answer.json()]).toMatchObject([200, { subject: 'late' }]);
  expect(await ended).toBe(0);
});

test('a second server on the directory with its own store leaves the server.json of the first one', async () => {
  const first = await serverIn(directory, { ephemeral: false, dataDir: directory });
  const file = join(directory, 'server.json');
  const announced = readFileSync(file, 'utf8');
  expect(JSON.parse(announced)).toMatchObject(first.ready);
  const second = await serve(directory, '--ephemeral');
  expect(readFileSync(file, 'utf8')).toBe(announced);
  expect(second.stderr()).toContain('another server');
  expect(await second.end('SIGTERM')).toBe(0);
  expect(readFileSync(file, 'utf8')).toBe(announced);
  await first.close();
  expect(existsSync(file)).toBe(false);
});

test('a development key that was revoked stays revoked: the next start makes another', async () => {
  const options = { ephemeral: false, dataDir: directory };
  const first = await startServer(options);
  const keys: { id: string; name: string; revokedAt: string | null }[] = JSON.parse(
    await (await first.api(`/_mailcap/workspaces/${first.workspaceId}/keys`)).text(),
  );
  const seeded = keys.find(({ name, revokedAt }) => name === 'development' && revokedAt === null);
  await first.api(`/_mailcap/keys/${seeded?.id}`, { method: 'DELETE' });
  await first.close();
  await using again = await startServer(options);
  expect(again.apiKey).not.toBe(first.apiKey);
  const old = await again.api('/v1/mailboxes', { headers: { authorization: `Bearer ${first.apiKey}` } });
  expect(old.status).toBe(401);
  expect((await again.api('/v1/mailboxes')).status).toBe(200);
});
