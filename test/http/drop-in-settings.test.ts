import { request } from 'node:https';
import bcrypt from 'bcryptjs';
import { MailpitClient } from 'mailpit-api';
import { createTransport } from 'nodemailer';
import { describe, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import type { MailcapOptions } from '../../src/index.ts';
import { Wire as ReadingWire } from '../reading/wire.ts';
import { Wire } from '../smtp/wire.ts';
import { startServer, type TestServer } from '../support/mailcap.ts';
import { send as sendTo } from './support.ts';

// What the variables and flags of other catchers turn on (docs/drop-in.md), over the wire.

const MAIL = { from: 'a@sender.test', to: 'b@inbox.test', subject: 'Hello', text: 'Hi' };
const PASSWORDS = {
  plain: 'secret',
  bcrypt: bcrypt.hashSync('secret', 4).replace('$2b$', '$2y$'),
  apr1: '$apr1$Ab3.Zq$HMSEVXzZh0qY.xt5NG0jT1',
  'SHA-512 crypt': '$6$Ab3.Zq$dOv2009aFnxKzhKjBZ67eKsTD1yYb6urFTEFvvsUlQ9Q8JSs3cVL56PqWle2q3gPhkm3Rt7e6ypOY00eJqjpj1',
};

async function start(options: MailcapOptions): Promise<TestServer> {
  const server = await startServer({ compat: ['mailpit'], ...options });
  onTestFinished(() => server.close());
  return server;
}

const send = ({ smtp }: TestServer, mail: object = {}, more: object = {}) =>
  createTransport({ host: '127.0.0.1', port: smtp.port, ignoreTLS: true, ...more }).sendMail({ ...MAIL, ...mail });

const basic = (name: string, password: string) => ({
  headers: { authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}` },
});

describe.each(Object.entries(PASSWORDS))('a password that is %s', (_kind, hash) => {
  test('lets its user in over SMTP and HTTP, and nobody else', async () => {
    const users = ['ron:other', `ada:${hash}`];
    const server = await start({ host: '0.0.0.0', auth: 'off', smtpUsers: users, httpUsers: users });
    await send(server, {}, { auth: { user: 'ada', pass: 'secret' } });
    for (const [user, pass] of [
      ['ada', 'Secret'],
      ['ron', 'secret'],
      ['eve', 'secret'],
    ])
      await expect(send(server, {}, { auth: { user, pass } })).rejects.toThrow(/535/);
    const list = (...given: [string, string]) => fetch(`${server.url}/api/v1/messages`, basic(...given));
    expect(await (await list('ada', 'secret')).json()).toMatchObject({ total: 1 });
    expect((await list('ada', 'Secret')).status).toBe(401);
    expect((await list('ada', hash)).status).toBe(hash === 'secret' ? 200 : 401);
  });
});

test('a hash that would take hours lets nobody in, and delays nobody else for long', async () => {
  const hash = bcrypt.hashSync('secret', 4).replace('$04$', '$31$');
  const server = await start({ smtpUsers: [`ada:${hash}`, 'ron:plain'] });
  const endless = send(server, {}, { auth: { user: 'ada', pass: 'secret' } });
  const refused = expect(endless).rejects.toThrow(/535/);
  await send(server, {}, { auth: { user: 'ron', pass: 'plain' } });
  await refused;
});

describe('tags of new mail', () => {
  const tagsOf = async (server: TestServer) =>
    (await new MailpitClient(server.url).listMessages()).messages.map(({ Tags }) => Tags);

  test('come from X-Tags, plus-addresses, searches and the name of the sign-in', async () => {
    const server = await start({
      tagging: {
        ...{ xTags: true, plusAddresses: true, user: true },
        searches: [
          { query: 'subject:hello from:sender.test', tags: ['Greeting', 'a,b'] },
          { query: 'needle', tags: ['Found'] },
          { query: 'subject:other', tags: ['Other'] },
        ],
      },
    });
    await send(server, { headers: { 'X-Tags': 'News, big sale' }, to: 'b+spring@inbox.test', text: 'a needle' });
    await send(server, {}, { auth: { user: 'robot', pass: 'x' } });
    const byHttp = { From: { Email: 'x@y.test' }, To: [{ Email: 'b+http@inbox.test' }], Text: 'needle', Tags: ['Own'] };
    await new MailpitClient(server.url).sendMessage(byHttp);
    expect(await tagsOf(server)).toEqual([
      ['Found', 'http', 'Own'],
      ['a b', 'Greeting', 'robot'],
      ['a b', 'big sale', 'Found', 'Greeting', 'News', 'spring'],
    ]);
  });

  test('have capitals if asked for, and there are none without rules', async () => {
    const titled = await start({ tagging: { xTags: true, titleCase: true } });
    await send(titled, { headers: { 'X-Tags': 'big SALE' }, to: 'b+spring@inbox.test' });
    expect(await tagsOf(titled)).toEqual([['Big Sale']]);
    const plain = await start({});
    await send(plain, { headers: { 'X-Tags': 'News' }, to: 'b+spring@inbox.test' });
    expect(await tagsOf(plain)).toEqual([[]]);
  });

  test('come before the 250, and not to mail over the wire that has none', async () => {
    const server = await start({ tagging: { xTags: true, plusAddresses: true } });
    await send(server, { raw: `Subject: x\r\nX-Tags: ${'t,'.repeat(100_000)}\r\n\r\nbody` });
    await send(server, { raw: 'X-Tags' });
    expect(await tagsOf(server)).toEqual([[], ['t']]);
  });
});

describe('recipients', () => {
  test('that do not match are refused, and mail may have only some', async () => {
    const server = await start({ recipients: { allowed: '@(a|b)\\.test$', most: 2 } });
    const wire = await Wire.hello(server.smtp.port);
    await wire.say('MAIL FROM:<x@y.test>');
    expect(await wire.say('RCPT TO:<ada@c.test>')).toMatch(/^550 5\.1\.0 /);
    expect(await wire.say('RCPT TO:<ada@a.test>')).toMatch(/^250/);
    expect(await wire.say('RCPT TO:<ada@b.test>')).toMatch(/^250/);
    expect(await wire.say('RCPT TO:<bob@b.test>')).toMatch(/^452 4\.5\.3 /);
    wire.socket.destroy();
  });

  test('that do not match get nothing if mail to them is dropped', async () => {
    const server = await start({ recipients: { allowed: '@a\\.test$', dropOthers: true } });
    await send(server, { to: ['ada@c.test', 'ada@a.test'] });
    await send(server, { to: 'ada@c.test' });
    const { messages } = await new MailpitClient(server.url).listMessages();
    expect(messages).toHaveLength(1);
    const { Bcc } = await new MailpitClient(server.url).getMessageSummary(messages[0]?.ID);
    expect(Bcc).toEqual([]);
  });
});

test('fault rules of the configuration hold from the start on, and again after a reset', async () => {
  const faults = [{ stage: 'mail', action: { reply: '451 Chaos sender error' }, probability: 1 }];
  const server = await start({ faults });
  const client = new MailpitClient(server.url);
  await expect(send(server)).rejects.toThrow(/451 .*Chaos sender error/);
  expect(await client.getChaosTriggers()).toMatchObject({ Sender: { ErrorCode: 451, Probability: 100 } });
  await client.setChaosTriggers({});
  await send(server);
  await server.reset();
  await expect(send(server)).rejects.toThrow(/Chaos sender error/);
});

describe('--max-messages and --max-age', () => {
  test('remove the oldest messages of each mailbox', async () => {
    const { sweep } = await import('../../src/actions/sweep.ts');
    const server = await start({ maxMessages: 2 });
    const other = await server.addMailbox();
    for (const subject of ['1', '2', '3']) await send(server, { subject });
    await send(server, { subject: 'other', to: other.address() });
    const subjects = async () =>
      (await new MailpitClient(server.url).listMessages()).messages.map(({ Subject }) => Subject);
    expect(await sweep(server.ctx)).toBe(1);
    expect(await subjects()).toEqual(['other', '3', '2']);
    expect(await sweep(server.ctx)).toBe(0);
  });

  test('an old message goes, but not one that only a shifted clock makes old', async () => {
    const { sweep } = await import('../../src/actions/sweep.ts');
    const server = await start({ maxAge: '1h' });
    await send(server);
    server.ctx.clock.setOffsetMs(2 * 3_600_000);
    expect(await sweep(server.ctx)).toBe(0);
    server.ctx.clock.setOffsetMs(0);
    const { clock } = server.ctx;
    const now = clock.now();
    Object.defineProperty(clock, 'now', { value: () => now + 2 * 3_600_000 });
    expect(await sweep(server.ctx)).toBe(1);
  });
});

describe('a page of another site', () => {
  const ask = (server: TestServer, path: string, origin: string, init: RequestInit = {}) =>
    fetch(server.url + path, { ...init, headers: { ...init.headers, origin, 'sec-fetch-site': 'cross-site' } });

  test('may use the APIs of other catchers if its origin is allowed, and nothing else', async () => {
    const server = await start({ allowedOrigins: ['app.test:3000'] });
    const own = await ask(server, '/api/v1/messages', 'http://app.test:3000');
    expect([own.status, own.headers.get('access-control-allow-origin')]).toEqual([200, 'http://app.test:3000']);
    const asked = await ask(server, '/api/v1/messages', 'https://app.test:3000', {
      method: 'OPTIONS',
      headers: { 'access-control-request-method': 'DELETE' },
    });
    expect([asked.status, asked.headers.get('access-control-allow-methods')]).toEqual([
      204,
      expect.stringContaining('DELETE'),
    ]);
    expect((await ask(server, '/api/v1/messages', 'http://app.test:3000', { method: 'DELETE' })).status).toBe(200);
    for (const path of ['/_mailcap/info', '/mcp', '/_mailcap/mailboxes']) {
      const answer = await ask(server, path, 'http://app.test:3000');
      expect([path, answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([path, 403, null]);
    }
    for (const origin of ['http://app.test', 'http://evil.test', 'http://app.test:3000.evil.test', 'null']) {
      const answer = await ask(server, '/api/v1/messages', origin);
      expect([origin, answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([origin, 403, null]);
    }
  });

  test('may use them from anywhere with *, also the WebSocket, but not by a foreign Host', async () => {
    const server = await start({ allowedOrigins: ['*'] });
    expect((await ask(server, '/api/v1/messages', 'https://any.test')).status).toBe(200);
    const headers = { host: 'evil.example.com', origin: 'https://any.test' };
    expect((await sendTo(server, { path: '/api/v1/messages', headers })).status).toBe(403);
    const opens = (path: string) =>
      new Promise((resolve) => {
        const socket = new WebSocket(server.url.replace('http', 'ws') + path, { origin: 'https://any.test' });
        socket.on('error', () => {});
        socket.once('open', () => resolve('open'));
        socket.once('unexpected-response', (_, { statusCode }) => resolve(statusCode));
        onTestFinished(() => socket.terminate());
      });
    expect([await opens('/api/events'), await opens('/_mailcap/feed')]).toEqual(['open', 403]);
  });

  test('is refused everything without --allowed-origins', async () => {
    const server = await start({});
    expect((await ask(server, '/api/v1/messages', 'http://app.test')).status).toBe(403);
    expect((await ask(server, '/api/v1/messages', 'http://app.test', { method: 'OPTIONS' })).status).toBe(403);
  });
});

test('with --https on the API, the inbox and the WebSocket speak HTTPS alone, and the server stops with silent clients', async () => {
  const server = await startServer({ compat: ['mailpit'], https: 'on', tlsNames: ['ui.test'] });
  expect(server.url).toMatch(/^https:/);
  const get = (path: string) =>
    new Promise<string>((resolve, reject) => {
      request(server.url + path, { rejectUnauthorized: false }, (res) => {
        let text = '';
        res.on('data', (data) => (text += data)).on('end', () => resolve(`${res.statusCode} ${text}`));
      })
        .on('error', reject)
        .end();
    });
  await send(server);
  expect(await get('/api/v1/messages')).toMatch(/^200 .*"total":1/);
  expect(await get('/')).toMatch(/^200 <!doctype html/i);
  const heard = new Promise((resolve) => {
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}/api/events`, { rejectUnauthorized: false });
    socket.once('message', (data) => resolve(JSON.parse(String(data))));
    onTestFinished(() => socket.terminate());
  });
  expect(await heard).toMatchObject({ Type: 'stats', Data: { Total: 1 } });
  await expect(fetch(server.url.replace('https', 'http'))).rejects.toThrow();
  const silent = await import('node:net').then(({ connect }) => connect(Number(new URL(server.url).port), '127.0.0.1'));
  await new Promise((resolve) => silent.once('connect', resolve));
  silent.on('error', () => {});
  await server.close();
});

test('users of POP3 read the inbox, and only they, where there are some', async () => {
  const server = await start({ pop3Port: 0, readerUsers: [`ada:${PASSWORDS.bcrypt}`] });
  await send(server);
  const port = Number((server.ready.pop3Url ?? '').split(':').at(-1));
  const wire = await ReadingWire.greeted(port);
  await wire.say('USER ada');
  expect(await wire.say('PASS secret')).toBe('+OK 1 messages');
  const other = await ReadingWire.greeted(port);
  await other.say('USER inbox');
  expect(await other.say('PASS any')).toMatch(/^-ERR/);
});

test('a password of POP3 has its spaces', async () => {
  const server = await start({ pop3Port: 0, readerUsers: ['ada: two  words '] });
  const port = Number((server.ready.pop3Url ?? '').split(':').at(-1));
  for (const [password, answer] of [
    [' two  words', /^-ERR/],
    ['two  words ', /^-ERR/],
    [' two  words ', /^\+OK/],
  ] as const) {
    const wire = await ReadingWire.greeted(port);
    await wire.say('USER ada');
    expect(await wire.say(`PASS ${password}`), password).toMatch(answer);
  }
});
