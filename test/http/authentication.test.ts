import { expect } from 'vitest';
import { test } from '../support/mailcap.ts';
import { addWorkspace, json, outcome, send } from './support.ts';

const UNKNOWN = `svc_live_${'a'.repeat(43)}`;

test.for([
  ['missing', {}],
  ['of another scheme', { authorization: 'Basic c3ZjOmxpdmU=' }],
  ['malformed', { authorization: 'Bearer nonsense' }],
  ['unknown', { authorization: `Bearer ${UNKNOWN}` }],
] as const)('a key that is %s is 401 unauthorized', async ([, headers], { mailcap }) => {
  const answer = await send(mailcap, { path: '/v1/mailboxes', headers: { ...headers } });
  expect(answer.status).toBe(401);
  expect(answer.body).toBe('{"error":"unauthorized"}');
  expect(answer.headers['www-authenticate']).toBe('Bearer');
  expect(answer.headers['x-request-id']).toBeTruthy();
});

test('a revoked key is 401 from the next request on', async ({ mailcap }) => {
  const { id, headers } = await addWorkspace(mailcap);
  expect((await mailcap.api('/v1/mailboxes', { headers })).status).toBe(200);
  const [key] = await json<{ id: string }[]>(mailcap.api(`/_mailcap/workspaces/${id}/keys`));
  expect((await mailcap.api(`/_mailcap/keys/${key?.id}`, { method: 'DELETE' })).status).toBe(204);
  expect(await outcome(mailcap.api('/v1/mailboxes', { headers }))).toEqual({
    status: 401,
    body: { error: 'unauthorized' },
  });
});

test('the key of a deleted workspace is 401', async ({ mailcap }) => {
  const { id, headers } = await addWorkspace(mailcap);
  expect((await mailcap.api(`/_mailcap/workspaces/${id}`, { method: 'DELETE' })).status).toBe(204);
  expect((await mailcap.api('/v1/mailboxes', { headers })).status).toBe(401);
});

test('the scheme is written in any case', async ({ mailcap }) => {
  const headers = { authorization: `bEaReR ${mailcap.apiKey}` };
  expect((await mailcap.api('/v1/mailboxes', { headers })).status).toBe(200);
});

test('authentication comes first: before paths, methods and bodies', async ({ mailcap }) => {
  const headers = { authorization: 'Bearer x' };
  for (const [method, path] of [
    ['GET', '/v1/nowhere'],
    ['GET', '/v1'],
    ['DELETE', '/v1/mailboxes'],
    ['GET', '/v1/mailboxes/%zz/messages'],
    ['POST', `/v1/workspaces/${mailcap.workspaceId}/mailboxes`],
  ] as const) {
    const answer = await send(mailcap, { method, path, headers, ...(method === 'POST' && { body: 'not json' }) });
    expect([path, answer.status]).toEqual([path, 401]);
  }
});
