import { describe, expect } from 'vitest';
import type { ApiInit, TestServer } from '../support/mailcap.ts';
import { startServer, test } from '../support/mailcap.ts';
import { addKey, addWorkspace, json, outcome } from './support.ts';

const NOT_FOUND = { status: 404, body: { error: 'not_found' } };
const TIME = expect.stringMatching(/^\d{4}-.*\.\d{3}\+00:00$/);
const ID = expect.stringMatching(/^[0-9A-HJKMNP-TV-Z]{26}$/);

// RFC 6238 appendix B: the SHA-1 seed, and the code at 1234567890 s, which is 2009-02-13T23:31:30Z.
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
const VECTOR = { now: '2009-02-13T23:31:30Z', code: '89005924' };
const FIELDS = { name: 'Ada', secret: SECRET, digits: 8 };

const path = (workspaceId: string) => `/_mailcap/workspaces/${workspaceId}/authenticators`;
const register = (server: TestServer, json: unknown = FIELDS, workspaceId = server.workspaceId) =>
  server.api(path(workspaceId), { json });
const registered = async (server: TestServer, workspaceId?: string) =>
  (await json<{ id: string }>(register(server, FIELDS, workspaceId))).id;
const codeOf = (server: TestServer, id: string, init?: ApiInit) => server.api(`/v1/totp/${id}/code`, init);

describe('GET code', () => {
  test('is what an authenticator app would show now, with its expiry; it follows the local clock', async () => {
    await using server = await startServer();
    const id = await registered(server);
    const at = async (now: string) => {
      await server.api('/_mailcap/clock', { method: 'PUT', json: { now } });
      return outcome(codeOf(server, id));
    };
    // The clock continues from this time. A period of 30 s leaves enough time for the request.
    const { status, body } = await at(VECTOR.now);
    expect(status).toBe(200);
    expect(body).toEqual({
      code: VECTOR.code,
      expiresAt: '2009-02-13T23:32:00.000+00:00',
      expiresInSeconds: expect.any(Number),
    });
    const { expiresInSeconds } = body as { expiresInSeconds: number };
    expect(expiresInSeconds).toBeGreaterThanOrEqual(1);
    expect(expiresInSeconds).toBeLessThanOrEqual(30);
    expect(await at('2005-03-18T01:58:31Z')).toMatchObject({ body: { code: '14050471' } });
    expect(await at('2603-10-11T11:33:20Z')).toMatchObject({ body: { code: '65353130' } });
  });

  test('an authenticator made from a URI gives the code its parameters say', async () => {
    await using server = await startServer();
    const secret = 'gezdgnbv gy3tqojq gezdgnbv gy3tqojq gezdgnbv gy3tqojq geza====';
    const uri = `otpauth://totp/Shop:ada?secret=${encodeURIComponent(secret)}&algorithm=SHA256&digits=8&period=30`;
    const { id } = await json<{ id: string }>(register(server, { name: 'Ada', uri }));
    await server.api('/_mailcap/clock', { method: 'PUT', json: { now: VECTOR.now } });
    expect(await json(codeOf(server, id))).toMatchObject({ code: '91819424' });
  });

  test('the id is accepted in either case; an invalid or unknown one is 404', async ({ mailcap }) => {
    const id = await registered(mailcap);
    expect((await codeOf(mailcap, id.toLowerCase())).status).toBe(200);
    for (const unknown of ['x', mailcap.mailboxId, mailcap.workspaceId]) {
      expect(await outcome(codeOf(mailcap, unknown))).toEqual(NOT_FOUND);
    }
  });

  test('it needs a key, and has no other method', async ({ mailcap }) => {
    const id = await registered(mailcap);
    expect((await fetch(`${mailcap.url}/v1/totp/${id}/code`)).status).toBe(401);
    expect((await codeOf(mailcap, id, { method: 'POST' })).status).toBe(405);
  });
});

describe('a key’s TOTP scope', () => {
  const withKey = (key: string) => ({ headers: { authorization: `Bearer ${key}` } });

  test('all: also authenticators made after the key', async ({ mailcap }) => {
    const key = await addKey(mailcap, mailcap.workspaceId, { mailboxes: [], authenticators: 'all' });
    expect((await codeOf(mailcap, await registered(mailcap), withKey(key))).status).toBe(200);
  });

  test('an explicit set: those in it, and 404 for every other', async ({ mailcap }) => {
    const [inside, outside] = [await registered(mailcap), await registered(mailcap)];
    const key = await addKey(mailcap, mailcap.workspaceId, { authenticators: [inside.toLowerCase()] });
    expect((await codeOf(mailcap, inside, withKey(key))).status).toBe(200);
    expect(await outcome(codeOf(mailcap, outside, withKey(key)))).toEqual(NOT_FOUND);
    const none = await addKey(mailcap, mailcap.workspaceId, { authenticators: [] });
    expect(await outcome(codeOf(mailcap, inside, withKey(none)))).toEqual(NOT_FOUND);
  });

  test('another workspace’s authenticator is 404', async ({ mailcap }) => {
    const foreign = await registered(mailcap);
    const { headers } = await addWorkspace(mailcap);
    expect(await outcome(codeOf(mailcap, foreign, { headers }))).toEqual(NOT_FOUND);
  });
});

