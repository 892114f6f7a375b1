import { expect, test } from 'vitest';
import { cloudRoutes } from '../../src/http/app.ts';
import type { Store } from '../../src/ports/store.ts';
import { memoryStore } from '../../src/store/memory.ts';
import { json, outcome } from '../http/support.ts';
import { type Ids, oneOfEverything } from '../support/everything.ts';
import { startServer, type TestServer } from '../support/mailcap.ts';
import { type Asked, ask } from './answer.ts';
import { addNarrowKey, addTenant, type Tenant } from './tenant.ts';

/** A ULID that no resource has. */
const UNKNOWN = '01JD5Z3V8W0123456789ABCDEF';

/** Creates one resource of each kind and returns its id by the path segment before it. */
const own = (server: TestServer, tenant: Tenant, name: string): Promise<Ids> =>
  oneOfEverything(server, tenant, `${tenant.token}-${name}`);

const slotsOf = (path: string): string[] => path.match(/[^/]+\/:\w+/g) ?? [];

/** Returns every way to fill a path with own and foreign ids that has at least one foreign id. */
function fillings(path: string, ours: Ids, other: (segment: string) => string): string[] {
  const slots = slotsOf(path);
  return Array.from({ length: 2 ** slots.length - 1 }, (_, bits) =>
    slots.reduce((filled, slot, at) => {
      const [segment = ''] = slot.split('/');
      const id = ((bits >> at) & 1) === 1 ? ours[segment] : other(segment);
      return filled.replace(slot, `${segment}/${id}`);
    }, path),
  );
}

const BODIES = [
  undefined,
  '{',
  JSON.stringify({
    name: 'x',
    to: 'a@x.mailcap.example.com',
    from: 'a@mailcap.example.com',
    subject: 's',
    textBody: 't',
  }),
] as const;

let keys = 0;

/** Requests foreign ids and unknown ids in every way that a route allows, and expects the same answer for both. */
async function expectNoDifference(server: TestServer, key: string, ours: Ids, foreign: Ids): Promise<number> {
  let asked = 0;
  for (const { method, path } of cloudRoutes) {
    for (const slot of slotsOf(path))
      expect(Object.keys(ours), `add what stands in ${path}`).toContain(slot.split('/')[0]);
    const theirs = fillings(path, ours, (segment) => foreign[segment] ?? '');
    const nobodys = fillings(path, ours, () => UNKNOWN);
    for (const [at, foreignPath] of theirs.entries()) {
      const unknownPath = nobodys[at] ?? '';
      // An own id in another place is not foreign.
      if (foreignPath === unknownPath) continue;
      const bodies = method === 'GET' || method === 'DELETE' ? [undefined] : BODIES;
      const variants: Omit<Asked, 'path' | 'key'>[] = [
        ...bodies.map((body) => ({ method, body })),
        ...(method === 'GET' ? [{ method: 'HEAD' }] : []),
        ...(method === 'POST' ? [{ method, body: BODIES[2], headers: { 'idempotency-key': `f${++keys}` } }] : []),
      ];
      for (const variant of variants) {
        const answer = await ask(server, { ...variant, path: foreignPath, key });
        expect(answer, `${method} ${foreignPath}`).toEqual(await ask(server, { ...variant, path: unknownPath, key }));
        expect(answer.status).toBe(404);
        asked++;
      }
    }
  }
  return asked;
}

test('an id of another workspace gets the same answer as an unknown one, byte for byte, on every route', async () => {
  await using server = await startServer();
  const [us, them] = [await addTenant(server), await addTenant(server)];
  const [ours, theirs] = [await own(server, us, 'a'), await own(server, them, 'a')];
  expect(await expectNoDifference(server, us.key, ours, theirs)).toBeGreaterThan(8);
});

test('an id of the workspace outside the scope of the key also gets the answer of an unknown one', async () => {
  await using server = await startServer();
  const us = await addTenant(server);
  const [ours, beyond] = [await own(server, us, 'in'), await own(server, us, 'out')];
  const narrow = await addNarrowKey(server, us, [ours['mailboxes'] ?? ''], [ours['totp'] ?? '']);
  // These belong to the whole workspace, so no key is too narrow for them. Unknown ids replace them.
  const everyones = { workspaces: UNKNOWN, suppression: UNKNOWN, webhooks: UNKNOWN, requests: UNKNOWN };
  expect(await expectNoDifference(server, narrow, ours, { ...beyond, ...everyones })).toBeGreaterThan(5);
});

test('a scope with ids of another workspace is refused as one with unknown ids, and issues no key', async () => {
  await using server = await startServer();
  const [us, them] = [await addTenant(server), await addTenant(server)];
  const theirs = await own(server, them, 'a');
  const issue = (scopes: unknown) => outcome(server.api(`/_mailcap/workspaces/${us.id}/keys`, { json: { scopes } }));
  const foreign = [{ mailboxes: [theirs['mailboxes']] }, { authenticators: [theirs['totp']] }];
  const unknown = [{ mailboxes: [UNKNOWN] }, { authenticators: [UNKNOWN] }];
  const before = await json(server.api(`/_mailcap/workspaces/${us.id}/keys`));
  for (const scopes of [...foreign, ...unknown]) {
    expect(await issue(scopes)).toEqual({ status: 400, body: { error: 'invalid_scope' } });
  }
  expect(await json(server.api(`/_mailcap/workspaces/${us.id}/keys`))).toEqual(before);
});

test('an id of another workspace costs the reads of an unknown one, so that no clock tells them apart', async () => {
  const reads: string[] = [];
  await using server = await startServer({ overrides: { store: recordingReads(memoryStore(), reads) } });
  const [us, them] = [await addTenant(server), await addTenant(server)];
  const theirs = await own(server, them, 'a');
  const readsOf = async (mailboxId: string) => {
    reads.length = 0;
    const answer = await ask(server, { path: `/v1/mailboxes/${mailboxId}/messages`, key: us.key });
    expect(answer.status).toBe(404);
    return [...reads];
  };
  const [foreign, unknown] = [await readsOf(theirs['mailboxes'] ?? ''), await readsOf(UNKNOWN)];
  expect(unknown).toContain('mailboxes.get');
  expect(foreign).toEqual(unknown);
});

/** Returns a store that adds the name of each read to a list, such as `mailboxes.get`. */
function recordingReads(store: Store, reads: string[]): Store {
  const recorded = <T extends object>(of: T, named: string): T =>
    new Proxy(of, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        const path = `${named}${String(name)}`;
        if (typeof value === 'object' && value !== null) return recorded(value, `${path}.`);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]) => {
          reads.push(path);
          return Reflect.apply(value, target, args) as unknown;
        };
      },
    });
  const read = recorded(store.read, '');
  return { ...store, read, readNow: async () => recorded(await store.readNow(), '') };
}
