import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROWS = readFileSync(join(import.meta.dirname, 'TRAPS.md'), 'utf8')
  .split('\n')
  .map((line) => /^\| (.*)\| `([^`]+)` \| (.+) \|$/.exec(line))
  .filter((row) => row !== null)
  .map(([, , file = '', title = '']) => ({ file, title }));

test('the table of traps is there', () => {
  expect(ROWS.length).toBeGreaterThan(40);
});

test.each(ROWS)('$file has the test: $title', ({ file, title }) => {
  const path = join(import.meta.dirname, file);
  expect(existsSync(path), `there is no ${file}`).toBe(true);
  const source = readFileSync(path, 'utf8');
  // A title is one literal, except for a number of repetitions, which may come before it.
  const places = [...["'", '`', '"'].map((quote) => `${quote}${title}${quote}`), `: ${title}\``];
  expect(
    places.some((place) => source.includes(place)),
    `no test of ${file} is called so`,
  ).toBe(true);
});
