import { existsSync } from 'node:fs';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { VERSION } from '../../src/version.ts';
import { dev, mailcap, temporaryDirectory } from '../support/cli.ts';
import { command } from '../support/command.ts';
import { byDay } from '../support/night.ts';

const modeOf = async (path: string) => (await stat(path)).mode & 0o777;
/** Runs a server that can't start, on free ports. */
const refused = (args: readonly string[], cwd: string) =>
  command(['dev', '--json', '--port', '0', '--smtp-port', '0', ...args], { cwd });
const readJson = async (path: string) => JSON.parse(await readFile(path, 'utf8'));

describe('--json', () => {
  test('standard output carries exactly one ready line once everything listens', async () => {
    const cwd = await temporaryDirectory();
    const server = dev([], { cwd });
    const ready = await server.ready();
    const health = await fetch(`${ready.url}/_mailcap/health`);
    expect([health.status, await health.json()]).toEqual([200, { status: 'ok', version: VERSION }]);

    const { code, stdout, stderr } = await server.stop();
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe(`${JSON.stringify(ready)}\n`);
    const port = new URL(ready.url).port;
    expect(ready).toEqual({
      event: 'ready',
      url: `http://127.0.0.1:${port}`,
      apiUrl: `http://127.0.0.1:${port}/v1`,
      smtpUrl: `smtp://127.0.0.1:${ready.smtpPort}`,
      smtpHost: '127.0.0.1',
      smtpPort: expect.any(Number),
      smtpsUrl: null,
      smtpCa: expect.stringMatching(/\.mailcap\/tls\.pem$/),
      webhookBaseUrl: `http://127.0.0.1:${port}/hooks`,
      feedUrl: `ws://127.0.0.1:${port}/_mailcap/feed`,
      mailDomain: 'mailcap.test',
      apiKey: expect.stringMatching(/^svc_live_[A-Za-z0-9_-]{43}$/),
      workspaceId: expect.stringMatching(/^[0-9A-HJKMNP-TV-Z]{26}$/),
      mailboxId: expect.stringMatching(/^[0-9A-HJKMNP-TV-Z]{26}$/),
      pid: server.child.pid,
      version: VERSION,
    });
    expect(Number(port)).toBeGreaterThan(0);
    expect(ready.smtpPort).toBeGreaterThan(0);
    expect(existsSync(ready.smtpCa ?? '')).toBe(true);
  });

  test('the seeded workspace is on the Business plan and its inbox mailbox is readable with the key', async () => {
    const server = dev(['--ephemeral'], { cwd: await temporaryDirectory() });
    const { apiUrl, apiKey, mailboxId, workspaceId } = await server.ready();
    const answer = await fetch(`${apiUrl}/mailboxes`, { headers: { authorization: `Bearer ${apiKey}` } });
    expect(await answer.json()).toEqual([
      expect.objectContaining({ id: mailboxId, workspaceId, subdomain: 'inbox', retentionDays: 30 }),
    ]);
  });

  test('a command line that yargs reads starts the same', async () => {
    const args = ['dev', '--json=true', '--no-open', '--port=0', '--smtp-port', '0', '--ephemeral=yes'];
    const server = mailcap(args, { cwd: await temporaryDirectory() });
    expect(await server.ready()).toMatchObject({ event: 'ready', smtpHost: '127.0.0.1' });
    expect((await server.stop()).code).toBe(0);
  });

  test('logs go to standard error', async () => {
    const server = dev(['--log-level', 'debug', '--relay', 'smtp://127.0.0.1:1'], { cwd: await temporaryDirectory() });
    await server.ready();
    const { stdout, stderr } = await server.stop();
    expect(stdout.split('\n')).toHaveLength(2);
    expect(stderr).toMatch(/ info {2}outbound mail for elsewhere goes to the relay relay=127\.0\.0\.1\n/);
  });
});

