import { isUtf8 } from 'node:buffer';

/** A header's value as its sender meant it, from a text that has one character for each byte: UTF-8 where it is that, else Latin-1. */
export function headerText(value: string): string {
  const bytes = Buffer.from(value, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : value;
}
