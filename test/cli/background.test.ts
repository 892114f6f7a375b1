import { existsSync } from 'node:fs';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { describe, expect, onTestFinished, test } from 'vitest';
import { processStart } from '../../src/process-start.ts';
import { dev, mailcap, temporaryDirectory } from '../support/cli.ts';
import { command } from '../support/command.ts';
import { freePort } from '../support/free-port.ts';

/** Starts a server in the background, which ends with the test. */
async function detached(cwd: string, ...args: string[]) {
  onTestFinished(async () => void (await mailcap(['stop'], { cwd }).exit));
  return mailcap(['dev', '--detach', '--port', '0', '--smtp-port', '0', ...args], { cwd }).exit;
}

describe('dev --detach', () => {
  test('returns when the server is ready, which goes on, logs to a file of its own, and ends with `mailcap stop`', async () => {
    const cwd = await temporaryDirectory();
    const { code, stdout } = await detached(cwd, '--json', '--log-level', 'debug', '--relay', 'smtp://127.0.0.1:1');
    const { pid, url } = JSON.parse(stdout);
    expect(code).toBe(0);
    expect((await fetch(`${url}/_mailcap/health`)).status).toBe(200);
    const log = join(cwd, '.mailcap', 'server.log');
    expect(await readFile(log, 'utf8')).toContain('relay=127.0.0.1');
    expect((await stat(log)).mode & 0o777).toBe(0o600);
    expect(await readFile(join(cwd, '.mailcap', '.gitignore'), 'utf8')).toBe('*\n');
    const ended = await command(['stop'], { cwd });
    expect(ended).toMatchObject({ code: 0, stderr: `mailcap: the server at ${url}, process ${pid}, has ended.\n` });
    expect([processStart(pid), existsSync(join(cwd, '.mailcap', 'server.json'))]).toEqual([null, false]);
  });

  test('prints the addresses for a person, and nothing about keys', async () => {
    const { code, stdout, stderr } = await detached(await temporaryDirectory());
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('`mailcap stop` ends the server') });
    expect(stdout).toMatch(/HTTP +http:\/\/127\.0\.0\.1:\d+\n/);
    expect(stdout).not.toContain('Keys');
  });

  // These servers print events that nobody reads. A repeated option takes the path of command lines that are not plain.
  test.each([[['--json']], [['--json', '--limits', 'cloud', '--limits', 'cloud']]])(
    '%j: it captures mail after mail',
    async (args) => {
      const { stdout } = await detached(await temporaryDirectory(), ...args);
      const { smtpPort, apiUrl, apiKey, mailboxId } = JSON.parse(stdout);
      const transport = createTransport({ host: '127.0.0.1', port: smtpPort, ignoreTLS: true });
      for (const subject of ['One', 'Two', 'Three'])
        await transport.sendMail({
          from: 'app@example.com',
          to: 'ada@inbox.mailcap.example.com',
          subject,
          text: subject,
        });
      const headers = { authorization: `Bearer ${apiKey}` };
      const listed = await fetch(`${apiUrl}/mailboxes/${mailboxId}/messages`, { headers });
      expect(await listed.json()).toMatchObject([{ subject: 'Three' }, { subject: 'Two' }, { subject: 'One' }]);
    },
  );

  test('is ready also if the config program prints lines', async () => {
    const cwd = await temporaryDirectory();
    await writeFile(join(cwd, 'mailcap.config.mjs'), "console.log('hello');\nconsole.log('{}');\nexport default {};\n");
    const { code, stdout } = await detached(cwd, '--json');
    // This command reads the file too, so its lines come before the one that it is about.
    const last = JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
    expect({ code, event: last.event }).toEqual({ code: 0, event: 'ready' });
  });

  test('a second one that does not start leaves the log of the first, and tells only its own words', async () => {
    const cwd = await temporaryDirectory();
    await detached(cwd, '--log-level', 'debug', '--relay', 'smtp://127.0.0.1:1');
    const log = () => readFile(join(cwd, '.mailcap', 'server.log'), 'utf8');
    const before = await log();
    const { code, stderr } = await detached(cwd);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('a server runs in this directory') });
    expect(stderr).not.toContain('relay=127.0.0.1');
    expect(before).toContain('relay=127.0.0.1');
    expect(await log()).toContain(before);
  });

  test('a second one without a directory of its own says that `mailcap stop` does not find it', async () => {
    const cwd = await temporaryDirectory();
    await detached(cwd, '--ephemeral');
    const { code, stderr } = await detached(cwd, '--ephemeral');
    const pid = Number(/end it by its process id, (\d+)\.$/m.exec(stderr)?.[1]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('`mailcap stop` does not find') });
    process.kill(pid, 'SIGTERM');
    await expect.poll(() => processStart(pid)).toBeNull();
  });

  test('a server that npx starts outlives it', async () => {
    const cwd = await temporaryDirectory();
    const env = { npm_command: 'exec', npm_lifecycle_script: "'mailcap'" };
    onTestFinished(async () => void (await mailcap(['stop'], { cwd }).exit));
    const args = ['dev', '--detach', '--json', '--port', '0', '--smtp-port', '0'];
    const { url } = JSON.parse((await mailcap(args, { cwd, env }).exit).stdout);
    // A server of npx looks for its parent every 200 ms. The wait is held for a second.
    const { apiKey, apiUrl, mailboxId } = JSON.parse(await readFile(join(cwd, '.mailcap', 'server.json'), 'utf8'));
    const held = `${apiUrl}/mailboxes/${mailboxId}/messages/await?timeout=1`;
    expect((await fetch(held, { headers: { authorization: `Bearer ${apiKey}` } })).status).toBe(204);
    expect((await fetch(`${url}/_mailcap/health`)).status).toBe(200);
  });

  test.each([
    [['--plan', 'gold'], 2, '--plan: '],
    [['--store', 'postgres://nobody@127.0.0.1:1/none'], 1, 'no PostgreSQL server answers'],
  ])('%j: the exit code is %i, and the reason is told', async (args, wanted, reason) => {
    const cwd = await temporaryDirectory();
    const { code, stdout, stderr } = await detached(cwd, ...args);
    expect({ code, stdout }).toEqual({ code: wanted, stdout: '' });
    expect(stderr).toContain(reason);
  });

  test('the reason is told too where there is no place for a log', async () => {
    const cwd = await temporaryDirectory();
    await writeFile(join(cwd, 'file'), '');
    const { code, stderr } = await detached(cwd, '--data-dir', 'file/state');
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('state is not a directory') });
  });
});

