import { expect, onTestFinished, vi } from 'vitest';
import type { Log } from '../../src/ports/system.ts';
import { Wire } from '../smtp/wire.ts';
import { impatientClock } from '../support/impatient-clock.ts';
import { startServer, type TestServer, test } from '../support/mailcap.ts';
import { ofOneServer } from '../support/one-server.ts';
import { answer, type Script, scriptedClamd } from '../support/scripted-clamd.ts';
import { unless } from '../support/unless.ts';
import { json, type Summary } from './support.ts';

// The text is split, or virus scanners would report this file.
const EICAR = ['X5O!P%@AP[4\\PZX54(P^)7CC)7}$', 'EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'].join('');

/** Returns a mail with each content as an attachment. */
function mailWith(...contents: readonly string[]): string {
  const parts = contents.flatMap((content) => [
    '--b',
    'Content-Type: application/octet-stream',
    'Content-Disposition: attachment',
    'Content-Transfer-Encoding: base64',
    '',
    Buffer.from(content).toString('base64'),
  ]);
  return ['Subject: files', 'Content-Type: multipart/mixed; boundary=b', '', ...parts, '--b--', ''].join('\r\n');
}

/** Sends a mail and returns a function that loads the scan result of its attachments. */
async function receive(server: TestServer, raw: string): Promise<{ statuses(): Promise<number[]> }> {
  const wire = await Wire.hello(server.smtp.port);
  expect(await wire.mail(`user@${server.mailDomain}`, raw)).toMatch(/^250 /);
  wire.close();
  const [summary] = await json<Summary[]>(server.api(`/v1/mailboxes/${server.mailboxId}/messages?limit=1`));
  const path = `/v1/mailboxes/${server.mailboxId}/messages/${summary?.id}`;
  return {
    async statuses() {
      const detail = await json<{ attachments: { virusScanStatus: number }[] }>(server.api(path));
      return detail.attachments.map(({ virusScanStatus }) => virusScanStatus);
    },
  };
}

async function serverWith(clamd: string, overrides = {}): Promise<TestServer> {
  const server = await startServer({ clamd, overrides });
  onTestFinished(() => server.close());
  return server;
}

const byContent: Script = (socket, content) =>
  answer(content.includes('bad') ? 'stream: Bad FOUND' : 'stream: OK')(socket, content);

test('without a scanner virusScanStatus is 0, and 2 for the EICAR test file', async ({ mailcap }) => {
  const message = await receive(mailcap, mailWith('good', EICAR));
  expect(await message.statuses()).toEqual([0, 2]);
});

test('with --clamd it is the verdict of the daemon, and 2 for EICAR whatever the daemon says', async () => {
  await using daemon = await scriptedClamd(byContent);
  const message = await receive(await serverWith(daemon.address), mailWith('good', 'bad', EICAR, ''));
  expect(await message.statuses()).toEqual([1, 2, 2, 1]);
  expect(daemon.contents.map(String)).not.toContain(EICAR);
});

unless(test, ofOneServer('its caches'))(
  'an attachment is scanned once, when a client first reads its message',
  async () => {
    await using daemon = await scriptedClamd(byContent);
    const message = await receive(await serverWith(daemon.address), mailWith('good', 'bad'));
    expect(daemon.connections).toBe(0);
    const answers = await Promise.all(Array.from({ length: 30 }, () => message.statuses()));
    expect(new Set(answers.map(String))).toEqual(new Set(['1,2']));
    expect(daemon.connections).toBe(2);
  },
);

unless(test, ofOneServer('its caches'))(
  'a daemon that hangs gives status 3 in time, and a later verdict goes to the next reader',
  async () => {
    const held: (() => void)[] = [];
    await using daemon = await scriptedClamd((socket) => held.push(() => socket.end('stream: OK\0')));
    const server = await serverWith(daemon.address, { clock: impatientClock() });
    const message = await receive(server, mailWith('1', '2', '3', '4', '5', '6', EICAR));
    const started = performance.now();
    expect(await message.statuses()).toEqual([3, 3, 3, 3, 3, 3, 2]);
    expect(performance.now() - started).toBeLessThan(30_000);
    expect(held).toHaveLength(4);
    for (const release of held) release();
    await vi.waitFor(async () => {
      for (const release of held.splice(0)) release();
      expect(await message.statuses()).toEqual([1, 1, 1, 1, 1, 1, 2]);
    }, 10_000);
    expect(daemon.connections).toBe(6);
  },
);

unless(test, ofOneServer('its log'))(
  'a daemon that is away gives status 3 and one line in the log; once it is there, the attachment gets its verdict',
  async () => {
    const gone = await scriptedClamd(byContent);
    await gone.close();
    const logged: string[] = [];
    const at = (message: string) => void logged.push(message);
    const log: Log = { error: at, warn: at, info: () => {}, debug: () => {} };
    const message = await receive(await serverWith(gone.address, { log }), mailWith('good', 'bad', EICAR));
    expect(await message.statuses()).toEqual([3, 3, 2]);
    expect(await message.statuses()).toEqual([3, 3, 2]);
    expect(logged).toEqual([expect.stringContaining(`clamd at 127.0.0.1, port ${gone.port}, gives no verdict`)]);
    await using _back = await scriptedClamd(byContent, undefined, gone.port);
    expect(await message.statuses()).toEqual([1, 2, 2]);
  },
);

test('a stop waits for a reader, but no longer than the reader waits for a daemon that hangs', async () => {
  await using daemon = await scriptedClamd(() => {});
  const server = await startServer({ clamd: daemon.address, overrides: { clock: impatientClock() } });
  const message = await receive(server, mailWith('x'));
  const reading = message.statuses();
  await vi.waitFor(() => expect(daemon.contents).toHaveLength(1), { timeout: 15_000 });
  await server.close();
  expect(await reading).toEqual([3]);
});