describe('authenticators', () => {
  test('POST is 201 with id, GET lists them; the secret is never returned', async ({ mailcap }) => {
    const { id: workspaceId } = await addWorkspace(mailcap);
    const uri = `otpauth://totp/Shop:ada?secret=${SECRET}&algorithm=SHA512&period=60`;
    const answers = [
      await register(mailcap, FIELDS, workspaceId),
      await register(mailcap, { name: 'Eve', uri }, workspaceId),
      await mailcap.api(path(workspaceId)),
    ];
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 200]);
    const texts = await Promise.all(answers.map((answer) => answer.text()));
    const [first, second, list] = texts.map((text) => JSON.parse(text));
    const common = { id: ID, workspaceId, createdAt: TIME };
    const ada = { name: 'Ada', label: null, issuer: null, algorithm: 'SHA1', digits: 8, period: 30 };
    const eve = { name: 'Eve', label: 'Shop:ada', issuer: 'Shop', algorithm: 'SHA512', digits: 6, period: 60 };
    expect(first).toEqual({ ...common, ...ada });
    expect(second).toEqual({ ...common, ...eve });
    expect(list).toEqual([first, second]);
    expect(texts.join().toUpperCase()).not.toContain(SECRET);
  });

  test.for([
    [{ secret: SECRET }, 'invalid_name'],
    [{ name: 'Ada' }, 'invalid_secret'],
    [{ name: 'Ada', secret: '0189' }, 'invalid_secret'],
    [{ name: 'Ada', uri: 'otpauth://hotp/x?secret=ME' }, 'invalid_uri'],
    [{ name: 'Ada', uri: 'otpauth://totp/x?secret=0189' }, 'invalid_uri'],
    [{ name: 'Ada', secret: SECRET, algorithm: 'MD5' }, 'invalid_algorithm'],
    [{ name: 'Ada', secret: SECRET, digits: 7 }, 'invalid_digits'],
    [{ name: 'Ada', secret: SECRET, period: 14 }, 'invalid_period'],
    [[], 'invalid_body'],
  ] as const)('%j is 400 %s', async ([request, error], { mailcap }) => {
    expect(await outcome(register(mailcap, request))).toEqual({ status: 400, body: { error } });
  });

  test('DELETE is 204; its codes are 404 from then on, and so is the next DELETE', async ({ mailcap }) => {
    const id = await registered(mailcap);
    const remove = () => outcome(mailcap.api(`/_mailcap/authenticators/${id.toLowerCase()}`, { method: 'DELETE' }));
    expect(await remove()).toEqual({ status: 204, body: null });
    expect(await outcome(codeOf(mailcap, id))).toEqual(NOT_FOUND);
    expect(await remove()).toEqual(NOT_FOUND);
  });

  test('an unknown workspace is 404; a deleted one takes its authenticators with it', async ({ mailcap }) => {
    expect(await outcome(mailcap.api(path(mailcap.mailboxId)))).toEqual(NOT_FOUND);
    expect(await outcome(register(mailcap, FIELDS, mailcap.mailboxId))).toEqual(NOT_FOUND);
    const { id: workspaceId } = await addWorkspace(mailcap);
    const id = await registered(mailcap, workspaceId);
    await mailcap.api(`/_mailcap/workspaces/${workspaceId}`, { method: 'DELETE' });
    const removed = mailcap.api(`/_mailcap/authenticators/${id}`, { method: 'DELETE' });
    expect(await outcome(removed)).toEqual(NOT_FOUND);
  });

  test('reset removes them', async () => {
    await using server = await startServer();
    const id = await registered(server);
    await server.api('/_mailcap/reset', { method: 'POST' });
    expect(await json(server.api(path(server.workspaceId)))).toEqual([]);
    expect(await outcome(codeOf(server, id))).toEqual(NOT_FOUND);
  });

  test('no secret is logged, accepted or refused', async () => {
    const lines: string[] = [];
    const say = (...said: unknown[]) => void lines.push(JSON.stringify(said));
    const log = { error: say, warn: say, info: say, debug: say };
    await using server = await startServer({ logLevel: 'debug', overrides: { log } });
    const id = await registered(server);
    await codeOf(server, id);
    await register(server, { name: 'Ada', secret: `${SECRET}0` });
    await register(server, { name: 'Ada', uri: `otpauth://totp/%ZZ?secret=${SECRET}` });
    server.ctx.log.warn('the log is heard');
    expect(lines.join()).toContain('the log is heard');
    expect(lines.join()).not.toContain(SECRET);
  });
});
