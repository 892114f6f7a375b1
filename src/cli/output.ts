import type { LinkKind, MessageDetailResponse } from '../client/index.ts';
import type { ReadMessage, ToldByServer } from '../client/mailbox/any-kind.ts';
import type { Extract } from '../mcp/results.ts';
import { harmlessLine, harmlessText, printed, printedJson, printedWithStyles } from '../text/harmless.ts';
import { isObject, jsonOrNull } from '../text/unknown.ts';
import { nameOfMessage } from '../text/wording.ts';
import { randomBytes } from './clock.ts';
import { type Arguments, EXIT } from './command.ts';

// Results go to standard output, messages to the user to standard error. This is the one place where a command writes
// to either, and here all text becomes harmless. Only these write themselves: the terminal inbox, which draws a screen,
// the line of progress, which moves the cursor, and sendmail, where it speaks SMTP.

/** Ends the process quietly when its reader goes away, as `head` does. */
export function endQuietlyWithReader(): void {
  process.stdout.on('error', endQuietly);
}

/** Lets the process go on when the readers of its output and its log go away, because a server still captures mail. */
export function goOnWithoutReader(): void {
  process.stdout.off('error', endQuietly).on('error', () => {});
  process.stderr.on('error', () => {});
}

function endQuietly(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(0);
  const why = error.code === 'ENOSPC' ? 'the disk is full' : String(error.code);
  say(`the output can't be written: ${why}.`);
  process.exit(EXIT.failed);
}

export function print(line: string): void {
  printText(`${line}\n`);
}

/** Prints a text without a further line break. Returns false if the reader is slow, like `write` of a stream. */
export function printText(text: string): boolean {
  return process.stdout.write(harmless(text, process.stdout));
}

export function printJson(value: unknown): void {
  printJsonText(`${JSON.stringify(value)}\n`);
}

/** Prints a value as JSON if the command line asks for it. Returns whether it did. */
export function printedAsJson(args: Arguments, value: unknown): boolean {
  const isAsked = args.isOn('json');
  if (isAsked) printJson(value);
  return isAsked;
}

/** Prints the result of a command: as JSON if the command line asks for it, else for a person. Returns the exit code. */
export function printResult(args: Arguments, value: unknown, forPerson: () => void): number {
  if (!printedAsJson(args, value)) forPerson();
  return EXIT.done;
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

// A message is printed for a person, or for an agent. The modules that read mails, and those that write for agents, are
// loaded when they are needed.

const MAX_LINKS = 10;

/** Prints a message for a person, codes and links first. Control characters in it are made harmless. */
export async function printMessage(message: ReadMessage): Promise<void> {
  const { bold, dim } = outputStyles();
  const { textBody, htmlBody } = message;
  const { codes, links } = await foundIn(message);
  const rows: [string, string | null][] = [
    ['From', message.from],
    ...recipientsOf(message),
    ['Reply-To', message.replyTo],
    ['Received', writeMoment(message.receivedAt)],
    ...codes.map(({ code }): [string, string] => ['Code', code]),
    ...links
      .slice(0, MAX_LINKS)
      .map(({ kind, url }): [string, string] => [kind === 'other' ? 'Link' : `Link, ${kind}`, url]),
    ...message.attachments.map(({ filename, contentType, sizeBytes }): [string, string] => [
      'Attachment',
      `${filename ?? 'without a name'} (${contentType ?? 'unknown type'}, ${writeSize(sizeBytes)})`,
    ]),
  ];
  const told = rows.filter(([, value]) => value);
  const nameWidth = Math.max(...told.map(([name]) => name.length));
  const lines = [
    bold(nameOfMessage(message, 2_000)),
    dim(`${message.id}, ${writeSize(message.sizeBytes)}`),
    '',
    ...told.map(([name, value]) => `${dim(name.padEnd(nameWidth))}  ${harmlessLine(value ?? '', 2_000)}`),
    '',
    harmlessText((textBody ?? (await readableTextOf(htmlBody))).trimEnd()),
  ];
  print(lines.join('\n'));
}

/** Returns the codes and links that the server found. This process looks for them if the server does not tell. */
async function foundIn(message: ReadMessage): Promise<ToldByServer> {
  const { codes, links } = message;
  if (codes !== undefined && links !== undefined) return { codes, links };
  const { codesOf, linksOf } = await import('./mail/find-in-message.ts');
  return { codes: codesOf(message).codes, links: linksOf(message) };
}

/** Returns the likeliest code of a message; null if it has none, or several that are equally likely. */
export function surestCode([best]: ToldByServer['codes']): string | null {
  return best === undefined || best.ambiguous ? null : best.code;
}

/** Returns HTML as text with its bullets, alternative texts and link targets, as the terminal inbox shows it. */
async function readableTextOf(html: string | null): Promise<string> {
  if (html === null) return '';
  const { readableText } = await import('../extract/readable-text.ts');
  return readableText(html, () => null).text;
}

/**
 * Returns the rows of recipients. If a mail has no To header, the API repeats its recipients in To and Bcc; here they
 * appear once.
 */
function recipientsOf({ to, cc, bcc, headersJson }: MessageDetailResponse): [string, string | null][] {
  const hasTo = hasHeader(headersJson, 'to');
  const names: [string, string | null][] = [
    ['Cc', cc],
    [hasTo || hasHeader(headersJson, 'bcc') ? 'Bcc' : 'Went to', bcc ?? (hasTo || cc !== null ? null : to)],
  ];
  return [['To', hasTo ? to : '(no To)'], ...names];
}

function hasHeader(headersJson: string | null, name: string): boolean {
  const headers = jsonOrNull(headersJson ?? '');
  return isObject(headers) && Object.hasOwn(headers, name);
}

// This is the output of `--agent`: one line of JSON, like the answers of the tools of `mailcap mcp`, with all untrusted
// text inside a fence.

/** The largest length of a message's text, in characters. A command has no second call to read the rest. */
const MAX_CHARACTERS = 4_000;

/** Prints a result for an agent. `resultOf` makes it of a fence id that nobody can guess. */
export async function printForAgent(
  resultOf: (results: typeof import('../mcp/results.ts'), fenceId: string) => unknown,
): Promise<void> {
  const [results, { createFenceId }] = await Promise.all([import('../mcp/results.ts'), import('../text/fence.ts')]);
  printJson(resultOf(results, createFenceId(randomBytes)));
}

export function printMessageForAgent(
  message: MessageDetailResponse,
  extract: Extract = 'none',
  kind?: LinkKind,
): Promise<void> {
  return printForAgent(({ messageResult }, fenceId) =>
    messageResult(message, { fenceId, extract, kind, maxChars: MAX_CHARACTERS }),
  );
}
