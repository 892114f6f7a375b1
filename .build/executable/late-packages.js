import { setImmediate } from 'node:timers/promises';

// This module takes the place of src/mail/late-packages.ts in the file that needs no Node. There the packages are not
// found by their names at run time, so each `require` is one that the bundler sees. It runs their code on first use too.

const WORD = Buffer.from('=?');
let isLoaded = false;

export function libmime() {
  isLoaded = true;
  return require('libmime');
}

/** encoding-japanese loads its tables by itself on first use: see late-japanese.cjs. */
export function missingModules(bytes) {
  return isLoaded || !bytes.includes(WORD) ? [] : [libmime];
}

const PACKAGES = [
  () => require('iconv-lite'),
  libmime,
  () => require('@zone-eu/mailsplit'),
  () => require('mailparser'),
];
let loading = null;

export function loadMailparser() {
  loading ??= load();
  return loading;
}

async function load() {
  for (const one of PACKAGES) {
    one();
    await setImmediate();
  }
  return require('mailparser');
}
