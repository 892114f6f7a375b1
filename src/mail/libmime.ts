import { createRequire } from 'node:module';

/** What is used of libmime, which decodes header values for mailparser too. */
interface Libmime {
  decodeWords(text: string): string;
  parseHeaderValue(text: string): { value: string | false; params: Record<string, string> };
  detectMimeType(filename: string): string;
  normalizeCharset(charset: string): string;
}

const require = createRequire(import.meta.url);
let loaded: Libmime | null = null;

/** Loaded at first use: most mail needs none of it, and a start would pay 20 ms. */
export function libmime(): Libmime {
  // A CommonJS package without types.
  loaded ??= require('libmime') as Libmime;
  return loaded;
}
