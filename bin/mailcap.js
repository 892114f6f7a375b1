#!/usr/bin/env node
import module from 'node:module';
import { homedir } from 'node:os';
import { privateCache } from './private-cache.js';

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`mailcap needs Node.js 20.19 or later; this is ${process.versions.node}.\n`);
  process.exit(1);
}
if (module.enableCompileCache) {
  const cache = privateCache(homedir(), process.getuid?.());
  if (cache !== null) module.enableCompileCache(cache);
}
const { main } = await import('../dist/bundle/main.js');
await main();
