import { describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../support/cli.ts';
import { clusterOfTests } from '../support/cluster-of-tests.ts';
import { command } from '../support/command.ts';
import { NO_POSTGRES } from '../support/postgres-cluster.ts';
import { unless } from '../support/unless.ts';
import { fill } from './everything.ts';
import { serveOn } from './servers.ts';

const TIMEOUT = { timeout: 180_000 };

unless(describe, NO_POSTGRES)('mailcap doctor on a database', () => {
  const cluster = clusterOfTests();

  const ask = async (url: string) => {
    const cwd = await temporaryDirectory();
    const args = ['doctor', '--json', '--store', url, '--data-dir', cwd, '--port', '0', '--smtp-port', '0'];
    const { code, stdout } = await command(args, { cwd });
    const findings = JSON.parse(stdout) as { check: string; status: string; message: string }[]; // what doctor --json prints
    return { code, said: findings.filter(({ check }) => check === 'Stored data') };
  };

  test('it checks a store beside its servers, and finds each kind of damage', TIMEOUT, async () => {
    const url = cluster.url('checked');
    expect(await ask(url)).toMatchObject({ code: 0, said: [{ status: 'ok', message: 'none yet' }] });
    const server = await serveOn(url);
    await fill(server, 5);
    const whole = await ask(url);
    expect(whole.code).toBe(0);
    expect(whole.said).toEqual([
      expect.objectContaining({
        status: 'ok',
        message: expect.stringMatching(
          /^\d+ messages, 2 mailboxes, 1 captured requests: .* are whole; .*; 1 server uses it$/,
        ),
      }),
    ]);
    await server.end('SIGTERM');
    const sql = (text: string) => cluster.psql(text, 'checked');
    const damages: readonly [string, RegExp][] = [
      [
        `update mailcap.blobs set refs = refs + 1 where id = (select min(id) from mailcap.blobs)`,
        /counts \d+, and \d+ rows/,
      ],
      [
        `update mailcap.blobs set bytes = substring(bytes from 2) where id = (select max(id) from mailcap.blobs where length(bytes) > 1)`,
        /refers to \d+ bytes, and \d+ are there/,
      ],
      [`delete from mailcap.blobs where id = (select blobs[1] from mailcap.requests)`, /is not there, and 1 rows/],
      [
        `delete from mailcap.messages where id = (select min(id) from mailcap.messages)`,
        /has \d+ messages, and its count says \d+/,
      ],
      [`update mailcap.small_rows set row = null where kind = 'webhooks'`, /belongs to webhook .*, which is not there/],
      [`update mailcap.head set last_id = '0'`, /is newer than the newest id of the feed/],
    ];
    for (const [damage] of damages) sql(damage);
    const { code, said } = await ask(url);
    expect(code).toBe(1);
    for (const [, told] of damages)
      expect(said.map(({ message }) => message)).toContainEqual(expect.stringMatching(told));
  });

  test('a database that does not answer and a newer schema are failures', TIMEOUT, async () => {
    const url = cluster.url('away').replace(/:\d+\//, ':1/');
    expect(await ask(url)).toMatchObject({ code: 1, said: [{ status: 'failed' }] });
    const newer = cluster.url('newer');
    await (await serveOn(newer)).end('SIGTERM');
    cluster.psql('insert into mailcap.migrations (number) values (99)', 'newer');
    expect(await ask(newer)).toMatchObject({ code: 1, said: [{ message: expect.stringContaining('update mailcap') }] });
  });
});
