import { cp, rename } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { expect, test } from 'vitest';
import { run, temporaryDirectory } from '../support/cli.ts';
import { ROOT } from '../support/pages.ts';

/** Paths whose code is loaded by their first request. */
const LATE = ['/docs', '/_mailcap/openapi.json', '/providers/sendgrid/v3/user/account', '/mcp'];

test('a server goes on after npm took its package away and put it back, and no request of the time between ends it', async () => {
  const cwd = await temporaryDirectory();
  const [app, away] = [join(cwd, 'app'), join(cwd, 'away')];
  for (const part of ['bin', 'package.json', 'dist/bundle'])
    await cp(join(ROOT, part), join(app, part), { recursive: true });
  const args = ['dev', '--json', '--port', '0', '--smtp-port', '0'];
  const server = run(process.execPath, [join(app, 'bin', 'mailcap.js'), ...args], { cwd });
  const { url, apiKey, smtpPort } = await server.ready();
  const headers = { authorization: `Bearer ${apiKey}` };
  const get = async (path: string) => {
    const answer = await fetch(url + path, { headers });
    return { status: answer.status, text: await answer.text() };
  };
  // The routes are loaded after the server is ready.
  expect((await get('/_mailcap/info')).status).toBe(200);
  const transport = createTransport({ port: smtpPort });
  await transport.sendMail({ from: 'a@shop.test', to: 'ada@shop.test', subject: 'Code', text: 'Your code is 481516' });
  const { items } = JSON.parse((await get('/_mailcap/messages')).text);
  const message = `/_mailcap/messages/${items[0].id}`;

  await rename(app, away);
  for (const path of [...LATE, message, `${message}/view`])
    expect({ path, ...(await get(path)) }).toMatchObject({
      path,
      status: 500,
      text: expect.stringContaining('internal_error'),
    });
  // A wait of the feed ends, and the server does not.
  const socket = createConnection(Number(new URL(url).port));
  socket.write('GET /_mailcap/feed HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n');
  socket.write('Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n');
  await new Promise((resolve) => socket.once('data', resolve));
  socket.destroy();

  await rename(away, app);
  for (const path of LATE) expect({ path, status: (await get(path)).status < 500 }).toEqual({ path, status: true });
  expect(JSON.parse((await get(message)).text).codes[0].code).toBe('481516');
  expect((await get(`${message}/view`)).text).toContain('Your code is 481516');
  expect((await server.stop()).code).toBe(0);
});
