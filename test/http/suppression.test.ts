import { describe, expect } from 'vitest';
import { test } from '../support/mailcap.ts';
import { addWorkspace, json, outcome } from './support.ts';

interface Entry {
  readonly id: string;
  readonly recipient: string;
  readonly reason: string;
}

describe('suppression list', () => {
  test('GET lists the workspace’s entries, DELETE removes one: 204, and then 404', async ({ mailcap }) => {
    const { id, headers } = await addWorkspace(mailcap, { plan: 'business' });
    const add = (recipient: string, reason: string) =>
      json<Entry>(mailcap.api(`/_mailcap/workspaces/${id}/suppression`, { json: { recipient, reason } }));
    const bounced = await add('Ada <ADA@Bücher.test>', 'bounce');
    const complained = await add('bob@x.test', 'complaint');
    expect(bounced).toEqual({
      id: expect.any(String),
      recipient: 'ada@xn--bcher-kva.test',
      reason: 'bounce',
      addedAt: expect.any(String),
    });
    const path = `/v1/workspaces/${id}/suppression`;
    expect(await outcome(mailcap.api(path, { headers }))).toEqual({ status: 200, body: [bounced, complained] });
    const remove = () => mailcap.api(`${path}/${bounced.id.toLowerCase()}`, { method: 'DELETE', headers });
    expect(await outcome(remove())).toEqual({ status: 204, body: null });
    expect(await outcome(remove())).toEqual({ status: 404, body: { error: 'not_found' } });
    expect(await json(mailcap.api(path, { headers }))).toEqual([complained]);
  });

  test('on a plan without outbound both are 403 outbound_disabled, also for an unknown entry', async ({ mailcap }) => {
    const { id, headers } = await addWorkspace(mailcap, { plan: 'free' });
    const path = `/v1/workspaces/${id}/suppression`;
    const refusal = { status: 403, body: { error: 'outbound_disabled' } };
    expect(await outcome(mailcap.api(path, { headers }))).toEqual(refusal);
    expect(await outcome(mailcap.api(`${path}/none`, { method: 'DELETE', headers }))).toEqual(refusal);
  });

  test('another workspace’s list and entries are 404', async ({ mailcap }) => {
    const one = await addWorkspace(mailcap, { plan: 'business' });
    const other = await addWorkspace(mailcap, { plan: 'business' });
    const entry = await json<Entry>(
      mailcap.api(`/_mailcap/workspaces/${one.id}/suppression`, { json: { recipient: 'a@x.test', reason: 'bounce' } }),
    );
    const { headers } = other;
    const missing = { status: 404, body: { error: 'not_found' } };
    expect(await outcome(mailcap.api(`/v1/workspaces/${one.id}/suppression`, { headers }))).toEqual(missing);
    for (const workspace of [one.id, other.id]) {
      const path = `/v1/workspaces/${workspace}/suppression/${entry.id}`;
      expect(await outcome(mailcap.api(path, { method: 'DELETE', headers }))).toEqual(missing);
    }
    expect(await json(mailcap.api(`/v1/workspaces/${one.id}/suppression`, { headers: one.headers }))).toHaveLength(1);
  });
});

describe('local API', () => {
  test('POST suppression: an address that is on the list keeps its entry', async ({ mailcap }) => {
    const { id } = await addWorkspace(mailcap);
    const add = (reason: string) =>
      json<Entry>(mailcap.api(`/_mailcap/workspaces/${id}/suppression`, { json: { recipient: 'a@x.test', reason } }));
    const first = await add('bounce');
    expect(await add('complaint')).toEqual(first);
  });

  test.for([
    [{ reason: 'bounce' }, 'invalid_recipient'],
    [{ recipient: 'a@x.test, b@x.test', reason: 'bounce' }, 'invalid_recipient'],
    [{ recipient: 7, reason: 'bounce' }, 'invalid_recipient'],
    [{ recipient: 'a@x.test' }, 'invalid_reason'],
    [{ recipient: 'a@x.test', reason: 'spam' }, 'invalid_reason'],
  ] as const)('POST suppression %j is 400 %s', async ([request, error], { mailcap }) => {
    const path = `/_mailcap/workspaces/${mailcap.workspaceId}/suppression`;
    expect(await outcome(mailcap.api(path, { json: request }))).toEqual({ status: 400, body: { error } });
  });

  test('identities: added once each, listed, removed', async ({ mailcap }) => {
    const { id } = await addWorkspace(mailcap);
    const path = `/_mailcap/workspaces/${id}/identities`;
    const added = await outcome(mailcap.api(path, { json: { domain: 'Bücher.test' } }));
    const domain = 'xn--bcher-kva.test';
    expect(added).toMatchObject({ status: 201, body: { workspaceId: id, domain } });
    expect((await outcome(mailcap.api(path, { json: { domain } }))).body).toEqual(added.body);
    expect(await json(mailcap.api(path))).toEqual([added.body]);
    const { id: identity } = added.body as { id: string };
    expect((await mailcap.api(`/_mailcap/identities/${identity}`, { method: 'DELETE' })).status).toBe(204);
    expect((await mailcap.api(`/_mailcap/identities/${identity}`, { method: 'DELETE' })).status).toBe(404);
    expect(await json(mailcap.api(path))).toEqual([]);
    const refused = { status: 400, body: { error: 'invalid_domain' } };
    expect(await outcome(mailcap.api(path, { json: { domain: 'a b' } }))).toEqual(refused);
  });
});
