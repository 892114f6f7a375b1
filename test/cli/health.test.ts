import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { findReadyServer, findServerAbove } from '../../src/client/connection/find-server.ts';
import { VERSION } from '../../src/version.ts';
import { dev, run, temporaryDirectory } from '../support/cli.ts';
import { command } from '../support/command.ts';
import { serverIn } from '../support/server-in.ts';

const HAS_IPV6 = Object.values(networkInterfaces()).some((addresses) =>
  addresses?.some(({ address }) => address === '::1'),
);
const HOSTS = ['0.0.0.0', '0', 'localhost', ...(HAS_IPV6 ? ['::1', '::', '0:0:0:0:0:0:0:0'] : [])];

describe('mailcap health', () => {
  test('exit code 0 with a server that server.json, a flag or MAILCAP_URL names', async () => {
    const cwd = await temporaryDirectory();
    const { url } = await serverIn(cwd);
    const elsewhere = await temporaryDirectory();
    const found = await command(['health'], { cwd });
    expect([found.code, JSON.parse(found.stdout)]).toEqual([0, { status: 'ok', version: VERSION }]);
    const ways: [string[], Record<string, string>][] = [
      [['--url', url], {}],
      [[], { MAILCAP_URL: url }],
      [['--port', new URL(url).port], {}],
      [['--data-dir', join(cwd, '.mailcap')], {}],
      [[], { MAILCAP_DATA_DIR: join(cwd, '.mailcap') }],
    ];
    for (const [args, env] of ways)
      expect((await command(['health', ...args], { cwd: elsewhere, env })).code, JSON.stringify([args, env])).toBe(0);
  });

  test('finds the server of a directory above, the nearest that runs', async () => {
    const cwd = await temporaryDirectory();
    const below = join(cwd, 'packages', 'app');
    await mkdir(join(cwd, '.git'));
    await mkdir(join(below, '.mailcap'), { recursive: true });
    const { pid, ...ready } = (await serverIn(cwd)).ready;
    const gone = {
      ...ready,
      adminToken: null,
      processStart: null,
      url: 'http://127.0.0.1:1',
      pid: await pidOfNobody(),
    };
    await writeFile(join(below, '.mailcap', 'server.json'), JSON.stringify(gone));
    expect((await command(['health'], { cwd: below })).code).toBe(0);
    expect(await findServerAbove(below)).toEqual({ ...ready, pid, adminToken: null });

    // An explicit directory takes precedence over the environment.
    const named = await command(['health', '--data-dir', '.mailcap'], { cwd: below, env: { MAILCAP_PORT: '1' } });
    expect(named.code).toBe(4);
  });

  test.each(HOSTS)('asks a server on --host %s', async (host) => {
    const cwd = await temporaryDirectory();
    const { url } = await serverIn(cwd, { host });
    const elsewhere = { cwd: await temporaryDirectory() };
    expect((await command(['health'], { cwd })).code).toBe(0);
    expect((await command(['health', '--host', host, '--port', new URL(url).port], elsewhere)).code).toBe(0);
  });

  test('asks below the base path that the URL has', async () => {
    const asked: (string | undefined)[] = [];
    const url = await listen((request, response) => {
      asked.push(request.url);
      response.end('{"status":"ok"}');
    });
    const cwd = await temporaryDirectory();
    for (const path of ['', '/', '/mail', '/mail/']) {
      expect((await command(['health', '--url', `${url}${path}`], { cwd })).code).toBe(0);
    }
    expect(asked).toEqual(['/_mailcap/health', '/_mailcap/health', '/mail/_mailcap/health', '/mail/_mailcap/health']);
  });

  test('exit code 4 where no server can be reached', async () => {
    const { code, stderr } = await command(['health', '--url', 'http://127.0.0.1:1'], {
      cwd: await temporaryDirectory(),
    });
    expect(code).toBe(4);
    expect(stderr).toMatch(/^mailcap: no server answers at http:\/\/127\.0\.0\.1:1 .+npx mailcap dev.+\n$/);
  });

  test('exit code 1 where a server answers that it is not up', async () => {
    const url = await listen((_request, response) => response.writeHead(503).end('{"error":"starting"}'));
    const { code, stderr } = await command(['health', '--url', url], { cwd: await temporaryDirectory() });
    expect(code).toBe(1);
    expect(stderr).toContain('503');
  });
});

test.each([['status'], ['messages', 'list'], ['mailboxes', 'list'], ['webhooks', 'list'], ['export', 'all.mbox']])(
  'a program that is not mailcap is told as such by `%s %s`',
  async (...words) => {
    const url = await listen((_request, response) => response.setHeader('content-type', 'application/json').end('{}'));
    const args = [...words.filter((word) => word !== undefined), '--url', url, '--api-key', 'x'];
    const { code, stderr } = await command(args, { cwd: await temporaryDirectory() });
    expect({ code, stderr }).toEqual({ code: 1, stderr: `mailcap: ${url} answers, but is not mailcap.\n` });
  },
);

describe('server.json', () => {
  test('of a process that was killed is ignored', async () => {
    const cwd = await temporaryDirectory();
    const server = dev(['--ephemeral'], { cwd });
    const ready = await server.ready();
    const directory = join(cwd, '.mailcap');
    expect(await findReadyServer(directory)).toMatchObject(ready);
    server.child.kill('SIGKILL');
    await server.exit;
    expect(JSON.parse(await readFile(join(directory, 'server.json'), 'utf8'))).toMatchObject(ready);
    expect(await findReadyServer(directory)).toBeNull();

    const next = await serverIn(cwd);
    expect(await findReadyServer(directory)).toEqual({ ...next.ready, adminToken: null });
  });

  test.each(['', '{', '[]', 'null', '{"url":"http://127.0.0.1:1","pid":4194305}'])(
    'with the content %j is ignored',
    async (content) => {
      const cwd = await temporaryDirectory();
      await mkdir(join(cwd, 'd'));
      await writeFile(join(cwd, 'd', 'server.json'), content);
      expect(await findReadyServer(join(cwd, 'd'))).toBeNull();
    },
  );
});

/** Starts a server that is not mailcap and returns its URL. */
async function listen(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
}

/** Returns the id of a process that has ended. */
async function pidOfNobody(): Promise<number> {
  const over = run('true', [], { cwd: await temporaryDirectory() });
  await over.exit;
  return over.child.pid ?? 0;
}
