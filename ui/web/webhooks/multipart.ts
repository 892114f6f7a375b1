import { latin1Text, parameterOf } from '../mail/mail-source.ts';

/** A part of a `multipart/form-data` body. */
export interface MultipartPart {
  readonly name: string | null;
  /** The name of the file; null if the part is a field. */
  readonly filename: string | null;
  readonly contentType: string | null;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** The most parts that are shown. */
const MOST = 200;

/** Reads the parts of a multipart body (RFC 7578). Returns null for another body, and for one that can't be read. */
export function multipartOf(body: Uint8Array, contentType: string | null): readonly MultipartPart[] | null {
  if (!/^multipart\//i.test(contentType ?? '')) return null;
  const boundary = parameterOf(contentType ?? '', 'boundary');
  if (boundary === null || boundary === '') return null;
  // Latin-1 maps each byte to one character, so that places in the text are places in the bytes.
  const text = latin1Text(body);
  const mark = `--${boundary}`;
  const parts: MultipartPart[] = [];
  let at = text.startsWith(mark) ? 0 : markAfter(text, mark, 0);
  while (at >= 0 && parts.length < MOST) {
    const from = text.indexOf('\r\n', at);
    const isLast = text.startsWith('--', at + mark.length);
    if (isLast || from < 0) break;
    const next = markAfter(text, mark, from);
    if (next < 0) break;
    parts.push(partOf(text.slice(from + 2, next - 2), body, from + 2));
    at = next;
  }
  return parts.length === 0 ? null : parts;
}

function markAfter(text: string, mark: string, from: number): number {
  const at = text.indexOf(`\r\n${mark}`, from);
  return at < 0 ? -1 : at + 2;
}

function partOf(text: string, all: Uint8Array, start: number): MultipartPart {
  const blank = text.startsWith('\r\n') ? -2 : text.indexOf('\r\n\r\n');
  const head = blank < 0 ? '' : text.slice(0, blank);
  const bodyAt = blank === -2 ? 2 : blank < 0 ? 0 : blank + 4;
  const field = (name: string) =>
    head
      .split('\r\n')
      .find((line) => line.toLowerCase().startsWith(`${name}:`))
      ?.slice(name.length + 1)
      .trim() ?? null;
  const disposition = field('content-disposition');
  const parameter = (name: string) => {
    const value = disposition === null ? null : parameterOf(disposition, name);
    // The names are UTF-8, and were read as Latin-1.
    return value === null ? null : utf8(value);
  };
  return {
    name: parameter('name'),
    filename: parameter('filename'),
    contentType: field('content-type'),
    body: Uint8Array.from(all.subarray(start + bodyAt, start + text.length)),
  };
}

function utf8(latin1: string): string {
  return new TextDecoder().decode(Uint8Array.from(latin1, (sign) => sign.charCodeAt(0)));
}
