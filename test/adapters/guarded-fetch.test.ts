import { createServer } from 'node:http';
import { type AddressInfo, createServer as createListener, type LookupFunction } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createFetcher, loadAddressCheck } from '../../src/adapters/fetcher.ts';
import type { OutgoingRequest } from '../../src/ports/outbound.ts';
import { addHook, lastRequest, startTarget } from '../http/hooks.ts';
import { freePort } from '../support/free-port.ts';
import { startServer } from '../support/mailcap.ts';

const isPublic = await loadAddressCheck();

test.each(['8.8.8.8', '1.1.1.1', '172.32.0.1', '2606:4700:4700::1111', '::ffff:8.8.8.8', '64:ff9b::8.8.8.8'])(
  '%s is public',
  (address) => {
    expect(isPublic(address)).toBe(true);
  },
);

test.each([
  ...['127.0.0.1', '127.9.9.9', '0.0.0.0', '0.1.2.3', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
  ...['169.254.169.254', '100.64.0.1', '192.0.0.8', '192.0.2.1', '198.18.0.1', '203.0.113.9', '224.0.0.1'],
  ...['240.0.0.1', '255.255.255.255'],
  ...['::1', '::', 'fe80::1', 'fe80::1%eth0', 'fc00::1', 'fd12::1', 'fec0::1', 'ff02::1', '100::1', '2001:db8::1'],
  ...['::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:10.0.0.1', '::ffff:0:127.0.0.1', '::127.0.0.1'],
  ...['64:ff9b::127.0.0.1', '64:ff9b::a00:1', '64:ff9b:1::8.8.8.8', '2002:7f00:1::', '2002:a00:1::1'],
  ...['2001:0:7f00:1::', '4000::1', 'localhost', ''],
])('%s is not', (address) => {
  expect(isPublic(address)).toBe(false);
});

const GET: Omit<OutgoingRequest, 'target'> = { method: 'GET', headers: [], body: null };

/** A lookup function that returns the given addresses, one list for each call. */
function namesTo(...answers: string[][]): LookupFunction & { asked: number } {
  const lookup: LookupFunction & { asked: number } = (_hostname, _options, callback) => {
    const addresses = answers[Math.min(lookup.asked++, answers.length - 1)] ?? [];
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  };
  lookup.asked = 0;
  return lookup;
}

async function listening(): Promise<number> {
  let connections = 0;
  const server = createListener(() => connections++).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => {
    server.close();
    expect(connections).toBe(0);
  });
  return (server.address() as AddressInfo).port; // a TCP server has an address
}

test.each(['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '2130706433', '0x7f.1', 'localhost'])(
  'the guard makes no connection to http://%s',
  async (host) => {
    const port = await listening();
    const fetcher = createFetcher({ guarded: true });
    const target = { origin: new URL(`http://${host}:${port}`).origin, path: '/' };
    expect(await fetcher.send({ ...GET, target })).toMatchObject({
      kind: 'refused',
      error: expect.stringContaining('does not forward to'),
    });
    await fetcher.close();
  },
);

test('the guard does not connect to a name that changes to a private address at its second look-up', async () => {
  const port = await listening();
  const lookup = namesTo(['127.0.0.1'], ['10.0.0.1', '::ffff:127.0.0.1'], []);
  const agent = createFetcher({ guarded: true, lookup });
  const target = { origin: `http://rebinds.test:${port}`, path: '/' };
  for (let i = 0; i < 3; i++) expect(await agent.send({ ...GET, target })).toMatchObject({ kind: 'refused' });
  expect(lookup.asked).toBe(3);
  const secure = { origin: `https://rebinds.test:${port}`, path: '/' };
  expect(await agent.send({ ...GET, target: secure })).toMatchObject({ kind: 'refused' });
  await agent.close();
});

test('without the guard, as on loopback, this machine may be a target', async () => {
  const target = await startTarget();
  const fetcher = createFetcher({ guarded: false });
  expect(await fetcher.send({ ...GET, target: { origin: target.url, path: '/a' } })).toMatchObject({
    kind: 'answered',
    status: 200,
  });
  await fetcher.close();
});

test('an attempt ends with its timeout if the target is silent, reads slowly, or never stops answering', async () => {
  const silent = await startTarget(() => {});
  const endless = await startTarget((res) => {
    res.write('begun ');
    const drip = setInterval(() => res.write('.'), 5);
    res.once('close', () => clearInterval(drip));
  });
  const deaf = createListener((socket) => socket.pause()).listen(0, '127.0.0.1');
  await new Promise((resolve) => deaf.once('listening', resolve));
  onTestFinished(() => void deaf.close());
  const deafUrl = `http://127.0.0.1:${(deaf.address() as AddressInfo).port}`; // a TCP server has an address
  const agent = createFetcher({ guarded: false, attemptMs: 100 });
  const send = (origin: string, body: Uint8Array | null = null) =>
    agent.send({ target: { origin, path: '/' }, method: 'POST', headers: [], body });
  const late = { kind: 'unreachable', error: 'no answer within 0.1 seconds' };
  expect(await send(silent.url)).toEqual(late);
  expect(await send(deafUrl, new Uint8Array(10 << 20))).toEqual(late);
  const outcome = await send(endless.url);
  expect(outcome).toMatchObject({ kind: 'answered', status: 200 });
  expect(outcome.kind === 'answered' && Buffer.from(outcome.beginning).toString()).toMatch(/^begun \.*$/);
  await agent.close();
});

test('an attempt without an answer ends with the caller’s signal', async () => {
  const server = createServer(() => cancelSignal.abort()).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const cancelSignal = new AbortController();
  const fetcher = createFetcher({ guarded: false });
  const { port } = server.address() as AddressInfo; // a TCP server has an address
  const target = { origin: `http://127.0.0.1:${port}`, path: '/' };
  expect(await fetcher.send({ ...GET, target, signal: cancelSignal.signal })).toMatchObject({ kind: 'unreachable' });
  await fetcher.close();
});

test('a body that can’t be read is an error of the sender, not of the target', async () => {
  const target = await startTarget();
  const fetcher = createFetcher({ guarded: false });
  const body = {
    sizeBytes: 10,
    async *open() {
      yield Buffer.from('12345');
      throw new Error('the disk is gone');
    },
  };
  const request = { target: { origin: target.url, path: '/' }, method: 'POST', headers: [], body };
  await expect(fetcher.send(request)).rejects.toThrow('the disk is gone');
  await fetcher.close();
});

test.each([
  ['on every address', { host: '0.0.0.0' }],
  ['on loopback behind a public URL', { publicUrl: 'https://mail.example' }],
] as const)('a server %s forwards to no private address, whoever asks', async (_, reach) => {
  const port = await freePort();
  await using server = await startServer({ ...reach, port, adminToken: 'token-of-the-test' });
  const target = await startTarget();
  for (const forwardUrl of [target.url, `http://localhost:${target.port}`]) {
    const hook = await addHook(server, { forwardMode: 'sync', forwardUrl });
    expect((await fetch(server.url + new URL(hook.url).pathname)).status).toBe(200);
    expect(await lastRequest(server, hook)).toMatchObject({
      forwardStatus: 3,
      forwardHttpStatus: null,
      forwardAttempts: 1,
      forwardError: expect.stringContaining('does not forward to'),
    });
  }
  expect(target.received).toEqual([]);
});
