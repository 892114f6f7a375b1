import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { type Served, serve } from '../faults/served.ts';
import { dev, mailcap, temporaryDirectory } from '../support/cli.ts';
import { clusterOfTests } from '../support/cluster-of-tests.ts';
import { BY_DAY, IS_NIGHT } from '../support/night.ts';
import { NO_POSTGRES } from '../support/postgres-cluster.ts';
import { s3OfTests } from '../support/s3-server.ts';
import { unless } from '../support/unless.ts';
import { everything, fill } from './everything.ts';
import { expectTruth, moreThan, UNDER_LOAD, under } from './load.ts';
import { call, measured, serveOn, twoOn } from './servers.ts';

const TIMEOUT = { timeout: 180_000 };

unless(describe, NO_POSTGRES)('servers with the bodies in S3', () => {
  const cluster = clusterOfTests();
  const s3 = s3OfTests();

  /** Reads the bytes of some messages, or of all if there are no more. */
  async function readBytes(server: Served): Promise<void> {
    const all = await server.messages();
    const step = Math.ceil(all.length / (IS_NIGHT ? 300 : 60));
    for (const { id, subject } of all.filter((_, at) => at % step === 0))
      expect((await server.raw(id)).toString()).toContain(`body of ${subject}`);
  }

  // By day bodies-s3.test.ts stands for it, with the store alone.
  unless(test, BY_DAY)(
    'a storage that is away: 452 and 503 meanwhile, nothing lost or half done, and no restart',
    UNDER_LOAD,
    async () => {
      const servers = await twoOn(cluster.url('away'), '--store-blobs', s3.place('away'));
      const [a, b] = servers;
      const outcomes = await under(servers, async (sent) => {
        for (const fate of ['lost', { status: 503, body: '<Error><Code>SlowDown</Code></Error>' }] as const) {
          s3.proxy.fate = () => fate;
          const refused = sent.refused.size;
          await vi.waitFor(() => expect(sent.refused.size).toBeGreaterThan(refused + 20), { timeout: 30_000 });
          await vi.waitFor(async () => expect((await call(a, 'GET', '/_mailcap/health')).status).toBe(503), 10_000);
          const put = await call(a, 'PUT', `/_mailcap/mailboxes/${a.ready.mailboxId}/messages`, undefined);
          expect(put.status).toBeGreaterThanOrEqual(400);
          s3.proxy.fate = () => 'passed on';
          await moreThan(sent, 50);
        }
        // The storage has the bytes, and its answer is lost.
        let left = 10;
        s3.proxy.fate = ({ method }) => (method === 'PUT' && left-- > 0 ? 'answer lost' : 'passed on');
        await moreThan(sent, 50);
        s3.proxy.fate = () => 'passed on';
      });
      measured(`replies while the storage was away: ${[...outcomes.replies].join(' | ')}`);
      for (const reply of outcomes.replies) expect(reply).toMatch(/^45\d 4\.3\./);
      await expectTruth(b, outcomes, 'the storage away twice');
      await readBytes(b);
      for (const server of servers)
        await vi.waitFor(async () => expect((await call(server, 'GET', '/_mailcap/health')).status).toBe(200), 20_000);
    },
  );

  // By day refusals and cut connections stand for it: a silence takes ten seconds to be noticed.
  unless(test, BY_DAY)('a silent storage is noticed, and requests stop waiting for it', UNDER_LOAD, async () => {
    const [a, b] = await twoOn(cluster.url('silent'), '--store-blobs', s3.place('silent'));
    const outcomes = await under([a, b], async (sent) => {
      s3.proxy.fate = () => 'silence';
      for (const server of [a, b])
        await vi.waitFor(async () => expect((await call(server, 'GET', '/_mailcap/health')).status).toBe(503), 30_000);
      const refused = sent.refused.size;
      await vi.waitFor(() => expect(sent.refused.size).toBeGreaterThan(refused + 50), { timeout: 20_000 });
      // A request that needs no body is done at once.
      const startedAt = performance.now();
      const { status } = await call(a, 'POST', `/v1/workspaces/${a.ready.workspaceId}/mailboxes`, { name: 'x' });
      expect([status, performance.now() - startedAt < 5_000]).toEqual([201, true]);
      s3.proxy.fate = () => 'passed on';
      await moreThan(sent, 50);
    });
    await expectTruth(b, outcomes, 'a storage that said nothing');
    await readBytes(b);
  });

  // By day a storage that is away stands for this, and bodies-s3.test.ts for the copy.
  unless(test, BY_DAY)('what a killed server acknowledged is there, with its bytes', UNDER_LOAD, async () => {
    const [a, b] = await twoOn(cluster.url('killed'), '--store-blobs', s3.place('killed'));
    const outcomes = await under([a, b], async (sent) => {
      await a.end('SIGKILL');
      await moreThan(sent, 100);
    });
    await expectTruth(b, outcomes, 'one of two servers killed');
    await readBytes(b);
  });

  test(
    'a store with bodies in S3 is refused without its bucket or with another one, and no output has the credentials',
    TIMEOUT,
    async () => {
      const url = cluster.url('agreed');
      const cwd = await temporaryDirectory();
      const start = (...flags: string[]) => dev(['--store', url, ...flags], { cwd }).exit;
      const plain = await serveOn(url);
      const beside = await start('--store-blobs', s3.place('agreed'));
      expect(beside).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('without --store-blobs: stop all of them'),
      });
      await plain.end('SIGTERM');
      const first = await serveOn(url, '--store-blobs', s3.place('agreed'));
      await serveOn(url, '--store-blobs', s3.place('agreed'));
      const without = await start();
      expect(without.code).toBe(1);
      expect(without.stderr).toMatch(
        /^mailcap: the bodies of this store are in s3:\/\/bodies\/agreed\?.*: name it with --store-blobs\.\n$/,
      );
      const elsewhere = await start('--store-blobs', s3.place('elsewhere'));
      expect(elsewhere.code).toBe(1);
      expect(elsewhere.stderr).toMatch(
        /^mailcap: the bodies of this store were in .*, and .* has none of them: correct --store-blobs\.\n$/,
      );
      const nobody = await start('--store-blobs', 's3://bodies/x?endpoint=http://127.0.0.1:1');
      expect(nobody.code).toBe(1);
      expect(nobody.stderr).toMatch(
        /^mailcap: s3:\/\/bodies\/x\?.* does not answer as it should: .*: correct --store-blobs or the variables AWS_\*\.\n$/,
      );
      const info = await (await call(first, 'GET', '/_mailcap/info')).text();
      expect(info + first.stderr() + without.stderr + nobody.stderr).not.toContain('S3RVER');
    },
  );

  test('one sentence reports wrong credentials', TIMEOUT, async () => {
    const cwd = await temporaryDirectory();
    const args = ['--store', cluster.url('wrong'), '--store-blobs', s3.place('wrong')];
    const { code, stderr } = await dev(args, { cwd, env: s3.stranger.env }).exit;
    expect(code).toBe(1);
    expect(stderr).toMatch(/^mailcap: s3:.*: correct --store-blobs or the variables AWS_\*\.\n$/);
    expect(stderr).toContain(`does not answer as it should: ${s3.stranger.refusal}:`);
    expect(stderr).not.toContain('nobody');
  });

  unless(test, BY_DAY)(
    'store copy moves the bodies into S3, from one place to another, and back; doctor checks them',
    TIMEOUT,
    async () => {
      const cwd = mkdtempSync(join(tmpdir(), 'mailcap-copy-s3-'));
      try {
        const filled = await serve(join(cwd, 'filled'));
        await fill(filled, 30);
        const before = await everything(filled);
        await filled.end('SIGTERM');
        const copy = async (from: string, to: string, ...flags: string[]) => {
          const { code, stderr } = await mailcap(['store', 'copy', from, to, ...flags], { cwd }).exit;
          expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('read back and equal') });
        };
        const [one, two] = [cluster.url('copy1'), cluster.url('copy2')];
        await copy('filled', one, '--store-blobs', s3.place('copy'));
        expect(cluster.psql('select count(*) from mailcap.blobs where bytes is not null', 'copy1')).toBe('0');
        const doctor = await mailcap(
          ['doctor', '--json', '--store', one, '--data-dir', cwd, '--port', '0', '--smtp-port', '0'],
          { cwd },
        ).exit;
        expect(JSON.parse(doctor.stdout)).toContainEqual(
          expect.objectContaining({
            check: 'Stored data',
            status: 'ok',
            message: expect.stringContaining('71 bodies are whole'),
          }),
        );
        const server = await serveOn(one, '--store-blobs', s3.place('copy'));
        expect(await everything(server)).toEqual(before);
        await server.end('SIGTERM');
        await copy(one, two, '--store-blobs', s3.place('copy'));
        await copy(two, 'back');
        const back = await serve(join(cwd, 'back'));
        expect(await everything(back)).toEqual(before);
        await back.end('SIGTERM');
        const refused = await mailcap(['store', 'copy', one, 'no', '--store-blobs', s3.place('no')], { cwd }).exit;
        expect(refused.stderr).toContain('--store-blobs goes with a copy into PostgreSQL only');
      } finally {
        rmSync(cwd, { recursive: true, force: true });
      }
    },
  );
});
