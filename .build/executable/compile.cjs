'use strict';

// This program runs a command of mailcap from the archive that `.build/executable.js` made, and at its end writes the
// bytecode of what it ran: node compile.cjs <archive> <directory> <command...>

const { readFileSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const start = require('./loader.cjs');

const [archive, directory, ...args] = process.argv.slice(2);
const scripts = new Map();
process.on('exit', () => {
  for (const [name, script] of scripts) writeFileSync(join(directory, name), script.createCachedData());
});
process.argv.splice(1, Infinity, 'mailcap', ...args);

const { buffer, byteOffset, byteLength } = readFileSync(archive);
const sea = {
  getRawAsset: () => buffer.slice(byteOffset, byteOffset + byteLength),
  // What runs in a thread is compiled there.
  getAsset: () => '() => {}',
};
start('main', sea, (name, script) => scripts.set(name, script));
