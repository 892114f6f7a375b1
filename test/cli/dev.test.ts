import { existsSync } from 'node:fs';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { describe, expect, onTestFinished, test } from 'vitest';
import { processStart } from '../../src/process-start.ts';
import { VERSION } from '../../src/version.ts';
import { dev, mailcap, temporaryDirectory } from '../support/cli.ts';
import { command } from '../support/command.ts';
import { byDay } from '../support/night.ts';
import { serverIn } from '../support/server-in.ts';

const modeOf = async (path: string) => (await stat(path)).mode & 0o777;
/** Runs a server that can't start, on free ports. */
const refused = (args: readonly string[], cwd: string) =>
  command(['dev', '--json', '--port', '0', '--smtp-port', '0', ...args], { cwd });
const readJson = async (path: string) => JSON.parse(await readFile(path, 'utf8'));

describe('--json', () => {
  test('standard output carries exactly one ready line once everything listens, and the inbox mailbox is readable with its key', async () => {
    const cwd = await temporaryDirectory();
    const server = dev([], { cwd });
    const ready = await server.ready();
    const health = await fetch(`${ready.url}/_mailcap/health`);
    expect([health.status, await health.json()]).toEqual([200, { status: 'ok', version: VERSION }]);
    const answer = await fetch(`${ready.apiUrl}/mailboxes`, { headers: { authorization: `Bearer ${ready.apiKey}` } });
    // This is the retention of the Business plan, which the seeded workspace has.
    const { mailboxId: id, workspaceId } = ready;
    expect(await answer.json()).toEqual([
      expect.objectContaining({ id, workspaceId, subdomain: 'inbox', retentionDays: 30 }),
    ]);

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
      ...{ pop3Url: null, pop3sUrl: null, imapUrl: null, imapsUrl: null },
      webhookBaseUrl: `http://127.0.0.1:${port}/hooks`,
      feedUrl: `ws://127.0.0.1:${port}/_mailcap/feed`,
      mailDomain: 'mailcap.example.com',
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

  test('options in other forms start the same server', async () => {
    const args = ['dev', '--json=true', '--no-open', '--port=0', '--smtp-port', '0', '--ephemeral=yes'];
    const server = mailcap(args, { cwd: await temporaryDirectory() });
    expect(await server.ready()).toMatchObject({ event: 'ready', smtpHost: '127.0.0.1' });
    expect((await server.stop()).code).toBe(0);
  });

  test('logs go to standard error, and --data-dir names the directory', async () => {
    const cwd = await temporaryDirectory();
    const server = dev(['--log-level', 'debug', '--relay', 'smtp://127.0.0.1:1', '--data-dir', 'state'], { cwd });
    await server.ready();
    expect(existsSync(join(cwd, 'state', 'credentials.json'))).toBe(true);
    const { stdout, stderr } = await server.stop();
    expect(stdout.split('\n')).toHaveLength(2);
    expect(stderr).toMatch(/ info {2}outbound mail to other servers goes to the relay relay=127\.0\.0\.1\n/);
  });
});

test('a server goes on when the readers of its events and of its log are gone', async () => {
  const server = dev(['--log-level', 'debug'], { cwd: await temporaryDirectory() });
  const { url } = await server.ready();
  server.child.stdout?.destroy();
  server.child.stderr?.destroy();
  for (let i = 0; i < 5; i++) expect((await fetch(`${url}/_mailcap/health`)).status).toBe(200);
  expect((await server.stop()).code).toBe(0);
});

describe('the data directory', () => {
  test('holds server.json while the server runs, 0600, the same object; a second server on it is refused with one sentence', async () => {
    const cwd = await temporaryDirectory();
    const server = dev([], { cwd });
    const ready = await server.ready();
    const directory = join(cwd, '.mailcap');
    const announced = { ...ready, adminToken: null, processStart: processStart(ready.pid) };
    expect(await readJson(join(directory, 'server.json'))).toEqual(announced);
    expect(await modeOf(join(directory, 'server.json'))).toBe(0o600);
    expect(await modeOf(directory)).toBe(0o700);
    expect(await readFile(join(directory, '.gitignore'), 'utf8')).toBe('*\n');

    const { code, stdout, stderr } = await refused([], cwd);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^mailcap: .+\n$/);
    // The first stays to be found.
    expect(await readJson(join(directory, 'server.json'))).toEqual(announced);
    await server.stop();
    expect(existsSync(join(directory, 'server.json'))).toBe(false);
  });

  test('keeps the credentials, 0600: key, workspace and mailbox are the same after a restart; --api-key wins over the key, which is no key any more', async () => {
    const cwd = await temporaryDirectory();
    const first = dev([], { cwd });
    const before = await first.ready();
    await first.stop();
    const path = join(cwd, '.mailcap', 'credentials.json');
    expect(await modeOf(path)).toBe(0o600);
    expect(await readJson(path)).toEqual({ apiKey: before.apiKey });

    const second = dev([], { cwd });
    const { apiKey: kept, workspaceId, mailboxId } = await second.ready();
    expect({ apiKey: kept, workspaceId, mailboxId }).toEqual({
      apiKey: before.apiKey,
      workspaceId: before.workspaceId,
      mailboxId: before.mailboxId,
    });
    await second.stop();

    const third = dev(['--api-key', 'svc_live_mine'], { cwd });
    const { apiUrl, apiKey } = await third.ready();
    expect(apiKey).toBe('svc_live_mine');
    const statusWith = async (key: string) =>
      (await fetch(`${apiUrl}/mailboxes`, { headers: { authorization: `Bearer ${key}` } })).status;
    expect([await statusWith('svc_live_mine'), await statusWith(kept)]).toEqual([200, 401]);
  });

  test('--ephemeral leaves nothing behind, but can be found while it runs', async () => {
    const cwd = await temporaryDirectory();
    const server = dev(['--ephemeral'], { cwd });
    const ready = await server.ready();
    expect(await readJson(join(cwd, '.mailcap', 'server.json'))).toMatchObject(ready);
    expect(existsSync(join(cwd, '.mailcap', 'credentials.json'))).toBe(false);
    await server.stop();
    expect(existsSync(join(cwd, '.mailcap'))).toBe(false);
  });

  test('a directory that was there with files in it keeps them, and gets no .gitignore', async () => {
    const cwd = await temporaryDirectory();
    await writeFile(join(cwd, 'theirs'), 'theirs\n');
    const server = dev(['--ephemeral', '--data-dir', '.'], { cwd });
    await server.ready();
    expect(existsSync(join(cwd, '.gitignore'))).toBe(false);
    await server.stop();
    expect(await readFile(join(cwd, 'theirs'), 'utf8')).toBe('theirs\n');
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

  test('that can not be created is exit code 1 and a sentence that names the flag', async () => {
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

describe('a port in use: exit code 1 at once, one sentence naming the port and the flag', () => {
  test.each(['--port', '--smtp-port'])('%s', async (flag) => {
    const taken = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void taken.close());
    await new Promise((resolve) => taken.once('listening', resolve));
    const address = taken.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;

    const cwd = await temporaryDirectory();
    const { elapsed, result } = await timed(() => refused([flag, String(port)], cwd));
    const { code, stdout, stderr } = result;
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(new RegExp(`^mailcap: .*\\b${port}\\b.* ${flag}\\b.*\n$`));
    if (elapsed >= 1_000) {
      // A busy machine starts every process slowly.
      const { elapsed: toStart } = await timed(async () => dev([], { cwd: await temporaryDirectory() }).ready());
      expect(elapsed).toBeLessThan(5 * toStart + 1_000);
    }
    expect(existsSync(join(cwd, '.mailcap', 'server.json'))).toBe(false);
  });
});

describe('--host', () => {
  test.each([
    ['::1', /^http:\/\/\[::1\]:\d+$/, '::1'],
    ['localhost', /^http:\/\/localhost:\d+$/, 'localhost'],
  ])('%s: the URLs have an address to connect to', async (host, url, smtpHost) => {
    const { ready } = await serverIn(await temporaryDirectory(), { host });
    expect(ready.url).toMatch(url);
    expect(ready.smtpHost).toBe(smtpHost);
    expect(new URL(ready.smtpUrl).port).toBe(String(ready.smtpPort));
    expect((await fetch(`${ready.url}/_mailcap/health`)).status).toBe(200);
  });

  test('an address of another machine is exit code 2 and a sentence that names the flag', async () => {
    const { code, stderr } = await refused(['--host', '192.0.2.1'], await temporaryDirectory());
    expect(code).toBe(2);
    expect(stderr).toMatch(/^mailcap: --host: 192\.0\.2\.1 .*\n$/);
  });

  test('with 0.0.0.0 the URLs have an address that works, and the local API needs a token, which dev creates, prints and keeps', async () => {
    const cwd = await temporaryDirectory();
    const server = dev(['--host', '0.0.0.0'], { cwd });
    const ready = await server.ready();
    expect([ready.url, ready.smtpHost]).toEqual([expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/), '127.0.0.1']);
    expect((await fetch(`${ready.url}/_mailcap/health`)).status).toBe(200);
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

test('without a terminal the banner has the addresses, the API key, an example address, and why no keys work; then each mail has a harmless line', async () => {
  const cwd = await temporaryDirectory();
  const server = mailcap(['dev', '--port', '0', '--smtp-port', '0'], { cwd });
  let said = '';
  server.child.stdout?.on('data', (text) => (said += text));
  await expect.poll(() => said, { timeout: 20_000 }).toContain('Mail to');
  const banner = said;
  const SENT = 2;
  const ready = await readJson(join(cwd, '.mailcap', 'server.json'));
  const app = createTransport({ host: ready.smtpHost, port: ready.smtpPort, ignoreTLS: true });
  const from = 'Shop <a@x.test>';
  await app.sendMail({ from, to: 'ada@inbox.mailcap.example.com', subject: 'Welcome', text: 'x' });
  // A terminal would obey the first, a CI runner the others.
  const raw = `To: ada@inbox.mailcap.example.com\nFrom: ${from}\nSubject: =?utf-8?Q?=1b[2J_##[error]no=0a::error::no?=\n\nx`;
  await app.sendMail({ envelope: { from: 'a@x.test', to: 'ada@inbox.mailcap.example.com' }, raw });
  await expect.poll(() => said.slice(banner.length).split('\n').length, { timeout: 20_000 }).toBe(SENT + 1);
  const { code, stdout, stderr } = await server.stop();
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const [first = '', second = ''] = stdout.slice(banner.length).split('\n');
  expect(first).toMatch(/^\d{4}-\S+ mail to ada@inbox\.mailcap\.example\.com from Shop <a@x\.test>: Welcome$/);
  expect(second).toMatch(/^\d{4}-\S+ mail to .* from .*: \u241b?\[2J #\\#\[error\]no ::error::no$/);
  expect(stdout).toContain(ready.url);
  expect(stdout).toContain(`127.0.0.1:${ready.smtpPort}`);
  expect(stdout).toContain(ready.apiKey);
  expect(stdout).toContain('anything@inbox.mailcap.example.com');
  expect(stdout).toContain('Keys are off, because standard input is not a terminal. `mailcap inbox` shows the mail.');
  // Without a terminal, the output has no key hints and no colours.
  expect(stdout).not.toContain('quit');
  expect(stdout).not.toContain('\u001b');
});

test('with the log level silent a mail has no line', async () => {
  const cwd = await temporaryDirectory();
  const server = mailcap(['dev', '--port', '0', '--smtp-port', '0', '--log-level', 'silent'], { cwd });
  let said = '';
  server.child.stdout?.on('data', (text) => (said += text));
  await expect.poll(() => said, { timeout: 20_000 }).toContain('Mail to');
  const banner = said;
  const ready = await readJson(join(cwd, '.mailcap', 'server.json'));
  const app = createTransport({ host: ready.smtpHost, port: ready.smtpPort, ignoreTLS: true });
  await app.sendMail({ from: 'a@x.test', to: 'ada@inbox.mailcap.example.com', subject: 'Silence', text: 'x' });
  const { stdout, stderr } = await server.stop();
  expect({ stdout, stderr }).toEqual({ stdout: banner, stderr: '' });
});

test('flag > environment > file > default', async () => {
  const cwd = await temporaryDirectory();
  await writeFile(
    join(cwd, 'mailcap.config.ts'),
    "export default { apiKey: 'svc_live_file' as string, mailDomain: 'file.test', host: 'localhost' };\n",
  );
  const env = { MAILCAP_API_KEY: 'svc_live_env', MAILCAP_MAIL_DOMAIN: 'env.test' };
  const server = dev(['--ephemeral', '--api-key', 'svc_live_flag'], { cwd, env });
  expect(await server.ready()).toMatchObject({
    apiKey: 'svc_live_flag',
    mailDomain: 'env.test',
    smtpHost: 'localhost',
  });
});
