import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

// This program builds dist, unless dist was built from the same sources: `npm ci`, `npm test` and `npm run dev` each
// run it.

/** The files that a build depends on. package-lock.json represents node_modules. */
const SOURCES = [
  ...['.build', 'plugins', 'src', 'ui'],
  ...['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json'],
];
/**
 * The file with the digest of the sources of a finished build, and the number of its files. It is in dist, so that it
 * is deleted with the build.
 */
const STAMP = 'dist/built-from';
/** The same of the documentation, which is built anew by itself. */
const DOCS_STAMP = 'dist/docs-built-from';
const BUNDLE = 'dist/bundle';
/** The tests compare the time of this file with those of the sources. */
const BUILT = `${BUNDLE}/main.cjs`;

const sources = digestOf(SOURCES.flatMap(filesIn));
const docs = digestOf(['docs', '.build/docs.js', '.build/highlight.js', 'package.json'].flatMap(filesIn));
if (existsSync(BUILT) && existsSync(STAMP) && readFileSync(STAMP, 'utf8') === stampOf(sources)) {
  const now = new Date();
  utimesSync(BUILT, now, now);
} else {
  // An interrupted build leaves no stamp.
  rmSync(STAMP, { force: true });
  rmSync(DOCS_STAMP, { force: true });
  run(join('node_modules', 'typescript-7', 'bin', 'tsc'), '-p', 'tsconfig.build.json');
  run(join('.build', 'bundle.js'));
  buildDocs();
  // If the sources changed meanwhile, the build has none of their changes, so it gets no stamp.
  writeFileSync(STAMP, stampOf(sources));
}

if (!existsSync(DOCS_STAMP) || readFileSync(DOCS_STAMP, 'utf8') !== docs) buildDocs();

function buildDocs() {
  run(join('.build', 'docs.js'));
  writeFileSync(DOCS_STAMP, docs);
}

function stampOf(digest) {
  return `${digest} ${filesIn(BUNDLE).length}\n`;
}

function filesIn(path) {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

function digestOf(paths) {
  const hash = createHash('sha256').update(process.version);
  for (const path of paths) {
    const bytes = readFileSync(path);
    hash.update(`\0${path}\0${bytes.length}\0`).update(bytes);
  }
  return hash.digest('hex');
}

function run(...args) {
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
