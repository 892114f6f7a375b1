import { expect, test } from 'vitest';
import { systemDns } from '../../src/adapters/dns.ts';
import { createSpf } from '../../src/adapters/spf.ts';
import { systemClock } from '../../src/adapters/system.ts';
import { type DnsServer, dnsServer, type Reply } from '../support/dns-server.ts';
import { facts } from '../support/facts.ts';

const LONG = `v=spf1 ${'ip4:198.51.100.1 '.repeat(12)}-all`;
const NXDOMAIN = 3;

const REPLIES: Record<string, Reply> = {
  'example.com': { texts: ['other', LONG] },
  'empty.test': { texts: [] },
  'unknown.test': { code: NXDOMAIN },
  'servfail.test': { code: 2 },
  'refused.test': { code: 5 },
  'silent.test': null,
};
const answering = (name: string): Reply => {
  const reply = REPLIES[name.toLowerCase()];
  return reply === undefined ? { code: NXDOMAIN } : reply;
};

test('records are lists of strings; null means that there is no such name or record', async () => {
  await using server = await dnsServer(answering);
  const dns = systemDns([server.address]);
  expect((await dns.txt('example.com'))?.map((strings) => strings.join(''))).toEqual(['other', LONG]);
  expect((await dns.txt('example.com'))?.[1]?.length).toBeGreaterThan(1);
  expect(await dns.txt('empty.test')).toBeNull();
  for (const ask of [dns.txt, dns.a, dns.aaaa, dns.mx, dns.ptr]) expect(await ask('unknown.test')).toBeNull();
});

test.each(['servfail.test', 'refused.test'])('a look-up without an answer rejects: %s', async (name) => {
  await using server = await dnsServer(answering);
  await expect(systemDns([server.address]).txt(name)).rejects.toThrow();
});

test('closing ends the look-ups that run', async () => {
  await using server = await dnsServer(answering);
  const dns = systemDns([server.address]);
  const asked = dns.txt('silent.test');
  dns.close();
  await expect(asked).rejects.toThrow(/ECANCELLED/);
});

function spfOver(server: DnsServer, ms?: number) {
  const settings = { hasZone: false, receiver: 'receiver.test', ...(ms === undefined ? {} : { ms }) };
  return createSpf(systemDns([server.address]), systemClock(), settings);
}

test.each([
  ['example.com', '198.51.100.1', 'pass'],
  ['example.com', '192.0.2.1', 'fail'],
  ['unknown.test', '192.0.2.1', 'none'],
  ['empty.test', '192.0.2.1', 'none'],
  ['servfail.test', '192.0.2.1', 'temperror'],
])('SPF over the wire: %s, of %s: %s', async (domain, clientAddress, result) => {
  await using server = await dnsServer(answering);
  const { id, of } = facts(clientAddress, `user@${domain}`);
  expect(await spfOver(server).evaluate(id, of)).toBe(result);
});

test('one message is looked up once however many ask', async () => {
  await using server = await dnsServer(answering);
  const spf = spfOver(server);
  const { id, of } = facts('192.0.2.1', 'user@example.com');
  const results = await Promise.all(Array.from({ length: 20 }, () => spf.evaluate(id, of)));
  expect([...results, await spf.evaluate(id, of)]).toEqual(Array.from({ length: 21 }, () => 'fail'));
  expect(server.asked).toEqual(['example.com']);
});

test('a silent name server gives temperror in time, and the next look-up does not wait for it again', async () => {
  await using server = await dnsServer(answering);
  const spf = spfOver(server, 50);
  const { id, of } = facts('192.0.2.1', 'user@silent.test');
  const started = performance.now();
  expect(await spf.evaluate(id, of)).toBe('temperror');
  expect(performance.now() - started).toBeLessThan(4_000);
  expect(await spf.evaluate(id, of)).toBe('temperror');
  expect(server.asked).toEqual(['silent.test']);
});

test('loopback and private clients are not looked up', async () => {
  await using server = await dnsServer(answering);
  for (const clientAddress of ['127.0.0.1', '::1', '10.0.0.1', '192.168.1.1', 'fe80::1']) {
    const { id, of } = facts(clientAddress, 'user@example.com');
    expect(await spfOver(server).evaluate(id, of)).toBe('none');
  }
  expect(server.asked).toEqual([]);
});
