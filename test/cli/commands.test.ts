import { describe, expect, onTestFinished, test } from 'vitest';
import { BIN, dev, mailcap, run as shell, temporaryDirectory } from '../support/cli.ts';
import { type CommandLine, commandLine } from '../support/command.ts';
import { startServer, type TestServer } from '../support/mailcap.ts';

async function bench(): Promise<{ server: TestServer; run: CommandLine }> {
  const server = await startServer();
  onTestFinished(() => server.close());
  return { server, run: commandLine(server, await temporaryDirectory()) };
}

test('mailboxes: create prints the id, list shows it, delete takes it by subdomain', { timeout: 180_000 }, async () => {
  const { server, run } = await bench();
  const made = await run(['mailboxes', 'create', 'Sign up', '--retention-days', '2']);
  expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/^[0-9A-Z]{26}\n$/) });
  const id = made.stdout.trim();
  const json = JSON.parse((await run(['mailboxes', 'list', '--json'])).stdout);
  expect(json).toContainEqual(expect.objectContaining({ id, subdomain: 'sign-up', retentionDays: 2 }));
  const table = await run(['mailboxes', 'list']);
  expect(table.stdout).toMatch(new RegExp(`^${id}\tsign-up\tSign up\t2\t0\t`, 'm'));
  const again = await run(['mailboxes', 'create', 'Sign up']);
  expect(again).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('is there already') });
  expect(again.stderr).not.toMatch(/409|_taken/);
  const unasked = await run(['mailboxes', 'delete', 'sign-up']);
  expect(unasked).toMatchObject({ code: 2, stderr: expect.stringContaining('the mailbox sign-up with 0 messages') });
  expect((await run(['mailboxes', 'delete', 'sign-pu', '--yes'])).stderr).toContain('did you mean sign-up?');
  expect((await run(['mailboxes', 'delete', id.slice(0, 20), '--yes'])).code).toBe(0);
  expect(await server.ctx.store.read.mailboxes.bySubdomain('sign-up')).toBeNull();
});

test('keys: create prints the key this once, revoke ends it', { timeout: 180_000 }, async () => {
  const { server, run } = await bench();
  const { stdout, stderr } = await run(['keys', 'create', 'ci', '--mailboxes', 'inbox']);
  expect(stdout).toMatch(/^svc_live_[\w-]{43}\n$/);
  const key = stdout.trim();
  const id = /its id is (\w+);/.exec(stderr)?.[1] ?? '';
  expect((await run(['mailboxes', 'list'], { env: { MAILCAP_API_KEY: key } })).code).toBe(0);
  const listed = JSON.parse((await run(['keys', 'list', '--json'])).stdout);
  expect(listed).toContainEqual(
    expect.objectContaining({ id, name: 'ci', scopes: { mailboxes: [server.mailboxId], authenticators: 'all' } }),
  );
  expect((await run(['keys', 'revoke', 'ci'])).code).toBe(2);
  expect((await run(['keys', 'revoke', 'ci', '--yes'])).code).toBe(0);
  const refused = await run(['mailboxes', 'list'], { env: { MAILCAP_API_KEY: key } });
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('the key in MAILCAP_API_KEY') });
});

test('totp: add prints the id, code the code, by name and by id', { timeout: 180_000 }, async () => {
  const { run } = await bench();
  const { stdout } = await run(['totp', 'add', 'github', '--secret', 'JBSWY3DPEHPK3PXP']);
  const id = stdout.trim();
  const byName = await run(['totp', 'code', 'github']);
  expect(byName).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d{6}\n$/) });
  expect(JSON.parse((await run(['totp', 'code', id, '--json'])).stdout)).toMatchObject({
    code: expect.stringMatching(/^\d{6}$/),
    expiresInSeconds: expect.any(Number),
  });
  expect((await run(['totp', 'add', 'x'])).code).toBe(2);
  expect((await run(['totp', 'code', 'nobody'])).stderr).toContain('nobody: no such authenticator');
});

