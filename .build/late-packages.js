import { setImmediate } from 'node:timers/promises';

// This module takes the place of src/mail/late-packages.ts in the package and in the file that needs no Node. The
// libraries that read mail are not installed there: .build/mail-libraries.cjs has them, in a file of its own.

const WORD = Buffer.from('=?');
let isLoaded = false;

export function libmime() {
  isLoaded = true;
  const { libmime: load } = require('./mail-libraries.cjs');
  return load();
}

/** encoding-japanese loads its tables by itself on first use. */
export function missingModules(bytes) {
  return isLoaded || !bytes.includes(WORD) ? [] : [libmime];
}

export async function importMailparser() {
  const { parts, mailparser } = require('./mail-libraries.cjs');
  for (const part of parts) {
    part();
    await setImmediate();
  }
  return mailparser();
}
