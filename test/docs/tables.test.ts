import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { clientModules } from '../../.build/client-operations.ts';
import { commandOperations } from '../../.build/command-operations.ts';
import { TABLES, withTables } from '../../.build/doc-tables.ts';
import { pages } from '../support/pages.ts';

const MARKER = /<!-- table: ([\w-]+) -->/g;

test.each([...pages()].filter(([, text]) => text.match(MARKER) !== null))(
  'the tables of %s say what the code says; npm run docs writes them anew',
  async (_path, text) => {
    expect(text).toBe(await withTables(text));
  },
);

test('every table that can be made stands on one page', () => {
  const used = [...pages().values()].flatMap((text) => [...text.matchAll(MARKER)].map(([, name]) => name));
  expect(used.sort()).toEqual(Object.keys(TABLES).sort());
});

test('a page that asks for a table there is not is refused', async () => {
  const page = '<!-- table: nonsense -->\n\n<!-- end of table -->';
  await expect(withTables(page)).rejects.toThrow('there is no table nonsense');
});

test('the operations of the client and of mailcap api are those of the routes; npm run docs writes them anew', async () => {
  for (const [path, source] of [...(await clientModules()), commandOperations()])
    expect(readFileSync(path, 'utf8')).toBe(source);
});
