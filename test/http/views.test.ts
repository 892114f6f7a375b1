import { expect, test as plain } from 'vitest';
import { createLog } from '../../src/adapters/console-log.ts';
import { createParser } from '../../src/adapters/worker-parser.ts';
import { createClient } from '../../src/client/index.ts';
import { startServer, test } from '../support/mailcap.ts';
import { json, outcome, putMail, send } from './support.ts';

const HTML = { 'Content-Type': 'text/html; charset=utf-8' };
const NOT_FOUND = { status: 404, body: { error: 'not_found' } };

const opened = (path: string) => ({ path, method: 'POST', headers: { 'content-type': 'application/json' } });

test('POST view returns a URL for some minutes, which needs no key and whose policy blocks all requests', async ({
  mailcap,
  mailbox,
}) => {
  const { id } = await putMail(mailcap, mailbox.id, HTML, '<p>Grüße<script>x()</script></p>');
  const answer = await mailcap.api(`/_mailcap/messages/${id}/view`, { method: 'POST' });
  expect(answer.status).toBe(201);
  const { url, expiresAt, remote } = await json<{ url: string; expiresAt: string; remote: unknown[] }>(answer);
  expect(url).toMatch(/^\/_mailcap\/view\/[\w-]{43}\/$/);
  expect(remote).toEqual([]);
  const minutes = (Date.parse(expiresAt) - Date.now()) / 60_000;
  expect(minutes).toBeGreaterThan(10);
  expect(minutes).toBeLessThan(20);
  const view = await mailcap.api(url);
  expect(await view.text()).toBe('<p>Grüße</p>\r\n'.replace('\r\n', '\n'));
  const { host } = new URL(mailcap.url);
  expect(Object.fromEntries(view.headers)).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; img-src data: http://${host}${url}; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'; frame-ancestors 'self'`,
    ...{ 'referrer-policy': 'no-referrer', 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' },
    'x-dns-prefetch-control': 'off',
  });
});

