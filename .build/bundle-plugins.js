import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

// Changes of modules that every bundle of the program needs.

/** Leaves out the developer tools of Ink, which would add a second copy of ws. */
const withoutDevtools = {
  name: 'without-devtools',
  load: (id) => (/[\\/]ink[\\/]build[\\/]devtools\.js$/.test(id) ? '' : null),
};
/** A segmenter, or an expression with a class of Unicode, which string-width makes while it loads. */
const OF_UNICODE = /^const (\w+) = (?:new Intl\.Segmenter\(\)|\/(.*\\p\{.*)\/([a-z]+));$/gm;

/** Makes these of string-width when they are used: they load tables of Unicode, which takes as long as a command. */
const lateUnicode = {
  name: 'late-unicode',
  transform(code, id) {
    if (!/[\\/]string-width[\\/]index\.js$/.test(id)) return null;
    const names = [];
    const declared = code.replace(OF_UNICODE, (_, name, source, flags) => {
      names.push(name);
      const made = flags === undefined ? 'new Intl.Segmenter()' : `new RegExp(${JSON.stringify(source)}, '${flags}')`;
      return `let ${name}Made;\nconst late_${name} = () => (${name}Made ??= ${made});`;
    });
    if (names.length === 0)
      throw new Error('string-width reads tables of Unicode in another way: see .build/bundle-plugins.js');
    return names.reduce((text, name) => text.replace(new RegExp(`\\b${name}\\b`, 'g'), `late_${name}()`), declared);
  },
};

/** Express loads these for its parsers of bodies, its files and its answers. The server uses none of them. */
const UNUSED = ['body-parser', 'serve-static', 'send', 'mime-types', 'qs'];

/** Leaves out of Express what nobody calls: its tables of encodings and media types took 20 ms of a start. */
const leanExpress = {
  name: 'lean-express',
  resolveId: (id, importer) =>
    UNUSED.includes(id) && /[\\/]node_modules[\\/](express|accepts|type-is)[\\/]/.test(importer)
      ? '\0unused.cjs'
      : null,
  load: (id) => (id === '\0unused.cjs' ? 'module.exports = {};' : null),
};

const IN_CODE = (path) => new RegExp(`[\\\\/]${path.replaceAll('/', '[\\\\/]').replaceAll('.', '\\.')}$`);

/** Returns a plugin that changes the code of modules, and a check that each change was made. */
export function changesOf(name, changes) {
  const left = new Set(changes);
  return {
    name,
    transform(code, id) {
      let changed = code;
      for (const change of changes) {
        if (!IN_CODE(change.file).test(id)) continue;
        if (!changed.includes(change.from)) throw new Error(`${id} has no ${change.from}: see .build/`);
        changed = changed.replace(change.from, () => change.to);
        left.delete(change);
      }
      return changed === code ? null : changed;
    },
    buildEnd() {
      if (left.size > 0) throw new Error(`nothing has ${[...left][0].from}: see .build/`);
    },
  };
}

/** Changes modules that wait while they load, which CommonJS can't. */
const withoutTopLevelAwait = () =>
  changesOf('without-top-level-await', [
    {
      file: 'yoga-layout/dist/src/index.js',
      from: 'const Yoga = wrapAssembly(await loadYoga());',
      to: "const Yoga = {}; globalThis[Symbol.for('mailcap.layout')] = loadYoga().then((made) => Object.assign(Yoga, wrapAssembly(made)));",
    },
    {
      file: 'dist/ui/terminal/run-inbox.js',
      from: 'const { showInbox } = await view;',
      to: "const { showInbox } = await view; await globalThis[Symbol.for('mailcap.layout')];",
    },
    { file: 'ink/build/reconciler.js', from: "await import('./devtools.js');", to: '' },
    { file: 'ink/build/reconciler.js', from: '? await loadPackageJson()', to: '? loadPackageJson()' },
  ]);

/** Lets path-to-regexp know the letters of names without the tables of Unicode: the paths of the server are ASCII. */
const asciiPaths = () =>
  changesOf('ascii-paths', [
    { file: 'path-to-regexp/dist/index.js', from: '/^[$_\\p{ID_Start}]$/u', to: '/^[$_A-Za-z]$/' },
    { file: 'path-to-regexp/dist/index.js', from: '/^[$\\u200c\\u200d\\p{ID_Continue}]$/u', to: '/^[$\\w]$/' },
  ]);

/** Loads the tables of encoding-japanese, which take 40 ms and 8 MB, when a text needs them. */
const JAPANESE = resolve('node_modules/encoding-japanese/src/index.js');
const LATE_JAPANESE = `exports.convert = (...given) => require(${JSON.stringify(JAPANESE)}).convert(...given);`;
const LATE_PACKAGES = /[\\/]dist[\\/]src[\\/]mail[\\/]late-packages\.js$/;
const LIBRARIES = './mail-libraries.cjs';

/** Takes the libraries that read mail from `mail-libraries.cjs`. With `isBeside`, it is a file beside the bundle. */
export const mailLibraries = ({ isBeside = false } = {}) => ({
  name: 'mail-libraries',
  resolveId(id) {
    if (id === 'encoding-japanese') return '\0late-japanese.cjs';
    if (id === 'libmime' && isBeside) return '\0libmime.cjs';
    if (id !== LIBRARIES) return null;
    return isBeside ? { id, external: true } : resolve('.build', id);
  },
  load(id) {
    if (id === '\0late-japanese.cjs') return LATE_JAPANESE;
    // mailauth has it too.
    if (id === '\0libmime.cjs') return `module.exports = require('${LIBRARIES}').libmime();`;
    return LATE_PACKAGES.test(id) ? readFileSync('.build/late-packages.js', 'utf8') : null;
  },
});

/** The changes of libraries in every bundle. */
export const ofLibraries = () => [withoutDevtools, lateUnicode];

/** The changes of libraries in the programs alone. */
export const ofPrograms = () => [withoutTopLevelAwait(), leanExpress, asciiPaths()];

/**
 * Writes the characters beyond ASCII as escapes. V8 keeps a source with one of them in two bytes for each character:
 * a few dashes in messages made the server's sources 0.7 MB larger in memory. A chunk with such a character in a raw
 * template stays as it is, because an escape would be read there as it stands.
 */
export const inAscii = {
  name: 'ascii',
  generateBundle(_options, files) {
    for (const file of Object.values(files)) {
      if (file.type !== 'chunk' || /\.raw`[^`]*[^\0-\x7f]/.test(file.code)) continue;
      file.code = file.code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
    }
  },
};

/** A module of Node that a chunk of CommonJS requires at its start. */
const REQUIRED = /^let (node_\w+) = require\("(node:[\w/]+)"\);$/gm;

/**
 * Requires the modules of Node when they are used: crypto, https and threads take as long as half of a command, and most
 * commands need none of them.
 */
export const lateBuiltins = {
  name: 'late-builtins',
  generateBundle(_options, files) {
    for (const file of Object.values(files)) {
      if (file.type !== 'chunk') continue;
      const names = [];
      const declared = file.code.replace(REQUIRED, (whole, name, id) => {
        // A module that is used as a whole stays as it is.
        if (new RegExp(`\\b${name}\\b(?!\\.)`).test(file.code.replace(whole, ''))) return whole;
        names.push(name);
        return `let ${name}Made;\nconst late_${name} = () => (${name}Made ??= require("${id}"));`;
      });
      // Without parentheses, `new` would call the function that requires the module.
      file.code = names.reduce(
        (code, name) =>
          code
            .replace(new RegExp(`\\bnew ${name}\\.`, 'g'), `new (late_${name}()).`)
            .replace(new RegExp(`\\b${name}\\.`, 'g'), `late_${name}().`),
        declared,
      );
    }
  },
};
