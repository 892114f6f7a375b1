import module, { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { loadCompiled } from './load-compiled.js';
import { privateCache } from './private-cache.js';

const BUNDLE = fileURLToPath(new URL('../dist/bundle/', import.meta.url));

/**
 * Loads a program of the package, and returns what it exports. V8 runs it from the bytecode that an earlier process left
 * in a directory of the user, if there is one. A start then takes half as long.
 *
 * @param {string} program `main` or `serve`
 * @returns {any}
 */
export function load(program) {
  globalThis[Symbol.for('mailcap.import')] = (url) => import(url);
  const cache = privateCache(homedir(), process.getuid?.());
  // Node has a cache of bytecode since 22.1.
  if (cache !== null && !module.enableCompileCache) return loadCompiled(program, BUNDLE, cache);
  if (cache !== null) module.enableCompileCache(cache);
  return createRequire(import.meta.url)(`${BUNDLE}${program}.cjs`);
}
