import { isUtf8 } from 'node:buffer';

/** Decodes a header value with one character per byte: as UTF-8 if it is valid, or else as Latin-1. */
export function utf8OrLatin1(value: string): string {
  const bytes = Buffer.from(value, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : value;
}
