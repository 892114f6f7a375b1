import { describe, expect, test } from 'vitest';
import { Wire } from '../smtp/wire.ts';
import { manualClock } from '../support/clock.ts';
import { startServer, type TestServer } from '../support/mailcap.ts';
import { addWorkspace, json, outcome, put, putMail, mail as write } from './support.ts';

interface Mailbox {
  readonly id: string;
  readonly subdomain: string;
  readonly dailyInboundUsed: number;
}

/**
 * Starts a server with the documented limits (docs/api.md and docs/contract.md). The clock of the local API controls
 * its time.
 */
function limited(options: Record<string, unknown> = {}): Promise<TestServer> {
  // Real time stands still, so that only the clock of the local API counts.
  return startServer({ limits: 'cloud', overrides: { clock: manualClock() }, ...options });
}

async function setClock(server: TestServer, now: string): Promise<void> {
  expect((await server.api('/_mailcap/clock', { method: 'PUT', json: { now } })).status).toBe(200);
}

async function passSeconds(server: TestServer, seconds: number): Promise<void> {
  const { offsetSeconds } = await json<{ offsetSeconds: number }>(server.api('/_mailcap/clock'));
  await server.api('/_mailcap/clock', { method: 'PUT', json: { offsetSeconds: offsetSeconds + seconds } });
}

const newMailbox = (server: TestServer, id: string, headers: Record<string, string>, name: string) =>
  server.api(`/v1/workspaces/${id}/mailboxes`, { json: { name }, headers });

describe('requests per minute', () => {
  test('the window follows the clock: requests are refused until Retry-After has passed, and not a second longer', async () => {
    await using server = await limited();
    const { headers } = await addWorkspace(server, { limits: 'cloud' });
    const call = () => server.api('/v1/mailboxes', { headers });
    for (let i = 0; i < 100; i++) expect((await call()).status).toBe(200);
    await passSeconds(server, 20);
    const over = await call();
    expect(await outcome(over)).toEqual({ status: 429, body: { error: 'rate_limited' } });
    expect(over.headers.get('retry-after')).toBe('40');
    expect(over.headers.get('ratelimit-reset')).toBe('40');
    await passSeconds(server, 39);
    expect((await call()).status).toBe(429);
    await passSeconds(server, 1);
    const open = await call();
    expect([open.status, open.headers.get('ratelimit-remaining')]).toEqual([200, '99']);
  });

  test('a refused request had no effect: its mailbox can be created afterwards', async () => {
    await using server = await limited();
    const { id, headers } = await addWorkspace(server, { limits: 'cloud' });
    for (let i = 0; i < 100; i++) await server.api('/v1/mailboxes', { headers });
    expect((await newMailbox(server, id, headers, 'late')).status).toBe(429);
    await passSeconds(server, 60);
    expect((await newMailbox(server, id, headers, 'late')).status).toBe(201);
  });
});

describe('mail per mailbox and day', () => {
  const plans = { business: { inboundPerMailboxPerDay: 2 } };
  const content = 'Subject: x\r\n\r\nhi';

  test('past it SMTP says 452 4.2.2 and the local API 429, until midnight UTC; another mailbox has its own', async () => {
    await using server = await limited({ plans });
    await setClock(server, '2026-11-20T23:59:59.999Z');
    const { address } = await server.addMailbox();
    const wire = await Wire.hello(server.smtp.port);
    for (let i = 0; i < 2; i++) expect(await wire.mail(address(), content)).toMatch(/^250 /);
    await wire.say('MAIL FROM:<a@x.test>');
    expect(await wire.say(`RCPT TO:<${address()}>`)).toMatch(/^452 4\.2\.2 /);
    await wire.say('RSET');
    expect(await wire.mail('a@inbox.mailcap.example.com', content)).toMatch(/^250 /);
    // The UTC day counts, whatever the time zone of the machine.
    await setClock(server, '2026-11-21T00:00:00Z');
    expect(await wire.mail(address(), content)).toMatch(/^250 /);
    wire.close();
  });

  test('dailyInboundUsed counts it, with deleted mail, and restarts at midnight UTC', async () => {
    await using server = await limited({ plans });
    const used = async () => {
      const all = await json<Mailbox[]>(server.api('/v1/mailboxes'));
      return all.find(({ id }) => id === server.mailboxId)?.dailyInboundUsed;
    };
    await setClock(server, '2026-11-20T23:59:59.999Z');
    const { id } = await putMail(server, server.mailboxId);
    await server.api(`/_mailcap/messages/${id}`, { method: 'DELETE' });
    expect(await used()).toBe(1);
    await setClock(server, '2026-11-21T00:00:00Z');
    expect(await used()).toBe(0);
  });

  test('limits off lifts it for that workspace alone and goes on counting; the storage limit stays', async () => {
    await using server = await limited({ plans: { business: { inboundPerMailboxPerDay: 2, storageBytes: 4_000 } } });
    const { id, headers } = await addWorkspace(server, { limits: 'off' });
    const mailbox = await json<Mailbox>(newMailbox(server, id, headers, 'lifted'));
    for (let i = 0; i < 4; i++) await putMail(server, mailbox.id);
    const [listed] = await json<Mailbox[]>(server.api('/v1/mailboxes', { headers }));
    expect(listed?.dailyInboundUsed).toBe(4);
    expect(await outcome(put(server, mailbox.id, write({}, 'x'.repeat(5_000))))).toEqual({
      status: 402,
      body: { error: 'storage_limit_reached', limit_bytes: 4_000 },
    });
    // With the cloud's limits again, the workspace is over its daily number at once.
    await server.api(`/_mailcap/workspaces/${id}`, { method: 'PATCH', json: { limits: 'cloud' } });
    expect((await put(server, mailbox.id, write({}))).status).toBe(429);
  });
});

