import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { BIN } from '../../support/cli.ts';

let terminals = 0;

/** Runs `mailcap inbox` in a terminal of tmux, which ends with the test. */
export class Terminal {
  readonly #socket = `mailcap-test-${process.pid}-${++terminals}`;
  readonly #cwd: string;

  constructor(cwd: string, columns: number, rows: number, { env = {}, shell }: TerminalOptions = {}) {
    this.#cwd = cwd;
    onTestFinished(() => this.#end());
    const inbox = `echo $$ > pid; exec ${process.execPath} ${BIN} inbox`;
    const command = `stty -g > before; sh -c '${inbox}'; echo "exit code $?"; stty -g > after; exec sleep 1000`;
    const settings = Object.entries({
      TERM: 'tmux-256color',
      MAILCAP: `${process.execPath} ${BIN}`,
      ...env,
    }).flatMap(([name, value]) => ['-e', `${name}=${value}`]);
    const program = shell ?? `sh -c '${command.replaceAll("'", "'\\''")}'`;
    const size = ['-x', String(columns), '-y', String(rows)];
    this.#tmux('new-session', '-d', ...size, '-c', cwd, ...settings, program);
    this.#tmux('set', '-g', 'status', 'off');
    this.#tmux('set', '-g', 'escape-time', '0');
    this.#tmux('resize-window', ...size);
  }

  /** Returns the text on the screen, on request with the escape sequences for colours. */
  screen(colours = false): string {
    return this.#tmux('capture-pane', '-p', ...(colours ? ['-e'] : []));
  }

  async shows(text: string | RegExp): Promise<void> {
    await expect.poll(() => this.screen().replace(/ +/g, ' '), { timeout: 30_000, interval: 100 }).toMatch(text);
  }

  press(...keys: string[]): void {
    this.#tmux('send-keys', ...keys);
  }

  resize(columns: number, rows: number): void {
    this.#tmux('resize-window', '-x', String(columns), '-y', String(rows));
  }

  /** Returns a variable of the terminal in tmux, such as `alternate_on`, `cursor_flag` or `pane_title`. */
  knows(name: string): string {
    return this.#tmux('display-message', '-p', `#{${name}}`).trim();
  }

  async kill(signal: NodeJS.Signals): Promise<void> {
    process.kill(Number(await readFile(join(this.#cwd, 'pid'), 'utf8')), signal);
  }

  /** Checks that the terminal is as it was before, apart from printed text. */
  async isGivenBack(): Promise<void> {
    await this.shows('exit code');
    expect(this.knows('alternate_on')).toBe('0');
    expect(this.knows('cursor_flag')).toBe('1');
    const settings = (name: string) => readFile(join(this.#cwd, name), 'utf8').catch(() => '');
    await expect.poll(() => settings('after')).not.toBe('');
    expect(await settings('after')).toBe(await settings('before'));
  }

  #tmux(...args: string[]): string {
    return execFileSync('tmux', ['-L', this.#socket, '-f', '/dev/null', ...args], { encoding: 'utf8' });
  }

  #end(): void {
    try {
      this.#tmux('kill-server');
    } catch {
      // The terminal has ended already.
    }
  }
}

interface TerminalOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** The command of an interactive shell, in the place of the inbox. */
  readonly shell?: string;
}
