import { asctime } from '../../../src/text/mail-date.ts';

export interface MboxMail {
  readonly from: string;
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
  readonly raw: Uint8Array<ArrayBuffer>;
}

/**
 * Returns mails as the chunks of one mbox file. In mboxrd format, each line that starts with `From `, after any number
 * of `>`, gets one more `>`.
 */
export function mboxOf(mails: readonly MboxMail[]): Uint8Array<ArrayBuffer>[] {
  return mails.flatMap(({ from, receivedAt, raw }) => [
    ascii(`From ${addressOf(from)} ${asctime(receivedAt)}\n`),
    quoted(raw),
    ascii('\n'),
  ]);
}

/**
 * Escapes `From ` lines and turns CRLF into LF. It works on bytes, because a mail need not be text in any one charset.
 */
function quoted(raw: Uint8Array): Uint8Array<ArrayBuffer> {
  const out: number[] = [];
  let start = true;
  for (let at = 0; at < raw.length; at++) {
    const byte = raw[at] ?? 0;
    if (start && isFromLine(raw, at)) out.push(0x3e);
    start = byte === 0x0a;
    if (byte === 0x0d && raw[at + 1] === 0x0a) continue;
    out.push(byte);
  }
  if (out.at(-1) !== 0x0a) out.push(0x0a);
  return Uint8Array.from(out);
}

function isFromLine(raw: Uint8Array, start: number): boolean {
  let at = start;
  while (raw[at] === 0x3e) at++;
  return [0x46, 0x72, 0x6f, 0x6d, 0x20].every((byte, index) => raw[at + index] === byte);
}

function addressOf(from: string): string {
  const address = (/<([^<>\s]*)>/.exec(from)?.[1] ?? from).replace(/[^\x21-\x7e]/g, '');
  return address === '' ? 'MAILER-DAEMON' : address;
}

function ascii(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}
