const { isAscii } = require('node:buffer');
const {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} = require('node:fs');
const { createRequire } = require('node:module');
const { join } = require('node:path');
const { Script } = require('node:vm');
const { crc32 } = require('node:zlib');

// A kept file starts with the checksums of the source and of the bytecode, because V8 compares only the length of the
// source, and runs bytecode as it is.
const HEAD_BYTES = 8;
/** The most installs whose bytecode is kept. An install has 4 MB of it. */
const MOST_INSTALLS = 8;

/**
 * Loads a program whose parts are CommonJS files of one directory, each from the bytecode that an earlier process kept. When
 * the process ends, keeps the bytecode of the parts that had none. This is what `module.enableCompileCache` does in later
 * versions of Node.
 *
 * @param {string} program the name of the program's file, without its ending
 * @param {string} directory where the files are, with a separator at the end
 * @param {string} cache a directory that nobody else can write to
 * @returns {any} what the program exports
 */
function loadCompiled(program, directory, cache) {
  const requireOfNode = createRequire(directory);
  // Bytecode has the path of its source, which errors show.
  const kept = join(cache, `${process.version}-${process.arch}${tagOfFlags()}-${crc32(directory).toString(16)}`);
  const loaded = new Map();
  const compiled = [];
  process.once('exit', () => keep(cache, kept, compiled));
  return load(`${program}.cjs`);

  function load(name) {
    const known = loaded.get(name);
    if (known !== undefined) return known.exports;
    const module = { exports: {} };
    loaded.set(name, module);
    try {
      run(module, name);
      return module.exports;
    } catch (error) {
      // npm replaces the files of a running server. A part that failed is loaded again once they are there.
      loaded.delete(name);
      throw error;
    }
  }

  function run(module, name) {
    const filename = directory + name;
    const source = readFileSync(filename);
    const code = isAscii(source) ? source.latin1Slice() : source.utf8Slice();
    const text = `(function (exports, require, module, __filename, __dirname) {${code}\n})`;
    const checksum = crc32(source);
    const cachedData = bytecodeIn(join(kept, name), checksum);
    const script = new Script(text, { filename, cachedData });
    if (cachedData === undefined || script.cachedDataRejected) compiled.push({ name, checksum, script });
    const required = (id) => (id.startsWith('./') ? load(id.slice(2)) : requireOfNode(id));
    script.runInThisContext()(module.exports, required, module, filename, directory);
  }
}

/** Returns a tag of V8's flags, if Node was given any: V8 refuses the bytecode of other flags. */
function tagOfFlags() {
  const hasFlags = process.execArgv.length > 0 || process.env.NODE_OPTIONS;
  return hasFlags ? `-${require('node:v8').cachedDataVersionTag()}` : '';
}

/** Returns the bytecode in a file, if it is that of a source and whole. */
function bytecodeIn(path, checksum) {
  try {
    const bytes = readFileSync(path);
    const bytecode = bytes.subarray(HEAD_BYTES);
    if (bytes.readUInt32LE(0) === checksum && bytes.readUInt32LE(4) === crc32(bytecode)) return bytecode;
  } catch {
    // No process has kept it, or it cannot be read.
  }
  return undefined;
}

/** Writes files whole or not at all: another process may read them, and this one may be killed. */
function keep(cache, directory, compiled) {
  if (compiled.length === 0) return;
  const made = join(directory, `.${process.pid}`);
  try {
    if (!existsSync(directory)) forgetOldest(cache);
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    for (const { name, checksum, script } of compiled) {
      const bytecode = script.createCachedData();
      const head = Buffer.alloc(HEAD_BYTES);
      head.writeUInt32LE(checksum, 0);
      head.writeUInt32LE(crc32(bytecode), 4);
      writeFileSync(made, Buffer.concat([head, bytecode]), { mode: 0o600 });
      renameSync(made, join(directory, name));
    }
  } catch {
    // The next process compiles again: a full disk, or one that nobody may write to.
    rmSync(made, { force: true });
  }
}

/** Removes the bytecode of the installs that were updated or first run the longest ago. */
function forgetOldest(cache) {
  const kept = readdirSync(cache)
    .map((name) => ({ path: join(cache, name), at: statSync(join(cache, name)).mtimeMs }))
    .sort((one, other) => other.at - one.at);
  for (const { path } of kept.slice(MOST_INSTALLS - 1)) rmSync(path, { recursive: true, force: true });
}

module.exports = { loadCompiled };
