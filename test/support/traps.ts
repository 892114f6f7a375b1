import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A row of `test/TRAPS.md`: a test that fails where a fault of another tool is here too. */
export interface TrapTest {
  /** The test file, from `test/`. */
  readonly file: string;
  /** The title as it stands in the source. */
  readonly title: string;
}

/** A test of a run. */
export interface RanTest {
  readonly file: string;
  readonly title: string;
  readonly hasPassed: boolean;
}

export function trapTests(): readonly TrapTest[] {
  return readFileSync(join(import.meta.dirname, '..', 'TRAPS.md'), 'utf8')
    .split('\n')
    .map((line) => /^\| (.*)\| `([^`]+)` \| (.+) \|$/.exec(line))
    .filter((row) => row !== null)
    .map(([, , file = '', title = '']) => ({ file, title }));
}

/** Returns the tests of traps whose file ran, and of which none passed. */
export function trapsNotTested(traps: readonly TrapTest[], ran: readonly RanTest[]): readonly TrapTest[] {
  return traps.filter(({ file, title }) => {
    const tests = ran.filter((test) => test.file === file);
    const pattern = patternOf(title);
    return tests.length > 0 && !tests.some((test) => test.hasPassed && pattern.test(test.title));
  });
}

/** A title of the source has places that are filled when the test runs. A number of repetitions may come before it. */
function patternOf(title: string): RegExp {
  const parts = title.split(/%[sjd]|\$\{\w+\}|\$\w+/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`(?:^|: )${parts.join('.*')}$`, 's');
}
