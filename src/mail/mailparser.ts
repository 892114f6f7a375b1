import { createRequire } from 'node:module';
import { setImmediate } from 'node:timers/promises';

// MailParser brings ten packages, which take 100 ms together where they are loaded for the first time. Loaded one after
// another they let others have their turn. What one of them is matters to nothing else here.
const PACKAGES = [
  'iconv-lite',
  'libmime',
  'encoding-japanese',
  '@zone-eu/mailsplit',
  'nodemailer/lib/addressparser',
  'htmlparser2',
  'html-to-text',
  'he',
  'linkify-it',
  'tlds',
];

let loaded: Promise<typeof import('mailparser')> | null = null;

/** The package, loaded at first use. */
export function loadMailparser(): Promise<typeof import('mailparser')> {
  loaded ??= load();
  return loaded;
}

async function load(): Promise<typeof import('mailparser')> {
  const require = createRequire(createRequire(import.meta.url).resolve('mailparser'));
  for (const name of PACKAGES) {
    try {
      require(name);
    } catch {
      // A release may do without it: what is needed is loaded below, or fails there.
    }
    await setImmediate();
  }
  return import('mailparser');
}
