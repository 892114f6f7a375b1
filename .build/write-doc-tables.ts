import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ALL_WORDS_FILE, allWordsModule } from './all-words.ts';
import { clientModules } from './client-operations.ts';
import { commandOperations } from './command-operations.ts';
import { withTables } from './doc-tables.ts';

// This program writes what is generated from the code: the tables of docs/, each between its markers, and the operations
// of the client and of `mailcap api`, and the words of all languages in one file. npm run docs

const DOCS = join(import.meta.dirname, '..', 'docs');

for (const name of readdirSync(DOCS).filter((file) => file.endsWith('.md'))) {
  const path = join(DOCS, name);
  const page = readFileSync(path, 'utf8');
  const made = await withTables(page);
  if (made !== page) writeFileSync(path, made);
}

const modules = [...(await clientModules()), commandOperations(), [ALL_WORDS_FILE, await allWordsModule()] as const];
for (const [path, source] of modules) {
  if (!existsSync(path) || source !== readFileSync(path, 'utf8')) writeFileSync(path, source);
}
