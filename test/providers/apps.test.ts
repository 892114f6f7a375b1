import { cp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { npmApps } from '../clients/programs.ts';
import { makeProject } from '../plugins/project.ts';
import { results, vitest } from '../plugins/vitest-project.ts';
import { BY_DAY } from '../support/night.ts';
import { blocksOf, ROOT, readPage } from '../support/pages.ts';
import { unless } from '../support/unless.ts';

// Apps of npm that send by providers, and the tests that their authors would write with the fixtures.

/** The number of tests in each file of `apps`. */
const SUITES = { 'better-auth': 3, 'auth-js': 5, 'react-email': 3 };

unless(test, BY_DAY)(
  'tests of better-auth, Auth.js and react-email get the mails and texts that these send by providers',
  { timeout: 600_000 },
  async () => {
    const packages = await npmApps();
    const project = await makeProject();
    onTestFinished(() => project.remove());
    const modules = join(project.directory, 'node_modules');
    // The packages that mailcap needs are its own, as npm installs them.
    const { dependencies } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
    for (const name of await readdir(packages)) {
      if (name.startsWith('.') || Object.hasOwn(dependencies, name)) continue;
      await rm(join(modules, name), { force: true });
      await symlink(join(packages, name), join(modules, name));
    }
    await cp(join(import.meta.dirname, 'apps'), project.directory, { recursive: true });
    const toMailcap = blocksOf(readPage('docs/providers.md')).find(({ mark }) => mark === 'fixed')?.text ?? '';
    await project.write('to-mailcap.js', toMailcap);
    await project.write(
      'vitest.config.js',
      "export default { test: { globalSetup: 'mailcap/vitest/global-setup', testTimeout: 60_000 } };",
    );
    for (const [name, count] of Object.entries(SUITES)) {
      const report = await vitest(project, name);
      expect(results(report).filter((line) => !line.startsWith('passed'))).toEqual([]);
      expect([name, report.numPassedTests]).toEqual([name, count]);
    }
  },
);
