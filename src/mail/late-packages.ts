import { createRequire, Module } from 'node:module';
import { setImmediate } from 'node:timers/promises';

/** The functions of libmime that are used. mailparser decodes header values with it too. */
interface Libmime {
  decodeWords(text: string): string;
  parseHeaderValue(text: string): { value: string | false; params: Record<string, string> };
  detectMimeType(filename: string): string;
  normalizeCharset(charset: string): string;
}

type Load = () => void;

const require = createRequire(import.meta.url);
const WORD = Buffer.from('=?');
/** The charsets for which libmime uses encoding-japanese. */
const JAPANESE = /=\?(?:jis|iso-?2022-?jp|eucjp)/i;
const NOTHING: readonly Load[] = [];

let loadedLibmime: Libmime | null = null;
let japanese: 'not deferred' | 'deferred' | 'loaded' = 'not deferred';

/** Loads libmime on first use, because most mail does not need it. */
export function libmime(): Libmime {
  if (loadedLibmime === null) {
    deferJapanese();
    // libmime is a CommonJS package without types.
    loadedLibmime = require('libmime') as Libmime;
  }
  return loadedLibmime;
}

/**
 * Returns the modules that decoding the header of a mail may load. Each takes 10 to 40 ms, so that a caller can load
 * them in separate turns of the event loop. `bytes` is the start of the mail.
 */
export function missingModules(bytes: Buffer): readonly Load[] {
  if (loadedLibmime !== null && japanese !== 'deferred') return NOTHING;
  if (!bytes.includes(WORD)) return NOTHING;
  const missing: Load[] = loadedLibmime === null ? [libmime] : [];
  if (japanese !== 'loaded' && JAPANESE.test(bytes.toString('latin1'))) missing.push(loadJapanese);
  return missing;
}

/**
 * Makes libmime and mailparser load encoding-japanese on first use. They need it only for text in Japanese charsets,
 * but load it at once, which takes 40 ms and 8 MB.
 */
function deferJapanese(): void {
  if (japanese !== 'not deferred') return;
  try {
    const path = createRequire(require.resolve('libmime')).resolve('encoding-japanese');
    japanese = 'loaded';
    if (require.cache[path] !== undefined) return;
    const standIn = new Module(path);
    standIn.filename = path;
    standIn.loaded = true;
    standIn.exports = { convert: (...given: unknown[]) => convertWith(standIn, given) };
    require.cache[path] = standIn;
    japanese = 'deferred';
  } catch {
    // A release may not need this package. It is then loadedLibmime as any other.
  }
}

function convertWith(standIn: Module, given: unknown[]): unknown {
  delete require.cache[standIn.filename];
  const { convert } = require(standIn.filename) as { convert: (...args: unknown[]) => unknown };
  standIn.exports.convert = convert;
  japanese = 'loaded';
  return convert(...given);
}

function loadJapanese(): void {
  libmime().decodeWords('=?iso-2022-jp?B?GyRCRnwbKEI=?=');
}

// The nine packages of MailParser take 100 ms to load. They are loaded one by one, so that the event loop stays
// responsive.
const PACKAGES = [
  'iconv-lite',
  'libmime',
  '@zone-eu/mailsplit',
  'nodemailer/lib/addressparser',
  'htmlparser2',
  'html-to-text',
  'he',
  'linkify-it',
  'tlds',
];

/** Loads mailparser, one package after another. */
export async function importMailparser(): Promise<typeof import('mailparser')> {
  deferJapanese();
  const require = createRequire(createRequire(import.meta.url).resolve('mailparser'));
  for (const name of PACKAGES) {
    try {
      require(name);
    } catch {
      // A release may not need this package. A missing one fails in the import below.
    }
    await setImmediate();
  }
  return import('mailparser');
}