describe('env', () => {
  test('in the three formats, with what a shell needs quoted', async () => {
    const { server, run } = await bench();
    const expected = {
      MAILCAP_URL: server.url,
      MAILCAP_API_KEY: server.apiKey,
      MAILCAP_WORKSPACE_ID: server.workspaceId,
      MAILCAP_SMTP_URL: server.ready.smtpUrl,
      MAILCAP_SMTP_HOST: '127.0.0.1',
      MAILCAP_SMTP_PORT: String(server.ready.smtpPort),
      MAILCAP_MAIL_DOMAIN: 'mailcap.test',
      MAILCAP_WEBHOOK_BASE_URL: `${server.url}/hooks`,
    };
    expect(JSON.parse((await run(['env', '--format', 'json'])).stdout)).toEqual(expected);
    const dotenv = Object.entries(expected).map(([name, value]) => `${name}=${value}\n`);
    expect((await run(['env'])).stdout).toBe(dotenv.join(''));
    const shell = Object.entries(expected).map(([name, value]) => `export ${name}='${value}'\n`);
    expect((await run(['env', '--format', 'shell'])).stdout).toBe(shell.join(''));
  });
});

test('a running server is found by its server.json, in its directory and below, and by --data-dir', {
  timeout: 60_000,
}, async () => {
  const cwd = await temporaryDirectory();
  const server = dev(['--ephemeral', '--data-dir', 'state'], { cwd });
  const ready = await server.ready();
  const found = await mailcap(['env', '--data-dir', 'state', '--format', 'json'], { cwd }).exit;
  expect(JSON.parse(found.stdout)).toMatchObject({ MAILCAP_URL: ready.url, MAILCAP_API_KEY: ready.apiKey });
  for (const command of [['status'], ['health'], ['messages', 'list'], ['inbox']]) {
    const { code } = await mailcap([...command, '--data-dir', 'state'], { cwd }).exit;
    expect([command, code]).toEqual([command, 0]);
    const other = await mailcap([...command, '--data-dir', 'other'], { cwd }).exit;
    expect([other.code, other.stderr]).toEqual([4, expect.stringContaining('no server runs on other')]);
  }
  expect((await mailcap(['health'], { cwd }).exit).code).toBe(4);
  const { code, stderr } = await mailcap(['status'], { cwd }).exit;
  expect(code).toBe(4);
  expect(stderr).toMatch(/^mailcap: no server runs in this directory or above it: .*npx mailcap dev.*\n$/);
});

test('exit code 4 where no server answers', { timeout: 180_000 }, async () => {
  const cwd = await temporaryDirectory();
  const env = { MAILCAP_URL: 'http://127.0.0.1:1', MAILCAP_API_KEY: 'svc_live_x' };
  for (const args of [['messages', 'list'], ['status'], ['messages', 'wait', '--code'], ['reset', '--yes'], ['env']]) {
    const { code, stdout, stderr } = await mailcap(args, { cwd, env }).exit;
    expect([code, stdout], args.join(' ')).toEqual([4, '']);
    expect(stderr).toMatch(/^mailcap: no server answers at http:\/\/127\.0\.0\.1:1.+npx mailcap dev.+\n$/);
  }
});

test('reset takes all mail with it, and needs --yes where nobody can be asked', { timeout: 180_000 }, async () => {
  const { server, run } = await bench();
  await run(['sendmail', 'ada@example.com'], { stdin: 'Subject: x\n\nx\n' });
  expect((await server.ctx.store.read.counts()).messages).toBe(1);
  const unasked = await run(['reset']);
  expect([unasked.code, unasked.stderr]).toEqual([2, expect.stringContaining('holds 1 message and 1 mailbox')]);
  expect((await server.ctx.store.read.counts()).messages).toBe(1);
  expect(await run(['reset', '--yes'])).toMatchObject({ code: 0, stdout: '' });
  expect((await server.ctx.store.read.counts()).messages).toBe(0);
});

