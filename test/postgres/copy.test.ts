import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Served, serve } from '../faults/served.ts';
import { BIN, dev, mailcap, runOnTerminal } from '../support/cli.ts';
import { type Cluster, NO_POSTGRES, startCluster } from '../support/postgres-cluster.ts';
import { unless } from '../support/unless.ts';
import { everything, fill } from './everything.ts';
import { call, senderTo, serveOn } from './servers.ts';

const TIMEOUT = { timeout: 180_000 };

unless(describe, NO_POSTGRES)('mailcap store copy', () => {
  let cluster: Cluster;
  let cwd: string;
  /** A data directory with one of everything. */
  let filled: string;
  let before: Map<string, string>;
  beforeAll(async () => {
    cluster = await startCluster();
    cwd = mkdtempSync(join(tmpdir(), 'mailcap-copy-'));
    filled = join(cwd, 'filled');
    const server = await serve(filled);
    await fill(server, 30);
    before = await everything(server);
    await server.end('SIGTERM');
  }, 120_000);
  afterAll(() => {
    cluster.remove();
    rmSync(cwd, { recursive: true, force: true });
  });

  const copy = (from: string, to: string) => mailcap(['store', 'copy', from, to], { cwd }).exit;
  const told = async (server: Served) => {
    const all = await everything(server);
    await server.end('SIGTERM');
    return all;
  };

  test(
    'after a copy to PostgreSQL and back, the APIs return the same bytes, ids, keys and events',
    TIMEOUT,
    async () => {
      const url = cluster.url('round');
      const there = await copy(filled, url);
      expect(there).toMatchObject({ code: 0, stdout: '' });
      // On a busy machine a copy also tells how far it is.
      const outcome = there.stderr.replace(/^mailcap: copying \[.*\n/gm, '');
      expect(outcome).toMatch(/^mailcap: 3\d messages, 1 captured request, 1 send and all else: \d+ rows copied/);
      expect(await told(await serveOn(url))).toEqual(before);
      expect((await copy(url, 'back')).code).toBe(0);
      expect(await told(await serve(join(cwd, 'back')))).toEqual(before);
      const credentials = (directory: string) => readFileSync(join(directory, 'credentials.json'), 'utf8');
      expect(credentials(join(cwd, 'back'))).toBe(credentials(filled));
      const { code, stdout } = await mailcap(['doctor', '--json', '--data-dir', 'back'], { cwd }).exit;
      expect(JSON.parse(stdout)).toContainEqual(expect.objectContaining({ check: 'Stored data', status: 'ok' }));
      expect(code).toBe(0);
    },
  );

  test('a new mail after the copy has a newer id than all mail before', TIMEOUT, async () => {
    const url = cluster.url('newer-ids');
    await copy(filled, url);
    const server = await serveOn(url);
    await senderTo(server).send('newest');
    const events = (await (await call(server, 'GET', '/_mailcap/events?limit=500')).json()) as { id: string }[]; // docs/api.md
    const ids = events.map(({ id }) => id);
    expect(ids.length).toBeGreaterThan(30);
    expect(ids).toEqual([...ids].sort());
  });

  test('a store that a server uses is not copied, and the target must be empty', TIMEOUT, async () => {
    const url = cluster.url('busy');
    const server = await serveOn(url);
    const from = await copy(url, 'busy-copy');
    expect(from).toMatchObject({ code: 1, stderr: expect.stringContaining('stop every server of it first') });
    expect(existsSync(join(cwd, 'busy-copy', 'store', 'segments'))).toBe(false);
    expect((await copy(filled, url)).stderr).toContain('stop every server of it first');
    await server.end('SIGTERM');
    expect((await copy(filled, url)).stderr).toMatch(/there is a store in .* already: copy into another database/);
    expect((await copy(url, 'filled')).stderr).toMatch(/there is a store in .* already: copy into another directory/);
    const files = await serve(filled);
    expect((await copy(filled, cluster.url('busy-2'))).stderr).toMatch(/a server uses the store in .*: stop it first/);
    await files.end('SIGTERM');
  });

  test('a place without a store and a schema of another version are refused', TIMEOUT, async () => {
    expect((await copy('nothing', cluster.url('none'))).stderr).toMatch(/^mailcap: \S+nothing holds no .*store/);
    expect((await copy(cluster.url('none'), 'x')).stderr).toMatch(/database holds no .*store/);
    const url = cluster.url('versions');
    await copy(filled, url);
    cluster.psql('insert into mailcap.migrations (number) values (99)', 'versions');
    expect((await copy(url, 'y')).stderr).toContain("has version 99 of mailcap's schema");
    expect((await copy('memory:', 'y')).stderr).toContain('a store in memory has nothing to copy');
    expect((await copy(filled, 'postgres://u:secret-pw@/')).stderr).not.toContain('secret-pw');
    writeFileSync(join(cwd, 'note'), '');
    expect((await copy(filled, `file:${cwd}`)).stderr).toContain('is not empty');
  });

  test('an interrupted copy is refused at a start, and a second run makes it whole', TIMEOUT, async () => {
    const url = cluster.url('cut');
    const interrupted = mailcap(['store', 'copy', filled, url], { cwd });
    await vi.waitFor(
      () =>
        expect(
          cluster.psql(
            "select count(*) from pg_class where relname = 'head' and relnamespace = 'mailcap'::regnamespace",
            'cut',
          ),
        ).toBe('1'),
      { timeout: 30_000, interval: 5 },
    );
    interrupted.child.kill('SIGKILL');
    await interrupted.exit;
    cluster.psql("insert into mailcap.counters values ('unfinished copy', 1) on conflict do nothing", 'cut');
    await vi.waitFor(async () => {
      const { code, stderr } = await dev(['--store', url], { cwd }).exit;
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr:
          'mailcap: the store of this database is an unfinished copy: run `mailcap store copy` again, which starts it anew.\n',
      });
    }, 20_000);
    expect((await copy(url, 'from-cut')).stderr).toContain('is an unfinished copy itself');
    expect((await copy(filled, url)).code).toBe(0);
    const target = join(cwd, 'cut-files');
    await copy(url, target);
    writeFileSync(join(target, 'store', 'unfinished-copy'), '');
    const refused = await dev(['--data-dir', target], { cwd }).exit;
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(/^mailcap: .*store is an unfinished copy; run `mailcap store copy` again.*\.\n$/);
    expect((await copy(url, target)).code).toBe(0);
    expect(await told(await serve(target))).toEqual(before);
  });

  test('a byte that the disk changed is found, and the copy stays unfinished', TIMEOUT, async () => {
    const url = cluster.url('changed');
    await copy(filled, url);
    cluster.psql('drop schema mailcap cascade', 'changed');
    // PostgreSQL itself falsifies what is written.
    cluster.psql(
      `create function public.falsify() returns trigger language plpgsql as $$
         begin if length(new.bytes) > 0 then new.bytes = set_byte(new.bytes, 0, 1); end if; return new; end $$;
       create function public.lay() returns event_trigger language plpgsql as $$
         begin if exists (select 1 from pg_class where relname = 'blobs') and not exists (select 1 from pg_trigger where tgname = 'falsify')
           then create trigger falsify before insert on mailcap.blobs for each row execute function public.falsify(); end if; end $$;
       create event trigger laid on ddl_command_end when tag in ('CREATE TABLE') execute function public.lay()`,
      'changed',
    );
    const { code, stderr } = await copy(filled, url);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'mailcap: the copied messages differ from those of the source: the copy is left unfinished.\n',
    });
    expect((await dev(['--store', url], { cwd }).exit).stderr).toContain('unfinished copy');
  });

  test('at a terminal a long copy shows a bar', TIMEOUT, async () => {
    const large = join(cwd, 'large');
    const server = await serve(large, '--durability', 'os');
    await fill(server, 2_000);
    await server.end('SIGTERM');
    const shown = runOnTerminal(`${process.execPath} ${BIN} store copy large '${cluster.url('bar')}'`, cwd);
    expect((await shown.exit).code).toBe(0);
    expect(shown.shown.text).toMatch(/copying \[[#.]{24}\] [\d,]+ of \d,\d{3}/);
  });
});
