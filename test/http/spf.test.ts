import { expect, onTestFinished } from 'vitest';
import { scriptedDns } from '../adapters/scripted-dns.ts';
import { Wire } from '../smtp/wire.ts';
import { impatientClock } from '../support/impatient-clock.ts';
import { startServer, type TestServer, test } from '../support/mailcap.ts';
import { ofOneServer } from '../support/one-server.ts';
import { unless } from '../support/unless.ts';
import { json, put, type Summary } from './support.ts';

const ZONE = {
  'here.test': ['v=spf1 ip4:127.0.0.0/8 -all'],
  'elsewhere.test': ['v=spf1 ip4:192.0.2.1 -all'],
  'soft.test': 'v=spf1 include:elsewhere.test ~all',
  'unsaid.test': ['v=spf1 a mx'],
  'broken.test': ['v=spf1 include:nowhere.test -all'],
  'BÜCHER.test': ['v=spf1 redirect=here.test'],
  'client.test': ['v=spf1 -all'],
};

async function serverWith(options: Parameters<typeof startServer>[0]): Promise<TestServer> {
  const server = await startServer(options);
  onTestFinished(() => server.close());
  return server;
}

/** Sends a mail and returns the path to read it. */
async function sent(server: TestServer, mailFrom: string, helo = 'client.test'): Promise<string> {
  const wire = await Wire.open(server.smtp.port);
  await wire.say(`EHLO ${helo}`);
  const [, , last] = await wire.sayAll(
    `MAIL FROM:<${mailFrom}>${/^[\x20-\x7e]*$/.test(mailFrom) ? '' : ' SMTPUTF8'}`,
    `RCPT TO:<user@${server.mailDomain}>`,
    'DATA',
  );
  expect(last).toMatch(/^354/);
  expect(await wire.say('Subject: x\r\n\r\nx\r\n.')).toMatch(/^250/);
  wire.close();
  const [summary] = await json<Summary[]>(server.api(`/v1/mailboxes/${server.mailboxId}/messages?limit=1`));
  return `/v1/mailboxes/${server.mailboxId}/messages/${summary?.id}`;
}

async function spfResult(server: TestServer, path: string): Promise<unknown> {
  return (await json<Record<string, unknown>>(server.api(path)))['spfResult'];
}

test('with spf.zone results are computed as if DNS said so, of loopback clients too', async () => {
  const server = await serverWith({ spf: { zone: ZONE } });
  for (const [mailFrom, result] of [
    ['user@here.test', 'pass'],
    ['user@elsewhere.test', 'fail'],
    ['user@Soft.TEST', 'softfail'],
    ['user@unsaid.test', 'neutral'],
    ['user@broken.test', 'permerror'],
    ['user@nowhere.test', 'none'],
    ['üser@bücher.test', 'pass'],
  ] as const) {
    expect([mailFrom, await spfResult(server, await sent(server, mailFrom))]).toEqual([mailFrom, result]);
  }
});

test('the HELO name is checked for the null sender', async () => {
  const server = await serverWith({ spf: { zone: ZONE } });
  expect(await spfResult(server, await sent(server, '', 'client.test'))).toBe('fail');
  expect(await spfResult(server, await sent(server, '', 'here.test'))).toBe('pass');
  expect(await spfResult(server, await sent(server, '', '[127.0.0.1]'))).toBe('none');
});

test('mail that was stored by the API has the result none', async () => {
  const server = await serverWith({ spf: { zone: ZONE } });
  const { id } = await json<Summary>(put(server, server.mailboxId, 'From: user@elsewhere.test\r\n\r\nx'));
  expect(await spfResult(server, `/v1/mailboxes/${server.mailboxId}/messages/${id}`)).toBe('none');
});

test('without a zone loopback clients have the result none', async ({ mailcap }) => {
  expect(await spfResult(mailcap, await sent(mailcap, 'user@elsewhere.test'))).toBe('none');
});

unless(test, ofOneServer('its caches'))(
  'DNS is asked when somebody first reads the message, once, and never before the sender has its 250',
  async () => {
    const dns = scriptedDns({ 'example.com': { txt: ['v=spf1 -all'] } });
    const server = await serverWith({ overrides: { dns } });
    const path = await sent(server, 'user@example.com');
    expect(dns.asked).toEqual([]);
    const results = await Promise.all(Array.from({ length: 10 }, () => spfResult(server, path)));
    expect(new Set(results)).toEqual(new Set(['fail']));
    expect(dns.asked).toEqual(['txt example.com']);
  },
);

test('DNS that hangs gives temperror in time', async () => {
  const dns = { ...scriptedDns({}), txt: () => new Promise<null>(() => {}) };
  const server = await serverWith({ overrides: { dns, clock: impatientClock() } });
  const path = await sent(server, 'user@example.com');
  const started = performance.now();
  expect(await spfResult(server, path)).toBe('temperror');
  expect(performance.now() - started).toBeLessThan(30_000);
});
