import { printed, printedJson, printedWithStyles } from '../text/harmless.ts';
import { EXIT } from './command.ts';

// Results go to standard output, messages to the user to standard error. This is the one place where a command writes
// to either, and here all text becomes harmless. Only these write themselves: the terminal inbox, which draws a screen,
// the line of progress, which moves the cursor, and sendmail, where it speaks SMTP.

/** Ends the process quietly when its reader goes away, as `head` does. */
export function endQuietlyWithReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    const why = error.code === 'ENOSPC' ? 'the disk is full' : String(error.code);
    say(`the output can't be written: ${why}.`);
    process.exit(EXIT.failed);
  });
}

/** Prints a text and a line break. */
export function print(line: string): void {
  printText(`${line}\n`);
}

/** Prints a text without a further line break. Returns false if the reader is slow, like `write` of a stream. */
export function printText(text: string): boolean {
  return process.stdout.write(harmless(text, process.stdout));
}

/** Prints one JSON value on one line. */
export function printJson(value: unknown): void {
  printJsonText(`${JSON.stringify(value)}\n`);
}

/** Prints a text that is JSON. Returns false if the reader is slow, like `write` of a stream. */
export function printJsonText(json: string): boolean {
  return process.stdout.write(printedJson(json));
}

/** Prints bytes as they are: what a person asked for by `raw` or an export. Resolves when they are written. */
export function printBytes(bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(bytes, (error) => (error ? reject(error) : resolve()));
  });
}

export function say(sentence: string): void {
  sayText(`mailcap: ${sentence}\n`);
}

/** Prints a text on standard error, without the program's name and a further line break. */
export function sayText(text: string): void {
  process.stderr.write(harmless(text, process.stderr));
}

/** Makes a text harmless. The styles stay only where there are any. */
function harmless(text: string, { isTTY }: { readonly isTTY: boolean }): string {
  const isStyled = isTTY || styles(isTTY, process.env).bold('') !== '';
  return isStyled ? printedWithStyles(text) : printed(text);
}

/** Prints a sentence that the inboxes show too, after the program's name. It makes the first letter lower case. */
export function sayShared(sentence: string): void {
  say(sentence.slice(0, 1).toLowerCase() + sentence.slice(1));
}

/** Resolves when all output has left the process. An earlier exit would cut it off if a pipe is slow. */
export function flushed(): Promise<void> {
  return new Promise((resolve) => process.stdout.write('', () => resolve()));
}

/** Styles a text. */
export type PaintText = (text: string) => string;

interface TerminalStyles {
  readonly bold: PaintText;
  readonly dim: PaintText;
  readonly red: PaintText;
  readonly green: PaintText;
  readonly yellow: PaintText;
}

/**
 * Returns the terminal styles. They are plain if the output is no terminal, or if NO_COLOR or TERM=dumb is set.
 * FORCE_COLOR overrides all of these except NO_COLOR.
 */
export function styles(isTerminal: boolean, env: Readonly<Record<string, string | undefined>>): TerminalStyles {
  const force = env['FORCE_COLOR'] ?? '';
  const wanted = force === '' ? isTerminal && env['TERM'] !== 'dumb' : force !== '0';
  const coloured = wanted && !env['NO_COLOR'];
  const style =
    (open: number, close: number): PaintText =>
    (text) =>
      coloured ? `\u001b[${open}m${text}\u001b[${close}m` : text;
  return { bold: style(1, 22), dim: style(2, 22), red: style(31, 39), green: style(32, 39), yellow: style(33, 39) };
}

/** Returns the styles of standard output. */
export function outputStyles(): TerminalStyles {
  return styles(process.stdout.isTTY, process.env);
}

// This module formats times and sizes for people.

/** Formats a time in the reader's time zone, to the second. */
export function writeMoment(time: string): string {
  const at = new Date(time);
  if (Number.isNaN(at.getTime())) return time;
  const two = (number: number) => `${number}`.padStart(2, '0');
  const day = [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())].join('-');
  return `${day} ${[at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(':')}`;
}

/** Formats the time of day. */
export function writeTimeOfDay(time: string): string {
  return writeMoment(time).slice(-8);
}

export function writeSize(bytes: number): string {
  if (bytes < 1_024) return `${bytes} B`;
  const [unit, size] =
    bytes < 1_024 ** 2 ? ['KB', 1_024] : bytes < 1_024 ** 3 ? ['MB', 1_024 ** 2] : ['GB', 1_024 ** 3];
  const number = bytes / size;
  return `${number < 10 ? number.toFixed(1) : Math.round(number)} ${unit}`;
}
