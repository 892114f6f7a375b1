import { gzipSync } from 'node:zlib';
import { describe, expect } from 'vitest';
import { uuid7Of } from '../../src/domain/provider.ts';
import { send as sendRaw } from '../http/support.ts';
import { temporaryDirectory } from '../support/cli.ts';
import { startServer, type TestServer, test } from '../support/mailcap.ts';
import { messagesOf } from './support.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

function post(server: TestServer, headers: Record<string, string>, body: unknown): Promise<Response> {
  return fetch(`${server.url}/providers/resend/emails`, {
    method: 'POST',
    headers,
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

function emailTo(to: string): object {
  return { from: 'a@acme.test', to, subject: 'Hi', text: 'Hello' };
}

describe('who may send', () => {
  test('on loopback any key may, but one has to be there', async ({ mailcap, mailbox }) => {
    const refused = await post(mailcap, JSON_TYPE, emailTo(mailbox.address()));
    expect([refused.status, await refused.json()]).toMatchObject([401, { name: 'missing_api_key' }]);
    expect((await post(mailcap, { ...JSON_TYPE, authorization: 'Bearer x' }, emailTo(mailbox.address()))).status).toBe(
      200,
    );
  });

  test.for([{ origin: 'https://evil.test' }, { host: 'evil.test' }, { 'sec-fetch-site': 'cross-site' }])(
    'a page of another site is refused, with a key or without: %j',
    async (foreign, { mailcap, mailbox }) => {
      for (const key of [{ authorization: 'Bearer x' }, {}]) {
        const headers = { ...JSON_TYPE, host: new URL(mailcap.url).host, ...key, ...foreign };
        const body = JSON.stringify(emailTo(mailbox.address()));
        const { status } = await sendRaw(mailcap, { method: 'POST', path: '/providers/resend/emails', headers, body });
        expect(status).toBe(403);
      }
      expect(await messagesOf(mailcap, mailbox.id)).toEqual([]);
    },
  );

  test('off loopback the key must be one of mailcap, or the admin token', async () => {
    await using server = await startServer({ host: '0.0.0.0', adminToken: 'let-me-in-please' });
    const mailbox = await server.addMailbox();
    const statusOf = async (key: string) =>
      (await post(server, { ...JSON_TYPE, authorization: `Bearer ${key}` }, emailTo(mailbox.address()))).status;
    expect(await statusOf('re_any')).toBe(403);
    expect(await statusOf(`${server.apiKey}x`)).toBe(403);
    expect(await statusOf(server.apiKey)).toBe(200);
    expect(await statusOf('let-me-in-please')).toBe(200);
    expect(await messagesOf(server, mailbox.id)).toHaveLength(2);
  });
});

describe('what is refused before a provider reads it', () => {
  const KEY = { authorization: 'Bearer x' };

  test.for([
    ['{"from":', JSON_TYPE, 400],
    ['"text"', JSON_TYPE, 400],
    ['[]', JSON_TYPE, 400],
    ['', JSON_TYPE, 400],
    ['{"__proto__":{"from":"a@x.test"},"to":"b@x.test"}', JSON_TYPE, 422],
    ['from=a', { 'content-type': 'text/plain' }, 415],
    ['--x\r\n', { 'content-type': 'multipart/form-data; boundary=y' }, 400],
    [`{"from":"${'\\ud800'}"}`, JSON_TYPE, 400],
  ] as const)('the body %j', async ([body, type, status], { mailcap }) => {
    const response = await post(mailcap, { ...KEY, ...type }, body);
    expect([response.status, await response.json()]).toMatchObject([status, { statusCode: status }]);
  });

  test('a body that is compressed, of JSON or of a form', async ({ mailcap }) => {
    const sends = [
      ['resend/emails', 'application/json', '{"to":"b@x.test"}'],
      ['mailgun/v3/acme.test/messages', 'application/x-www-form-urlencoded', 'to=b@x.test'],
      ['mailgun/v3/acme.test/messages', 'multipart/form-data; boundary=b', '--b--'],
    ] as const;
    for (const [path, type, body] of sends) {
      const key = path.startsWith('mailgun')
        ? { authorization: `Basic ${Buffer.from('api:x').toString('base64')}` }
        : KEY;
      const headers = { ...key, 'content-type': type, 'content-encoding': 'gzip' };
      const answer = await fetch(`${mailcap.url}/providers/${path}`, { method: 'POST', headers, body: gzipSync(body) });
      expect([answer.status, await answer.json()]).toMatchObject([
        ...[415, { message: expect.stringContaining('or the body is compressed') }],
      ]);
    }
  });

  test('a body over the limit', async ({ mailcap }) => {
    const headers = { ...KEY, ...JSON_TYPE, 'content-length': String(100 * 1024 * 1024) };
    const { status, body } = await sendRaw(mailcap, { method: 'POST', path: '/providers/resend/emails', headers });
    expect([status, JSON.parse(body)]).toMatchObject([413, { name: 'validation_error' }]);
  });

  test('a path and a method that the API does not have, and a provider that mailcap does not know', async ({
    mailcap,
  }) => {
    const answerOf = async (path: string, method = 'GET') => {
      const response = await fetch(mailcap.url + path, { method, headers: KEY });
      return [response.status, await response.json()];
    };
    expect(await answerOf('/providers/resend/broadcasts')).toMatchObject([404, { name: 'not_found' }]);
    expect(await answerOf('/providers/resend/emails', 'DELETE')).toMatchObject([405, { name: 'method_not_allowed' }]);
    expect(await answerOf('/providers/nobody/emails')).toEqual([404, { error: 'not_found' }]);
    expect(await answerOf('/providers/constructor/emails')).toEqual([404, { error: 'not_found' }]);
  });
});

test('a path may end with a slash, as SDKs write it', async ({ mailcap, mailbox }) => {
  const path = '/providers/resend//emails/';
  const headers = { ...JSON_TYPE, authorization: 'Bearer x' };
  const sent = await fetch(mailcap.url + path, {
    method: 'POST',
    headers,
    body: JSON.stringify(emailTo(mailbox.address())),
  });
  const { id } = (await sent.json()) as { id: string };
  expect((await fetch(`${mailcap.url}${path}${id}/?any=1`, { headers })).status).toBe(200);
  expect((await fetch(`${mailcap.url}/providers/resend/`, { headers })).status).toBe(404);
});

test('a file may be a list of bytes, as the SDK for Python sends it', async ({ mailcap, mailbox }) => {
  const email = { ...emailTo(mailbox.address()), attachments: [{ filename: 'a.txt', content: [104, 105] }] };
  expect((await post(mailcap, { ...JSON_TYPE, authorization: 'Bearer x' }, email)).status).toBe(200);
  expect((await messagesOf(mailcap, mailbox.id))[0]).toMatchObject({ attachmentCount: 1 });
  const wrong = { ...email, attachments: [{ filename: 'a.txt', content: [256] }] };
  expect((await post(mailcap, { ...JSON_TYPE, authorization: 'Bearer x' }, wrong)).status).toBe(422);
});

test('with catch-all off, a recipient without a mailbox is refused, and nobody gets the mail', async () => {
  await using server = await startServer({ catchAll: 'off' });
  const mailbox = await server.addMailbox();
  const response = await post(
    server,
    { ...JSON_TYPE, authorization: 'Bearer x' },
    {
      ...emailTo(mailbox.address()),
      cc: 'nobody@elsewhere.test',
    },
  );
  expect([response.status, await response.json()]).toMatchObject([
    422,
    { name: 'validation_error', message: expect.stringContaining('No mailbox takes mail') },
  ]);
  expect(await messagesOf(server, mailbox.id)).toEqual([]);
  const bounced = await post(
    server,
    { ...JSON_TYPE, authorization: 'Bearer x' },
    {
      ...emailTo(mailbox.address()),
      cc: 'bounced@resend.dev',
    },
  );
  expect(bounced.status).toBe(200);
  expect(await messagesOf(server, mailbox.id)).toHaveLength(1);
});

test('scheduled emails and what was sent survive a restart', async () => {
  const dataDir = await temporaryDirectory();
  const options = { ephemeral: false, dataDir, store: `file:${dataDir}/store` };
  let id = '';
  {
    await using server = await startServer(options);
    const email = { ...emailTo('user@later.mailcap.example.com'), scheduled_at: 'in 1 hour' };
    const response = await post(server, { ...JSON_TYPE, authorization: 'Bearer x' }, email);
    id = ((await response.json()) as { id: string }).id;
  }
  await using server = await startServer(options);
  await server.api('/_mailcap/clock', { method: 'PUT', json: { offsetSeconds: 3_601 } });
  await expect.poll(async () => (await messagesOf(server, server.mailboxId)).length).toBe(1);
  const shown = await fetch(`${server.url}/providers/resend/emails/${id}`, { headers: { authorization: 'Bearer x' } });
  expect(await shown.json()).toMatchObject({ id, last_event: 'delivered' });
});

test('UUIDs of ULIDs of one millisecond differ and sort as the ULIDs do', () => {
  const ulids = [
    '01M8BHT73QMYP3MG65NZ9YNPE1',
    '01M8BHT73QMYP3MG65NZ9YNPE2',
    '01M8BHT73QMYP3MG65NZ9YNPEZ',
    '01M8BHT73RMYP3MG65NZ9YNPE1',
  ];
  const uuids = ulids.map(uuid7Of);
  expect(new Set(uuids).size).toBe(4);
  expect([...uuids].sort()).toEqual(uuids);
});
