import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { BIN, dev, run as shell, temporaryDirectory } from '../support/cli.ts';
import { type CommandLine, command, commandLine } from '../support/command.ts';
import { freePort } from '../support/free-port.ts';
import { startServer, type TestServer } from '../support/mailcap.ts';
import { NOT_LINUX } from '../support/platform.ts';
import { serverIn } from '../support/server-in.ts';
import { unless } from '../support/unless.ts';

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
  expect(again).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('a mailbox with this subdomain exists already'),
  });
  expect(again.stderr).not.toMatch(/409|_taken/);
  const unasked = await run(['mailboxes', 'delete', 'sign-up']);
  expect(unasked).toMatchObject({ code: 2, stderr: expect.stringContaining('the mailbox sign-up with 0 messages') });
  expect((await run(['mailboxes', 'delete', 'sign-pu', '--yes'])).stderr).toContain('did you mean sign-up?');
  expect((await run(['mailboxes', 'delete', id.slice(0, 20), '--yes'])).code).toBe(0);
  expect(await server.ctx.store.read.mailboxes.bySubdomain('sign-up')).toBeNull();
});

test('mailboxes list says how many are in other workspaces, which --everywhere lists by their names', async () => {
  const { server, run } = await bench();
  const alone = await run(['mailboxes', 'list']);
  expect(alone).toMatchObject({ code: 0, stderr: '' });
  const { local } = createClient({ baseUrl: server.url, apiKey: server.ready.apiKey });
  const { id } = await local.createWorkspace({ name: 'playwright 1' });
  await local.createMailboxIn(id, { name: 'Of a test' });
  const { stdout, stderr } = await run(['mailboxes', 'list']);
  expect(stdout).toBe(alone.stdout);
  expect(stderr).toContain('1 more mailbox is not of this key');
  expect(stderr).toContain('`mailcap mailboxes list --everywhere`');
  const all = await run(['mailboxes', 'list', '--everywhere']);
  expect(all.stdout).toMatch(/\tof-a-test\tOf a test\t.*\tplaywright 1\n/);
  expect(all.stdout.trim().split('\n')).toHaveLength(3);
  const { counts } = JSON.parse((await run(['status', '--json'])).stdout);
  expect(JSON.parse((await run(['mailboxes', 'list', '--everywhere', '--json'])).stdout)).toHaveLength(
    counts.mailboxes,
  );
});

test('keys: create prints the key once, revoke ends it', { timeout: 180_000 }, async () => {
  const { server, run } = await bench();
  const { stdout, stderr } = await run(['keys', 'create', 'ci', '--mailboxes', 'inbox']);
  expect(stderr).toContain('it also reads and deletes every captured request of the workspace: --webhooks none');
  const without = await run(['keys', 'create', 'narrow', '--mailboxes', 'inbox', '--webhooks', 'none', '--json']);
  expect(JSON.parse(without.stdout)).toMatchObject({ scopes: { webhooks: 'none' } });
  const wrong = await run(['keys', 'create', 'wrong', '--webhooks', 'some']);
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('--webhooks: expected one of all, none') });
  expect(stdout).toMatch(/^svc_live_[\w-]{43}\n$/);
  const key = stdout.trim();
  const id = /its id is (\w+);/.exec(stderr)?.[1] ?? '';
  expect((await run(['mailboxes', 'list'], { env: { MAILCAP_API_KEY: key } })).code).toBe(0);
  const listed = JSON.parse((await run(['keys', 'list', '--json'])).stdout);
  expect(listed).toContainEqual(
    expect.objectContaining({
      id,
      name: 'ci',
      scopes: { mailboxes: [server.mailboxId], authenticators: 'all', webhooks: 'all' },
    }),
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
  test('prints the three formats, and quotes what a shell would read', async () => {
    const { server, run } = await bench();
    const expected = {
      MAILCAP_URL: server.url,
      MAILCAP_API_KEY: server.apiKey,
      MAILCAP_WORKSPACE_ID: server.workspaceId,
      MAILCAP_SMTP_URL: server.ready.smtpUrl,
      MAILCAP_SMTP_HOST: '127.0.0.1',
      MAILCAP_SMTP_PORT: String(server.ready.smtpPort),
      MAILCAP_MAIL_DOMAIN: 'mailcap.example.com',
      MAILCAP_WEBHOOK_BASE_URL: `${server.url}/hooks`,
      RESEND_BASE_URL: `${server.url}/providers/resend/`,
      RESEND_API_URL: `${server.url}/providers/resend`,
      AWS_ENDPOINT_URL_SES: `${server.url}/providers/ses`,
      AWS_ENDPOINT_URL_SESV2: `${server.url}/providers/ses`,
      AWS_ENDPOINT_URL_SNS: `${server.url}/providers/sns`,
    };
    expect(JSON.parse((await run(['env', '--format', 'json'])).stdout)).toEqual(expected);
    const dotenv = Object.entries(expected).map(([name, value]) => `${name}=${value}\n`);
    expect((await run(['env'])).stdout).toBe(dotenv.join(''));
    const shell = Object.entries(expected).map(([name, value]) => `export ${name}='${value}'\n`);
    expect((await run(['env', '--format', 'shell'])).stdout).toBe(shell.join(''));
  });
});

