import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { type Command, optionsOf } from '../../src/cli/command.ts';
import { COMMANDS } from '../../src/cli/program.ts';
import { flagOf, OPTIONS, type Option } from '../../src/config/options.ts';
import { VERSION } from '../../src/version.ts';
import { BIN, mailcap, run, runOnTerminal, temporaryDirectory } from '../support/cli.ts';
import { command } from '../support/command.ts';
import { byDay } from '../support/night.ts';
import { lacking } from '../support/programs.ts';
import { unless } from '../support/unless.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const PACKAGE = join(ROOT, 'package.json');
/** The module of the build that reads a configuration. */
const LOAD = pathToFileURL(join(ROOT, 'dist', 'src', 'config', 'load.js')).href;

describe('a bad option or a bad config: exit code 2 and the offending key', () => {
  test.each([
    [[], 'mailcap --help'],
    [['serve'], 'serve: no such command'],
    [['dev', 'now'], 'now: '],
    [['dev', '--prot', '1'], '--prot: no such option'],
    [['dev', '--prot=1'], '--prot: no such option'],
    [['--prot'], '--prot: no such option'],
    [['dev', '--no-colr'], '--no-colr: no such option'],
    [['--url', 'http://127.0.0.1:9', 'status'], '--url: options come after the command'],
    [['health', '--smtp-port', '1'], '--smtp-port: no such option'],
    [['dev', '--port'], '--port: expected a value'],
    [['dev', '--port', 'abc'], '--port: expected a port'],
    [['dev', '--port', '-1'], '--port: expected a port'],
    [['dev', '--json=perhaps'], '--json: expected true or false'],
    [['dev', '--plan', 'gold'], '--plan: '],
    [['dev', '--store', 'mysql://127.0.0.1/x'], '--store: mailcap has no mysql: store'],
    [['health', '--url', 'nowhere'], '--url: expected a URL'],
    [['mesages'], 'mesages: no such command; did you mean messages?'],
    [['messages', 'wiat'], 'messages wiat: no such command; did you mean messages wait?'],
    [['messages'], 'mailcap messages list|show|wait|check|raw|attachments|report|reply|mark|delete'],
    [['messages', 'wait', '--sbject', 'x'], '--sbject: no such option; did you mean --subject?'],
    [['messages', 'wait', '--subject'], '--subject: expected a value'],
    [['messages', 'raw', 'a', 'b'], 'b: unexpected argument'],
    [['mailboxes', 'create'], '<name> is missing'],
    [['store', 'copy', 'a'], '<to> is missing: mailcap store copy <from> <to>.'],
    [['webhooks', 'forward', 'Pay2'], 'mailcap webhooks forward <webhook> <url-or-off>.'],
    [['messages', 'list', '--xyzzy'], 'mailcap messages list --help shows them'],
    [['status', '--log-level', 'foo'], '--log-level: expected one of'],
    [['messages', 'delete', '--log-level', 'foo', '1'], '--log-level: expected one of'],
    [['export', 'x', '--format', 'zip'], '--format: expected one of'],
    [['completion', 'powershell'], 'powershell: no completion'],
  ])('mailcap %j', async (args, message) => {
    const { code, stdout, stderr } = await command(args, { cwd: await temporaryDirectory() });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^mailcap: .+\n$/);
    expect(stderr).toContain(message);
  });

  /** The command lines that misuse a command, by what is wrong with each. */
  function misuses(name: string, command: Command): [what: string, args: string[], said: string][] {
    const words = name.split(' ');
    const operands = command.operands ?? [];
    const whole = [...words, ...operands.filter(({ required }) => required).map(() => 'bash')];
    const wrong = Object.entries(optionsOf(command)).map(([option, { type }]): [string, string[], string] => {
      const flag = flagOf(option);
      if (type === 'boolean')
        return [`--${flag}`, [...whole, `--${flag}=perhaps`], `--${flag}: expected true or false`];
      if (typeof type === 'object' || ['count', 'seconds', 'port', 'bytes', 'space'].includes(type))
        return [`--${flag}`, [...whole, `--${flag}`, 'xyzzy'], `--${flag}: expected `];
      return [`--${flag}`, [...whole, `--${flag}`], type === 'optional' ? '' : `--${flag}: expected a value`];
    });
    return [
      ['an unknown option', [...whole, '--xyzzy'], '--xyzzy: no such option'],
      ...wrong.filter(([, , said]) => said !== ''),
      ...(operands.some(({ required }) => required)
        ? [['no operand', words, ' is missing'] satisfies [string, string[], string]]
        : []),
      ...(operands.some(({ many }) => many)
        ? []
        : [
            ['too many operands', [...words, ...operands.map(() => 'bash'), 'xyzzy'], 'xyzzy: '] satisfies [
              string,
              string[],
              string,
            ],
          ]),
    ];
  }

  test.each(Object.entries<Command>(COMMANDS).filter(([, { isRaw }]) => !isRaw))(
    'mailcap %s: each way to misuse it, before it does anything',
    async (name, one) => {
      const cwd = await temporaryDirectory();
      for (const [what, args, said] of misuses(name, one)) {
        const { code, stdout, stderr } = await command(args, { cwd });
        expect([what, code, stdout, stderr]).toEqual([what, 2, '', expect.stringContaining(`mailcap: `)]);
        expect(stderr).toContain(said);
      }
      expect(await readdir(cwd)).toEqual([]);
    },
    120_000,
  );

  test('a variable', async () => {
    const options = { cwd: await temporaryDirectory(), env: { MAILCAP_SMTP_PORT: 'x' } };
    const { code, stderr } = await command(['dev'], options);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^mailcap: MAILCAP_SMTP_PORT: .+\n$/);
  });

  test.each([
    ['dev', 'MAILCAP_SMTP_PRT', 'MAILCAP_SMTP_PORT'],
    ['status', 'MAILCAP_API_KYE', 'MAILCAP_API_KEY'],
  ])('%s with the misspelt variable %s', async (name, misspelt, meant) => {
    const { code, stderr } = await command([name], { cwd: await temporaryDirectory(), env: { [misspelt]: '1' } });
    expect([code, stderr]).toEqual([2, `mailcap: ${misspelt}: there is no such variable; did you mean ${meant}?\n`]);
  });

  test('a misspelt config key', async () => {
    const cwd = await temporaryDirectory();
    await writeFile(join(cwd, 'mailcap.config.json'), '{ "smtpPrt": 1 }');
    const { code, stderr } = await command(['dev'], { cwd });
    expect([code, stderr]).toEqual([2, expect.stringContaining('did you mean smtpPort?\n')]);
  });

  test.each([
    ['{\n "port": 1,\n oops\n}\n', 3],
    ['{\n "port": 1,\n', 3],
  ])('a config file that is no JSON: %j', async (content, line) => {
    const cwd = await temporaryDirectory();
    await writeFile(join(cwd, 'mailcap.config.json'), content);
    const { code, stderr } = await command(['dev'], { cwd });
    expect([code, stderr]).toEqual([2, `mailcap: mailcap.config.json is not valid JSON: see line ${line}.\n`]);
  });

  const MISTAKE = 'export default {\n  port: 1,\n  oops oops\n};\n';
  const PROGRAMS: [string, string, string][] = [
    ['mailcap.config.ts', MISTAKE, 'mailcap.config.ts has a syntax error: see line 3, column 8.'],
    ['mailcap.config.mjs', MISTAKE, 'mailcap.config.mjs has a syntax error: see line 3, column 8.'],
    [
      'mailcap.config.ts',
      "import './part.ts';\nexport default {};\n",
      'part.ts, which mailcap.config.ts imports, has a syntax error: see line 2, column 8.',
    ],
    [
      'mailcap.config.ts',
      "import 'nowhere';\nexport default {};\n",
      'mailcap.config.ts imports nowhere, which does not exist: install it, or correct its name.',
    ],
    [
      'mailcap.config.mjs',
      '\nconst unset = undefined;\nexport default { port: unset.port };\n',
      "mailcap.config.mjs throws an error when it is loaded: see line 3 (Cannot read properties of undefined (reading 'port')).",
    ],
    [
      'mailcap.config.ts',
      '\nconst unset: any = undefined;\nexport default { port: unset.port };\n',
      "mailcap.config.ts throws an error when it is loaded: see line 3 (Cannot read properties of undefined (reading 'port')).",
    ],
    ['mailcap.config.mjs', "throw 'no';\n", 'mailcap.config.mjs throws an error when it is loaded (no).'],
  ];
  async function programIn(file: string, content: string): Promise<string> {
    const cwd = await temporaryDirectory();
    await writeFile(join(cwd, file), content);
    await writeFile(join(cwd, 'part.ts'), '\n  let a b;\n');
    return cwd;
  }
  // In this process vitest would read the program, and would name its mistakes in its own words.
  test.each(byDay(PROGRAMS, (_, at) => at === 0))(
    'a config file that is a program with a mistake, as %s: %j',
    async (file, content, said) => {
      const { code, stdout, stderr } = await mailcap(['dev'], { cwd: await programIn(file, content) }).exit;
      expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: `mailcap: ${said}\n` });
    },
  );

  test('each error of a config file that is a program has its place', async () => {
    const directories = await Promise.all(PROGRAMS.map(([file, content]) => programIn(file, content)));
    const read = `import { loadConfig } from ${JSON.stringify(LOAD)};
      const why = (cwd) => loadConfig({}, {}, cwd, 'programs').then(() => 'nothing', (error) => [error.name, error.message]);
      console.log(JSON.stringify(await Promise.all(process.argv.slice(1).map(why))));`;
    const reader = run(process.execPath, ['--input-type=module', '-e', read, ...directories], { cwd: ROOT });
    const { stdout, stderr } = await reader.exit;
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual(PROGRAMS.map(([, , said]) => ['ConfigError', said]));
  });

  test('a config key', async () => {
    const cwd = await temporaryDirectory();
    await writeFile(join(cwd, 'mailcap.config.json'), '{ "colour": "red" }');
    const { code, stderr } = await command(['dev'], { cwd });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^mailcap: colour in mailcap\.config\.json: .+\n$/);
  });
});