test('a view begins with the head of the mail if it is to be printed, and a style of the sender does not hide it', async ({
  mailcap,
  mailbox,
}) => {
  const fields = { ...HTML, Subject: 'A <b> & c', Cc: 'cc@x.test', Date: 'Fri, 20 Nov 2026 15:55:21 +0000' };
  const { id } = await putMail(
    mailcap,
    mailbox.id,
    fields,
    '<!doctype html><style>div { display: none }</style><p>Hi</p>',
  );
  const { url } = await json<{ url: string }>(mailcap.api(`/_mailcap/messages/${id}/view`, { method: 'POST' }));
  const page = await (await mailcap.api(`${url}?head=1`)).text();
  expect(page).toMatch(/^<!doctype html><div style="all: initial !important; display: block !important; /);
  expect(page).toContain(
    '>Subject: A &#60;b&#62; &#38; c\nFrom: Shop &#60;shop@x.test&#62;\nTo: user@box.mailcap.example.com\nCc: cc@x.test\nDate: Fri, 20 Nov 2026 15:55:21 +0000</div>',
  );
  expect(page.replace(/<div style=.*<\/div>/s, '')).toBe(await (await mailcap.api(url)).text());
  expect(await outcome(mailcap.api(`${url}?head=maybe`))).toMatchObject({
    status: 400,
    body: { error: 'invalid_head' },
  });
});

test('an unknown URL, that of a deleted message and that of a part that is no picture are 404', async ({
  mailcap,
  mailbox,
}) => {
  expect(await outcome(mailcap.api('/_mailcap/view/unknown/'))).toEqual(NOT_FOUND);
  const body =
    '--b\r\nContent-Type: text/html\r\n\r\n<img src=cid:x>\r\n--b\r\nContent-Type: text/html\r\nContent-ID: <x>\r\n\r\n<script>x()</script>\r\n--b--';
  const { id } = await putMail(mailcap, mailbox.id, { 'Content-Type': 'multipart/related; boundary=b' }, body);
  const { attachments } = await json<{ attachments: { id: string }[] }>(
    mailcap.api(`/v1/mailboxes/${mailbox.id}/messages/${id}`),
  );
  const { url } = await json<{ url: string }>(mailcap.api(`/_mailcap/messages/${id}/view`, { json: {} }));
  expect(await outcome(mailcap.api(`${url}parts/${attachments[0]?.id}`))).toEqual(NOT_FOUND);
  await mailcap.api(`/_mailcap/messages/${id}`, { method: 'DELETE' });
  expect(await outcome(mailcap.api(url))).toEqual(NOT_FOUND);
});

test('an attached mail has its own view, with its pictures and nothing of the outer mail', async ({
  mailcap,
  mailbox,
}) => {
  const client = createClient({ baseUrl: mailcap.url, apiKey: mailcap.apiKey, workspaceId: mailcap.workspaceId });
  const picture = (id: string) => `Content-Type: image/gif\r\nContent-ID: <${id}>\r\n\r\nGIF89a of ${id}`;
  const inner = [
    'Subject: inner\r\nContent-Type: multipart/related; boundary=in\r\n',
    '--in\r\nContent-Type: text/html\r\n\r\n<h1 onclick=x()>Inner</h1><img src=cid:logo><img src="http://cdn.test/a.gif">',
    `--in\r\n${picture('logo')}\r\n--in--`,
  ].join('\r\n');
  const body = `--b\r\n\r\nouter\r\n--b\r\nContent-Type: message/rfc822\r\n\r\n${inner}\r\n--b\r\n${picture('outer')}\r\n--b--`;
  const { id } = await putMail(mailcap, mailbox.id, { 'Content-Type': 'multipart/mixed; boundary=b' }, body);
  const [attached, outer] = (await client.getMessage(mailbox.id, id)).attachments ?? [];
  const { url, remote } = await client.local.openAttachedView(id, attached?.id ?? '');
  expect(remote).toEqual([{ host: 'cdn.test', kinds: ['images'], allowed: [] }]);
  const page = await mailcap.api(url);
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(await page.text()).toContain(`<h1>Inner</h1><img src="parts/${attached?.id}.0">`);
  expect(await (await mailcap.api(`${url}parts/${attached?.id}.0`)).text()).toBe('GIF89a of logo');
  expect(await outcome(mailcap.api(`${url}parts/${outer?.id}`))).toEqual(NOT_FOUND);
  const views = `/_mailcap/messages/${id}/attachments`;
  for (const none of [outer?.id, `${attached?.id}.0`, `${attached?.id}.7`, 'x'])
    expect(await outcome(mailcap.api(`${views}/${none}/message/view`, { json: {} })), none).toEqual(NOT_FOUND);
  const foreign = await outcome(mailcap.api(`${views}/${attached?.id}/message/view`, { json: { allow: 'all' } }));
  expect(foreign).toMatchObject({ status: 400, body: { error: 'invalid_allow' } });
});

test('a mail without HTML is shown as text', async ({ mailcap, mailbox }) => {
  const client = createClient({ baseUrl: mailcap.url, apiKey: mailcap.apiKey, workspaceId: mailcap.workspaceId });
  const { id } = await putMail(mailcap, mailbox.id, {}, 'Your code\n  is <b>1</b> & more');
  expect(await client.local.viewMessage(id)).toContain('Your code\n  is &#60;b&#62;1&#60;/b&#62; &#38; more');
  expect(await client.local.openView(id, { allow: { images: ['cdn.test'] } })).toMatchObject({ remote: [] });
});

test.for([
  [[]],
  ['cdn.test'],
  [{ images: 'cdn.test' }],
  [{ scripts: ['cdn.test'] }],
  [{ images: ["cdn.test; script-src 'unsafe-inline'"] }],
  [{ images: ['https://cdn.test'] }],
  [{ images: ['*'] }],
  [{ images: [5] }],
])('allow %j is 400 invalid_allow', async ([allow], { mailcap, mailbox }) => {
  const { id } = await putMail(mailcap, mailbox.id);
  const answer = mailcap.api(`/_mailcap/messages/${id}/view`, { json: { allow } });
  expect(await outcome(answer)).toEqual({ status: 400, body: { error: 'invalid_allow' } });
});

test('another page can neither create a view nor read one under a foreign host name', async ({ mailcap, mailbox }) => {
  const { id } = await putMail(mailcap, mailbox.id, HTML, '<p>x</p>');
  const { url } = await json<{ url: string }>(mailcap.api(`/_mailcap/messages/${id}/view`, { json: {} }));
  const foreign = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', origin: 'null' };
  const make = opened(`/_mailcap/messages/${id}/view`);
  expect((await send(mailcap, { ...make, headers: { ...make.headers, ...foreign }, body: '{}' })).status).toBe(403);
  expect((await send(mailcap, { path: url, headers: { host: 'evil.test' } })).status).toBe(403);
  expect((await send(mailcap, { path: url, headers: foreign })).status).toBe(200);
});

plain('off loopback a view needs no token of the reader, making one does', async () => {
  await using server = await startServer({ host: '0.0.0.0', adminToken: 'secret-of-the-test' });
  const admin = { authorization: 'Bearer secret-of-the-test' };
  const { id } = await json<{ id: string }>(
    server.api(`/_mailcap/mailboxes/${server.mailboxId}/messages`, {
      method: 'POST',
      headers: { ...admin, 'content-type': 'message/rfc822' },
      body: 'Content-Type: text/html\r\n\r\n<p>x</p>',
    }),
  );
  expect((await server.api(`/_mailcap/messages/${id}/view`, { method: 'POST' })).status).toBe(401);
  const { url } = await json<{ url: string }>(
    server.api(`/_mailcap/messages/${id}/view`, { method: 'POST', headers: admin }),
  );
  expect((await server.api(url)).status).toBe(200);
});

plain('of HTML that cannot be rendered in bounds, the page says why and shows the text', async () => {
  const parser = createParser(createLog('error'));
  const slow = { ...parser, page: async () => 'Rendering took more than 10 seconds.' };
  await using server = await startServer({ overrides: { parser: slow } });
  const parts = ['text/plain\r\n\r\n<Hello>', 'text/html\r\n\r\n<b>x'].map(
    (part) => `--b\r\nContent-Type: ${part}\r\n`,
  );
  const { id } = await json<{ id: string }>(
    server.api(`/_mailcap/mailboxes/${server.mailboxId}/messages`, {
      method: 'POST',
      headers: { 'content-type': 'message/rfc822' },
      body: `Content-Type: multipart/alternative; boundary=b\r\n\r\n${parts.join('')}--b--\r\n`,
    }),
  );
  const page = await (await server.api(`/_mailcap/messages/${id}/view`)).text();
  expect(page).toContain(
    '>The HTML of this mail cannot be shown. Rendering took more than 10 seconds. Its text follows, and its source is complete.<',
  );
  expect(page).toContain('&#60;Hello&#62;');
  expect(await json(server.api(`/_mailcap/messages/${id}/view`, { method: 'POST' }))).toMatchObject({ remote: [] });
});
