const { lstatSync, mkdirSync } = require('node:fs');
const { dirname, join } = require('node:path');

/**
 * Returns the directory for the compile cache of Node, or null if there is no private one. Node runs the bytecode that it
 * finds there, so nobody else may write to it or replace it. Its own default lies in the shared directory for temporary
 * files, where another user can make it first.
 *
 * @param {string} home the user's home directory
 * @param {number | undefined} uid the id of the user, or undefined on Windows, where only its user can write to a home
 * @returns {string | null}
 */
function privateCache(home, uid) {
  const cache = join(home, '.cache', 'mailcap', 'compiled');
  try {
    mkdirSync(cache, { recursive: true, mode: 0o700 });
    // Who can write to a directory above it can put another one in its place.
    for (let path = cache; ; path = dirname(path)) {
      if (!isPrivate(lstatSync(path), uid)) return null;
      if (path === home || path === dirname(path)) return cache;
    }
  } catch {
    return null;
  }
}

function isPrivate(found, uid) {
  return found.isDirectory() && (uid === undefined || (found.uid === uid && (found.mode & 0o022) === 0));
}

module.exports = { privateCache };
