import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { trapsNotTested, trapTests } from './support/traps.ts';

// test/support/traps-reporter.ts holds the table against the tests that ran.

test('the table of traps names test files that exist', () => {
  const traps = trapTests();
  expect(traps.length).toBeGreaterThan(40);
  expect(traps.filter(({ file }) => !existsSync(join(import.meta.dirname, file)))).toEqual([]);
});

// Some of these files run at night alone, so the run of a day would not tell.
test('the table of traps names titles that stand in their files', () => {
  const lost = trapTests().filter(({ file, title }) => {
    const source = readFileSync(join(import.meta.dirname, file), 'utf8').replaceAll("\\'", "'");
    return !source.includes(title);
  });
  expect(lost).toEqual([]);
});

test.each([
  ['the title', 'a mail is kept', 'a mail is kept', true, true],
  ['the title with what is filled in', 'a mail of %s is kept, %d times', 'a mail of 3 MB is kept, 9 times', true, true],
  ['the title after a number of repetitions', 'a mail is kept', '100 times: a mail is kept', true, true],
  ['the title of a test that failed or was skipped', 'a mail is kept', 'a mail is kept', false, false],
  ['another title', 'a mail is kept', 'a mail is kept whole', true, false],
  ['a title that the signs of a pattern would match', 'a.mail (kept)', 'a mail kept', true, false],
] as const)('a trap is tested by %s: %j by %j', (_what, title, ran, hasPassed, isTested) => {
  const missing = trapsNotTested([{ file: 'a.test.ts', title }], [{ file: 'a.test.ts', title: ran, hasPassed }]);
  expect(missing.length === 0).toBe(isTested);
});

test('a trap whose file did not run is not reported', () => {
  expect(
    trapsNotTested([{ file: 'a.test.ts', title: 'a' }], [{ file: 'b.test.ts', title: 'b', hasPassed: true }]),
  ).toEqual([]);
});
