import fc from 'fast-check';
import { expect } from 'vitest';
import { anyText } from '../support/any-text.ts';
import { test } from '../support/mailcap.ts';
import { propertyRuns } from '../support/night.ts';
import { outcome, raw, send } from './support.ts';

const MiB = 1024 * 1024;

test.for([
  ['', 'application/json'],
  ['{', 'application/json'],
  ['[]', 'application/json'],
  ['"text"', 'application/json'],
  ['null', 'application/json'],
  ['5', 'application/json'],
  ['{"name":"a"} trailing', 'application/json'],
] as const)('a body that is not JSON, or not an object, is 400 invalid_body: %j', async ([body, type], { mailcap }) => {
  const answer = mailcap.api(`/v1/workspaces/${mailcap.workspaceId}/mailboxes`, {
    method: 'POST',
    headers: { 'content-type': type },
    body,
  });
  expect(await outcome(answer)).toEqual({ status: 400, body: { error: 'invalid_body' } });
});

test('bytes that are no UTF-8 are 400 invalid_body', async ({ mailcap }) => {
  const answer = mailcap.api(`/v1/workspaces/${mailcap.workspaceId}/mailboxes`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: Buffer.from('{"name":"\xff"}', 'latin1'),
  });
  expect(await outcome(answer)).toEqual({ status: 400, body: { error: 'invalid_body' } });
});

// UTF-8 has no half of a surrogate pair. It would come back as another name.
test('half a surrogate pair in a name is 400 invalid_body, wherever it is, and a whole pair is accepted', async ({
  mailcap,
}) => {
  const workspace = `/workspaces/${mailcap.workspaceId}`;
  const post = (path: string, body: string) =>
    outcome(mailcap.api(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body }));
  const paths = [
    `/v1${workspace}/mailboxes`,
    `/_mailcap${workspace}/groups`,
    `/_mailcap/workspaces`,
    `/_mailcap${workspace}/keys`,
    `/v1/mailboxes/${mailcap.mailboxId}/send`,
  ];
  for (const path of paths) {
    for (const body of ['{"name":"a\\ud800b"}', '{"name":"\\uDE00\\uD83D"}', '{"name":"a","more":[{"\\udc00":1}]}']) {
      expect(await post(path, body), `${path} ${body}`).toEqual({ status: 400, body: { error: 'invalid_body' } });
    }
  }
  const whole = await post(`/v1${workspace}/mailboxes`, '{"name":"\\ud83d\\ude00 \\\\ud800"}');
  expect(whole).toMatchObject({ status: 201, body: { name: '😀 \\ud800' } });
});

test.for([
  ['text/plain', {}],
  ['application/x-www-form-urlencoded', {}],
  ['application/jsonp', {}],
  ['application/json; charset=utf-16', {}],
  ['', {}],
  ['application/json', { 'content-encoding': 'gzip' }],
] as const)('a body of another content type than JSON is 415: %j', async ([type, more], { mailcap }) => {
  const headers: Record<string, string> = { ...more, authorization: `Bearer ${mailcap.apiKey}` };
  if (type !== '') headers['content-type'] = type;
  const path = `/v1/workspaces/${mailcap.workspaceId}/mailboxes`;
  const answer = await send(mailcap, { method: 'POST', path, headers, body: '{"name":"x"}' });
  expect([answer.status, answer.body]).toEqual([415, '{"error":"unsupported_media_type"}']);
});

test.for(['application/json', 'APPLICATION/JSON; Charset="UTF-8"', 'application/vnd.shop+json'])(
  '%s is JSON',
  async (type, { mailcap }) => {
    const answer = await outcome(
      mailcap.api(`/v1/workspaces/${mailcap.workspaceId}/mailboxes`, {
        method: 'POST',
        headers: { 'content-type': type },
        body: '{"name":""}',
      }),
    );
    expect(answer).toEqual({ status: 400, body: { error: 'invalid_name' } });
  },
);

test.for([
  ['announced', false],
  ['chunked', true],
] as const)(
  'a body over 1 MiB, %s, is 413 payload_too_large, and the connection lives on',
  async ([, chunked], { mailcap }) => {
    const body = `{"name":"${'a'.repeat(2 * MiB)}"}`;
    const answer = await outcome(
      mailcap.api(`/v1/workspaces/${mailcap.workspaceId}/mailboxes`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: chunked ? new Blob([body]).stream() : body,
        duplex: 'half',
      } as RequestInit),
    );
    expect(answer).toEqual({ status: 413, body: { error: 'payload_too_large' } });
    expect((await mailcap.api('/v1/mailboxes')).status).toBe(200);
  },
);

test('a body of 1 MiB exactly is read', async ({ mailcap }) => {
  const body = `{"name":"${'a'.repeat(MiB - 11)}"}`;
  expect(body.length).toBe(MiB);
  const answer = mailcap.api(`/v1/workspaces/${mailcap.workspaceId}/mailboxes`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  expect(await outcome(answer)).toEqual({ status: 400, body: { error: 'invalid_name' } });
});

test('a body that no operation takes is not read without end', async ({ mailcap }) => {
  const head = `POST /v1/nowhere HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${1024 ** 4}\r\n\r\n`;
  const answer = raw(mailcap, head + 'a'.repeat(70 * MiB));
  await expect(answer.catch((error: unknown) => error)).resolves.toSatisfy(
    (said) => said instanceof Error || String(said).startsWith('HTTP/1.1 401'),
  );
});

test('the resource is found before the body is read: another workspace is 404 whatever is sent', async ({
  mailcap,
}) => {
  const path = '/v1/workspaces/01JD5Z3V8W0123456789ABCDEF/mailboxes';
  const headers = { authorization: `Bearer ${mailcap.apiKey}`, 'content-type': 'text/plain' };
  const answer = await send(mailcap, { method: 'POST', path, headers, body: 'x'.repeat(2 * MiB) });
  expect([answer.status, answer.body]).toEqual([404, '{"error":"not_found"}']);
});

test('no answer contains a stack trace or a path of the machine, whatever is sent', async ({ mailcap }) => {
  const text = anyText({ maxLength: 40 });
  const path = fc.oneof(
    fc.constantFrom('/v1/mailboxes', `/v1/workspaces/${mailcap.workspaceId}/mailboxes`, '/_mailcap/clock'),
    text.map((part) => `/v1/mailboxes/${encodeURIComponent(part.replace(/\p{Surrogate}/gu, ''))}/messages`),
    text.map(
      (part) => `/v1/mailboxes/${mailcap.mailboxId}/messages?limit=${encodeURI(part.replace(/\p{Surrogate}/gu, ''))}`,
    ),
  );
  const method = fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE');
  const body = fc.oneof(fc.json(), text);
  await fc.assert(
    fc.asyncProperty(method, path, body, async (method, path, body) => {
      const init = method === 'GET' ? { method } : { method, body, headers: { 'content-type': 'application/json' } };
      const response = await mailcap.api(path, init);
      const answer = await response.text();
      expect(response.status).not.toBe(500);
      expect(answer).not.toMatch(/\.ts|\.js|node_modules|\bat \w|Error:|zod/i);
      if (response.status >= 400) expect(Object.keys(JSON.parse(answer))).toContain('error');
    }),
    { numRuns: propertyRuns(200) },
  );
});
