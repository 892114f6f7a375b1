import { once } from 'node:events';
import { describe, expect, test as plain, vi } from 'vitest';
import { WebSocket } from 'ws';
import { COMPAT_NAMES } from '../../../src/config/options.ts';
import { cloudRoutes, localRoutes } from '../../../src/http/app.ts';
import { compatRoutes } from '../../../src/http/compat/routes.ts';
import { Wire } from '../../smtp/wire.ts';
import { impatientClock } from '../../support/impatient-clock.ts';
import { startServer, test } from '../../support/mailcap.ts';
import { addWorkspace, json, putMail, send } from '../support.ts';
import { sendAll } from './mails.ts';

const keysOf = (routes: readonly { method: string; path: string }[]) =>
  routes.map(({ method, path }) => `${method} ${path}`);

plain('no route of another catcher has the path of one of ours', () => {
  const own = new Set([...cloudRoutes, ...localRoutes].map(({ path }) => path));
  const foreign = compatRoutes(COMPAT_NAMES);
  expect(foreign.filter(({ path }) => own.has(path))).toEqual([]);
  expect(foreign.filter(({ path }) => /^\/(?:v1|_mailcap|hooks|assets|docs)(?:\/|$)/.test(path))).toEqual([]);
});

plain('Mailpit and the first API of MailHog share two paths, and nothing else is shared', () => {
  const all = COMPAT_NAMES.flatMap((name) => keysOf(compatRoutes([name])));
  const shared = all.filter((key, at) => all.indexOf(key) !== at);
  expect(shared).toEqual(['GET /api/v1/messages', 'DELETE /api/v1/messages']);
});

test('an unsupported request is 501 on its own path, and names routes that exist', async ({ mailcap }) => {
  const all = [...cloudRoutes, ...localRoutes, ...compatRoutes(COMPAT_NAMES)];
  const own = new Set(keysOf(all).map((key) => key.replaceAll(/:\w+/g, '{}')));
  const missing = compatRoutes(COMPAT_NAMES).filter(({ declared }) => declared.fails.includes('not_supported'));
  expect(missing.length).toBeGreaterThan(1);
  for (const { method, path } of missing) {
    const answer = await fetch(mailcap.url + path.replaceAll(/:\w+/g, 'x'), { method });
    expect([method, path, answer.status]).toEqual([method, path, 501]);
    const message = await answer.text();
    const named = [...message.matchAll(/\b(?:GET|POST|PUT|DELETE) \/[\w/{}-]+/g)].map(([route]) => route);
    for (const route of named) expect(own, message).toContain(route.replaceAll(/\{\w+\}/g, '{}'));
  }
});

test('Mailpit’s API answers on the shared paths, and MailHog’s if it is alone', async ({ mailcap }) => {
  await putMail(mailcap, mailcap.mailboxId, { Subject: 'Shared' });
  expect(await json(fetch(`${mailcap.url}/api/v1/messages`))).toMatchObject({ messages: [{ Subject: 'Shared' }] });
  await using alone = await startServer({ compat: ['mailhog'] });
  await putMail(alone, alone.mailboxId, { Subject: 'Shared' });
  const list = await json<unknown[]>(fetch(`${alone.url}/api/v1/messages`));
  expect(list).toMatchObject([{ Content: { Headers: { Subject: ['Shared'] } } }]);
  expect((await fetch(`${alone.url}/api/v1/message/latest`)).status).toBe(404);
  expect((await fetch(`${alone.url}/email`)).status).toBe(404);
});

plain('--compat off leaves none of them', async () => {
  await using server = await startServer({ compat: ['off'] });
  for (const { path } of compatRoutes(COMPAT_NAMES))
    expect([path, (await fetch(server.url + path.replace(/:\w+/g, 'x'))).status]).toEqual([path, 404]);
});

const READS = [
  '/api/v1/messages',
  '/api/v1/search?query=x',
  '/api/v2/messages',
  '/email',
  '/api/email',
  '/view/latest.html',
];

