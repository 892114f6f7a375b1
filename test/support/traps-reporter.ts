import { relative } from 'node:path';
import type { Reporter, TestCase, TestModule, TestSuite, Vitest } from 'vitest/node';
import { trapsNotTested, trapTests } from './traps.ts';

/**
 * Fails a run in which a file of `test/TRAPS.md` ran, and a test that the table names did not pass: because it is called
 * otherwise now, was skipped, or failed.
 */
// Vitest takes a reporter from the default export of its file.
// biome-ignore lint/style/noDefaultExport: see above
export default class TrapsReporter implements Reporter {
  #root = '';
  #isPart = false;

  onInit(vitest: Vitest): void {
    this.#root = vitest.config.root;
    // The tests that `-t` leaves out do not run.
    this.#isPart = vitest.config.testNamePattern !== undefined;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    if (this.#isPart) return;
    const ran = modules.flatMap((module) => {
      const file = relative(`${this.#root}/test`, module.moduleId).replaceAll('\\', '/');
      return [...module.children.allTests()].flatMap((test) => {
        const hasPassed = test.result().state === 'passed';
        return titlesOf(test).map((title) => ({ file, title, hasPassed }));
      });
    });
    for (const { file, title } of trapsNotTested(trapTests(), ran)) {
      process.stdout.write(`test/TRAPS.md names a test of ${file} that did not pass here: ${title}\n`);
      process.exitCode = 1;
    }
  }
}

/** Returns the title of a test and those of the groups around it. A trap may be tested by a group. */
function titlesOf({ name, parent }: TestCase | TestSuite): string[] {
  return parent.type === 'suite' ? [name, ...titlesOf(parent)] : [name];
}
