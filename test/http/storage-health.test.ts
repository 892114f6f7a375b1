import { describe, expect, test } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import type { StoreHealth } from '../../src/ports/store.ts';
import { Wire } from '../smtp/wire.ts';
import { ailingStore } from '../support/ailing-store.ts';
import { startServer, type TestServer } from '../support/mailcap.ts';
import { json, outcome } from './support.ts';

const ILL = [
  ['disk_full', 'disk_full'],
  ['storage_lost', 'storage_unavailable'],
  ['storage_unavailable', 'storage_unavailable'],
] as const satisfies readonly (readonly [StoreHealth, string])[];

async function storageSamples(server: TestServer): Promise<Record<string, number>> {
  const text = await (await server.api('/_mailcap/metrics')).text();
  const lines = text.split('\n').filter((line) => line.startsWith('mailcap_storage'));
  return Object.fromEntries(lines.map((line) => [line.split(' ')[0] ?? '', Number(line.split(' ')[1])]));
}

describe.for(ILL)('a store whose health is %s', ([health, code]) => {
  test('is a 503 of health until it is well again', async () => {
    const ailing = ailingStore();
    await using server = await startServer({ overrides: { store: ailing.store } });
    const { version } = server.ready;
    ailing.health = health;
    const refused = await fetch(`${server.url}/_mailcap/health`);
    expect([refused.status, await refused.json()]).toEqual([503, { error: code, status: health, version }]);
    expect(refused.headers.get('retry-after')).toBe('10');
    expect(await json(server.api('/_mailcap/info'))).toMatchObject({ storage: health });
    ailing.health = 'ok';
    expect(await outcome(fetch(`${server.url}/_mailcap/health`))).toEqual({
      status: 200,
      body: { status: 'ok', version },
    });
    expect(await json(server.api('/_mailcap/info'))).toMatchObject({ storage: 'ok' });
  });

  test(`refuses a write of the API with 503 ${code} and Retry-After, and still serves reads`, async () => {
    const ailing = ailingStore();
    await using server = await startServer({ overrides: { store: ailing.store } });
    const create = () =>
      server.api(`/v1/workspaces/${server.workspaceId}/mailboxes`, {
        json: { name: 'shop' },
        headers: { 'idempotency-key': 'k' },
      });
    ailing.health = health;
    const refused = await create();
    expect([refused.status, await refused.json()]).toEqual([503, { error: code }]);
    expect(refused.headers.get('retry-after')).toBe('10');
    expect(await json<unknown[]>(server.api('/v1/mailboxes'))).toHaveLength(1);
    ailing.health = 'ok';
    expect((await create()).status).toBe(201);
  });

  test('answers mail with 452 4.3.1, and accepts it once it is well again', async () => {
    const ailing = ailingStore();
    await using server = await startServer({ overrides: { store: ailing.store } });
    const wire = await Wire.hello(server.smtp.port);
    const to = `a@inbox.${server.mailDomain}`;
    ailing.health = health;
    for (const content of ['Subject: x\r\n\r\nbody', `Subject: x\r\n\r\n${'y'.repeat(70)}\r\n`.repeat(4_000)]) {
      expect(await wire.mail(to, content)).toMatch(/^452 4\.3\.1 /);
    }
    ailing.health = 'ok';
    expect(await wire.mail(to, 'Subject: x\r\n\r\nbody')).toMatch(/^250 /);
    wire.close();
    const { counts } = await json<{ counts: { messages: number } }>(server.api('/_mailcap/info'));
    expect(counts.messages).toBe(1);
    const metrics = await (await server.api('/_mailcap/metrics')).text();
    expect(metrics).toContain(`mailcap_smtp_refused_total{at="data",reason="${code}"} 2`);
  });

  test('is in the metrics as it is at the scrape', async () => {
    const ailing = ailingStore();
    await using server = await startServer({ overrides: { store: ailing.store } });
    for (const now of ['ok', health, 'ok'] as const) {
      ailing.health = now;
      const states = ['ok', 'disk_full', 'storage_lost', 'storage_unavailable'].map((state) => [
        `mailcap_storage_health{state="${state}"}`,
        state === now ? 1 : 0,
      ]);
      expect(await storageSamples(server)).toEqual({
        mailcap_storage_ok: now === 'ok' ? 1 : 0,
        ...Object.fromEntries(states),
      });
    }
  });

  test('leaves the local API reachable for clients', async () => {
    const ailing = ailingStore();
    await using server = await startServer({ overrides: { store: ailing.store } });
    ailing.health = health;
    const client = createClient({ baseUrl: server.url, apiKey: server.apiKey });
    expect(await client.hasLocalApi()).toBe(true);
    expect((await client.local.getInfo()).storage).toBe(health);
    await expect(client.local.getHealth()).rejects.toMatchObject({ code, extra: { status: health } });
  });
});
