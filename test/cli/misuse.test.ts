import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { VERSION } from '../../src/version.ts';
import { mailcap, temporaryDirectory } from '../support/cli.ts';

const PACKAGE = join(import.meta.dirname, '..', '..', 'package.json');

describe('a bad option or a bad config: exit code 2 and the offending key', () => {
  test.each([
    [[], 'mailcap --help'],
    [['serve'], 'serve: no such command'],
    [['dev', 'now'], 'now: '],
    [['dev', '--prot', '1'], '--prot: no such option'],
    [['dev', '--prot=1'], '--prot: no such option'],
    [['--prot'], '--prot: no such option'],
    [['health', '--smtp-port', '1'], '--smtp-port: no such option'],
    [['dev', '--port'], '--port: expected a value'],
    [['dev', '--port', 'abc'], '--port: expected a port'],
    [['dev', '--port', '-1'], '--port: expected a port'],
    [['dev', '--json=perhaps'], '--json: expected true or false'],
    [['dev', '--plan', 'gold'], '--plan: '],
    [['dev', '--store', 'postgres://127.0.0.1/x'], '--store: a postgres: store is not available'],
    [['health', '--url', 'nowhere'], '--url: expected a URL'],
  ])('mailcap %j', async (args, message) => {
    const { code, stdout, stderr } = await mailcap(args, { cwd: await temporaryDirectory() }).exit;
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^mailcap: .+\n$/);
    expect(stderr).toContain(message);
  });

  test('a variable', async () => {
    const options = { cwd: await temporaryDirectory(), env: { MAILCAP_SMTP_PORT: 'x' } };
    const { code, stderr } = await mailcap(['dev'], options).exit;
    expect(code).toBe(2);
    expect(stderr).toMatch(/^mailcap: MAILCAP_SMTP_PORT: .+\n$/);
  });

  test('a config key', async () => {
    const cwd = await temporaryDirectory();
    await writeFile(join(cwd, 'mailcap.config.json'), '{ "colour": "red" }');
    const { code, stderr } = await mailcap(['dev'], { cwd }).exit;
    expect(code).toBe(2);
    expect(stderr).toMatch(/^mailcap: colour in mailcap\.config\.json: .+\n$/);
  });
});

describe('help and version', () => {
  test.each([['--version'], ['-v'], ['dev', '--version']])('mailcap %s %s', async (...args) => {
    const { code, stdout } = await mailcap(args, { cwd: await temporaryDirectory() }).exit;
    expect([code, stdout]).toEqual([0, `${VERSION}\n`]);
  });

  test('the version is that of the package', async () => {
    expect(JSON.parse(await readFile(PACKAGE, 'utf8')).version).toBe(VERSION);
  });

  test.each([[['--help']], [['dev', '--help']], [['health', '-h']]])(
    'mailcap %j fits 80 columns and 24 rows',
    async (args) => {
      const { code, stdout } = await mailcap(args, { cwd: await temporaryDirectory() }).exit;
      const lines = stdout.trimEnd().split('\n');
      expect(code).toBe(0);
      expect(lines[0]).toMatch(/^Usage: mailcap /);
      // One row is the prompt's.
      expect(lines.length).toBeLessThanOrEqual(23);
      expect(lines.filter((line) => line.length > 80)).toEqual([]);
    },
  );
});
