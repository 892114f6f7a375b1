import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createMailcap } from '../src/index.ts';
import { memoryStore } from '../src/store/memory.ts';
import { freePort } from './support/free-port.ts';

const FREE = { port: 0, smtpPort: 0, ephemeral: true, logLevel: 'silent' } as const;

describe('createMailcap', () => {
  test('starts a server that has its addresses, as the ready line', async () => {
    await using mailcap = await createMailcap(FREE);
    const { ready } = mailcap;
    expect((await fetch(`${mailcap.url}/_mailcap/health`)).status).toBe(200);
    expect(mailcap).toMatchObject({
      url: ready.url,
      apiUrl: `${ready.url}/v1`,
      smtp: { host: '127.0.0.1', port: ready.smtpPort, url: ready.smtpUrl },
      apiKey: ready.apiKey,
      workspaceId: ready.workspaceId,
      mailboxId: ready.mailboxId,
      mailDomain: 'mailcap.example.com',
      adminToken: null,
    });
  });

  test('neither writes a file nor reads the environment', async () => {
    process.env['MAILCAP_MAIL_DOMAIN'] = 'env.test';
    onTestFinished(() => void delete process.env['MAILCAP_MAIL_DOMAIN']);
    const before = existsSync('.mailcap');
    await using mailcap = await createMailcap(FREE);
    expect(mailcap.mailDomain).toBe('mailcap.example.com');
    expect(existsSync('.mailcap')).toBe(before);
  });

  test('an option that does not exist, or is wrong, is refused by its name', async () => {
    const options: object = { ...FREE, prot: 1 };
    await expect(createMailcap(options)).rejects.toThrow('prot: no such option');
    await expect(createMailcap({ ...FREE, port: 70_000 })).rejects.toThrow('port: expected a port');
  });

  test('starts several servers side by side', async () => {
    await using one = await createMailcap(FREE);
    await using two = await createMailcap(FREE);
    expect(one.url).not.toBe(two.url);
    expect(one.workspaceId).not.toBe(two.workspaceId);
  });

  test('closed, it takes no connection; closing again is harmless', async () => {
    const mailcap = await createMailcap(FREE);
    await Promise.all([mailcap.close(), mailcap.close()]);
    await mailcap.close();
    await expect(fetch(mailcap.url)).rejects.toThrow();
  });

  test('a store of the caller stays open', async () => {
    const store = memoryStore();
    const mailcap = await createMailcap({ ...FREE, overrides: { store } });
    await mailcap.close();
    expect(await store.read.mailboxes.inbox()).toMatchObject({ id: mailcap.mailboxId });
  });

  test.each([
    ['port', 'HTTP', '--port'],
    ['smtpPort', 'SMTP', '--smtp-port'],
  ] as const)('a start that fails for its %s says why, and frees the other port', async (option, what, flag) => {
    const taken = await takenPort();
    const other = await freePort();
    const ports = option === 'port' ? { port: taken, smtpPort: other } : { port: other, smtpPort: taken };
    const message = `${what} port ${taken} is in use: choose another with ${flag}`;
    await expect(createMailcap({ ...FREE, ...ports })).rejects.toThrow(message);
    const again = createServer().listen(other, '127.0.0.1');
    onTestFinished(() => void again.close());
    await once(again, 'listening');
  });
});

async function takenPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  return portOf(server);
}

async function portOf(server: Server): Promise<number> {
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('it has no port');
  return address.port;
}

test('a stop does not wait for a body that was answered before it had arrived', async () => {
  const mailcap = await createMailcap({ port: 0, smtpPort: 0, ephemeral: true });
  const refused = await fetch(`${mailcap.url}/_mailcap/clock`, {
    method: 'PUT',
    body: 'x'.repeat(1_100_000),
    headers: { 'Content-Type': 'application/json' },
  });
  expect(refused.status).toBe(413);
  const start = performance.now();
  await mailcap.close();
  // A stop that used up its grace period would take ten seconds.
  expect(performance.now() - start).toBeLessThan(8_000);
});
