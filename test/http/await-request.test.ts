import { describe, expect, vi } from 'vitest';
import { type TestServer, test } from '../support/mailcap.ts';
import { ofOneServer } from '../support/one-server.ts';
import { unless } from '../support/unless.ts';
import { json, outcome } from './support.ts';

interface Hook {
  readonly id: string;
  readonly key: string;
}

function addHook(server: TestServer): Promise<Hook> {
  return json<Hook>(server.api('/v1/webhooks', { json: {} }));
}

function capture(server: TestServer, { key }: Hook, path: string): Promise<Response> {
  return fetch(`${server.url}/hooks/${key}${path}`);
}

function awaiting(server: TestServer, { id }: Hook, query = ''): Promise<Response> {
  return server.api(`/_mailcap/webhooks/${id}/requests/await?${query}`);
}

describe('await a captured request', () => {
  test('answers with the newest request that is there, or else with the next one', async ({ mailcap }) => {
    const hook = await addHook(mailcap);
    const waiting = awaiting(mailcap, hook);
    await capture(mailcap, hook, '/first');
    const { status, body } = await outcome(waiting);
    expect({ status, body }).toMatchObject({ status: 200, body: { path: '/first' } });
    const again = awaiting(mailcap, hook, `after=${(body as { id: string }).id}`);
    await capture(mailcap, hook, '/second');
    expect(await outcome(again)).toMatchObject({ status: 200, body: { path: '/second' } });
    expect(await outcome(awaiting(mailcap, hook))).toMatchObject({ status: 200, body: { path: '/second' } });
  });

  test('is 204 if no request came in time, whatever other webhooks capture', async ({ mailcap }) => {
    const [hook, other] = [await addHook(mailcap), await addHook(mailcap)];
    const waiting = awaiting(mailcap, hook, 'timeout=1');
    await capture(mailcap, other, '/');
    expect(await outcome(waiting)).toEqual({ status: 204, body: null });
  });

  test('is 404 for a deleted webhook, and 400 for an invalid position or time', async ({ mailcap }) => {
    const hook = await addHook(mailcap);
    expect(await outcome(awaiting(mailcap, hook, 'after=x'))).toEqual({
      status: 400,
      body: { error: 'invalid_after' },
    });
    expect(await outcome(awaiting(mailcap, hook, 'timeout=x'))).toEqual({
      status: 400,
      body: { error: 'invalid_timeout' },
    });
    await mailcap.api(`/v1/webhooks/${hook.id}`, { method: 'DELETE' });
    expect((await awaiting(mailcap, hook)).status).toBe(404);
  });

  unless(test, ofOneServer('a spy on it'))(
    'is 404 at once if the webhook is deleted during the wait',
    async ({ mailcap }) => {
      const [hook, other] = [await addHook(mailcap), await addHook(mailcap)];
      const hears = vi.spyOn(mailcap.ctx.store, 'onCommit');
      const waiting = awaiting(mailcap, hook, 'timeout=60');
      await vi.waitUntil(() => hears.mock.calls.length > 0);
      await mailcap.api(`/v1/webhooks/${other.id}`, { method: 'DELETE' });
      await mailcap.api(`/v1/webhooks/${hook.id}`, { method: 'DELETE' });
      expect((await waiting).status).toBe(404);
    },
  );
});
