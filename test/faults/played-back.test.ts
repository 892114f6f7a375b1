import { once } from 'node:events';
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { describe, expect, test } from 'vitest';
import type { Ready } from '../../src/runtime.ts';
import { dev, mailcap } from '../support/cli.ts';

const temporaryDirectory = () => mkdtemp(join(tmpdir(), 'mailcap-played-'));

async function subjects(ready: Ready): Promise<string[]> {
  const answer = await fetch(`${ready.apiUrl}/mailboxes/${ready.mailboxId}/messages?limit=200`, {
    headers: { authorization: `Bearer ${ready.apiKey}` },
  });
  // The type is MessageSummaryResponse of docs/api.md#messages.
  const messages = (await answer.json()) as { id: string; subject: string | null }[];
  return messages.map(({ subject }) => subject ?? '').sort();
}

async function send(ready: Ready, subject: string): Promise<void> {
  const transport = createTransport({ host: ready.smtpHost, port: ready.smtpPort, ignoreTLS: true });
  await transport.sendMail({ from: 'a@x.test', to: 'b@y.test', subject, text: 'x'.repeat(500) });
  transport.close();
}

/** Sends bytes as DATA unchanged and hangs up without the end of data. */
async function breakOff(ready: Ready, bytes: Buffer): Promise<void> {
  const socket = connect(ready.smtpPort, ready.smtpHost);
  for (const line of ['EHLO x', 'MAIL FROM:<a@x.test>', 'RCPT TO:<b@y.test>', 'DATA']) {
    await once(socket, 'data');
    socket.write(`${line}\r\n`);
  }
  await once(socket, 'data');
  await hangUp(socket, bytes);
}

/** Hangs up when all bytes are sent. */
async function hangUp(socket: Socket, bytes: Buffer): Promise<void> {
  await new Promise((written) => socket.write(bytes, written));
  socket.destroy();
}

async function upload(ready: Ready, key: string, bytes: Buffer, declared: number): Promise<void> {
  const { port, hostname } = new URL(ready.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  socket.write(`POST /hooks/${key} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nContent-Length: ${declared}\r\n\r\n`);
  if (declared !== bytes.length) return hangUp(socket, bytes);
  socket.write(bytes);
  await once(socket, 'data');
  socket.destroy();
}

/** Yields every file of the store, and its tails from many offsets. */
function* playedBack(directory: string): Generator<Buffer> {
  for (const file of ['state.json', 'state.copy.json', ...readdirSync(join(directory, 'segments'))]) {
    if (file === 'reserve') continue;
    const bytes = readFileSync(join(directory, file.startsWith('state') ? '' : 'segments', file));
    for (const from of [0, 16, 32, 48, Math.floor(bytes.length / 3), bytes.length - 700, bytes.length - 64])
      if (from >= 0 && from < bytes.length) yield bytes.subarray(from);
  }
}

describe.each(['SIGTERM', 'SIGKILL'] as const)(
  'the store, played back to it as mail and captures, then %s',
  (signal) => {
    test('is only content: no stored mail is lost or changed, and no mail appears that was not sent', async () => {
      const cwd = await temporaryDirectory();
      const first = dev([], { cwd });
      const ready = await first.ready();
      const store = join(cwd, '.mailcap', 'store');
      const expected: string[] = [];
      for (let i = 0; i < 12; i++) {
        expected.push(`mail ${i}`);
        await send(ready, `mail ${i}`);
      }
      const made = await fetch(`${ready.apiUrl}/webhooks`, {
        method: 'POST',
        headers: { authorization: `Bearer ${ready.apiKey}`, 'content-type': 'application/json' },
        body: '{}',
      });
      const { key, id } = (await made.json()) as { key: string; id: string }; // the API returns a WebhookView
      const pieces = [...playedBack(store)];
      let captured = 0;
      for (const piece of pieces) {
        await breakOff(ready, piece);
        await upload(ready, key, piece, piece.length + 1);
        await upload(ready, key, piece, piece.length);
        captured++;
      }
      expect(await subjects(ready)).toEqual(expected.sort());
      // An unfinished upload left the last bytes of the file.
      await breakOff(ready, pieces[0] ?? Buffer.alloc(0));
      first.child.kill(signal);
      await first.exit;
      const again = await dev([], { cwd }).ready();
      expect(await subjects(again)).toEqual(expected);
      expect(again.apiKey).toBe(ready.apiKey);
      const page = await fetch(`${again.apiUrl}/webhooks/${id}/requests`, {
        headers: { authorization: `Bearer ${again.apiKey}` },
      });
      expect(((await page.json()) as { total: number }).total).toBe(captured);
    }, 180_000);
  },
);

test('a flipped bit in a segment costs one mail; an error names its file and byte, and doctor finds it', async () => {
  const cwd = await temporaryDirectory();
  const first = dev([], { cwd });
  const ready = await first.ready();
  for (let i = 0; i < 20; i++) await send(ready, `mail ${i}`);
  first.child.kill('SIGKILL');
  await first.exit;
  const segment = join(cwd, '.mailcap', 'store', 'segments', '00000001.log');
  const bytes = readFileSync(segment);
  const at = bytes.indexOf('Subject: mail 7');
  bytes[at + 3] = (bytes[at + 3] ?? 0) ^ 4;
  writeFileSync(segment, bytes);
  const doctor = await mailcap(['doctor'], { cwd }).exit;
  expect(doctor.stdout).toMatch(/FAIL Stored data +\S+00000001\.log at byte \d+/);
  const again = dev([], { cwd });
  const left = await subjects(await again.ready());
  expect(left).toHaveLength(19);
  expect(left).not.toContain('mail 7');
  expect((await again.stop()).stderr).toMatch(/00000001\.log at byte \d+ fails its checksum/);
}, 180_000);

test('a data directory that is removed is noticed within five seconds: no mail gets a 250, and health says storage_lost', async () => {
  const cwd = await temporaryDirectory();
  const server = dev([], { cwd });
  const ready = await server.ready();
  await send(ready, 'before');
  renameSync(join(cwd, '.mailcap'), join(cwd, 'moved'));
  const health = async () =>
    ((await (await fetch(`${ready.url}/_mailcap/health`)).json()) as { status: string }).status;
  await expect.poll(health, { timeout: 5_000 }).toBe('storage_lost');
  await expect(send(ready, 'after')).rejects.toThrow(/45\d/);
  const second = await dev([], { cwd }).ready();
  expect(await subjects(second)).toEqual([]);
  await server.stop();
  await send(second, 'of the second');
  expect(await subjects(second)).toEqual(['of the second']);
}, 180_000);
