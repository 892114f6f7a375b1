import { describe, expect } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { cloudOperations } from '../../src/http/operations.ts';
import { addKey, json } from '../http/support.ts';
import { test } from '../support/mailcap.ts';
import { ask } from './answer.ts';
import { addBox, addTenant } from './tenant.ts';

const OF_WEBHOOKS = cloudOperations
  .flatMap(({ routes }) => routes)
  .filter(({ path }) => path.startsWith('/v1/webhooks'))
  .map(({ method, path }) => ({ method, path }));
const NOTHING = { status: 404, body: '{"error":"not_found"}' };

describe('a key without webhooks', () => {
  test('gets 404 at every path of webhooks, and changes nothing', async ({ mailcap }) => {
    const tenant = await addTenant(mailcap);
    const headers = { authorization: `Bearer ${tenant.key}` };
    const hook = await json<{ id: string; key: string }>(
      mailcap.api('/v1/webhooks', { json: { name: 'hook' }, headers }),
    );
    await fetch(`${mailcap.url}/hooks/${hook.key}`, { method: 'POST', body: 'secret' });
    const requests = () => ask(mailcap, { path: `/v1/webhooks/${hook.id}/requests`, key: tenant.key });
    const before = await requests();
    const { items } = JSON.parse(before.body);
    const without = await addKey(mailcap, tenant.id, { mailboxes: [], webhooks: 'none' });
    expect(OF_WEBHOOKS.length).toBeGreaterThan(8);
    for (const { method, path } of OF_WEBHOOKS) {
      const real = path.replace(':webhookId', hook.id).replace(':requestId', items[0].id);
      const body = method === 'POST' || method === 'PATCH' ? '{"name":"taken"}' : undefined;
      for (const idempotency of [{}, { 'idempotency-key': 'one' }])
        expect(
          await ask(mailcap, { method, path: real, key: without, headers: idempotency, body }),
          `${method} ${real}`,
        ).toMatchObject(NOTHING);
    }
    expect(await ask(mailcap, { method: 'HEAD', path: '/v1/webhooks', key: without })).toMatchObject({ status: 404 });
    expect((await requests()).body).toBe(before.body);
    const all = await ask(mailcap, { path: '/v1/webhooks', key: tenant.key });
    expect(JSON.parse(all.body)).toHaveLength(1);
  });

  test('uses its mailboxes as any other key, and the client finds its workspace by them', async ({ mailcap }) => {
    const tenant = await addTenant(mailcap);
    const box = await addBox(mailcap, tenant, 'a');
    const [narrow, empty] = await Promise.all([
      addKey(mailcap, tenant.id, { mailboxes: [box.id], webhooks: 'none' }),
      addKey(mailcap, tenant.id, { mailboxes: [], webhooks: 'none' }),
    ]);
    const client = (apiKey: string) => createClient({ baseUrl: mailcap.url, apiKey });
    expect(await client(narrow).listMailboxes()).toMatchObject([{ id: box.id }]);
    expect(await client(narrow).workspaceId()).toBe(tenant.id);
    await expect(client(empty).workspaceId()).rejects.toMatchObject({ code: 'unknown_workspace' });
    await expect(client(narrow).listWebhooks()).rejects.toMatchObject({ code: 'not_found' });
  });

  test('a key with few mailboxes still has all webhooks, as the API document says', async ({ mailcap }) => {
    const tenant = await addTenant(mailcap);
    const key = await addKey(mailcap, tenant.id, { mailboxes: [], authenticators: [] });
    expect(await ask(mailcap, { path: '/v1/webhooks', key })).toMatchObject({ status: 200, body: '[]' });
  });
});
