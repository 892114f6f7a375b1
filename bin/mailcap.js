#!/usr/bin/env node
const { load } = require('./load.js');

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`mailcap needs Node.js 20.19 or later; this is ${process.versions.node}.\n`);
  process.exit(1);
}
void load('main').main();