test('active keys: Free has 5, Business 100; a revoked one makes room at once', async () => {
  await using server = await limited();
  for (const [plan, limit] of [
    ['free', 5],
    ['business', 100],
  ] as const) {
    const { id } = await json<{ id: string }>(server.api('/_mailcap/workspaces', { json: { plan } }));
    const issue = () => outcome(server.api(`/_mailcap/workspaces/${id}/keys`, { json: {} }));
    const issued = await Promise.all(Array.from({ length: limit }, issue));
    expect(new Set(issued.map(({ status }) => status))).toEqual(new Set([201]));
    expect(await issue()).toEqual({ status: 409, body: { error: 'plan_max_keys_reached', limit } });
    const [first] = issued.map(({ body }) => body as { id: string }); // all answers were 201
    await server.api(`/_mailcap/keys/${first?.id}`, { method: 'DELETE' });
    expect((await issue()).status).toBe(201);
  }
});

describe('another plan', () => {
  test('holds from the next request on: mailboxes, keys, retention, mail of the day', async () => {
    await using server = await limited({
      plans: { free: { mailboxes: 1, inboundPerMailboxPerDay: 1, activeKeys: 1 } },
    });
    const { id, headers } = await addWorkspace(server, { plan: 'business', limits: 'cloud' });
    const [first] = await Promise.all(
      ['a', 'b'].map((name) => json<Mailbox>(newMailbox(server, id, headers, `plan-${name}`))),
    );
    await putMail(server, first?.id ?? '');
    const change = (plan: string) => server.api(`/_mailcap/workspaces/${id}`, { method: 'PATCH', json: { plan } });

    await change('free');
    // Existing mailboxes stay and remain readable.
    expect(await json<Mailbox[]>(server.api('/v1/mailboxes', { headers }))).toHaveLength(2);
    expect(await json<unknown[]>(server.api(`/v1/mailboxes/${first?.id}/messages`, { headers }))).toHaveLength(1);
    expect(await outcome(newMailbox(server, id, headers, 'plan-c'))).toEqual({
      status: 409,
      body: { error: 'plan_max_mailboxes_reached', limit: 1 },
    });
    const kept = { name: 'plan-c', retentionDays: 8 };
    expect(await outcome(server.api(`/v1/workspaces/${id}/mailboxes`, { json: kept, headers }))).toEqual({
      status: 400,
      body: { error: 'invalid_retention', max: 7 },
    });
    expect(await outcome(server.api(`/_mailcap/workspaces/${id}/keys`, { json: {} }))).toEqual({
      status: 409,
      body: { error: 'plan_max_keys_reached', limit: 1 },
    });
    expect(await outcome(put(server, first?.id ?? '', write({})))).toEqual({
      status: 429,
      body: { error: 'daily_inbound_limit_reached', limit: 1 },
    });

    await change('business');
    expect((await newMailbox(server, id, headers, 'plan-c')).status).toBe(201);
    expect((await put(server, first?.id ?? '', write({}))).status).toBe(201);
  });
});
