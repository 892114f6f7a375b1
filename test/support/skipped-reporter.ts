import type { Reporter, TestModule } from 'vitest/node';
import { has, PROGRAMS } from './programs.ts';

/**
 * Ends a test run with one line about the programs for want of which tests were skipped. With NEED_ALL_PROGRAMS such a
 * run fails.
 */
// Vitest takes a reporter from the default export of its file.
// biome-ignore lint/style/noDefaultExport: see above
export default class SkippedReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const missing = Object.entries(PROGRAMS).filter(([program]) => !has(program));
    if (missing.length === 0) return;
    const skipped = modules.reduce((sum, module) => sum + [...module.children.allTests('skipped')].length, 0);
    const programs = missing.map(([program]) => program).join(', ');
    const packages = [...new Set(missing.map(([, name]) => name))].sort().join(' ');
    const told = `${skipped} tests were skipped, most for want of ${programs}: apt-get install ${packages}\n`;
    if (skipped > 0) process.stdout.write(told);
    if (process.env['NEED_ALL_PROGRAMS']) process.exitCode = 1;
  }
}
