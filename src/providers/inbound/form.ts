import { createHash } from 'node:crypto';
import type { InboundFile } from './mail.ts';

/** A field of a form: a text, bytes of any charset, or a file. One whose value is null is left out. */
export type FormPart = readonly [name: string, value: string | Buffer | InboundFile | null];

/** A form as the body of a request. */
interface WrittenForm {
  readonly type: string;
  readonly body: Buffer;
}

/**
 * Writes a form: with `multipart/form-data`, or, without files, as a browser writes a simple one. The forms of the
 * platform hold texts alone, and the bytes of a mail are none.
 */
export function writtenForm(parts: readonly FormPart[], isMultipart: boolean): WrittenForm {
  const given = parts.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]));
  return isMultipart ? multipart(given) : simple(given);
}

type GivenPart = readonly [name: string, value: NonNullable<FormPart[1]>];

function multipart(parts: readonly GivenPart[]): WrittenForm {
  const hash = createHash('sha256');
  const written = parts.map(([name, value]) => {
    const one = partOf(name, value);
    hash.update(one.content);
    return one;
  });
  // Nobody can write a text that contains its own hash.
  const boundary = `mailcap-${hash.digest('hex').slice(0, 40)}`;
  const pieces = written.flatMap(({ head, content }) => [
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; ${head}\r\n\r\n`),
    content,
    Buffer.from('\r\n'),
  ]);
  const body = Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]);
  return { type: `multipart/form-data; boundary=${boundary}`, body };
}

function partOf(name: string, value: GivenPart[1]): { readonly head: string; readonly content: Buffer } {
  const head = `name="${quoted(name)}"`;
  if (Buffer.isBuffer(value)) return { head, content: value };
  if (typeof value === 'string') return { head, content: Buffer.from(value.replace(/\r\n?|\n/g, '\r\n')) };
  const type = /^[\x20-\x7e]+$/.test(value.type) ? value.type.toLowerCase() : 'application/octet-stream';
  return { head: `${head}; filename="${quoted(value.name)}"\r\nContent-Type: ${type}`, content: value.content };
}

/** Writes a name as browsers do. */
function quoted(name: string): string {
  return name.replace(/[\r\n"]/g, encodeURIComponent);
}

function simple(parts: readonly GivenPart[]): WrittenForm {
  const fields = parts.map(([name, value]) => {
    if (typeof value === 'string') return new URLSearchParams([[name, value]]).toString();
    return Buffer.isBuffer(value) ? `${new URLSearchParams([[name, '']])}${percentEncoded(value)}` : '';
  });
  return {
    type: 'application/x-www-form-urlencoded;charset=UTF-8',
    body: Buffer.from(fields.filter((field) => field !== '').join('&')),
  };
}

const PERCENT = Array.from({ length: 256 }, (_none, byte) => {
  const character = String.fromCharCode(byte);
  if (/[\w*.-]/.test(character)) return character;
  return character === ' ' ? '+' : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
});

function percentEncoded(bytes: Buffer): string {
  let text = '';
  for (const byte of bytes) text += PERCENT[byte] ?? '';
  return text;
}

/** The files of a mail as fields, named by `field` and a number, and the fields of those that the HTML shows. */
export function fileFields(files: readonly InboundFile[], field: string) {
  const named = files.map((file, at) => [`${field}${at + 1}`, file] as const);
  const shown = named.flatMap(([name, { contentId }]) => (contentId === null ? [] : [[contentId, name] as const]));
  return { named, shown };
}
