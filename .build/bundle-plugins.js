import { readFileSync } from 'node:fs';

// Changes of modules that every bundle of the program needs.

/** Leaves out the developer tools of Ink, which would add a second copy of ws. */
export const withoutDevtools = {
  name: 'without-devtools',
  load: (id) => (/[\\/]ink[\\/]build[\\/]devtools\.js$/.test(id) ? '' : null),
};
/** Creates the segmenter of string-width when it is used: it loads tables of Unicode, which takes as long as a command. */
export const lateSegmenter = {
  name: 'late-segmenter',
  transform(code, id) {
    if (!/[\\/]string-width[\\/]index\.js$/.test(id)) return null;
    const early = 'const segmenter = new Intl.Segmenter();';
    if (!code.includes(early))
      throw new Error('string-width creates its segmenter in another way: see .build/bundle-plugins.js');
    const late = 'let made;\nconst segmenter = { segment: (text) => (made ??= new Intl.Segmenter()).segment(text) };';
    return code.replace(early, late);
  },
};

/** Writes the version of the bundled smtp-server where the program compares it with the one that it is written for. */
export const pinnedVersion = {
  name: 'pinned-version',
  transform(code, id) {
    if (!/[\\/]src[\\/]smtp[\\/]connection\.js$/.test(id)) return null;
    const looked = "createRequire(import.meta.url)('smtp-server/package.json')";
    if (!code.includes(looked))
      throw new Error('the version of smtp-server is read in another way: see .build/bundle-plugins.js');
    const { version } = JSON.parse(readFileSync('node_modules/smtp-server/package.json', 'utf8'));
    return code.replace(looked, JSON.stringify({ version }));
  },
};

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
