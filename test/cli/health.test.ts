import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { findServer } from '../../src/client/find-server.ts';
import { VERSION } from '../../src/version.ts';
import { dev, mailcap, temporaryDirectory } from '../support/cli.ts';

describe('mailcap health', () => {
  test('exit code 0 with a server that server.json tells of, by flag, and by MAILCAP_URL', async () => {
    const cwd = await temporaryDirectory();
    const server = dev(['--ephemeral'], { cwd });
    const { url } = await server.ready();
    const elsewhere = await temporaryDirectory();
    const found = await mailcap(['health'], { cwd }).exit;
    expect([found.code, JSON.parse(found.stdout)]).toEqual([0, { status: 'ok', version: VERSION }]);
    const runs = [
      mailcap(['health', '--url', url], { cwd: elsewhere }),
      mailcap(['health'], { cwd: elsewhere, env: { MAILCAP_URL: url } }),
      mailcap(['health', '--port', new URL(url).port], { cwd: elsewhere }),
      mailcap(['health', '--data-dir', join(cwd, '.mailcap')], { cwd: elsewhere }),
      mailcap(['health'], { cwd: elsewhere, env: { MAILCAP_DATA_DIR: join(cwd, '.mailcap') } }),
    ];
    for (const { exit } of runs) expect((await exit).code).toBe(0);
  });

  test('exit code 4 where no server can be reached', async () => {
    const { code, stderr } = await mailcap(['health', '--url', 'http://127.0.0.1:1'], {
      cwd: await temporaryDirectory(),
    }).exit;
    expect(code).toBe(4);
    expect(stderr).toBe('mailcap: no server at http://127.0.0.1:1.\n');
  });

  test('exit code 1 where a server answers that it is not up', async () => {
    const starting = createServer((_request, response) => response.writeHead(503).end('{"error":"starting"}'));
    onTestFinished(() => void starting.close());
    await new Promise<void>((resolve) => starting.listen(0, '127.0.0.1', resolve));
    const address = starting.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const run = mailcap(['health', '--url', `http://127.0.0.1:${port}`], { cwd: await temporaryDirectory() });
    const { code, stderr } = await run.exit;
    expect(code).toBe(1);
    expect(stderr).toContain('503');
  });
});

describe('server.json', () => {
  test('of a process that was killed is ignored', async () => {
    const cwd = await temporaryDirectory();
    const server = dev(['--ephemeral'], { cwd });
    const ready = await server.ready();
    const directory = join(cwd, '.mailcap');
    expect(await findServer(directory)).toEqual(ready);
    server.child.kill('SIGKILL');
    await server.exit;
    expect(JSON.parse(await readFile(join(directory, 'server.json'), 'utf8'))).toEqual(ready);
    expect(await findServer(directory)).toBeNull();

    const next = dev(['--ephemeral'], { cwd });
    expect(await next.ready()).toEqual(await findServer(directory));
  });

  test.each(['', '{', '[]', '{"url":"http://127.0.0.1:1","pid":1}'])(
    'with the content %j is ignored',
    async (content) => {
      const cwd = await temporaryDirectory();
      await mkdir(join(cwd, 'd'));
      await writeFile(join(cwd, 'd', 'server.json'), content);
      expect(await findServer(join(cwd, 'd'))).toBeNull();
    },
  );
});