test('env --host names the addresses as a container reaches them, and no file of this machine', async () => {
  const cwd = await temporaryDirectory();
  const { ready, adminToken } = await serverIn(cwd, {
    host: '0.0.0.0',
    imapPort: 0,
    imapsPort: 0,
    pop3Port: 0,
    pop3sPort: 0,
    smtpsPort: 0,
  });
  const seen = async (host: string) => command(['env', '--host', host, '--json'], { cwd });
  const { stdout, stderr } = await seen('host.docker.internal');
  const port = new URL(ready.url).port;
  expect(stderr).toBe('');
  expect(JSON.parse(stdout)).toEqual({
    MAILCAP_URL: `http://host.docker.internal:${port}`,
    MAILCAP_API_KEY: ready.apiKey,
    MAILCAP_WORKSPACE_ID: ready.workspaceId,
    MAILCAP_SMTP_URL: `smtp://host.docker.internal:${ready.smtpPort}`,
    MAILCAP_SMTP_HOST: 'host.docker.internal',
    MAILCAP_SMTP_PORT: String(ready.smtpPort),
    MAILCAP_SMTPS_URL: `smtps://host.docker.internal:${new URL(ready.smtpsUrl ?? '').port}`,
    MAILCAP_POP3_URL: `pop3://host.docker.internal:${new URL(ready.pop3Url ?? '').port}`,
    MAILCAP_POP3S_URL: `pop3s://host.docker.internal:${new URL(ready.pop3sUrl ?? '').port}`,
    MAILCAP_IMAP_URL: `imap://host.docker.internal:${new URL(ready.imapUrl ?? '').port}`,
    MAILCAP_IMAPS_URL: `imaps://host.docker.internal:${new URL(ready.imapsUrl ?? '').port}`,
    MAILCAP_MAIL_DOMAIN: 'mailcap.example.com',
    MAILCAP_WEBHOOK_BASE_URL: `http://host.docker.internal:${port}/hooks`,
    RESEND_BASE_URL: `http://host.docker.internal:${port}/providers/resend/`,
    RESEND_API_URL: `http://host.docker.internal:${port}/providers/resend`,
    AWS_ENDPOINT_URL_SES: `http://host.docker.internal:${port}/providers/ses`,
    AWS_ENDPOINT_URL_SESV2: `http://host.docker.internal:${port}/providers/ses`,
    AWS_ENDPOINT_URL_SNS: `http://host.docker.internal:${port}/providers/sns`,
    MAILCAP_ADMIN_TOKEN: adminToken,
  });
  // A client elsewhere needs nothing but these variables.
  const { stdout: byAddress } = await seen('127.0.0.2');
  const listed = await command(['messages', 'list'], { cwd: await temporaryDirectory(), env: JSON.parse(byAddress) });
  expect(listed).toMatchObject({ code: 0 });
  expect(JSON.parse((await seen('::1')).stdout)).toMatchObject({
    MAILCAP_URL: `http://[::1]:${port}`,
    MAILCAP_SMTP_HOST: '::1',
  });
  for (const wrong of ['http://a', 'a:80', 'a b', 'a/b'])
    expect(await seen(wrong)).toMatchObject({ code: 2, stderr: expect.stringContaining('without a port') });
});

test('env --host keeps a public URL, and tells that a server on loopback is not reached', async () => {
  const cwd = await temporaryDirectory();
  await serverIn(cwd, { publicUrl: 'https://hooks.example.com' });
  const { stdout } = await command(['env', '--host', 'mailcap', '--json'], { cwd });
  expect(JSON.parse(stdout)['MAILCAP_WEBHOOK_BASE_URL']).toBe('https://hooks.example.com/hooks');
  const other = await temporaryDirectory();
  await serverIn(other);
  const { stderr } = await command(['env', '--host', 'mailcap', '--json'], { cwd: other });
  expect(stderr).toContain('`mailcap dev --host 0.0.0.0`');
});