describe('the guard of the local API', () => {
  test('refuses a foreign Host and a foreign page', async ({ mailcap }) => {
    for (const path of READS) {
      expect([path, (await send(mailcap, { path, headers: { host: 'evil.example' } })).status]).toEqual([path, 403]);
      const headers = { host: new URL(mailcap.url).host, origin: 'http://evil.example' };
      expect([path, (await send(mailcap, { path, headers })).status]).toEqual([path, 403]);
    }
    const headers = { host: new URL(mailcap.url).host, origin: 'http://evil.example' };
    expect((await send(mailcap, { method: 'DELETE', path: '/api/v1/messages', headers })).status).toBe(403);
  });

  plain('off loopback asks for the admin token, which may be the password of any user', async () => {
    await using server = await startServer({
      host: '0.0.0.0',
      adminToken: 'secret:token:of:the:test',
      overrides: { clock: impatientClock() },
    });
    const url = server.url.replace('0.0.0.0', '127.0.0.1');
    const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` });
    const status = async (path: string, headers: Record<string, string> = {}) =>
      (await fetch(url + path, { headers })).status;
    for (const path of READS.filter((one) => !one.startsWith('/view'))) {
      expect([path, await status(path)]).toEqual([path, 401]);
      const asked = (await fetch(url + path)).headers.get('www-authenticate');
      expect(asked).toBe('Bearer, Basic realm="mailcap", charset="UTF-8"');
      expect([path, await status(path, basic('user:wrong'))]).toEqual([path, 401]);
      expect([path, await status(path, basic('secret:token:of:the:test'))]).toEqual([path, 401]);
      expect([path, await status(path, basic('user:secret:token:of:the:test'))]).toEqual([path, 200]);
      expect([path, await status(path, { authorization: 'Bearer secret:token:of:the:test' })]).toEqual([path, 200]);
    }
    expect(await status('/_mailcap/info', basic('user:secret:token:of:the:test'))).toBe(401);
  });
});

test('mail of another workspace is neither seen nor deleted', async ({ mailcap }) => {
  const { id } = await addWorkspace(mailcap);
  const mailbox = await mailcap.addMailbox({ workspaceId: id as never });
  const { id: foreign } = await putMail(mailcap, mailbox.id, { Subject: 'Theirs' });
  const own = await putMail(mailcap, mailcap.mailboxId, { Subject: 'Ours' });
  for (const path of [`/api/v1/message/${foreign}`, `/api/v1/messages/${foreign}`, `/email/${foreign}`])
    expect([path, (await fetch(mailcap.url + path)).status]).toEqual([path, 404]);
  expect(await json(fetch(`${mailcap.url}/api/v1/search?query=theirs`))).toMatchObject({ messages_count: 0 });
  expect(await json(fetch(`${mailcap.url}/api/v2/search?kind=containing&query=theirs`))).toMatchObject({ total: 0 });
  const remove = (path: string, body?: object) =>
    fetch(mailcap.url + path, {
      method: body === undefined || !path.endsWith('/delete') ? 'DELETE' : 'POST',
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
  expect((await remove(`/email/${foreign}`)).status).toBe(404);
  expect((await remove('/api/v1/messages', { IDs: [foreign] })).status).toBe(200);
  expect(await json(remove('/email/delete', { ids: [foreign, own.id, own.id, 'x'] }))).toEqual({
    deleted: [own.id],
    notFound: [foreign, 'x'],
  });
  for (const path of ['/api/v1/messages', '/email/all']) expect((await remove(path)).status).toBe(200);
  expect(await json(mailcap.api(`/_mailcap/messages/${foreign}/content`))).toMatchObject({ subject: 'Theirs' });
});

test('an empty search and a body that is no JSON delete no message', async ({ mailcap }) => {
  const { id } = await putMail(mailcap, mailcap.mailboxId, { Subject: 'Stays' });
  const headers = { 'content-type': 'application/json' };
  const asked = [
    fetch(`${mailcap.url}/api/v1/search?query=%20`, { method: 'DELETE' }),
    fetch(`${mailcap.url}/api/v1/search`, { method: 'DELETE' }),
    fetch(`${mailcap.url}/api/v1/messages`, { method: 'DELETE', body: '{"IDs":[', headers }),
    fetch(`${mailcap.url}/email/delete`, { method: 'POST', body: '{}', headers }),
    ...[
      '{"IDs":"x"}',
      '{"IDs":[]}',
      '{"IDs":null}',
      '{"IDs":[1]}',
      '{"ids":["one"]}',
      '{"id":["x"]}',
      '[]',
      'null',
    ].map((body) => fetch(`${mailcap.url}/api/v1/messages`, { method: 'DELETE', body, headers })),
  ];
  for (const answer of await Promise.all(asked)) expect(answer.status).toBe(400);
  expect((await mailcap.api(`/_mailcap/messages/${id}`)).status).toBe(200);
});

test.each(['IDs', 'ids', 'iDs'])('%s in any case names the messages to delete, as in Go', async (key) => {
  await using mailcap = await startServer();
  const [one, other] = [
    await putMail(mailcap, mailcap.mailboxId, { Subject: 'Goes' }),
    await putMail(mailcap, mailcap.mailboxId, { Subject: 'Stays' }),
  ];
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ [key]: [one.id, 'one'] });
  expect((await fetch(`${mailcap.url}/api/v1/messages`, { method: 'DELETE', body, headers })).status).toBe(200);
  expect((await mailcap.api(`/_mailcap/messages/${one.id}`)).status).toBe(404);
  expect((await mailcap.api(`/_mailcap/messages/${other.id}`)).status).toBe(200);
  expect((await fetch(`${mailcap.url}/api/v1/messages`, { method: 'DELETE', body: '{}', headers })).status).toBe(200);
  expect((await mailcap.api(`/_mailcap/messages/${other.id}`)).status).toBe(404);
});

test('MailHog finds a recipient by the To header and by the envelope, MailDev a subject, and neither reads other mail', async () => {
  await using server = await startServer();
  const wire = await Wire.hello(server.smtp.port);
  for (let number = 0; number < 3; number++)
    await wire.mail(['hidden@inbox.mailcap.example.com'], `Subject: S${number}\r\nTo: ada${number}@else.test\r\n\r\nx`);
  const search = (query: string) =>
    json(fetch(`${server.url}/api/v2/search?kind=to&query=${encodeURIComponent(query)}`));
  expect(await search('ADA1@else')).toMatchObject({ total: 1, count: 1 });
  expect(await search('hidden@')).toMatchObject({ total: 3, count: 3 });
  const read = vi.spyOn(server.ctx.store.blobs, 'read');
  expect(await search('nobody')).toMatchObject({ total: 0 });
  expect(await json(fetch(`${server.url}/email?subject=none`))).toEqual([]);
  expect(read).not.toHaveBeenCalled();
  expect(await json(fetch(`${server.url}/email?subject=S1`))).toMatchObject([{ subject: 'S1' }]);
});

test('MailDev lists the oldest first, filters, and gives files by either name', async ({ mailcap }) => {
  await fetch(`${mailcap.url}/email/all`, { method: 'DELETE' });
  for (const subject of ['One', 'Two', 'Three']) await putMail(mailcap, mailcap.mailboxId, { Subject: subject });
  const subjects = async (query: string) =>
    (await json<{ subject: string }[]>(fetch(`${mailcap.url}/email${query}`))).map(({ subject }) => subject);
  expect(await subjects('')).toEqual(['One', 'Two', 'Three']);
  expect(await subjects('?skip=1&limit=1')).toEqual(['Two']);
  expect(await subjects('?sort=desc&limit=2')).toEqual(['Three', 'Two']);
  expect(await subjects('?subject=Two')).toEqual(['Two']);
  expect(await subjects('?subject=two')).toEqual([]);
  expect(await subjects('?subject=T')).toEqual([]);
  expect(await subjects('?subject=')).toEqual([]);
  expect(await subjects('?to.address=user%40box.mailcap.example.com&headers.subject=Three')).toEqual(['Three']);
  expect(await subjects('?__proto__.x=1&from.constructor=1')).toEqual([]);
  const summary = await json(fetch(`${mailcap.url}/email/summary?limit=1&skip=1&sort=asc`));
  expect(summary).toMatchObject({ items: [{ subject: 'Two', preview: 'Hello' }], total: 3, skip: 1, limit: 1 });
  const search = (rest: string) => json(fetch(`${mailcap.url}/email/summary?${rest}`));
  const [found, oldest, none] = [
    await search('search=HELLO'),
    await search('search=o&sort=asc&limit=1'),
    await search('search=from:hello'),
  ];
  expect([found, oldest, none]).toMatchObject([
    { items: [{ subject: 'Three' }, { subject: 'Two' }, { subject: 'One' }], total: 3, storeTotal: 3 },
    { items: [{ subject: 'One' }], total: 3, limit: 1 },
    { items: [], total: 0, storeTotal: 3 },
  ]);
  expect(await json(fetch(`${mailcap.url}/healthz`))).toBe(true);
});

test('MailHog’s clients find the fields of mail by their usual names, and others as the mail writes them', async ({
  mailcap,
}) => {
  const bytes = Buffer.from(
    'subject: Small\r\nMIME-VERSION: 1.0\r\nX-mixed-Case: a\r\nX-UID: 7\r\nx-low: b\r\n\r\nx\r\n',
  );
  await sendAll(mailcap.smtp.port, [{ name: 'small', mailFrom: 'a@x.test', rcptTo: ['small@x.test'], bytes }]);
  const found = await json(fetch(`${mailcap.url}/api/v2/search?kind=to&query=small%40x.test`));
  expect(found).toMatchObject({
    items: [
      {
        Content: {
          Headers: {
            ...{ Subject: ['Small'], 'MIME-Version': ['1.0'] },
            ...{ 'X-mixed-Case': ['a'], 'X-UID': ['7'], 'x-low': ['b'] },
          },
        },
      },
    ],
  });
});

plain('Jim is rules of every client, and goes with them', async () => {
  await using server = await startServer();
  const jim = (method: string, body?: object) =>
    fetch(`${server.url}/api/v2/jim`, { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  expect((await jim('GET')).status).toBe(404);
  expect((await jim('PUT', {})).status).toBe(404);
  expect((await jim('POST')).status).toBe(201);
  expect((await jim('POST')).status).toBe(400);
  expect(await json(jim('GET'))).toMatchObject({ AcceptChance: 0.99, DisconnectChance: 0.005, RejectAuthChance: 0.05 });
  expect((await jim('PUT', { AcceptChance: 1, rejectRecipientChance: 1 })).status).toBe(200);
  expect(await json(jim('GET'))).toMatchObject({ AcceptChance: 1, RejectRecipientChance: 1, RejectSenderChance: 0 });
  const wire = await Wire.hello(server.smtp.port);
  expect(await wire.say('MAIL FROM:<a@x.test>')).toMatch(/^250/);
  expect(await wire.say('RCPT TO:<b@x.test>')).toMatch(/^550 .*Invalid recipient$/);
  wire.socket.destroy();
  expect((await jim('PUT', { AcceptChance: 2 })).status).toBe(400);
  expect((await jim('DELETE')).status).toBe(200);
  expect(await json(server.api('/_mailcap/faults'))).toEqual([]);
  await jim('POST', { AcceptChance: 1 });
  await server.api('/_mailcap/faults', { method: 'PUT', json: [] });
  expect((await jim('GET')).status).toBe(404);
});

plain('MailHog’s WebSocket has each new message', async () => {
  await using server = await startServer();
  const socket = new WebSocket(`${server.url.replace('http:', 'ws:')}/api/v2/websocket`);
  await once(socket, 'open');
  const told = once(socket, 'message');
  const { id } = await putMail(server, server.mailboxId, { Subject: 'News' });
  expect(JSON.parse(String((await told)[0]))).toMatchObject({ ID: id, Content: { Headers: { Subject: ['News'] } } });
  socket.terminate();
});
