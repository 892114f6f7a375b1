import { EventEmitter } from 'node:events';
import { writeSync } from 'node:fs';
import type { ReadStream, WriteStream } from 'node:tty';
import type { Style } from './text/style.ts';
import { markDoubtful } from './text/width.ts';
import { type Layout, layoutOf } from './views/layout.ts';

/** What a screen is to those who draw on it. */
export interface Screen {
  readonly style: Style;
  layout(): Layout;
  onResize(listener: () => void): () => void;
  /** Gives the terminal back until the process goes on (ctrl-z). */
  suspend(): void;
}

// Without wrapping: a line of the frame before, when the terminal became narrower, must not scroll the screen.
const ENTER = '\u001b[?1049h\u001b[?25l\u001b[?2004h\u001b[?7l\u001b[2J';
const LEAVE = '\u001b[0m\u001b[?7h\u001b[?2004l\u001b[?25h\u001b[?1049l';
const BEGIN = '\u001b[?2026h';
const END = '\u001b[?2026l';

/** Standard output, as far as it is a terminal. */
export type Terminal = WriteStream & { readonly fd: number };

/**
 * The alternate screen of a terminal. Ink hands it whole frames; only lines that changed are written, each at its own place,
 * so that nothing flickers, and no glyph that a terminal takes for wider than we do moves what stands after it.
 */
export class TerminalScreen extends EventEmitter implements Screen {
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

  /** Gives the terminal back as it was, at once: also where the process is about to end. */
  readonly leave = (): void => {
    if (!this.#entered) return;
    this.#entered = false;
    this.#stdout.off('resize', this.#resized);
    this.#stdout.off('drain', this.#drained);
    process.off('SIGCONT', this.#back);
    this.#giveBack();
  };

  suspend(): void {
    this.#giveBack();
    // As the terminal itself would: npx and whoever else waits for this process stop with it.
    process.kill(0, 'SIGTSTP');
  }

  /** A frame of Ink's. */
  write(frame: string): boolean {
    this.#frame = frame;
    this.#paint();
    return true;
  }

  /** A sequence that shows nothing, as OSC 52. */
  tell(sequence: string): void {
    if (this.#entered) this.#stdout.write(sequence);
  }

  #paint(): void {
    // A terminal that is behind gets the last frame when it is ready, and none of those before.
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
    this.#clear();
    this.emit('size');
    // The frame may be the same text for another size.
    this.#paint();
  }

  #comeBack(): void {
    if (!this.#entered) return;
    this.#stdin.setRawMode(true);
    this.#stdout.write(ENTER);
    this.#resize();
  }

  #clear(): void {
    this.#shown = [];
    if (this.#entered) this.#stdout.write('\u001b[2J');
  }

  #giveBack(): void {
    if (this.#stdin.isTTY) this.#stdin.setRawMode(false);
    try {
      writeSync(this.#stdout.fd, LEAVE);
    } catch {
      // The terminal is gone, or takes nothing now: the stream is the other way to it.
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
  // Erased first: after the last column of a full line it would be that column that is erased.
  return `${at}\u001b[2K${marked}\u001b[0m`;
}