test('a running server is found by its server.json, in its directory and below, and by --data-dir', async () => {
  const cwd = await temporaryDirectory();
  const { ready } = await serverIn(cwd, { dataDir: 'state' });
  const found = await command(['env', '--data-dir', 'state', '--format', 'json'], { cwd });
  expect(JSON.parse(found.stdout)).toMatchObject({ MAILCAP_URL: ready.url, MAILCAP_API_KEY: ready.apiKey });
  for (const words of [['status'], ['health'], ['messages', 'list'], ['inbox']]) {
    const { code } = await command([...words, '--data-dir', 'state'], { cwd });
    expect([words, code]).toEqual([words, 0]);
    const other = await command([...words, '--data-dir', 'other'], { cwd });
    expect([other.code, other.stderr]).toEqual([4, expect.stringContaining('no server runs on other')]);
  }
  expect((await command(['health'], { cwd })).code).toBe(4);
  const { code, stderr } = await command(['status'], { cwd });
  expect(code).toBe(4);
  expect(stderr).toMatch(/^mailcap: no server runs in this directory or above it: .*npx mailcap dev.*\n$/);
});

test('a URL of another program is named as such, whether it speaks HTTP or not', async () => {
  const cwd = await temporaryDirectory();
  const web = createHttpServer((_request, response) => response.writeHead(404).end('nothing')).listen(0, '127.0.0.1');
  const smtp = createServer((socket) => socket.on('error', () => {}).end('220 mail.test ESMTP\r\n'));
  smtp.listen(0, '127.0.0.1');
  onTestFinished(() => {
    for (const server of [web, smtp]) server.close();
  });
  await Promise.all([web, smtp].map((server) => server.listening || once(server, 'listening')));
  const [site, mail] = [web, smtp].map((server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const noMailcap = await command(['messages', 'list', '--url', site ?? ''], { cwd });
  expect(noMailcap.stderr).toContain('the program that answers there is no mailcap server: check the URL');
  const noHttp = await command(['messages', 'list', '--url', mail ?? ''], { cwd });
  expect(noHttp).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('speaks no HTTP, as the SMTP port does not'),
  });
});

test('exit code 4 where no server answers', { timeout: 180_000 }, async () => {
  const cwd = await temporaryDirectory();
  const url = `http://127.0.0.1:${await freePort()}`;
  const withKey = { MAILCAP_URL: url, MAILCAP_API_KEY: 'svc_live_x' };
  const told = `no server answers at ${url} (nothing listens there): is it running? \`npx mailcap dev\` starts one.\n`;
  for (const env of [withKey, { MAILCAP_URL: url }])
    for (const line of ['messages list', 'status', 'messages wait --code', 'reset --yes', 'env', 'inbox', 'health']) {
      const { code, stdout, stderr } = await command(line.split(' '), { cwd, env });
      expect([code, stdout, stderr], line).toEqual([4, '', `mailcap: ${told}`]);
    }
  const stdin = 'Subject: x\n\nx\n';
  expect(await command(['sendmail', 'ada@example.com'], { cwd, env: { MAILCAP_URL: url }, stdin })).toMatchObject({
    code: 69,
    stderr: `sendmail: ${told}`,
  });
});

test('MAILCAP_URL without a key: the key of the server that runs here is used, and for another server the error says how to get one', async () => {
  const cwd = await temporaryDirectory();
  const { url, apiKey } = await serverIn(cwd);
  for (const MAILCAP_URL of [url, url.replace('127.0.0.1', 'localhost')]) {
    const { code, stdout } = await command(['env'], { cwd, env: { MAILCAP_URL } });
    expect([code, stdout]).toEqual([0, expect.stringContaining(`MAILCAP_API_KEY=${apiKey}\n`)]);
  }
  const elsewhere = { cwd: await temporaryDirectory(), env: { MAILCAP_URL: url } };
  for (const words of [['messages', 'list'], ['env']]) {
    const { code, stderr } = await command(words, elsewhere);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(`no API key for ${url}: create one with \`mailcap keys create`),
    ]);
  }
  const wrong = { MAILCAP_URL: url, MAILCAP_API_KEY: 'svc_live_x' };
  const refused = await command(['messages', 'list'], { cwd, env: wrong });
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain(`the server at ${url} does not accept the key in MAILCAP_API_KEY: set it to`);
  // Without MAILCAP_URL that key goes to no server.
  const here = await command(['messages', 'list'], { cwd, env: { MAILCAP_API_KEY: 'svc_live_x' } });
  expect(here).toMatchObject({ code: 0, stderr: expect.stringContaining('MAILCAP_API_KEY is not used') });
});

