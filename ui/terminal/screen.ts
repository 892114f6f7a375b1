import { EventEmitter } from 'node:events';
import { writeSync } from 'node:fs';
import type { ReadStream, WriteStream } from 'node:tty';
import { markDoubtful } from '../../src/text/width.ts';
import type { Style } from './text/style.ts';
import { type Layout, layoutOf } from './views/layout.ts';

/** The functions of a screen that the views use. */
export type Screen = Pick<TerminalScreen, 'style' | 'layout' | 'onResize' | 'suspend'>;

// Line wrap is off. A line that was drawn before the terminal became narrower must not scroll the screen.
const ENTER = '\u001b[?1049h\u001b[?25l\u001b[?2004h\u001b[?7l\u001b[2J';
const LEAVE = '\u001b[0m\u001b[?7h\u001b[?2004l\u001b[?25h\u001b[?1049l';
const BEGIN = '\u001b[?2026h';
const END = '\u001b[?2026l';

/** Standard output that is a terminal. */
export type Terminal = WriteStream & { readonly fd: number };

/**
 * Draws on the alternate screen of a terminal. Ink passes whole frames to it. It writes only the lines that changed,
 * each at its own row, so that the screen does not flicker. A glyph that the terminal draws wider than expected cannot
 * shift what follows it.
 */
export class TerminalScreen extends EventEmitter {
  readonly style: Style;
  readonly isTTY = false;
  readonly #stdin: ReadStream;
  readonly #stdout: Terminal;
  #layout: Layout;
  #shown: readonly string[] = [];
  #frame = '';
  #entered = false;
  readonly #resized = () => this.#resize();
  readonly #drained = () => this.#paint();
  readonly #back = () => this.#comeBack();

  constructor(stdin: ReadStream, stdout: Terminal, style: Style) {
    super();
    this.style = style;
    this.#stdin = stdin;
    this.#stdout = stdout;
    this.#layout = this.#measured();
  }

  get columns(): number {
    return this.#layout.columns;
  }

  get rows(): number {
    return this.#layout.rows;
  }

  readonly layout = (): Layout => this.#layout;

  onResize(listener: () => void): () => void {
    this.on('size', listener);
    return () => this.off('size', listener);
  }

  enter(): void {
    if (this.#entered) return;
    this.#entered = true;
    this.#stdout.on('resize', this.#resized);
    this.#stdout.on('drain', this.#drained);
    process.on('SIGCONT', this.#back);
    this.#stdout.write(ENTER);
  }

  /** Restores the terminal at once. It also works while the process is about to end. */
  readonly leave = (): void => {
    if (!this.#entered) return;
    this.#entered = false;
    this.#stdout.off('resize', this.#resized);
    this.#stdout.off('drain', this.#drained);
    process.off('SIGCONT', this.#back);
    this.#giveBack();
  };

  /** Leaves the screen and stops the process (ctrl-z). The screen returns when the process continues. */
  suspend(): void {
    this.#giveBack();
    // This stops the whole process group, as the terminal's own ctrl-z does, so that npx and other parents stop too.
    process.kill(0, 'SIGTSTP');
  }

  /** Draws a frame of Ink. */
  write(frame: string): boolean {
    this.#frame = frame;
    this.#paint();
    return true;
  }

  /** Writes a sequence that prints nothing, such as OSC 52. */
  tell(sequence: string): void {
    if (this.#entered) this.#stdout.write(sequence);
  }

  #paint(): void {
    // A slow terminal skips frames, and gets the latest frame when it is ready.
    if (!this.#entered || this.#stdout.writableNeedDrain) return;
    const lines = this.#frame.split('\n').slice(0, this.rows);
    const changed: string[] = [];
    for (let row = 0; row < this.rows; row++) {
      const line = lines[row] ?? '';
      if (line !== this.#shown[row]) changed.push(placed(row, line));
    }
    this.#shown = lines;
    if (changed.length > 0) this.#stdout.write(BEGIN + changed.join('') + END);
  }

  #resize(): void {
    this.#layout = this.#measured();
    this.#shown = [];
    if (this.#entered) this.#stdout.write('\u001b[2J');
    this.emit('size');
    // After a resize Ink may produce the same frame and write nothing, so the frame is painted here.
    this.#paint();
  }

  #comeBack(): void {
    if (!this.#entered) return;
    this.#stdin.setRawMode(true);
    this.#stdout.write(ENTER);
    this.#resize();
  }

  #giveBack(): void {
    if (this.#stdin.isTTY) this.#stdin.setRawMode(false);
    try {
      writeSync(this.#stdout.fd, LEAVE);
    } catch {
      // The direct write failed, because the terminal is gone or busy. The stream is the other way to it.
      this.#stdout.write(LEAVE);
    }
  }

  #measured(): Layout {
    const { columns, rows } = this.#stdout;
    return layoutOf({ columns: Math.max(20, columns || 80), rows: Math.max(6, rows || 24) });
  }
}

function placed(row: number, line: string): string {
  const at = `\u001b[${row + 1};1H`;
  const marked = markDoubtful(line, (column) => `\u001b[${column + 1}G`);
  // The line is erased before it is written. After a full line, the cursor would still be on the last column and erase
  // that.
  return `${at}\u001b[2K${marked}\u001b[0m`;
}