describe('stop', () => {
  test('by --data-dir from elsewhere, and by MAILCAP_URL in the directory of the server', async () => {
    const cwd = await temporaryDirectory();
    const first = dev(['--ephemeral'], { cwd });
    const { url } = await first.ready();
    const elsewhere = await temporaryDirectory();
    const unknown = await command(['stop', '--url', url], { cwd: elsewhere });
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('name its data directory') });
    expect((await command(['stop', '--data-dir', join(cwd, '.mailcap')], { cwd: elsewhere })).code).toBe(0);
    expect((await first.exit).code).toBe(0);
    const second = dev(['--ephemeral'], { cwd });
    const { url: again } = await second.ready();
    expect((await command(['stop'], { cwd, env: { MAILCAP_URL: again } })).code).toBe(0);
    expect((await second.exit).code).toBe(0);
  });

  test('without a server the exit code is 4', async () => {
    const { code, stderr } = await command(['stop'], { cwd: await temporaryDirectory() });
    expect([code, stderr]).toEqual([4, expect.stringContaining('no server runs in this directory')]);
  });
});

describe('health --wait', () => {
  test('returns when a server that starts meanwhile is up', async () => {
    const cwd = await temporaryDirectory();
    const waiting = mailcap(['health', '--wait', '30s'], { cwd });
    const server = dev(['--ephemeral'], { cwd });
    await server.ready();
    expect(await waiting.exit).toMatchObject({ code: 0, stdout: expect.stringContaining('"status":"ok"') });
  });

  test('is exit code 3 after the time, with the reason', async () => {
    const { code, stderr } = await command(['health', '--wait', '0.1s'], { cwd: await temporaryDirectory() });
    expect([code, stderr]).toEqual([3, expect.stringMatching(/no server is up after 0\.1 s: no server runs in this/)]);
  });

  test('does not wait where the command line is wrong', async () => {
    const { code } = await command(['health', '--wait', '30s', '--url', 'nowhere'], {
      cwd: await temporaryDirectory(),
    });
    expect(code).toBe(2);
  });
});

describe('a port that another mailcap has', () => {
  test('--port: names its URL, process and data directory, and the command that ends it', async () => {
    const [here, there] = [await temporaryDirectory(), await temporaryDirectory()];
    const server = dev([], { cwd: there });
    const { url } = await server.ready();
    const refused = ['dev', '--json', '--port', new URL(url).port, '--smtp-port', '0'];
    const { code, stderr } = await command(refused, { cwd: here });
    const dataDir = join(there, '.mailcap');
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(
        `in use by another mailcap: ${url}, process ${server.child.pid}, data directory ${dataDir}: \`mailcap stop --data-dir ${dataDir}\` ends it`,
      ),
    ]);
    const doctor = await command(['doctor', '--port', new URL(url).port, '--smtp-port', '0'], { cwd: here });
    expect([doctor.code, doctor.stdout]).toEqual([1, expect.stringContaining(`data directory ${dataDir}`)]);
  });

  test('--smtp-port: names it too', async () => {
    const [here, there] = [await temporaryDirectory(), await temporaryDirectory()];
    const server = dev(['--ephemeral'], { cwd: there });
    const { smtpPort, url } = await server.ready();
    const { stderr } = await command(['dev', '--json', '--port', '0', '--smtp-port', `${smtpPort}`], { cwd: here });
    expect(stderr).toContain(`SMTP port ${smtpPort} is in use by another mailcap`);
    if (process.platform === 'linux') expect(stderr).toContain(`${url}, process ${server.child.pid}`);
  });

  test('a silent program is named by its process', async () => {
    const taken = createServer().listen(await freePort(), '127.0.0.1');
    onTestFinished(() => void taken.close());
    await new Promise((resolve) => taken.once('listening', resolve));
    const address = taken.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const { stderr } = await command(['dev', '--json', '--port', '0', '--smtp-port', `${port}`], {
      cwd: await temporaryDirectory(),
    });
    if (process.platform === 'linux') expect(stderr).toContain(`(process ${process.pid})`);
    expect(stderr).toContain('choose another with --smtp-port');
  });
});
