import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { checkNode, checkProxies } from '../../src/cli/server/doctor-checks.ts';
import type { DoctorFinding } from '../../src/cli/server/doctor-finding.ts';
import { dev, temporaryDirectory } from '../support/cli.ts';
import { command } from '../support/command.ts';
import { AS_ROOT } from '../support/platform.ts';
import { unless } from '../support/unless.ts';

async function doctor(
  cwd: string,
  args: readonly string[],
  env = {},
): Promise<{ code: number | null; findings: Map<string, DoctorFinding> }> {
  const { code, stdout } = await command(['doctor', '--json', '--port', '0', '--smtp-port', '0', ...args], {
    cwd,
    env,
  });
  const findings: DoctorFinding[] = JSON.parse(stdout);
  return { code, findings: new Map(findings.map((finding) => [finding.check, finding])) };
}

/** Starts a server of another program that sends a greeting. */
async function greeter(greeting: string): Promise<number> {
  const server: Server = createServer((socket) => socket.on('error', () => {}).end(greeting));
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

describe('mailcap doctor', () => {
  test('finds nothing where nothing is wrong, and says so in words', async () => {
    const cwd = await temporaryDirectory();
    const { code, findings } = await doctor(cwd, []);
    expect(code).toBe(0);
    expect([...findings.values()].filter(({ status }) => status === 'failed')).toEqual([]);
    const words = await command(['doctor', '--port', '0', '--smtp-port', '0'], { cwd });
    expect(words.stdout).toMatch(/^ok {3}Node\.js +\d+/);
  });

  test('checks the ports of the server that MAILCAP_URL names here, and not the defaults', async () => {
    const cwd = await temporaryDirectory();
    const server = dev(['--ephemeral'], { cwd });
    const { url } = await server.ready();
    const { code, stdout } = await command(['doctor', '--json'], { cwd, env: { MAILCAP_URL: url } });
    const findings: DoctorFinding[] = JSON.parse(stdout);
    const told = findings.find(({ check }) => check === 'HTTP port');
    expect(told).toMatchObject({ status: 'ok', message: `${new URL(url).port}, the server that runs here` });
    expect(code).toBe(0);
  });

  test('says what the configuration of a test runner lacks, where mailcap is a dependency', async () => {
    const cwd = await temporaryDirectory();
    const write = (path: string, text: string) => writeFile(join(cwd, path), text);
    const manifest = (dependencies: object) => write('package.json', JSON.stringify({ devDependencies: dependencies }));
    const runners = { '@playwright/test': '^1.60.0', vitest: '^2.0.0', jest: '^30.0.0' };
    await write('playwright.config.ts', "export default { webServer: { command: 'npm start' } };\n");
    await write('.pnp.cjs', '');
    await manifest(runners);
    expect((await doctor(cwd, [])).findings.has('Playwright')).toBe(false);

    await manifest({ ...runners, mailcap: '^0.1.0' });
    const { code, findings } = await doctor(cwd, []);
    expect(code).toBe(0);
    expect(findings.get('Playwright')).toMatchObject({
      status: 'warning',
      message: expect.stringContaining('playwright.config.ts starts your app without `mailcapWebServer()`'),
      hint: expect.stringContaining('npx mailcap init'),
    });
    expect(findings.get('Vitest')?.message).toContain('too old');
    expect(findings.get('Jest')?.message).toContain('does not start the mail server');
    expect(findings.get("Plug'n'Play")?.hint).toContain('nodeLinker');

    await write('playwright.config.ts', 'export default { webServer: servers(), use: {} };\n');
    expect((await doctor(cwd, [])).findings.get('Playwright')?.hint).toContain('--dry-run');
    await write('playwright.config.ts', 'export default { webServer: [mailcapWebServer()] };\n');
    expect((await doctor(cwd, [])).findings.get('Playwright')?.status).toBe('ok');
  });

  test('names another mail catcher on the SMTP port, and its process', async () => {
    const port = await greeter('220 somewhere ESMTP MailDev\r\n');
    const { code, findings } = await doctor(await temporaryDirectory(), ['--smtp-port', `${port}`]);
    expect(code).toBe(1);
    expect(findings.get('SMTP port')).toMatchObject({
      status: 'failed',
      message: expect.stringContaining(`${port} is in use by MailDev`),
    });
    if (process.platform === 'linux') expect(findings.get('SMTP port')?.message).toContain(`process ${process.pid}`);
    expect(findings.get('SMTP port')?.hint).toContain('--smtp-port');
  });

  test('recognizes the server that runs here, and the leftovers of one that does not', async () => {
    const cwd = await temporaryDirectory();
    const server = dev(['--ephemeral'], { cwd });
    const { smtpPort, url } = await server.ready();
    const up = await doctor(cwd, ['--smtp-port', `${smtpPort}`]);
    expect(up.findings.get('SMTP port')).toMatchObject({ status: 'ok' });
    expect(up.findings.get('Server')).toMatchObject({ status: 'ok', message: expect.stringContaining(url) });
    await fetch(`${url}/_mailcap/clock`, {
      method: 'PUT',
      headers: { 'Content-Type': 'application/json' },
      body: '{"offsetSeconds":3600}',
    });
    expect((await doctor(cwd, [])).findings.get('Clock')).toMatchObject({
      status: 'warning',
      message: expect.stringContaining('3600 s ahead'),
    });
    server.child.kill('SIGKILL');
    await server.exit;
    expect((await doctor(cwd, [])).findings.get('Server')).toMatchObject({ status: 'warning' });
  });

  test('asks a server that other machines reach for its clock, with its token', async () => {
    const cwd = await temporaryDirectory();
    await dev(['--ephemeral', '--host', '0.0.0.0'], { cwd }).ready();
    expect((await doctor(cwd, [])).findings.get('Clock')?.message).toContain("the server's agrees");
  });

  test('looks for the server as the other commands do: MAILCAP_URL first, from below a directory, --data-dir alone', async () => {
    const cwd = await temporaryDirectory();
    await mkdir(join(cwd, '.git'));
    await mkdir(join(cwd, 'below'));
    await mkdir(join(cwd, 'state'));
    const server = dev(['--ephemeral'], { cwd });
    const { url, smtpPort } = await server.ready();
    const below = await doctor(join(cwd, 'below'), []);
    expect(below.findings.get('Server')).toMatchObject({ status: 'ok', message: expect.stringContaining(url) });
    const elsewhere = await temporaryDirectory();
    const named = await doctor(elsewhere, ['--smtp-port', `${smtpPort}`], { MAILCAP_URL: url });
    expect(named.code).toBe(0);
    expect(named.findings.get('Server')).toMatchObject({ message: `${url}, which MAILCAP_URL names, answers 200` });
    expect(named.findings.get('SMTP port')).toMatchObject({ message: `${smtpPort}, the server that runs here` });
    await server.stop();
    for (const [args, env] of [
      [[], { MAILCAP_URL: url }],
      [['--url', url], {}],
    ] as const) {
      const gone = await doctor(cwd, args, env);
      expect(gone.code).toBe(4);
      expect(gone.findings.get('Server')).toMatchObject({
        status: 'failed',
        message: expect.stringContaining(`no server answers at ${url} (nothing listens there)`),
      });
      expect(gone.findings.get('Data directory')).toMatchObject({ status: 'ok' });
    }
    const directory = await doctor(cwd, ['--data-dir', 'state'], { MAILCAP_URL: url });
    expect([directory.code, directory.findings.get('Server')?.status]).toEqual([0, 'ok']);
    const wrong = await command(['doctor'], { cwd, env: { MAILCAP_URL: 'nowhere' } });
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('MAILCAP_URL: expected a URL')]);
  });

  test('a data directory that is a file', async () => {
    const cwd = await temporaryDirectory();
    await writeFile(join(cwd, 'state'), '');
    const { code, findings } = await doctor(cwd, ['--data-dir', 'state']);
    expect(code).toBe(1);
    expect(findings.get('Data directory')).toMatchObject({
      status: 'failed',
      message: expect.stringContaining('is not a directory'),
    });
  });

  unless(test, AS_ROOT)('a data directory that can not be written', async () => {
    const cwd = await temporaryDirectory();
    await mkdir(join(cwd, 'state'), { mode: 0o500 });
    expect((await doctor(cwd, ['--data-dir', 'state'])).findings.get('Data directory')).toMatchObject({
      status: 'failed',
    });
  });
});

test.each([
  [{}, 'ok'],
  [{ HTTP_PROXY: 'http://proxy:3128' }, 'warning'],
  [{ http_proxy: 'http://proxy:3128', no_proxy: 'localhost,127.0.0.1' }, 'ok'],
  [{ ALL_PROXY: 'socks://proxy', NO_PROXY: 'localhost' }, 'warning'],
  [{ HTTP_PROXY: 'x', NO_PROXY: '*' }, 'ok'],
  [{ HTTPS_PROXY: 'http://proxy:3128' }, 'ok'],
])('proxy variables %j: %s', (env, status) => {
  expect(checkProxies(env).status).toBe(status);
});

test.each([
  ['20.19.0', 'ok'],
  ['20.18.3', 'failed'],
  ['18.20.0', 'failed'],
  ['24.0.0', 'ok'],
])('Node.js %s: %s', (version, status) => {
  expect(checkNode(version).status).toBe(status);
});
