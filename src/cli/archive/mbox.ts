import { asctime } from '../../text/mail-date.ts';

// This module reads and writes the mboxrd format (RFC 4155 and qmail's mbox(5)). A line "From sender date" stands
// before each message, and a blank line after it. Each message line that begins with "From ", after any number of ">",
// gets one more ">". The "From " line ends with LF. The message keeps its own line ends, so that its bytes come back
// exactly.

const LF = 0x0a;
const CR = 0x0d;
const GREATER = 0x3e;
const FROM = Buffer.from('From ');

/**
 * The variant of the format. `mboxo` quotes only lines that begin with "From ", so it can't tell a quoted line from an
 * original ">From ".
 */
export type MboxKind = 'mboxrd' | 'mboxo';

export interface Envelope {
  /** The address of the envelope sender; empty if there is none. */
  readonly sender: string;
  /** The time of receipt, in milliseconds since 1970. */
  readonly receivedAt: number;
}

/** Returns a message in mboxrd format. */
export function toMbox(message: Buffer, { sender, receivedAt }: Envelope): Buffer {
  const from = sender.replace(/[^!-~]/g, '') || 'MAILER-DAEMON';
  const parts: Buffer[] = [Buffer.from(`From ${from} ${asctime(receivedAt)}\n`)];
  for (const line of linesOf(message)) {
    if (isQuoted(line)) parts.push(Buffer.of(GREATER));
    parts.push(line);
  }
  parts.push(Buffer.of(LF));
  return Buffer.concat(parts);
}

/**
 * Returns the original messages of an mbox. Throws the errors of `chunks`. It holds one message in memory at a time.
 */
export async function* fromMbox(chunks: AsyncIterable<Buffer>, kind: MboxKind): AsyncGenerator<Buffer, void, void> {
  let lines: Buffer[] | null = null;
  let divider: Buffer = Buffer.alloc(0);
  for await (const line of linesFrom(chunks)) {
    if (startsWithFrom(line, 0)) {
      if (lines !== null) yield withoutBlank(lines, divider);
      lines = [];
      divider = line;
    } else lines?.push(unquoted(line, kind));
  }
  if (lines !== null) yield withoutBlank(lines, divider);
}

/** Removes the blank line that the mbox put after a message. Its line end is that of the next "From " line. */
function withoutBlank(lines: readonly Buffer[], divider: Buffer): Buffer {
  const message = Buffer.concat(lines);
  if (message.at(-1) !== LF) return message;
  const byCrlf = divider.at(-2) === CR && message.at(-2) === CR;
  return message.subarray(0, message.length - (byCrlf ? 2 : 1));
}

function isQuoted(line: Buffer): boolean {
  let at = 0;
  while (line[at] === GREATER) at += 1;
  return startsWithFrom(line, at);
}

function unquoted(line: Buffer, kind: MboxKind): Buffer {
  if (line[0] !== GREATER) return line;
  return (kind === 'mboxo' ? startsWithFrom(line, 1) : isQuoted(line)) ? line.subarray(1) : line;
}

function startsWithFrom(line: Buffer, at: number): boolean {
  return line.length >= at + FROM.length && FROM.compare(line, at, at + FROM.length) === 0;
}

/** Splits bytes into lines with their line ends. The last line may have none. */
function* linesOf(bytes: Buffer): Generator<Buffer, void, void> {
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(LF, at);
    const next = end === -1 ? bytes.length : end + 1;
    yield bytes.subarray(at, next);
    at = next;
  }
}

async function* linesFrom(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, void> {
  let open: Buffer[] = [];
  for await (const chunk of chunks) {
    for (const line of linesOf(chunk)) {
      if (line.at(-1) !== LF) open.push(line);
      else if (open.length === 0) yield line;
      else {
        yield Buffer.concat([...open, line]);
        open = [];
      }
    }
  }
  if (open.length > 0) yield Buffer.concat(open);
}
