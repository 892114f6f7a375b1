import { createRequire } from 'node:module';

/** The functions of libmime that are used. mailparser decodes header values with it too. */
interface Libmime {
  decodeWords(text: string): string;
  parseHeaderValue(text: string): { value: string | false; params: Record<string, string> };
  detectMimeType(filename: string): string;
  normalizeCharset(charset: string): string;
}

const require = createRequire(import.meta.url);
let loaded: Libmime | null = null;

/** Loads libmime on first use. Most mail does not need it, and loading takes 20 ms. */
export function libmime(): Libmime {
  // libmime is a CommonJS package without types.
  loaded ??= require('libmime') as Libmime;
  return loaded;
}
