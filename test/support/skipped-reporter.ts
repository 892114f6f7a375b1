import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node';
import { POSTGRES_BIN } from './postgres-cluster.ts';
import { has, PROGRAMS } from './programs.ts';

/**
 * Ends a test run with the reasons for which tests were skipped, each with its count. With NEED_ALL_PROGRAMS a run fails
 * in which a test was skipped for want of a program, or without a reason.
 */
// Vitest takes a reporter from the default export of its file.
// biome-ignore lint/style/noDefaultExport: see above
export default class SkippedReporter implements Reporter {
  #isPart = false;

  onInit(vitest: Vitest): void {
    // The tests that `-t` leaves out are skipped, and that is all there is to say about them.
    this.#isPart = vitest.config.testNamePattern !== undefined;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const missing = new Map<string, string>(Object.entries(PROGRAMS).filter(([program]) => !has(program)));
    if (POSTGRES_BIN === null) missing.set('initdb', 'postgresql');
    const tests = modules.flatMap((module) => [...module.children.allTests('skipped')]);
    const reasons = tests.map(reasonOf).filter((reason) => reason !== '' || !this.#isPart);
    const { lines, fails } = toldOf(missing, reasons);
    for (const line of lines) process.stdout.write(`${line}\n`);
    if (fails && process.env['NEED_ALL_PROGRAMS']) process.exitCode = 1;
  }
}

/**
 * Returns the lines about skipped tests, and whether a run fails that needs all programs.
 *
 * @param missing the programs that are not installed, each with the Debian package that has it
 * @param reasons what each skipped test said about why. Empty if it said nothing.
 */
export function toldOf(
  missing: ReadonlyMap<string, string>,
  reasons: readonly string[],
): { readonly lines: readonly string[]; readonly fails: boolean } {
  if (reasons.length === 0) return { lines: [], fails: false };
  const counts = new Map<string, number>();
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  const isForProgram = reasons.some((reason) => reason.endsWith('installed here'));
  const packages = [...new Set(missing.values())].sort().join(' ');
  return {
    lines: [
      `${reasons.length === 1 ? '1 test was' : `${reasons.length} tests were`} skipped:`,
      ...[...counts]
        .sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1))
        .map(([reason, count]) => `  ${count} ${reason === '' ? 'without a reason' : `because ${reason}`}`),
      ...(isForProgram && packages !== '' ? [`apt-get install ${packages}`] : []),
    ],
    fails: isForProgram || counts.has(''),
  };
}

function reasonOf(test: TestCase): string {
  const result = test.result();
  const note = result.state === 'skipped' ? result.note : undefined;
  return note ?? test.meta().skipped ?? '';
}