describe('help and version', () => {
  test.each([['--version'], ['-v'], ['-V'], ['version'], ['dev', '--version']])('mailcap %s %s', async (...args) => {
    const { code, stdout } = await command(args, { cwd: await temporaryDirectory() });
    expect([code, stdout]).toEqual([0, `${VERSION}\n`]);
  });

  test('the version is that of the package', async () => {
    expect(JSON.parse(await readFile(PACKAGE, 'utf8')).version).toBe(VERSION);
  });

  const pages = Object.keys(COMMANDS).map((name) => [...name.split(' '), '--help']);
  test('every help page fits 80 columns, all but that of dev fit 24 rows, and every command has an example', async () => {
    const cwd = await temporaryDirectory();
    for (const args of [['--help'], ['messages', '--help'], ...pages]) {
      const { code, stdout } = await command(args, { cwd });
      const lines = stdout.trimEnd().split('\n');
      expect(code).toBe(0);
      expect(lines[0]).toMatch(/^Usage: mailcap /);
      // A terminal has 24 rows, and the prompt takes one.
      if (args[0] !== 'dev') expect(lines.length, args.join(' ')).toBeLessThanOrEqual(23);
      expect(lines.filter((line) => line.length > 80)).toEqual([]);
      if (args.length > 1 && args[0] !== 'messages') expect(lines.slice(1).join('\n')).toMatch(/^ {2}.*mailcap/m);
    }
  });

  test('help is also a command, for every command', async () => {
    const cwd = await temporaryDirectory();
    const said = async (...args: string[]) => (await command(args, { cwd })).stdout;
    expect(await said('help')).toBe(await said('--help'));
    expect(await said('help', 'messages', 'wait')).toBe(await said('messages', 'wait', '--help'));
  });

  unless(test, lacking('script')).each(byDay([60, 80, 111, 200], (width) => width === 60))(
    'on a terminal of %i columns no help page is cut or too wide',
    async (width) => {
      const cwd = await temporaryDirectory();
      const { exit } = runOnTerminal(`stty cols ${width} rows 50; ${process.execPath} ${BIN} dev --help`, cwd);
      const { stdout } = await exit;
      const lines = stdout.trimEnd().split(/\r?\n/);
      expect(lines.filter((line) => line.length > width)).toEqual([]);
      const text = stdout.replace(/\s+/g, ' ');
      for (const { help } of Object.values<Option>(OPTIONS)) if (help !== undefined) expect(text).toContain(help);
    },
  );

  test('the help page of the program names every command', async () => {
    const { stdout } = await command(['--help'], { cwd: await temporaryDirectory() });
    for (const name of Object.keys(COMMANDS)) {
      const [first = '', second = ''] = name.split(' ');
      // A command may stand among others, as `init|dev`, and a list of commands may go on below.
      expect(stdout).toMatch(new RegExp(`^ {2}(?:\\w+\\|)?${first}(?:\\|\\w+)? (?:.*\\n {16}\\S*)*?.*${second}`, 'm'));
    }
  });
});