test('reset deletes all mail, and needs --yes without a terminal', { timeout: 180_000 }, async () => {
  const { server, run } = await bench();
  await run(['sendmail', 'ada@example.com'], { stdin: 'Subject: x\n\nx\n' });
  expect((await server.ctx.store.read.counts()).messages).toBe(1);
  const unasked = await run(['reset']);
  expect([unasked.code, unasked.stderr]).toEqual([2, expect.stringContaining('holds 1 message and 1 mailbox')]);
  expect((await server.ctx.store.read.counts()).messages).toBe(1);
  expect(await run(['reset', '--yes'])).toMatchObject({ code: 0, stdout: '' });
  expect((await server.ctx.store.read.counts()).messages).toBe(0);
});

test('status prints the addresses and the counts', { timeout: 180_000 }, async () => {
  const { server, run } = await bench();
  const { stdout } = await run(['status']);
  expect(stdout).toContain(server.url);
  expect(stdout).toContain('0 messages');
  expect(JSON.parse((await run(['status', '--json'])).stdout)).toMatchObject({
    url: server.url,
    counts: { mailboxes: 1 },
  });
});

test('an error shows its stack only with --log-level debug', { timeout: 180_000 }, async () => {
  const { run } = await bench();
  const plain = await run(['messages', 'show', 'nothing']);
  expect(plain.stderr).not.toContain('    at ');
  const debugged = await run(['messages', 'show', 'nothing', '--log-level', 'debug']);
  expect(debugged.code).toBe(2);
  expect(debugged.stderr).toContain('    at ');
});

test('revoking the development key says what follows, and a later 401 names no variable that is not set', async () => {
  const cwd = await temporaryDirectory();
  await serverIn(cwd);
  const unasked = await command(['keys', 'revoke', 'development'], { cwd });
  expect(unasked.code).toBe(2);
  expect(unasked.stderr).toMatch(
    /Commands, fixtures and apps that use it get 401 .+ A restart of `mailcap dev` creates another/,
  );
  expect((await command(['keys', 'revoke', 'development', '--yes'], { cwd })).code).toBe(0);
  const refused = await command(['mailboxes', 'list'], { cwd });
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain('the development key of the server was revoked');
  expect(refused.stderr).not.toContain('the key in MAILCAP_API_KEY');
  const another = await command(['keys', 'create', 'mine'], { cwd });
  const key = another.stdout.trim();
  expect((await command(['mailboxes', 'list', '--api-key', key], { cwd })).code).toBe(0);
});

test('a second dev in the directory of a server says so, and how to open it', { timeout: 180_000 }, async () => {
  const cwd = await temporaryDirectory();
  const ready = await dev([], { cwd }).ready();
  const { port } = new URL(ready.url);
  const { code, stderr } = await command(['dev', '--port', port, '--smtp-port', '0'], { cwd });
  expect([code, stderr]).toEqual([1, expect.stringContaining(`runs in this directory already: ${ready.url}`)]);
  expect(stderr).toContain('`mailcap inbox`');
  const onOtherPorts = await command(['dev', '--port', '0', '--smtp-port', '0'], { cwd });
  expect(onOtherPorts.code).toBe(1);
  expect(onOtherPorts.stderr).toContain(`runs in this directory already: ${ready.url}`);
});

test('the shell completes names of mailboxes and webhooks, and nothing where no server runs', async () => {
  const { run } = await bench();
  await run(['mailboxes', 'create', 'Sign up']);
  await run(['webhooks', 'create', 'payments']);
  expect((await run(['completion', 'mailboxes'])).stdout.split('\n').sort()).toEqual(['', 'inbox', 'sign-up']);
  expect((await run(['completion', 'webhooks'])).stdout).toBe('payments\n');
  const alone = await command(['completion', 'mailboxes'], { cwd: await temporaryDirectory() });
  expect(alone).toMatchObject({ code: 0, stdout: '', stderr: '' });
});

unless(test, NOT_LINUX)("a sentence says that the output can't be written because the disk is full", async () => {
  const { server } = await bench();
  const env = { MAILCAP_URL: server.url, MAILCAP_API_KEY: server.apiKey };
  const command = `"${process.execPath}" "${BIN}" mailboxes list > /dev/full`;
  const { code, stderr } = await shell('sh', ['-c', command], { cwd: await temporaryDirectory(), env }).exit;
  expect([code, stderr]).toEqual([1, "mailcap: the output can't be written: the disk is full.\n"]);
});

