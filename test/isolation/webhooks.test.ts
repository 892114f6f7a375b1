import fc from 'fast-check';
import { expect } from 'vitest';
import { addKey } from '../http/support.ts';
import { type TestServer, test } from '../support/mailcap.ts';
import { propertyRuns } from '../support/night.ts';
import { type Asked, ask, type Seen } from './answer.ts';
import { addTenant, type Tenant } from './tenant.ts';

type Operation =
  | { readonly kind: 'make'; readonly who: number; readonly idempotencyKey: number | null }
  | { readonly kind: 'capture' | 'clear' | 'delete' | 'rename'; readonly hook: number }
  | { readonly kind: 'replay'; readonly who: number; readonly hook: number; readonly idempotencyKey: number | null };

const pick = fc.nat(1_000);
const idempotencyKey = fc.option(fc.nat(2));
const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('make' as const), who: pick, idempotencyKey }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('capture' as const), hook: pick }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('replay' as const), who: pick, hook: pick, idempotencyKey }) },
  fc.record({ kind: fc.constantFrom('clear' as const, 'delete' as const, 'rename' as const), hook: pick }),
);

interface Hook {
  readonly id: string;
  readonly key: string;
  readonly owner: KnownTenant;
  /** The ids of captured requests, oldest first. */
  requests: string[];
}

interface KnownTenant extends Tenant {
  /** A key without mailboxes and authenticators. It may still use webhooks, which belong to the workspace. */
  readonly narrow: string;
  readonly answered: Map<number, string>;
}

class Hooks {
  readonly #server: TestServer;
  readonly #tenants: KnownTenant[] = [];
  #hooks: Hook[] = [];
  #count = 0;

  constructor(server: TestServer) {
    this.#server = server;
  }