describe('the data directory', () => {
  test('holds server.json while the server runs, 0600, the same object; it is removed at shutdown', async () => {
    const cwd = await temporaryDirectory();
    const server = dev([], { cwd });
    const ready = await server.ready();
    const directory = join(cwd, '.mailcap');
    expect(await readJson(join(directory, 'server.json'))).toEqual(ready);
    expect(await modeOf(join(directory, 'server.json'))).toBe(0o600);
    expect(await modeOf(directory)).toBe(0o700);
    expect(await readFile(join(directory, '.gitignore'), 'utf8')).toBe('*\n');
    await server.stop();
    expect(existsSync(join(directory, 'server.json'))).toBe(false);
  });

  test('keeps the credentials, 0600: key, workspace and mailbox are the same after a restart', async () => {
    const cwd = await temporaryDirectory();
    const first = dev([], { cwd });
    const before = await first.ready();
    await first.stop();
    const path = join(cwd, '.mailcap', 'credentials.json');
    expect(await modeOf(path)).toBe(0o600);
    expect(await readJson(path)).toEqual({ apiKey: before.apiKey });

    const second = dev([], { cwd });
    const { apiKey, workspaceId, mailboxId } = await second.ready();
    expect({ apiKey, workspaceId, mailboxId }).toEqual({
      apiKey: before.apiKey,
      workspaceId: before.workspaceId,
      mailboxId: before.mailboxId,
    });
  });

  test('--api-key wins over the key that was kept, which is no key any more', async () => {
    const cwd = await temporaryDirectory();
    const first = dev([], { cwd });
    const { apiKey: kept } = await first.ready();
    await first.stop();
    const second = dev(['--api-key', 'svc_live_mine'], { cwd });
    const { apiUrl, apiKey } = await second.ready();
    expect(apiKey).toBe('svc_live_mine');
    const statusWith = async (key: string) =>
      (await fetch(`${apiUrl}/mailboxes`, { headers: { authorization: `Bearer ${key}` } })).status;
    expect([await statusWith('svc_live_mine'), await statusWith(kept)]).toEqual([200, 401]);
  });

  test('--ephemeral leaves nothing behind, but can be found while it runs', async () => {
    const cwd = await temporaryDirectory();
    const server = dev(['--ephemeral'], { cwd });
    const ready = await server.ready();
    expect(await readJson(join(cwd, '.mailcap', 'server.json'))).toEqual(ready);
    expect(existsSync(join(cwd, '.mailcap', 'credentials.json'))).toBe(false);
    await server.stop();
    expect(existsSync(join(cwd, '.mailcap'))).toBe(false);
  });

  test('a directory that was there with files in it gets no .gitignore', async () => {
    const cwd = await temporaryDirectory();
    const first = dev(['--data-dir', 'state'], { cwd });
    await first.ready();
    await first.stop();
    const server = dev(['--ephemeral', '--data-dir', '.'], { cwd });
    await server.ready();
    expect(existsSync(join(cwd, '.gitignore'))).toBe(false);
    await server.stop();
    expect(existsSync(join(cwd, 'state', 'credentials.json'))).toBe(true);
  });

  test('a second server on it is refused with one sentence, and the first stays to be found', async () => {
    const cwd = await temporaryDirectory();
    const first = dev([], { cwd });
    const ready = await first.ready();
    const { code, stdout, stderr } = await refused([], cwd);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^mailcap: .+\n$/);
    expect(await readJson(join(cwd, '.mailcap', 'server.json'))).toEqual(ready);
  });

  test.each(byDay(['', '{"apiKey":1}', '{"apiKey":"of another form"}', '[1'], (text) => text.startsWith('{')))(
    'credentials that can not be read, %j, are exit code 1 and one sentence',
    async (content) => {
      const cwd = await temporaryDirectory();
      await mkdir(join(cwd, '.mailcap'));
      await writeFile(join(cwd, '.mailcap', 'credentials.json'), content);
      const { code, stderr } = await refused([], cwd);
      expect(code).toBe(1);
      expect(stderr).toMatch(/^mailcap: the credentials in .+\n$/);
    },
  );

  test('that can not be made is exit code 1 and one sentence naming the flag', async () => {
    const { code, stderr } = await refused(['--data-dir', '/dev/null/state'], await temporaryDirectory());
    expect(code).toBe(1);
    expect(stderr).toMatch(/^mailcap: .+--data-dir.*\n$/);
  });
});

async function timed<T>(run: () => Promise<T>): Promise<{ elapsed: number; result: T }> {
  const started = performance.now();
  const result = await run();
  return { elapsed: performance.now() - started, result };
}