test('reset counts what it will delete and what it deleted, and says that a revoked development key is valid again', async () => {
  const cwd = await temporaryDirectory();
  await serverIn(cwd);
  const run = (line: string) => command(line.split(' '), { cwd });
  for (const line of ['mailboxes create two', 'keys create ci', 'totp add github --secret JBSWY3DPEHPK3PXP'])
    expect((await run(line)).code).toBe(0);
  const asked = await run('reset');
  expect(asked.stderr).toContain('authenticators and sends go too: 1 mailbox, 1 API key and 1 authenticator.');
  const { stderr } = await run('reset --yes');
  expect(stderr).toContain('mailcap: the server was reset: 1 mailbox, 1 API key and 1 authenticator deleted.');
  expect((await run('keys revoke development --yes')).code).toBe(0);
  expect((await run('reset --yes')).stderr).toContain('nothing deleted. The development key, which was revoked, is');
  expect((await run('mailboxes list')).code).toBe(0);
});

test('commands use the words of the inboxes for what was sent and deleted', async () => {
  const { run } = await bench();
  expect((await run(['mailboxes', 'create', 'two'])).code).toBe(0);
  const url = (await run(['webhooks', 'create', 'payments'])).stdout.trim();
  await fetch(url, { method: 'POST', body: 'x' });
  const sent = await run(['send', 'ada@inbox.mailcap.example.com', '--subject', 'Hi', '--text', 'x']);
  const empty = await run(['send', 'ada@inbox.mailcap.example.com', '--subject', 'Hi'], { stdin: '' });
  expect(empty).toMatchObject({ code: 2, stderr: expect.stringContaining('there is nothing to send: give --text') });
  expect(sent).toMatchObject({ code: 0, stderr: 'mailcap: sent to ada@inbox.mailcap.example.com.\n' });
  const told = async (...args: string[]) => (await run([...args, '--yes'])).stderr;
  expect(await told('mailboxes', 'delete', 'two')).toBe('mailcap: the mailbox two with 0 messages deleted.\n');
  expect(await told('webhooks', 'delete', 'payments')).toBe('mailcap: the webhook payments with 1 request deleted.\n');
  expect(await told('messages', 'delete', '--all')).toMatch(/^mailcap: \d messages? in inbox deleted\.\n$/);
});

test('mailboxes delete refuses the seeded mailbox before it asks', async () => {
  const { run } = await bench();
  const { code, stderr } = await run(['mailboxes', 'delete', 'inbox']);
  expect([code, stderr]).toEqual([1, expect.stringContaining('the inbox can not be deleted')]);
});

test('inbox without a terminal is the list of messages', async () => {
  const { run } = await bench();
  const why =
    "mailcap: the full-screen inbox can't start, so this is the list: standard output is not a terminal; run `mailcap inbox` in a terminal.\n";
  const stderr = `mailcap: there is no message in inbox yet.\n${why}`;
  expect(await run(['inbox'])).toMatchObject({ code: 0, stdout: '', stderr });
  expect(await run(['inbox', '--json'])).toMatchObject({ code: 0, stdout: '[]\n' });
  await run(['sendmail', '-f', 'bob@example.com', 'ada@example.com'], { stdin: 'To: ada@example.com\n\nx\n' });
  const listed = await run(['messages', 'list']);
  expect(listed.stdout).toContain('\t(no subject)\t');
  expect((await run(['inbox'])).stdout).toBe(listed.stdout);
  expect((await run(['inbox', '--mailbox', 'nope'])).stderr).toContain('nope: no such mailbox; ');
  const word = await run(['messages', 'delete', 'welcome']);
  expect([word.code, word.stderr]).toEqual([2, expect.stringContaining('`subject:welcome` or `--query welcome`')]);
});

test('import skips an empty file of a directory, names it, and counts what it imported', async () => {
  const { run } = await bench();
  const cwd = await temporaryDirectory();
  for (const name of ['1.eml', '2.eml', '3.eml'])
    await writeFile(join(cwd, name), name === '2.eml' ? '' : 'Subject: x\n\nx\n');
  const { code, stderr } = await run(['import', cwd]);
  expect(code).toBe(1);
  expect(stderr).toContain(`${join(cwd, '2.eml')} is empty and was left out.`);
  expect(stderr).toContain('2 messages (28 B) imported into inbox; 1 empty file left out.');
});
