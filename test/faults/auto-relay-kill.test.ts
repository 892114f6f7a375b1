import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { expect, onTestFinished, test as plain, vi } from 'vitest';
import { type ScriptedRelay, scriptedRelay } from '../relay/scripted-relay.ts';
import type { SendState } from '../support/outbound.ts';
import { type Served, serve } from './served.ts';

// Mail that leaves by itself (docs/drop-in.md#mail-that-leaves-by-itself) outlives the process.

const WAIT = { timeout: 60_000, interval: 20 };

const test = plain.extend<{ relay: ScriptedRelay; start: () => Promise<Served> }>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the needed fixtures from the pattern
  relay: async ({}, use) => {
    await using relay = await scriptedRelay();
    await use(relay);
  },
  start: async ({ relay }, use) => {
    const directory = mkdtempSync(join(tmpdir(), 'mailcap-leaving-'));
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
    const { hostname, port } = new URL(relay.url);
    vi.stubEnv('MP_SMTP_RELAY_ALL', 'true');
    vi.stubEnv('MP_SMTP_RELAY_HOST', hostname);
    vi.stubEnv('MP_SMTP_RELAY_PORT', port);
    vi.stubEnv('MP_DATABASE', join(directory, 'mail.db'));
    const all: Served[] = [];
    await use(async () => {
      const served = await serve(join(directory, 'data'));
      all.push(served);
      return served;
    });
    for (const served of all) await served.end('SIGKILL');
    vi.unstubAllEnvs();
  },
});

async function send({ ready }: Served, to: readonly string[], subject: string): Promise<void> {
  const app = createTransport({ host: '127.0.0.1', port: ready.smtpPort });
  await app.sendMail({ from: 'app@x.test', to: [...to], subject, text: 'Hi' });
  app.close();
}

const taken = (relay: ScriptedRelay) =>
  relay.taken.flatMap(({ raw, rcptTo }) => rcptTo.map((to) => `${/^Subject: (.*)\r$/m.exec(raw)?.[1]} ${to}`)).sort();

test('a kill between two tries loses no recipient, and none gets the mail twice', async ({ relay, start }) => {
  relay.script = { rcpt: (address) => (address.startsWith('busy') ? '451 4.3.0 Later' : '250 Ok') };
  const first = await start();
  await send(first, ['ada@x.test', 'busy@x.test'], 'one');
  const [sent] = await vi.waitFor(async () => {
    const sends = await first.get<SendState[]>('/_mailcap/sends');
    expect(sends[0]?.recipients).toMatchObject([{ state: 'delivered' }, { state: 'queued', attempts: 1 }]);
    return sends;
  }, WAIT);
  await first.end('SIGKILL');
  relay.script = {};
  const second = await start();
  await vi.waitFor(() => expect(taken(relay)).toEqual(['one ada@x.test', 'one busy@x.test']), WAIT);
  await vi.waitFor(
    async () => expect(await second.get(`/_mailcap/sends/${sent?.id}`)).toMatchObject({ state: 'delivered' }),
    WAIT,
  );
  // What comes after it leaves as well, and what left before does not leave again.
  await send(second, ['eve@x.test'], 'two');
  await vi.waitFor(() => expect(taken(relay)).toHaveLength(3), WAIT);
  expect(taken(relay)).toEqual(['one ada@x.test', 'one busy@x.test', 'two eve@x.test']);
  // Nobody here sent the mail, so the mailbox has what came and no report.
  expect(await second.messages()).toHaveLength(2);
});

test('a kill right after the 250 loses nothing, also while the other server is away', async ({ relay, start }) => {
  relay.script = { greet: () => '421 4.3.2 Away' };
  const first = await start();
  for (const subject of ['a', 'b', 'c']) await send(first, ['ada@x.test'], subject);
  await first.end('SIGKILL');
  relay.script = {};
  await start();
  await vi.waitFor(() => expect(taken(relay)).toEqual(['a ada@x.test', 'b ada@x.test', 'c ada@x.test']), WAIT);
});