describe('a port in use: exit code 1 within a second, one sentence naming the port and the flag', () => {
  test.each(['--port', '--smtp-port'])('%s', async (flag) => {
    const taken = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void taken.close());
    await new Promise((resolve) => taken.once('listening', resolve));
    const address = taken.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;

    const cwd = await temporaryDirectory();
    const { elapsed, result } = await timed(() => dev([flag, String(port)], { cwd }).exit);
    const { code, stdout, stderr } = result;
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(new RegExp(`^mailcap: .*\\b${port}\\b.* ${flag}\\b.*\n$`));
    if (elapsed >= 1_000) {
      // A busy machine starts every process slowly.
      const { elapsed: toStart } = await timed(async () => dev([], { cwd: await temporaryDirectory() }).ready());
      expect(elapsed).toBeLessThan(3 * toStart);
    }
    expect(existsSync(join(cwd, '.mailcap', 'server.json'))).toBe(false);
  });
});

describe('--host', () => {
  test.each([
    ['::1', /^http:\/\/\[::1\]:\d+$/, '::1'],
    ['localhost', /^http:\/\/localhost:\d+$/, 'localhost'],
    ['0.0.0.0', /^http:\/\/127\.0\.0\.1:\d+$/, '127.0.0.1'],
  ])('%s: the URLs hold an address to connect to', async (host, url, smtpHost) => {
    const server = dev(['--ephemeral', '--host', host], { cwd: await temporaryDirectory() });
    const ready = await server.ready();
    expect(ready.url).toMatch(url);
    expect(ready.smtpHost).toBe(smtpHost);
    expect(new URL(ready.smtpUrl).port).toBe(String(ready.smtpPort));
    expect((await fetch(`${ready.url}/_mailcap/health`)).status).toBe(200);
  });

  test('an address that is not of this machine: exit code 2, one sentence naming the flag', async () => {
    const { code, stderr } = await refused(['--host', '192.0.2.1'], await temporaryDirectory());
    expect(code).toBe(2);
    expect(stderr).toMatch(/^mailcap: --host: 192\.0\.2\.1 .*\n$/);
  });

  test('off loopback the local API needs a token, which is made, told and kept', async () => {
    const cwd = await temporaryDirectory();
    const server = dev(['--host', '0.0.0.0'], { cwd });
    const ready = await server.ready();
    const { adminToken } = await readJson(join(cwd, '.mailcap', 'credentials.json'));
    const statusWith = async (headers: Record<string, string>) =>
      (await fetch(`${ready.url}/_mailcap/info`, { headers })).status;
    expect(await statusWith({})).toBe(401);
    expect(await statusWith({ authorization: `Bearer ${adminToken}` })).toBe(200);
    const { stdout, stderr } = await server.stop();
    expect(stdout).not.toContain(adminToken);
    expect(stderr).toBe(`admin token: ${adminToken}\n`);

    const second = dev(['--host', '0.0.0.0'], { cwd });
    await second.ready();
    expect((await second.stop()).stderr).toBe(stderr);
  });
});

describe('the banner', () => {
  test('tells the addresses, the key and an example address, and nothing else', async () => {
    const cwd = await temporaryDirectory();
    const server = mailcap(['dev', '--port', '0', '--smtp-port', '0'], { cwd });
    await expect.poll(() => existsSync(join(cwd, '.mailcap', 'server.json')), { timeout: 20_000 }).toBe(true);
    const ready = await readJson(join(cwd, '.mailcap', 'server.json'));
    const { code, stdout, stderr } = await server.stop();
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(ready.url);
    expect(stdout).toContain(`127.0.0.1:${ready.smtpPort}`);
    expect(stdout).toContain(ready.apiKey);
    expect(stdout).toContain('anything@inbox.mailcap.test');
    // Without a terminal, the output has no key hints and no colours.
    expect(stdout).not.toContain('quit');
    expect(stdout).not.toContain('\u001b');
  });
});

test('flag > environment > file > default', async () => {
  const cwd = await temporaryDirectory();
  await writeFile(join(cwd, 'mailcap.config.ts'), "export default { mailDomain: 'file.test' as string };\n");
  const domainOf = async (args: string[], env: Record<string, string>) => {
    const server = dev(['--ephemeral', ...args], { cwd, env });
    const { mailDomain } = await server.ready();
    await server.stop();
    return mailDomain;
  };
  expect(await domainOf([], {})).toBe('file.test');
  expect(await domainOf([], { MAILCAP_MAIL_DOMAIN: 'env.test' })).toBe('env.test');
  expect(await domainOf(['--mail-domain', 'flag.test'], { MAILCAP_MAIL_DOMAIN: 'env.test' })).toBe('flag.test');
});
