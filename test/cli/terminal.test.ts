import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { styles } from '../../src/cli/styles.ts';
import { BIN, runOnTerminal, temporaryDirectory } from '../support/cli.ts';

describe('on a terminal', () => {
  /** Runs `mailcap dev` on a terminal and writes the terminal's settings before and after to files. */
  function onTerminal(cwd: string, path = '') {
    const dev = `${process.execPath} ${BIN} dev --ephemeral --port 0 --smtp-port 0`;
    const command = `stty -g > before; PATH=${path}$PATH ${dev}; echo "exit code $?"; stty -g > after`;
    return runOnTerminal(command, cwd);
  }

  test.each([
    ['q', 'q'],
    ['Ctrl-C', '\u0003'],
  ])('%s quits with exit code 0 and gives the terminal back as it was', async (_name, key) => {
    const cwd = await temporaryDirectory();
    const { child, exit, shown } = onTerminal(cwd);
    await expect.poll(() => shown.text, { timeout: 10_000 }).toContain('q quit');
    child.stdin?.write(key);
    expect((await exit).stdout).toContain('exit code 0');
    expect(await readFile(join(cwd, 'after'), 'utf8')).toBe(await readFile(join(cwd, 'before'), 'utf8'));
  });

  test('o opens the URL in the browser', async () => {
    const cwd = await temporaryDirectory();
    await writeFile(join(cwd, 'xdg-open'), '#!/bin/sh\necho "$1" > opened\n', { mode: 0o755 });
    const { child, exit, shown } = onTerminal(cwd, `${cwd}:`);
    await expect.poll(() => shown.text, { timeout: 10_000 }).toContain('q quit');
    child.stdin?.write('o');
    const opened = () => readFile(join(cwd, 'opened'), 'utf8').catch(() => '');
    await expect.poll(opened, { timeout: 5_000 }).toMatch(/^http:\/\/127\.0\.0\.1:\d+\n$/);
    await expect.poll(() => shown.text, { timeout: 5_000 }).toContain('Opened http');
    await writeFile(join(cwd, 'xdg-open'), '#!/bin/sh\nexit 3\n', { mode: 0o755 });
    child.stdin?.write('o');
    await expect.poll(() => shown.text, { timeout: 5_000 }).toContain('No browser could be opened; the page is http');
    child.stdin?.write('q');
    await exit;
  });
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
