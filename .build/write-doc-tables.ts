import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withTables } from './doc-tables.ts';

// This program writes the generated tables of docs/, each between its markers: npm run docs.

const DOCS = join(import.meta.dirname, '..', 'docs');

for (const name of readdirSync(DOCS).filter((file) => file.endsWith('.md'))) {
  const path = join(DOCS, name);
  const page = readFileSync(path, 'utf8');
  const made = await withTables(page);
  if (made !== page) writeFileSync(path, made);
}
