import { expect, test } from 'vitest';
import { cloudRoutes } from '../../src/http/app.ts';
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

test('a 404 for an id of another workspace takes as long as for an unknown id', async () => {
  await using server = await startServer();
  const [us, them] = [await addTenant(server), await addTenant(server)];
  const theirs = await own(server, them, 'a');
  const foreign = `/v1/mailboxes/${theirs['mailboxes']}/messages`;
  const unknown = `/v1/mailboxes/${UNKNOWN}/messages`;
  const times: Record<string, number[]> = { [foreign]: [], [unknown]: [] };
  // The requests alternate, so that other load of the machine affects both alike.
  for (let i = 0; i < 600; i++) {
    for (const path of i % 2 === 0 ? [foreign, unknown] : [unknown, foreign]) {
      const start = performance.now();
      await ask(server, { path, key: us.key });
      if (i >= 100) times[path]?.push(performance.now() - start);
    }
  }
  const [one, other] = [median(times[foreign]), median(times[unknown])];
  expect(one / other).toBeLessThan(1.5);
  expect(other / one).toBeLessThan(1.5);
});

function median(times: readonly number[] = []): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN;
}
