import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { importGraph, sourceFiles } from '../test/support/boundaries.ts';
import { reversed, WAYS, walk } from './ways.ts';

// This program counts what a reader of the code has to open: `npm run counts`. `npm run counts -- <commit>` counts a
// commit, and `--files` lists the files of each way, and the short ones. ways.ts says how a way is counted.

/** A file that is shorter and has one importer is a door to a room of its own, for a sentence. */
const SHORT_LINES = 40;
/** A language is one file of data, and no door on any way. */
const LANGUAGES = 'src/extract/words/';
const PRODUCT = ['src', 'plugins', 'ui', 'bin'];

const given = process.argv.slice(2);
const commit = given.find((word) => !word.startsWith('--'));
const root = commit === undefined ? join(import.meta.dirname, '..') : checkedOut(commit);
try {
  count(root, given.includes('--files'));
} finally {
  if (commit !== undefined) rmSync(root, { recursive: true });
}

function count(root: string, listsFiles: boolean): void {
  const files = new Map(PRODUCT.flatMap((folder) => [...sourceFiles(root, folder)]));
  const linesOf = (path: string): number => (files.get(path) ?? '').split('\n').length - 1;
  const linesOfAll = (paths: Iterable<string>): number => [...paths].reduce((sum, path) => sum + linesOf(path), 0);

  row('A way to read', 'files', 'lines');
  for (const way of WAYS) {
    const walked = walk(way, files);
    row(`  ${way.name}`, walked.files.length, linesOfAll(walked.files));
    if (listsFiles) for (const path of walked.files) row(`    ${path}`, '', linesOf(path));
    if (walked.lost.length > 0) say(`    not there or not reached: ${walked.lost.join(', ')}`);
  }

  const inSrc = [...files.keys()].filter((path) => path.startsWith('src/'));
  const importers = reversed(importGraph(files));
  const doors = [...files.keys()].filter((path) => linesOf(path) < SHORT_LINES && importers.get(path)?.length === 1);
  const folder = (name: string): readonly string[] => inSrc.filter((path) => path.startsWith(`src/${name}/`));
  say('');
  row('The code', 'files', 'lines');
  row(`  ${PRODUCT.join(', ')}`, files.size, linesOfAll(files.keys()));
  row('  src', inSrc.length, linesOfAll(inSrc));
  row('  src/ports', folder('ports').length, linesOfAll(folder('ports')));
  row('  src/actions', folder('actions').length, linesOfAll(folder('actions')));
  row(`  under ${SHORT_LINES} lines with one importer`, doors.length, linesOfAll(doors));
  const languages = doors.filter((path) => path.startsWith(LANGUAGES));
  row('    of them the words of a language', languages.length, linesOfAll(languages));
  if (listsFiles) for (const path of doors) if (!languages.includes(path)) row(`    ${path}`, '', linesOf(path));

  const pages = pagesOf(root);
  say('');
  row('The pages', 'pages', 'words');
  row(
    '  docs',
    pages.length,
    pages.map(wordsOf).reduce((sum, words) => sum + words, 0),
  );
  row('  README', 1, wordsOf(join(root, 'README.md')));
}

function pagesOf(root: string): string[] {
  const below = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' });
  return below.filter((path) => path.endsWith('.md')).map((path) => join(root, 'docs', path));
}

function wordsOf(page: string): number {
  return readFileSync(page, 'utf8').split(/\s+/).filter(Boolean).length;
}

/** Puts the product and the pages of a commit into a directory of its own. */
function checkedOut(commit: string): string {
  const directory = mkdtempSync(join(tmpdir(), 'mailcap-counts-'));
  const archive = execFileSync('git', ['archive', commit, ...PRODUCT, 'docs', 'README.md'], { maxBuffer: 2 ** 28 });
  execFileSync('tar', ['-x', '-C', directory], { input: archive });
  return directory;
}

function row(name: string, files: number | string, lines: number | string): void {
  const cells = [files, lines].map((cell) => cell.toLocaleString('en').padStart(9));
  say(name.padEnd(46) + cells.join(''));
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
