import { UserError } from '../../config/user-error.ts';
import { type DocsPage, type Documentation, documentation } from '../../documentation.ts';
import { findInDocs } from '../../text/docs-index.ts';
import { docsPath } from '../../text/docs-place.ts';
import { nearest } from '../../text/nearest.ts';
import { wrapLine } from '../../text/width.ts';
import { type Arguments, EXIT } from '../command.ts';
import { lookUp } from '../connect.ts';
import { openInBrowser } from '../open.ts';
import { outputStyles, print, printedAsJson, printJson, say } from '../output.ts';
import { printHanging } from '../table.ts';

/** The most sections that a search lists. */
const MOST_FOUND = 12;
/** The widest line of a page, in columns. */
const WIDEST = 100;

/**
 * Runs `mailcap docs`: lists the pages of the documentation, prints the one that is named, or searches them all. With
 * --open it opens them in the browser instead, at the server that runs here.
 */
export async function docs(args: Arguments): Promise<number> {
  const all = documentation();
  if (all === null)
    throw new UserError('this checkout holds no documentation yet: `npm run build` builds it from docs/.');
  const { operands } = args;
  const [name = '', anchor = null] =
    operands.length === 1 ? (operands[0] ?? '').replace(/\.md(?=#|$)/, '').split('#') : [];
  const page = all.pages.find((one) => one.name === name) ?? null;
  if (page !== null && anchor !== null && sectionOf(page, anchor) === null) throw noSuchPart(page, anchor);
  if (args.isOn('open'))
    return open(page === null ? null : `${page.name}${anchor === null ? '' : `#${anchor}`}`, operands);
  if (operands.length === 0) return listPages(args, all);
  return page === null ? search(args, all, operands.join(' ')) : printPage(args, page, anchor);
}

async function open(page: string | null, words: readonly string[]): Promise<number> {
  const found = await lookUp({ url: null, dataDir: null, readsConfig: true });
  if (found === null)
    throw new UserError(
      'the pages are opened at a server, and none runs here: start one with `npx mailcap dev`, or leave out --open to read them here.',
      EXIT.unreachable,
    );
  const server = found.at === 'url' ? found.url : found.running.url;
  const searched = words.length === 0 ? '/docs' : `${docsPath('find')}?${new URLSearchParams({ q: words.join(' ') })}`;
  const url = `${server}${page === null ? searched : docsPath(page)}`;
  print(url);
  await openInBrowser(url);
  return EXIT.done;
}

function listPages(args: Arguments, { pages }: Documentation): number {
  const rows = pages.map(({ name, title, group, about }) => ({ page: name, title, group, about }));
  if (printedAsJson(args, rows)) return EXIT.done;
  const { bold, dim } = outputStyles();
  const width = Math.max(...pages.map(({ name }) => name.length));
  let group = '';
  for (const page of pages) {
    if (page.group !== group) print(`${group === '' ? '' : '\n'}${bold(page.group)}`);
    group = page.group;
    printHanging(`  ${page.name.padEnd(width)}  `, width + 4, page.about);
  }
  print('');
  const more =
    'mailcap docs <page> prints a page, mailcap docs <words> searches, and --open shows them in the browser.';
  printHanging('', 0, more, dim);
  return EXIT.done;
}

function search(args: Arguments, { index, pages }: Documentation, words: string): number {
  const found = findInDocs(index, words, MOST_FOUND);
  const listed = found.map(({ page, anchor, titles, snippet }) => ({
    page: anchor === '' ? page : `${page}#${anchor}`,
    titles,
    text: snippet.map(({ text }) => text).join(''),
  }));
  if (args.isOn('json')) printJson(listed);
  else if (found.length === 0) {
    const names = pages.map(({ name }) => name);
    const near = nearest(words, names);
    const hint = near === null ? '`mailcap docs` lists the pages.' : `did you mean ${near}?`;
    say(`no page has ${JSON.stringify(words)}${near === null ? ':' : ';'} ${hint}`);
  } else {
    const { bold, dim } = outputStyles();
    for (const [at, { snippet }] of found.entries()) {
      const { page = '', titles = [] } = listed[at] ?? {};
      printHanging(`${bold(page)}  `, page.length + 2, titles.join(' > '), dim);
      const hits = new Set(snippet.flatMap(({ text, isHit }) => (isHit ? [text] : [])));
      const stressed = (line: string) =>
        line.replace(/[\p{L}\p{N}]+/gu, (word) => (hits.has(word) ? bold(word) : word));
      printHanging('  ', 2, snippet.map(({ text }) => text).join(''), stressed);
    }
  }
  return found.length === 0 ? EXIT.failed : EXIT.done;
}

function printPage(args: Arguments, page: DocsPage, anchor: string | null): number {
  const markdown = (anchor === null ? page.markdown : (sectionOf(page, anchor) ?? '')).trim();
  const { name, title } = page;
  if (args.isOn('json')) printJson({ page: name, title, markdown });
  else for (const line of process.stdout.isTTY ? forPerson(markdown) : [markdown]) print(line);
  return EXIT.done;
}

/** Returns the part of a page below a heading, with the parts below that one; null if the page has no such heading. */
function sectionOf({ markdown, headings }: DocsPage, anchor: string): string | null {
  const at = headings.findIndex((one) => one.anchor === anchor);
  const from = headings[at];
  if (from === undefined) return null;
  const end = headings.slice(at + 1).find(({ level }) => level <= from.level);
  return markdown.slice(from.at, end?.at);
}

function noSuchPart({ name, headings }: DocsPage, anchor: string): UserError {
  return new UserError(
    `the page ${name} has no part ${anchor}; it has ${headings.map((one) => one.anchor).join(', ')}.`,
    EXIT.misuse,
  );
}

/** The line between the head of a table and its rows. */
const RULE = /^\|[ |:-]+\|$/;

/** Returns the lines of Markdown for a terminal: wrapped, with the headings in bold, and without the marks of links. */
function forPerson(markdown: string): string[] {
  const { bold, dim } = outputStyles();
  const width = Math.min(process.stdout.columns || 80, WIDEST);
  let isCode = false;
  return markdown.split('\n').flatMap((line, at, all) => {
    if (line.startsWith('```')) {
      isCode = !isCode;
      return [];
    }
    if (isCode) return [`    ${line}`];
    const [, heading] = /^#+ (.*)/.exec(line) ?? [];
    if (heading !== undefined) return [bold(plain(heading))];
    // The head of a table says little beside its rows.
    if (RULE.test(line) || RULE.test(all[at + 1] ?? '')) return [];
    const cells = line.startsWith('| ') ? line.slice(2, -2).split(/(?<!\\) \| /) : null;
    const text = plain(cells === null ? line : `- ${cells.filter((cell) => cell !== '').join(': ')}`);
    const indent = /^\s*(?:- |\d+\. )?/.exec(text)?.[0] ?? '';
    const [first = '', ...rest] = wrapLine(text.slice(indent.length), Math.max(20, width - indent.length));
    return [
      `${indent.includes('-') ? indent.replace('-', dim('-')) : indent}${first}`,
      ...rest.map((more) => `${' '.repeat(indent.length)}${more}`),
    ];
  });
}

/** Removes the marks of Markdown. A link to a page becomes what `mailcap docs` takes. */
function plain(text: string): string {
  return text
    .replace(/\[([^[\]]*)\]\(([^()\s]*)\)/g, (_all, words: string, to: string) => {
      if (!/^[\w-]+\.md(#|$)/.test(to)) return /^https?:/.test(to) ? `${words} (${to})` : words;
      const place = to.replace('.md', '');
      return words === place ? words : `${words} (${place})`;
    })
    .replace(/\*\*([^*]+)\*\*/g, '$1')
    .replaceAll('`', '');
}