test('status tells the addresses and what is held', { timeout: 180_000 }, async () => {
  const { server, run } = await bench();
  const { stdout } = await run(['status']);
  expect(stdout).toContain(server.url);
  expect(stdout).toContain('0 messages');
  expect(JSON.parse((await run(['status', '--json'])).stdout)).toMatchObject({
    url: server.url,
    counts: { mailboxes: 1 },
  });
});

test('an error shows its stack with --log-level debug alone', { timeout: 180_000 }, async () => {
  const { run } = await bench();
  const plain = await run(['messages', 'show', 'nothing']);
  expect(plain.stderr).not.toContain('    at ');
  const debugged = await run(['messages', 'show', 'nothing', '--log-level', 'debug']);
  expect(debugged.code).toBe(1);
  expect(debugged.stderr).toContain('    at ');
});

test('the development key that is revoked: what follows is said, and a 401 names no variable that is not set', {
  timeout: 60_000,
}, async () => {
  const cwd = await temporaryDirectory();
  await dev(['--ephemeral'], { cwd }).ready();
  const unasked = await mailcap(['keys', 'revoke', 'development'], { cwd }).exit;
  expect(unasked.code).toBe(2);
  expect(unasked.stderr).toMatch(/found it by themselves get 401 .+ A restart of `mailcap dev` makes another/);
  expect((await mailcap(['keys', 'revoke', 'development', '--yes'], { cwd }).exit).code).toBe(0);
  const refused = await mailcap(['mailboxes', 'list'], { cwd }).exit;
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain('which was revoked');
  expect(refused.stderr).not.toContain('the key in MAILCAP_API_KEY');
  const another = await mailcap(['keys', 'create', 'mine'], { cwd }).exit;
  const env = { MAILCAP_API_KEY: another.stdout.trim() };
  expect((await mailcap(['mailboxes', 'list'], { cwd, env }).exit).code).toBe(0);
});

test('a second dev in the directory of a server says so, and how to open it', { timeout: 180_000 }, async () => {
  const cwd = await temporaryDirectory();
  const ready = await dev(['--ephemeral'], { cwd }).ready();
  const { port } = new URL(ready.url);
  const { code, stderr } = await mailcap(['dev', '--port', port, '--smtp-port', '0'], { cwd }).exit;
  expect([code, stderr]).toEqual([1, expect.stringContaining(`runs in this directory already: ${ready.url}`)]);
  expect(stderr).toContain('`mailcap inbox`');
});

test('names of mailboxes and interceptors are there to be completed, and nothing where no server runs', {
  timeout: 60_000,
}, async () => {
  const { run } = await bench();
  await run(['mailboxes', 'create', 'Sign up']);
  await run(['webhooks', 'create', 'payments']);
  expect((await run(['completion', 'mailboxes'])).stdout.split('\n').sort()).toEqual(['', 'inbox', 'sign-up']);
  expect((await run(['completion', 'webhooks'])).stdout).toBe('payments\n');
  const alone = await mailcap(['completion', 'mailboxes'], { cwd: await temporaryDirectory() }).exit;
  expect(alone).toMatchObject({ code: 0, stdout: '', stderr: '' });
});

test.skipIf(process.platform !== 'linux')('an answer that finds no room is told in a sentence', async () => {
  const { server } = await bench();
  const env = { MAILCAP_URL: server.url, MAILCAP_API_KEY: server.apiKey };
  const command = `"${process.execPath}" "${BIN}" mailboxes list > /dev/full`;
  const { code, stderr } = await shell('sh', ['-c', command], { cwd: await temporaryDirectory(), env }).exit;
  expect([code, stderr]).toEqual([1, "mailcap: the answer can't be written: the disk is full.\n"]);
});