  async open(tenants: number): Promise<void> {
    for (let i = 0; i < tenants; i++) {
      const tenant = await addTenant(this.#server);
      const narrow = await addKey(this.#server, tenant.id, { mailboxes: [], authenticators: [] });
      this.#tenants.push({ ...tenant, narrow, answered: new Map() });
      await this.do({ kind: 'make', who: i, idempotencyKey: null });
    }
  }

  async do(operation: Operation): Promise<void> {
    if (operation.kind === 'make') return this.#make(at(this.#tenants, operation.who), operation.idempotencyKey);
    if (this.#hooks.length === 0) return;
    const hook = at(this.#hooks, operation.hook);
    const path = `/v1/webhooks/${hook.id}`;
    switch (operation.kind) {
      case 'capture':
        return this.#capture(hook);
      case 'clear':
        expect((await this.#ask(hook.owner, { method: 'DELETE', path: `${path}/requests` })).status).toBe(204);
        hook.requests = [];
        return;
      case 'delete':
        expect((await this.#ask(hook.owner, { method: 'DELETE', path })).status).toBe(204);
        this.#hooks = this.#hooks.filter(({ id }) => id !== hook.id);
        expect((await fetch(`${this.#server.url}/hooks/${hook.key}`)).status).toBe(404);
        return;
      case 'rename': {
        const body = JSON.stringify({ name: `${hook.owner.token}-${++this.#count}` });
        expect((await this.#ask(hook.owner, { method: 'PATCH', path, body })).status).toBe(200);
        return;
      }
      case 'replay':
        return this.#replay(at(this.#tenants, operation.who), hook, operation.idempotencyKey);
    }
  }

  /** Requests every resource with every key. */
  async audit(): Promise<void> {
    for (const tenant of this.#tenants) {
      for (const key of [tenant.key, tenant.narrow]) {
        const own = this.#hooks.filter(({ owner }) => owner === tenant);
        const listed: { id: string; requestCount: number }[] = JSON.parse(
          (await this.#ask(tenant, { path: '/v1/webhooks', key })).body,
        );
        expect(new Map(listed.map(({ id, requestCount }) => [id, requestCount]))).toEqual(
          new Map(own.map(({ id, requests }) => [id, requests.length])),
        );
        for (const hook of this.#hooks) await this.#auditHook(tenant, key, hook);
      }
    }
  }

  async #auditHook(tenant: KnownTenant, key: string, hook: Hook): Promise<void> {
    const page = await this.#ask(tenant, { path: `/v1/webhooks/${hook.id}/requests`, key });
    const one = await this.#ask(tenant, { path: `/v1/webhooks/${hook.id}`, key });
    const reads = await Promise.all(
      hook.requests.map((id) => this.#ask(tenant, { path: `/v1/webhooks/requests/${id}`, key })),
    );
    if (hook.owner !== tenant) {
      for (const { status, body } of [page, one, ...reads])
        expect([status, body]).toEqual([404, '{"error":"not_found"}']);
      return;
    }
    const { items, total } = JSON.parse(page.body);
    expect([items.map(({ id }: { id: string }) => id), total]).toEqual([
      [...hook.requests].reverse(),
      hook.requests.length,
    ]);
    for (const { status, body } of reads) expect([status, JSON.parse(body).endpointId]).toEqual([200, hook.id]);
  }

  async #make(owner: KnownTenant, idempotencyKey: number | null): Promise<void> {
    const headers = idempotencyKey === null ? {} : { 'idempotency-key': `hook-${idempotencyKey}` };
    const body = JSON.stringify({ name: `${owner.token}-${++this.#count}` });
    const made = await this.#ask(owner, { method: 'POST', path: '/v1/webhooks', headers, body });
    expect(made.status).toBe(201);
    const before = idempotencyKey === null ? undefined : owner.answered.get(idempotencyKey);
    if (before !== undefined) {
      expect(made.body).toBe(before);
      return;
    }
    if (idempotencyKey !== null) owner.answered.set(idempotencyKey, made.body);
    const { id, key } = JSON.parse(made.body);
    this.#hooks.push({ id, key, owner, requests: [] });
  }

  async #capture(hook: Hook): Promise<void> {
    const url = `${this.#server.url}/hooks/${hook.key}/${hook.owner.token}?of=${hook.owner.token}`;
    expect((await fetch(url, { method: 'POST', body: hook.owner.token })).status).toBe(200);
    const { items } = JSON.parse((await this.#ask(hook.owner, { path: `/v1/webhooks/${hook.id}/requests` })).body);
    expect(hook.requests).not.toContain(items[0].id);
    hook.requests.push(items[0].id);
  }

  /** Replays a request. Without forwarding, an own request is refused as such, and a foreign one does not exist. */
  async #replay(tenant: KnownTenant, hook: Hook, idempotencyKey: number | null): Promise<void> {
    const id = hook.requests.at(-1);
    if (id === undefined) return;
    const headers = idempotencyKey === null ? {} : { 'idempotency-key': `replay-${idempotencyKey}` };
    const answer = await this.#ask(tenant, { method: 'POST', path: `/v1/webhooks/requests/${id}/replay`, headers });
    expect([answer.status, answer.body]).toEqual(
      hook.owner === tenant ? [400, '{"error":"invalid_forward"}'] : [404, '{"error":"not_found"}'],
    );
  }

  async #ask(tenant: KnownTenant, asked: Omit<Asked, 'key'> & { readonly key?: string }): Promise<Seen> {
    const seen = await ask(this.#server, { key: tenant.key, ...asked });
    for (const { token, id } of this.#tenants) {
      if (token !== tenant.token)
        expect(seen.body, `${asked.path}: a trace of another`).not.toMatch(new RegExp(`${token}|${id}`));
    }
    for (const { key, owner } of this.#hooks) {
      if (owner !== tenant) expect(seen.body, `${asked.path}: another's key`).not.toContain(key);
    }
    return seen;
  }
}

function at<T>(from: readonly T[], index: number): T {
  const found = from[index % from.length];
  if (found === undefined) throw new Error('there is nothing to pick from');
  return found;
}

test('each workspace sees all of its webhooks and captured requests, and none of another', async ({ mailcap }) => {
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { minLength: 5, maxLength: 30 }), async (all) => {
      const hooks = new Hooks(mailcap);
      await hooks.open(2);
      for (const one of all) await hooks.do(one);
      await hooks.audit();
    }),
    { numRuns: propertyRuns(20, 8) },
  );
});
