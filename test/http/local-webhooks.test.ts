import { expect } from 'vitest';
import { test } from '../support/mailcap.ts';
import { addHook, lastRequest, requestsOf } from './hooks.ts';
import { json, outcome } from './support.ts';

const NOT_FOUND = { status: 404, body: { error: 'not_found' } };

test('scripted answers are used one per request, and then the configured answer again', async ({ mailcap }) => {
  const hook = await addHook(mailcap, { responseStatus: 202, responseBody: 'configured' });
  const path = `/_mailcap/webhooks/${hook.id}/responses`;
  const script = [
    { status: 500 },
    { drop: true },
    { status: 429, headers: { 'Retry-After': '1', 'content-type': 'text/x-slow' }, body: 'slow', delayMs: 20 },
  ];
  const put = await outcome(mailcap.api(path, { method: 'PUT', json: script }));
  const filled = [{ status: 500, headers: {}, body: '', delayMs: 0 }, { drop: true, delayMs: 0 }, { ...script[2] }];
  expect(put).toEqual({ status: 200, body: filled });

  const first = await fetch(hook.url);
  expect([first.status, await first.text()]).toEqual([500, '']);
  expect(await json(mailcap.api(path))).toEqual(filled.slice(1));
  await expect(fetch(hook.url)).rejects.toThrow();
  const before = performance.now();
  const third = await fetch(hook.url);
  expect(performance.now() - before).toBeGreaterThan(19);
  expect([third.status, await third.text()]).toEqual([429, 'slow']);
  expect(third.headers.get('retry-after')).toBe('1');
  expect(third.headers.get('content-type')).toBe('text/x-slow');
  const fourth = await fetch(hook.url);
  expect([fourth.status, await fourth.text()]).toEqual([202, 'configured']);
  // Every request is recorded, including the dropped one.
  expect((await requestsOf(mailcap, hook)).map(({ responseStatus }) => responseStatus)).toEqual([202, 429, 0, 500]);
});

test('a scripted answer may replace the headers of the server', async ({ mailcap }) => {
  const hook = await addHook(mailcap);
  const headers = { 'content-security-policy': "default-src 'self'", 'x-request-id': 'mine' };
  await mailcap.api(`/_mailcap/webhooks/${hook.id}/responses`, { method: 'PUT', json: [{ headers }] });
  const response = await fetch(hook.url);
  expect(response.headers.get('content-security-policy')).toBe("default-src 'self'");
  expect(response.headers.get('x-request-id')).toBe('mine');
});

test('an invalid list is 400 invalid_responses, and the list before it stays', async ({ mailcap }) => {
  const hook = await addHook(mailcap);
  const path = `/_mailcap/webhooks/${hook.id}/responses`;
  await mailcap.api(path, { method: 'PUT', json: [{ status: 500 }] });
  for (const [wrong, index, message] of [
    [{}, 0, 'The body is a list of answers.'],
    [[{}, { status: 99 }], 1, 'status is a whole number from 200 to 599.'],
    [[{ headers: { 'X-A': 'a\r\nSet-Cookie: b=c' } }], 0, 'The header "X-A" can\'t be sent.'],
  ] as const) {
    const answer = await outcome(mailcap.api(path, { method: 'PUT', json: wrong }));
    expect(answer).toEqual({ status: 400, body: { error: 'invalid_responses', index, message } });
  }
  expect(await json(mailcap.api(path))).toHaveLength(1);
  await mailcap.api(path, { method: 'PUT', json: [] });
  expect(await json(mailcap.api(path))).toEqual([]);
});

test('a captured body is a download, never a page of ours', async ({ mailcap }) => {
  const hook = await addHook(mailcap);
  await fetch(hook.url, { method: 'POST', body: '<script>', headers: { 'content-type': 'text/html' } });
  const { id } = await lastRequest(mailcap, hook);
  const response = await mailcap.api(`/_mailcap/webhooks/requests/${id}/body`);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'text/html',
    'content-length': '8',
    'content-disposition': `attachment; filename="${id}"`,
    'x-content-type-options': 'nosniff',
    'content-security-policy': 'sandbox',
  });
  expect(await response.text()).toBe('<script>');
});

test('unknown ids are 404', async ({ mailcap }) => {
  const id = '01JD5Z3V8W0123456789ABCDEF';
  for (const path of [`requests/${id}`, `requests/${id}/body`, `${id}/responses`, 'x/responses']) {
    expect(await outcome(mailcap.api(`/_mailcap/webhooks/${path}`))).toEqual(NOT_FOUND);
  }
});

test('previews name the events of requests by their headers and JSON, and leave out requests that do not exist', async ({
  mailcap,
}) => {
  const hook = await addHook(mailcap);
  const post = (body: string, headers: Record<string, string> = {}) =>
    fetch(hook.url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body });
  await post('{"type":"charge.refunded","data":{"object":{"id":"ch_1"}}}');
  await post('{"action":"opened","pull_request":{"title":"Mend it"}}', { 'X-GitHub-Event': 'pull_request' });
  await post('{"type":"broken"');
  // A large body is not read for its event.
  await post(`{"type":"large","filler":"${'x'.repeat(300_000)}"}`);
  await fetch(hook.url);
  const ids = (await requestsOf(mailcap, hook)).map(({ id }) => id).reverse();
  const path = '/_mailcap/webhooks/requests/previews';
  const nobody = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
  expect(await json(mailcap.api(`${path}?ids=${[...ids, nobody].join()}`))).toEqual([
    { id: ids[0], event: 'charge.refunded', about: 'ch_1' },
    { id: ids[1], event: 'pull_request.opened', about: 'Mend it' },
    ...ids.slice(2).map((id) => ({ id, event: null, about: null })),
  ]);
  expect(await json(mailcap.api(path))).toEqual([]);
  const wrong = { status: 400, body: { error: 'invalid_ids' } };
  expect(await outcome(mailcap.api(`${path}?ids=x`))).toEqual(wrong);
  expect(await outcome(mailcap.api(`${path}?ids=${Array(101).fill(nobody).join()}`))).toEqual(wrong);
});
