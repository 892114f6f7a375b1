import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { styles } from '../../src/cli/output.ts';
import { BIN, runOnTerminal, temporaryDirectory } from '../support/cli.ts';
import { command } from '../support/command.ts';
import { byDay } from '../support/night.ts';
import { lacking } from '../support/programs.ts';
import { serverIn } from '../support/server-in.ts';
import { unless } from '../support/unless.ts';

unless(describe, lacking('script'))('on a terminal', () => {
  /**
   * Runs `mailcap dev` on a terminal, and writes the terminal's settings before and after to files. `browser` is a shell
   * script that opens an address.
   */
  async function onTerminal(browser = '') {
    const cwd = await temporaryDirectory();
    await writeFile(join(cwd, 'xdg-open'), browser, { mode: 0o755 });
    const dev = `${process.execPath} ${BIN} dev --ephemeral --port 0 --smtp-port 0`;
    const command = `stty cols 40 rows 30; stty -g > before; PATH=${cwd}:$PATH ${dev}; echo "exit code $?"; stty -g > after`;
    const { child, exit, shown } = runOnTerminal(command, cwd);
    await expect.poll(() => shown.text, { timeout: 10_000 }).toContain('q quit');
    const quitWith = async (key: string) => {
      child.stdin?.write(key);
      expect((await exit).stdout).toContain('exit code 0');
      expect(await readFile(join(cwd, 'after'), 'utf8')).toBe(await readFile(join(cwd, 'before'), 'utf8'));
    };
    return { cwd, child, shown, quitWith };
  }

  test('q quits with exit code 0 and restores the terminal; at 40 columns the first screen breaks no word and no key', async () => {
    const { shown, quitWith } = await onTerminal();
    await quitWith('q');
    const lines = shown.text.split(/\r?\n/);
    expect(lines.filter((line) => line.length > 40)).toEqual([expect.stringMatching(/^ {2}svc_live_[\w-]{43}$/)]);
    expect(lines).toContain('  anything@inbox.mailcap.example.com');
    expect(lines).toContain('  o browser   i inbox   c copy code');
    expect(lines).toContain('  r reset   ? help   q quit');
  });

  test('o opens the URL in the browser; Ctrl-C quits as q does', async () => {
    const { cwd, child, shown, quitWith } = await onTerminal('#!/bin/sh\necho "$1" > opened\n');
    child.stdin?.write('o');
    const opened = () => readFile(join(cwd, 'opened'), 'utf8').catch(() => '');
    await expect.poll(opened, { timeout: 5_000 }).toMatch(/^http:\/\/127\.0\.0\.1:\d+\n$/);
    await expect.poll(() => shown.text, { timeout: 5_000 }).toContain('Opened http');
    await writeFile(join(cwd, 'xdg-open'), '#!/bin/sh\nexit 3\n', { mode: 0o755 });
    child.stdin?.write('o');
    await expect.poll(() => shown.text, { timeout: 5_000 }).toContain('No browser could be opened; the page is http');
    await quitWith('\u0003');
  });
});

describe('in a terminal', () => {
  const LISTS = [
    ['messages', 'list'],
    ['mailboxes', 'list'],
    ['webhooks', 'list'],
    ['webhooks', 'requests', 'payments'],
    ['keys', 'list'],
    ['totp', 'list'],
    ['doctor'],
    ['status'],
  ];

  unless(test, lacking('script')).each(byDay([40, 60, 80, 200], (columns) => columns === 40))(
    'at %i columns no list is too wide, no word is broken, and ids stay whole',
    async (columns) => {
      const cwd = await temporaryDirectory();
      await serverIn(cwd);
      const set = async (...args: string[]) => expect((await command(args, { cwd })).code, args.join(' ')).toBe(0);
      await set(
        'send',
        'ada@inbox.mailcap.example.com',
        '--subject',
        'Acknowledgement of unforeseeable circumstances',
        '--text',
        'x',
      );
      await set('mailboxes', 'create', 'Acknowledgement of unforeseeable circumstances', '--subdomain', 'sign-up');
      await set('webhooks', 'create', 'payments', '--forward', 'http://127.0.0.1:9/hook');
      await set('totp', 'add', 'Acknowledgement of unforeseeable circumstances', '--secret', 'JBSWY3DPEHPK3PXP');
      const words = new Set('Acknowledgement of unforeseeable circumstances'.split(' '));
      for (const list of LISTS) {
        const { stdout } = await runOnTerminal(
          `stty cols ${columns} rows 50; ${process.execPath} ${BIN} ${list.join(' ')} 2>&1`,
          cwd,
        ).exit;
        const lines = stdout.trimEnd().split(/\r?\n/);
        expect(
          lines.filter((line) => line.length > columns),
          list.join(' '),
        ).toEqual([]);
        if (list[0] === 'messages') {
          // Both messages of a send may be of one millisecond, and then only whole ids tell them apart.
          const [, id = ''] = /^ *1 {2}([0-9A-Z]{10,14}|[0-9A-Z]{26}) /m.exec(stdout) ?? [];
          expect((await command(['messages', 'show', id], { cwd })).stdout, stdout).toContain('Acknowledgement');
        }
        for (const [word] of stdout.matchAll(/\b(?:Ack|unf|circ)\w*/g))
          expect([...words], `${list.join(' ')}: ${word}`).toContain(word);
      }
    },
  );

  unless(test, lacking('script'))(
    'that is dumb, inbox prints the list, and one line says why and how to get the inbox',
    {
      timeout: 60_000,
    },
    async () => {
      const cwd = await temporaryDirectory();
      await serverIn(cwd);
      const { stdout } = await runOnTerminal(`TERM=dumb ${process.execPath} ${BIN} inbox`, cwd).exit;
      expect(stdout.replace(/\r/g, '')).toBe(
        "mailcap: there is no message in inbox yet.\nmailcap: the full-screen inbox can't start, so this is the list: TERM is dumb; set it to the kind of terminal, as in TERM=xterm-256color.\n",
      );
    },
  );
});

test.each([
  [true, {}, true],
  [false, {}, false],
  [true, { NO_COLOR: '1' }, false],
  [true, { TERM: 'dumb' }, false],
  [false, { FORCE_COLOR: '1' }, true],
  [true, { FORCE_COLOR: '0' }, false],
  [false, { FORCE_COLOR: '1', NO_COLOR: '1' }, false],
])('colours on a terminal (%j) with %j: %j', (isTerminal, env, coloured) => {
  expect(styles(isTerminal, env).bold('x')).toBe(coloured ? '\u001b[1mx\u001b[22m' : 'x');
});
