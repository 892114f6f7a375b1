import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';
import { sourceFiles } from '../support/boundaries.ts';
import { pages, ROOT, readPage } from '../support/pages.ts';

const PAGES = pages();
const SOURCES = new Map(['src', 'ui', 'plugins', 'test'].flatMap((directory) => [...sourceFiles(ROOT, directory)]));

interface Link {
  /** The file that contains the link. */
  readonly from: string;
  /** The path from the repository's root. */
  readonly to: string;
  readonly anchor: string | null;
}

test('every link of a page leads to a file that is there, and to a heading that it has', () => {
  const links = [...PAGES].flatMap(([from, text]) => linksOf(from, text));
  expect(links.length).toBeGreaterThan(80);
  expect(links.filter(isBroken)).toEqual([]);
});

test('every page that a comment of the code points to is there, with the heading it names', () => {
  const links = [...SOURCES].flatMap(([from, text]) =>
    [...text.matchAll(/\bdocs\/([\w/-]+\.md)(?:#([\w-]+))?/g)].map(
      ([, page = '', anchor]): Link => ({ from, to: `docs/${page}`, anchor: anchor ?? null }),
    ),
  );
  expect(links.length).toBeGreaterThan(80);
  expect(links.filter(isBroken)).toEqual([]);
});

test('each file that the pages for contributors name is there', () => {
  const named = ['ARCHITECTURE.md', 'CONTRIBUTING.md'].flatMap((page) =>
    [...readPage(page).matchAll(/`((?:src|plugins|test|ui|bench|bin)\/[^`<*]*)`/g)].map(([, path = '']) => path),
  );
  expect(named.length).toBeGreaterThan(60);
  expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

test('no comment points to a page by a number', () => {
  const numbered = [...SOURCES].filter(([, text]) =>
    /\bcontract \d|API document,? \d/i.test(text.replace(/\/\\b.*/g, '')),
  );
  expect(numbered.map(([path]) => path)).toEqual([]);
});

test('every page can be reached from the README', () => {
  const reached = new Set(['README.md']);
  for (const path of reached)
    for (const { to } of linksOf(path, PAGES.get(path) ?? '')) if (PAGES.has(to)) reached.add(to);
  expect([...PAGES.keys()].filter((path) => !reached.has(path))).toEqual([]);
});

function linksOf(from: string, text: string): Link[] {
  const prose = text.replace(/^```[\s\S]*?^```$/gm, '').replace(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target = '']) => {
    if (/^[a-z]+:/.test(target)) return [];
    const [path = '', anchor] = target.split('#');
    const to = path === '' ? from : normalize(join(dirname(from), path));
    return [{ from, to, anchor: anchor ?? null }];
  });
}

function isBroken({ to, anchor }: Link): boolean {
  if (!existsSync(join(ROOT, to))) return true;
  return anchor !== null && !anchorsOf(PAGES.get(to) ?? '').includes(anchor);
}

/** Returns the anchors that GitHub creates for headings. */
function anchorsOf(text: string): string[] {
  const prose = text.replace(/^```[\s\S]*?^```$/gm, '');
  return [...prose.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}
