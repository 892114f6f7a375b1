import { expect, test as plain } from 'vitest';
import { temporaryDirectory } from '../support/cli.ts';
import { startServer, test } from '../support/mailcap.ts';
import { addHook, lastRequest, startTarget } from './hooks.ts';
import { outcome } from './support.ts';

const DONE = { status: 204, body: null };

test('replay forwards the captured request again: 204 after one attempt, its outcome on record', async ({
  mailcap,
}) => {
  const target = await startTarget((res, _received, count) => res.writeHead(count === 1 ? 500 : 200).end(`${count}`));
  const hook = await addHook(mailcap, { forwardMode: 'sync', forwardUrl: `${target.url}/cb` });
  await fetch(`${hook.url}/a?b`, { method: 'POST', body: 'exact' });
  const failed = await lastRequest(mailcap, hook);
  expect(failed).toMatchObject({ forwardStatus: 3, forwardAttempts: 1 });
  const replay = () => mailcap.api(`/v1/webhooks/requests/${failed.id}/replay`, { method: 'POST' });
  expect(await outcome(replay())).toEqual(DONE);
  expect(await lastRequest(mailcap, hook)).toMatchObject({
    id: failed.id,
    forwardStatus: 2,
    forwardHttpStatus: 200,
    forwardAttempts: 2,
    forwardError: null,
    forwardResponse: '2',
  });
  expect(target.received[1]).toMatchObject({ method: 'POST', url: '/cb/a?b', body: Buffer.from('exact') });
});

test('a replay that fails answers 204 as well, after one attempt, and says why on the request', async ({ mailcap }) => {
  const hook = await addHook(mailcap);
  await fetch(hook.url);
  const { id } = await lastRequest(mailcap, hook);
  const settings = { forwardMode: 'async', forwardUrl: 'http://127.0.0.1:9' };
  await mailcap.api(`/v1/webhooks/${hook.id}`, { method: 'PATCH', json: settings });
  expect(await outcome(mailcap.api(`/v1/webhooks/requests/${id}/replay`, { method: 'POST' }))).toEqual(DONE);
  expect(await lastRequest(mailcap, hook)).toMatchObject({ forwardStatus: 3, forwardAttempts: 1 });
});

test.for([{}, { forwardUrl: 'http://127.0.0.1:9' }])(
  'without forwarding configured it is 400 invalid_forward: %j',
  async (settings, { mailcap }) => {
    const hook = await addHook(mailcap, settings);
    await fetch(hook.url);
    const { id } = await lastRequest(mailcap, hook);
    const replay = mailcap.api(`/v1/webhooks/requests/${id}/replay`, { method: 'POST' });
    expect(await outcome(replay)).toEqual({ status: 400, body: { error: 'invalid_forward' } });
    expect(await lastRequest(mailcap, hook)).toMatchObject({ forwardStatus: 0, forwardAttempts: 0 });
  },
);

test('with an Idempotency-Key it runs once: duplicates that come meanwhile wait for the first', async ({ mailcap }) => {
  const target = await startTarget((res) => setTimeout(() => res.end(), 50));
  const hook = await addHook(mailcap, { forwardUrl: target.url });
  await fetch(hook.url);
  await mailcap.api(`/v1/webhooks/${hook.id}`, { method: 'PATCH', json: { forwardMode: 'sync' } });
  const { id } = await lastRequest(mailcap, hook);
  const replay = (key: string, as = id) =>
    mailcap.api(`/v1/webhooks/requests/${as}/replay`, { method: 'POST', headers: { 'idempotency-key': key } });
  // An id in lower case names the same path.
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, i) => replay('once', i % 2 ? id : id.toLowerCase())),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 204));
  expect(answers.filter(({ headers }) => headers.get('idempotency-replayed') === 'true')).toHaveLength(19);
  expect(target.received).toHaveLength(1);
  await replay('another');
  expect(target.received).toHaveLength(2);
  expect(await lastRequest(mailcap, hook)).toMatchObject({ forwardAttempts: 2 });
});

test('a refusal is stored for the key too, and replayed once forwarding is configured', async ({ mailcap }) => {
  const hook = await addHook(mailcap);
  await fetch(hook.url);
  const { id } = await lastRequest(mailcap, hook);
  const replay = (key: string) =>
    mailcap.api(`/v1/webhooks/requests/${id}/replay`, { method: 'POST', headers: { 'idempotency-key': key } });
  expect((await replay('early')).status).toBe(400);
  const settings = { forwardMode: 'async', forwardUrl: 'http://127.0.0.1:9' };
  await mailcap.api(`/v1/webhooks/${hook.id}`, { method: 'PATCH', json: settings });
  const again = await replay('early');
  expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([400, 'true']);
  expect((await replay('late')).status).toBe(204);
  expect((await replay('k'.repeat(256))).status).toBe(400);
});

plain('the answer is repeated for 24 hours, across restarts', async () => {
  const dataDir = await temporaryDirectory();
  const target = await startTarget();
  const headers = { 'idempotency-key': 'across' };
  let path = '';
  {
    await using server = await startServer({ ephemeral: false, dataDir });
    const hook = await addHook(server, { forwardMode: 'sync', forwardUrl: target.url });
    await fetch(hook.url);
    path = `/v1/webhooks/requests/${(await lastRequest(server, hook)).id}/replay`;
    expect((await server.api(path, { method: 'POST', headers })).status).toBe(204);
  }
  await using server = await startServer({ ephemeral: false, dataDir });
  const again = await server.api(path, { method: 'POST', headers });
  expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([204, 'true']);
  expect(target.received).toHaveLength(2);
  server.ctx.clock.setOffsetMs(86_400_000);
  const fresh = await server.api(path, { method: 'POST', headers });
  expect([fresh.status, fresh.headers.get('idempotency-replayed')]).toEqual([204, null]);
  expect(target.received).toHaveLength(3);
});
