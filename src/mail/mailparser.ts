import { createRequire } from 'node:module';
import { setImmediate } from 'node:timers/promises';
import { deferJapanese } from './libmime.ts';

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

let loaded: Promise<typeof import('mailparser')> | null = null;

/** Loads mailparser on first use. */
export function loadMailparser(): Promise<typeof import('mailparser')> {
  loaded ??= load();
  return loaded;
}

async function load(): Promise<typeof import('mailparser')> {
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
