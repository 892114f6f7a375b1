const { enableCompileCache } = require('node:module');
const { homedir } = require('node:os');
const { join, sep } = require('node:path');
const { loadCompiled } = require('./load-compiled.js');
const { privateCache } = require('./private-cache.js');

// These files are CommonJS (package.json beside them), because Node starts its loader of ES modules in 8 ms.

const BUNDLE = join(__dirname, '..', 'dist', 'bundle', sep);

/**
 * Loads a program of the package, and returns what it exports. V8 runs it from the bytecode that an earlier process left
 * in a directory of the user, if there is one. A start then takes half as long.
 *
 * @param {string} program `main` or `serve`
 * @returns {any}
 */
function load(program) {
  globalThis[Symbol.for('mailcap.import')] = (url) => import(url);
  const cache = privateCache(homedir(), process.getuid?.());
  // Node has a cache of bytecode since 22.1.
  if (cache !== null && !enableCompileCache) return loadCompiled(program, BUNDLE, cache);
  if (cache !== null) enableCompileCache(cache);
  return require(`${BUNDLE}${program}.cjs`);
}

module.exports = { load };
