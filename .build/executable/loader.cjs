'use strict';

/**
 * The whole start of the file that needs no Node, in its process and in each of its threads. It runs the programs that
 * `.build/executable.js` made, from memory, with the bytecode that V8 made of them then. Its text is what gets into the
 * file, so it uses nothing outside of itself.
 *
 * @param {string} program the name of the program to run: `main`, or that of a thread
 * @param {{ getRawAsset(name: string): ArrayBuffer, getAsset(name: string, encoding: string): string }} sea what the file holds
 * @param {(name: string, script: import('node:vm').Script) => void} [onLoaded] is told each script that runs
 */
module.exports = function start(program, sea, onLoaded) {
  const { Buffer } = require('node:buffer');
  const { createRequire } = require('node:module');
  const { constants, Script } = require('node:vm');

  // Code that comes from a cache of V8 can't import, so what a user's config file needs is done by a script without one.
  const importModuleDynamically = constants.USE_MAIN_CONTEXT_DEFAULT_LOADER;
  // The length of the list stands in the first four bytes.
  const archive = Buffer.from(sea.getRawAsset('files'));
  const contents = 4 + archive.readUInt32LE(0);
  const files = JSON.parse(archive.latin1Slice(4, contents));
  const bytesOf = ([at, length]) => archive.subarray(contents + at, contents + at + length);
  const loaded = new Map();
  const requireOfNode = createRequire(process.execPath);

  globalThis[Symbol.for('mailcap.import')] = new Script('(url) => import(url)', {
    importModuleDynamically,
  }).runInThisContext();
  globalThis[Symbol.for('mailcap.executable')] = {
    read: (path) => (Object.hasOwn(files, path) ? Buffer.from(bytesOf(files[path].content)) : null),
    list: (folder) =>
      Object.keys(files)
        .filter((path) => path.startsWith(`${folder}/`))
        .map((path) => path.slice(folder.length + 1)),
    threadCode: (name) => `(${sea.getAsset('loader', 'utf8')})(${JSON.stringify(name)}, require('node:sea'));`,
  };
  const { main } = load(`${program}.cjs`);
  if (main !== undefined) void main();

  function load(name) {
    const known = loaded.get(name);
    if (known !== undefined) return known.exports;
    const module = { exports: {} };
    loaded.set(name, module);
    const { content, compiled, isAscii } = files[name];
    const filename = `${process.execPath}/${name}`;
    const source = bytesOf(content);
    const script = new Script(isAscii ? source.latin1Slice() : source.utf8Slice(), {
      filename,
      cachedData: compiled && bytesOf(compiled),
    });
    onLoaded?.(name, script);
    const required = (id) => (id.startsWith('./') ? load(id.slice(2)) : requireOfNode(id));
    script.runInThisContext()(module.exports, required, module, filename, process.execPath);
    return module.exports;
  }
};
