import { execFile } from 'node:child_process';
import { copyFile, readFile } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { COMMANDS } from '../../src/cli/program.ts';
import { documentation } from '../../src/documentation.ts';
import { sourceFiles } from '../support/boundaries.ts';
import { temporaryDirectory } from '../support/cli.ts';
import { pages, ROOT, readPage } from '../support/pages.ts';

const SOURCES = new Map(['src', 'ui', 'plugins', 'bin'].flatMap((directory) => [...sourceFiles(ROOT, directory)]));
const exec = promisify(execFile);

/** Tells whether `mailcap docs` and `/docs/` know a place: a page, or a part of it. */
function isThere(place: string): boolean {
  const [name, anchor] = place.split('#');
  const page = documentation()?.pages.find((one) => one.name === name);
  return page !== undefined && (anchor === undefined || page.headings.some((heading) => heading.anchor === anchor));
}

test('every place of the documentation that a hint, an error or a page of help names is there', () => {
  const named = [...SOURCES].flatMap(([path, text]) =>
    [...text.matchAll(/\bdocs(?:Command|Path)\('([^']*)'\)/g)].map(([, place = '']) => [path, place] as const),
  );
  const ofCommands = Object.entries(COMMANDS).flatMap(([name, command]) =>
    'page' in command ? [[name, command.page] as const] : [],
  );
  expect(named.length).toBeGreaterThan(10);
  expect(ofCommands.length).toBeGreaterThan(30);
  const own = ['find', 'reference'];
  expect([...named, ...ofCommands].filter(([, place]) => !own.includes(place) && !isThere(place))).toEqual([]);
});

test('no text of the program names a file of docs/, which its reader may not have', () => {
  const named = [...SOURCES].flatMap(([path, text]) =>
    text
      .split('\n')
      .filter((line) => /docs\/[\w-]+\.md/.test(line) && !/^\s*(?:\/\/|\/?\*)/.test(line))
      .map((line) => `${path}: ${line.trim()}`),
  );
  // The data of the languages say in a comment how one is added.
  expect(named).toEqual([]);
});

/** The files of the repository that a reader of the package is told to look for there. */
const ELSEWHERE =
  /^(?:ARCHITECTURE|CONTRIBUTING|SECURITY)\.md$|^compose\.postgres\.yaml$|^examples\/|^src\/store\/file\/README\.md$|^test\/(?:clients|corpus)\//;

test('the links of the README and of each page lead to a file of the package, or to the repository', async () => {
  const { files } = JSON.parse(readPage('package.json'));
  const isPacked = (path: string) => files.some((one: string) => path === one || path.startsWith(`${one}/`));
  const strays = [...pages()]
    .filter(([path]) => isPacked(path))
    .flatMap(([path, text]) =>
      [...text.replace(/^```[\s\S]*?^```$/gm, '').matchAll(/\]\(([^)\s#]+)/g)]
        .map(([, target = '']) => target)
        .filter((target) => !/^[a-z]+:/.test(target))
        .map((target) => [path, normalize(join(dirname(path), target))] as const),
    )
    .filter(([, to]) => !isPacked(to) && !ELSEWHERE.test(to));
  expect(strays).toEqual([]);
});

test('no page and no file of the package has a name that its reader would have to replace', () => {
  const texts = new Map([...pages(), ...SOURCES, ['package.json', readPage('package.json')]]);
  expect([...texts].filter(([, text]) => /your-org/.test(text)).map(([path]) => path)).toEqual([]);
});

test('one command writes where the project is, and package.json says it nowhere else', async () => {
  const cwd = await temporaryDirectory();
  await copyFile(join(ROOT, 'package.json'), join(cwd, 'package.json'));
  const write = (url: string) => exec(process.execPath, [join(ROOT, '.build', 'links.js'), url], { cwd });
  await write('https://github.com/ada/mailcap.git');
  const written = JSON.parse(await readFile(join(cwd, 'package.json'), 'utf8'));
  expect(written).toMatchObject({
    homepage: 'https://github.com/ada/mailcap#readme',
    bugs: { url: 'https://github.com/ada/mailcap/issues' },
    repository: { type: 'git', url: 'git+https://github.com/ada/mailcap.git' },
  });
  await write('https://git.example.com/team/tools/mailcap');
  const again = await readFile(join(cwd, 'package.json'), 'utf8');
  expect(again).not.toContain('github.com/ada');
  const { homepage: _h, bugs: _b, repository: _r, ...rest } = JSON.parse(again);
  const { homepage, bugs, repository, ...own } = JSON.parse(readPage('package.json'));
  expect(rest).toEqual(own);
  // All three are there, or none is yet.
  expect(new Set([homepage, bugs, repository].map((link) => link === undefined)).size).toBe(1);
  await expect(write('mailcap')).rejects.toThrow('usage');
});
