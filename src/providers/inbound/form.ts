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
  // A text can't contain its own hash.
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
    const content = typeof value === 'string' ? Buffer.from(value) : Buffer.isBuffer(value) ? value : value.content;
    return Buffer.concat([percentEncoded(Buffer.from(name)), Buffer.from('='), percentEncoded(content)]);
  });
  const body = Buffer.concat(fields.flatMap((field, at) => (at === 0 ? [field] : [AND, field])));
  return { type: 'application/x-www-form-urlencoded;charset=UTF-8', body };
}

const AND = Buffer.from('&');
const [PLUS, PERCENT, SPACE] = [0x2b, 0x25, 0x20];
const DIGITS = Buffer.from('0123456789ABCDEF');
/** 1 for each byte that is written as it is. */
const PLAIN = Uint8Array.from({ length: 256 }, (_none, byte) => Number(/[\w*.-]/.test(String.fromCharCode(byte))));

/** Writes bytes as URLSearchParams writes a text. That takes three seconds for 20 MB of HTML, and takes no bytes. */
function percentEncoded(bytes: Buffer): Buffer {
  const written = Buffer.allocUnsafe(3 * bytes.length);
  let size = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (PLAIN[byte] === 1) written[size++] = byte;
    else if (byte === SPACE) written[size++] = PLUS;
    else {
      written[size++] = PERCENT;
      written[size++] = DIGITS[byte >> 4] ?? 0;
      written[size++] = DIGITS[byte & 15] ?? 0;
    }
  }
  return written.subarray(0, size);
}

/** The files of a mail as fields, named by `field` and a number, and the fields of those that the HTML shows. */
export function fileFields(files: readonly InboundFile[], field: string) {
  const named = files.map((file, at) => [`${field}${at + 1}`, file] as const);
  const shown = named.flatMap(([name, { contentId }]) => (contentId === null ? [] : [[contentId, name] as const]));
  return { named, shown };
}
