import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { rolldown } from 'rolldown';

const OUT = 'dist/bundle/web';
const STYLES = 'ui/web/styles';
/** The styles of views whose code is loaded later. They are loaded with it. */
const LATER = /^(?:3-[02-9]|4)-/;
/** The styles for forced colours. A page loads them only where they apply. */
const FORCED = /^6-forced/;

/**
 * Builds the web inbox. It is written for React and bundled with Preact in its place. Each file name contains a hash of
 * its content. Only the compressed form of a file is kept, so that the package has each once.
 */
export async function buildWeb() {
  rmSync(OUT, { recursive: true, force: true });
  mkdirSync(OUT, { recursive: true });
  const bundle = await rolldown({
    input: { app: 'ui/web/main.tsx' },
    platform: 'browser',
    tsconfig: 'ui/web/tsconfig.json',
    resolve: {
      alias: {
        'react/jsx-runtime': 'preact/jsx-runtime',
        'react-dom/client': 'preact/compat/client',
        react: 'preact/compat',
      },
    },
    transform: { target: 'es2023', define: { 'process.env.NODE_ENV': '"production"' } },
  });
  const { output } = await bundle.write({
    dir: OUT,
    format: 'esm',
    minify: true,
    entryFileNames: '[name]-[hash].js',
    chunkFileNames: '[name]-[hash].js',
    // The modules of the first view are one file, those that several other views share are one file, and the views of a
    // folder are one file: most views are smaller than the header of a request for them.
    codeSplitting: {
      groups: [
        { name: 'inbox', tags: ['$initial'] },
        { name: 'shared', minShareCount: 2 },
        { debugName: 'by folder', name: folderOf },
      ],
    },
  });
  await bundle.close();
  const script = output.find((file) => file.type === 'chunk' && file.isEntry).fileName;

  const sheets = readdirSync(STYLES).sort();
  const style = writeSheet(
    'style',
    sheets.filter((name) => !LATER.test(name) && !FORCED.test(name)),
  );
  const views = writeSheet(
    'views',
    sheets.filter((name) => LATER.test(name)),
  );

  const forced = writeSheet(
    'forced',
    sheets.filter((name) => FORCED.test(name)),
  );

  const page = readFileSync('ui/web/index.html', 'utf8')
    .replaceAll('%SCRIPT%', `/assets/${script}`)
    .replaceAll('%STYLE%', `/assets/${style}`)
    .replaceAll('%VIEWS%', `/assets/${views}`)
    .replaceAll('%FORCED%', `/assets/${forced}`);
  writeFileSync(join(OUT, 'index.html'), page);

  for (const name of readdirSync(OUT)) {
    const plain = readFileSync(join(OUT, name));
    const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: plain.length };
    writeFileSync(join(OUT, `${name}.br`), brotliCompressSync(plain, { params }));
    rmSync(join(OUT, name));
  }
}

/** Writes style sheets as one file, and returns its name. */
function writeSheet(name, sheets) {
  const css = squeezed(sheets.map((sheet) => readFileSync(join(STYLES, sheet), 'utf8')).join('\n'));
  const file = `${name}-${createHash('sha256').update(css).digest('base64url').slice(0, 8)}.css`;
  writeFileSync(join(OUT, file), css);
  return file;
}

/**
 * Names the chunk of a view. The small parts of every page, as the help, are in the one that is loaded most. The reader
 * of HTML is as large as all views of a mail together, so it is loaded alone.
 */
function folderOf(id) {
  if (/HtmlAsText|[\\/](?:extract|htmlparser2|entities)[\\/]/.test(id)) return 'html-as-text';
  const [, folder = null] = /[\\/]ui[\\/]web[\\/](\w+)[\\/]/.exec(id) ?? [];
  return folder === 'parts' ? 'mail' : folder;
}

/** Removes comments and unneeded white space from CSS. */
function squeezed(css) {
  return css
    .replace(/\/\*.*?\*\//gs, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([{};,]) ?/g, '$1')
    .replace(/;}/g, '}')
    .replace(/: /g, ':')
    .replace(/ > /g, '>')
    .trim();
}
