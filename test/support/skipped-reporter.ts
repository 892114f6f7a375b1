import type { Reporter, TestModule } from 'vitest/node';
import { POSTGRES_BIN } from './postgres-cluster.ts';
import { has, PROGRAMS } from './programs.ts';

/**
 * Ends a test run with one line about the programs for want of which tests were skipped. With NEED_ALL_PROGRAMS such a
 * run fails.
 */
// Vitest takes a reporter from the default export of its file.
// biome-ignore lint/style/noDefaultExport: see above
export default class SkippedReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const missing = new Map<string, string>(Object.entries(PROGRAMS).filter(([program]) => !has(program)));
    if (POSTGRES_BIN === null) missing.set('initdb', 'postgresql');
    const skipped = modules.flatMap((module) => [...module.children.allTests('skipped')]);
    const told = skippedLine(missing, skipped.map(noteOf));
    if (told === null) return;
    process.stdout.write(`${told}\n`);
    if (process.env['NEED_ALL_PROGRAMS']) process.exitCode = 1;
  }
}

/**
 * Returns the line about skipped tests. Null if none was skipped for want of a program.
 *
 * @param missing the programs that are not installed, each with the Debian package that has it
 * @param notes what each skipped test said about why
 */
export function skippedLine(missing: ReadonlyMap<string, string>, notes: readonly string[]): string | null {
  const reasons = new Set(notes.filter((note) => note.endsWith('installed here')));
  if (notes.length === 0 || missing.size + reasons.size === 0) return null;
  const count = notes.length === 1 ? '1 test was' : `${notes.length} tests were`;
  if (missing.size === 0) return `${count} skipped: ${[...reasons].join('; ')}`;
  const packages = [...new Set(missing.values())].sort().join(' ');
  return `${count} skipped, most for want of ${[...missing.keys()].join(', ')}: apt-get install ${packages}`;
}

function noteOf(skipped: { result(): { readonly state: string; readonly note?: string | undefined } }): string {
  return skipped.result().note ?? '';
}
