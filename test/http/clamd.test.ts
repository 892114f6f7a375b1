import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, vi } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { startServer, test } from '../support/mailcap.ts';
import { lacking, PATH } from '../support/programs.ts';
import { unless } from '../support/unless.ts';
import { json, putMail } from './support.ts';

// Tests Debian's clamav-daemon with a database of one line, because none can be downloaded.

const SIGNATURE = 'MAILCAP-TEST-SIGNATURE';
const MAX_STREAM_BYTES = 1024 * 1024;

async function answersOn(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.destroy();
}

unless(describe, lacking('clamd'))('with a real clamd', () => {
  let daemon: ChildProcess;
  let port: number;
  const dir = mkdtempSync(join(tmpdir(), 'mailcap-clamd-'));

  beforeAll(async () => {
    port = await freePort();
    mkdirSync(join(dir, 'db'));
    writeFileSync(join(dir, 'db', 'own.ndb'), `Own.Test:0:*:${Buffer.from(SIGNATURE).toString('hex')}\n`);
    const settings = [
      `DatabaseDirectory ${join(dir, 'db')}`,
      `TCPSocket ${port}`,
      'TCPAddr 127.0.0.1',
      'Foreground yes',
      `StreamMaxLength ${MAX_STREAM_BYTES}`,
      `TemporaryDirectory ${dir}`,
    ];
    writeFileSync(join(dir, 'clamd.conf'), `${settings.join('\n')}\n`);
    daemon = spawn('clamd', ['--config-file', join(dir, 'clamd.conf')], { env: { PATH }, stdio: 'ignore' });
    await vi.waitFor(() => answersOn(port), { timeout: 60_000, interval: 50 });
  });

  afterAll(async () => {
    if (daemon.exitCode === null && daemon.kill('SIGKILL')) await once(daemon, 'exit');
    rmSync(dir, { recursive: true });
  });

  test.for([
    ['a clean one', 'nothing wrong here', 1],
    ['an infected one', `x ${SIGNATURE} y`, 2],
    ['an infected one inside a tar archive', tarOf(`x ${SIGNATURE} y`), 2],
    ['one over its StreamMaxLength', Buffer.alloc(3 * MAX_STREAM_BYTES, 'x').toString(), 4],
  ] as const)('an attachment gets its verdict: %s', async ([_what, content, status]) => {
    await using server = await startServer({ clamd: `127.0.0.1:${port}` });
    const fields = {
      'Content-Type': 'application/octet-stream',
      'Content-Disposition': 'attachment; filename="a.bin"',
      'Content-Transfer-Encoding': 'base64',
    };
    const text = Buffer.from(content, 'latin1').toString('base64').replace(/.{76}/g, '$&\r\n');
    const { id } = await putMail(server, server.mailboxId, fields, text);
    expect(await json(server.api(`/v1/mailboxes/${server.mailboxId}/messages/${id}`))).toMatchObject({
      attachments: [{ sizeBytes: content.length, virusScanStatus: status }],
    });
  });
});

/** Returns a tar archive of one file (POSIX 1003.1, ustar). */
function tarOf(content: string): string {
  const header = Buffer.alloc(512);
  header.write('file.txt');
  header.write('0000644\0', 100);
  header.write('0000000\0', 108);
  header.write('0000000\0', 116);
  header.write(`${content.length.toString(8).padStart(11, '0')}\0`, 124);
  header.write('00000000000\0', 136);
  header.write('        0', 148);
  header.write('ustar\x0000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  const body = Buffer.alloc(Math.ceil(content.length / 512) * 512);
  body.write(content);
  return Buffer.concat([header, body, Buffer.alloc(1024)]).toString('latin1');
}
