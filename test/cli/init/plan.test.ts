import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { planOf } from '../../../src/cli/init/init.ts';
import type { Wishes } from '../../../src/cli/init/project.ts';
import { runnersOf } from '../../../src/cli/init/runner.ts';
import { PROVIDER_NAMES } from '../../../src/domain/provider.ts';
import { PROVIDER_LINES } from '../../../src/text/provider-lines.ts';
import { command, created, type Given, installed, member, NO_WISHES, project, steps, textOf, VITEST } from './given.ts';

describe('the package manager', () => {
  test.each<[string, Given, string]>([
    ['none is known', {}, 'npm install --save-dev'],
    ['package-lock.json', { locks: ['package-lock.json'] }, 'npm install --save-dev'],
    ['pnpm-lock.yaml', { locks: ['pnpm-lock.yaml'] }, 'pnpm add --save-dev'],
    ['yarn.lock', { locks: ['yarn.lock'] }, 'yarn add --dev'],
    ['bun.lockb', { locks: ['bun.lockb'] }, 'bun add --dev'],
    ['packageManager', { manifest: { packageManager: 'pnpm@9.1.0' } }, 'pnpm add --save-dev'],
    [
      'two locks and packageManager',
      { locks: ['package-lock.json', 'yarn.lock'], manifest: { packageManager: 'yarn@4.0.0' } },
      'yarn add --dev',
    ],
    ['node_modules of pnpm, started by npx', { installedBy: 'pnpm', runBy: 'npm' }, 'pnpm add --save-dev'],
    ['started by pnpm dlx', { runBy: 'pnpm' }, 'pnpm add --save-dev'],
    ['a lock, started by npx', { runBy: 'npm', locks: ['yarn.lock'] }, 'yarn add --dev'],
  ])('%s', (_, given, wanted) => {
    expect(command(given)).toBe(`${wanted} mailcap@^1.0.0`);
  });

  test.each<[string, Given, string]>([
    ['pnpm', { locks: ['pnpm-lock.yaml'] }, 'pnpm add --save-dev --workspace-root mailcap@^1.0.0'],
    [
      'Yarn 1',
      { locks: ['yarn.lock'], isClassicYarn: true },
      'yarn add --dev --ignore-workspace-root-check mailcap@^1.0.0',
    ],
    ['Yarn 4', { locks: ['yarn.lock'] }, 'yarn add --dev mailcap@^1.0.0'],
  ])('at the root of a monorepo that has tests of its own: %s', (_, given, wanted) => {
    expect(command({ ...given, members: [member], manifest: VITEST })).toBe(wanted);
  });

  test('lock files of several package managers need --manager', () => {
    const given = { locks: ['package-lock.json', 'pnpm-lock.yaml'] };
    expect(() => command(given)).toThrow('choose one with --manager npm|pnpm');
    expect(command(given, { manager: 'npm' })).toBe('npm install --save-dev mailcap@^1.0.0');
  });

  test('an existing dependency is not installed again', () => {
    expect(command({ manifest: { dependencies: { mailcap: '^1.0.0' } } })).toBeUndefined();
  });
});

describe('the runners', () => {
  test.each<[Given['manifest'], string[]]>([
    [{ dependencies: { vitest: '^4.0.0', '@playwright/test': '^1.60.0' } }, ['playwright', 'vitest']],
    [{ dependencies: { jest: '^30.0.0', cypress: '^15.0.0' } }, ['jest', 'cypress']],
    [{ dependencies: { jest: '^30.0.0' } }, ['jest']],
    [{}, ['node']],
  ])('%j: %s', (manifest, runners) => {
    const plan = planOf(project({ manifest: manifest ?? {} }), NO_WISHES);
    expect(plan.runners).toEqual(runners);
    expect(plan.runs).toHaveLength(runners.length);
    const paths = created(plan.steps);
    expect(new Set(paths).size).toBe(paths.length);
  });

  test('--runner chooses one, and a runner that is too old is left out beside another', () => {
    const both = { dependencies: { vitest: '^2.1.0', '@playwright/test': '^1.60.0' } };
    const plan = planOf(project({ manifest: both }), NO_WISHES);
    expect([plan.runners, plan.notes.join()]).toEqual([
      ['playwright'],
      expect.stringContaining('Vitest ^2.1.0 is too old'),
    ]);
    expect(() => planOf(project({ manifest: both }), { ...NO_WISHES, runner: 'vitest' })).toThrow('too old');
  });

  test('a runner that comes later is added beside one that has a test already', () => {
    const manifest = { dependencies: { vitest: '4', '@playwright/test': '1.60', mailcap: '1', nodemailer: '10' } };
    const tests = [{ path: 'test/mailcap.test.js', text: "import { expect, test } from 'mailcap/vitest';" }];
    const configs = [{ path: 'vitest.config.mjs', text: "globalSetup: ['mailcap/vitest/global-setup']" }];
    expect(created(steps({ manifest, tests, configs }))).toEqual(['tests/mailcap.spec.js']);
    const further = [...tests, { path: 'tests/mailcap.spec.js', text: "import { test } from 'mailcap/playwright';" }];
    const more = [...configs, { path: 'playwright.config.mjs', text: "export default { testDir: './tests' };" }];
    expect(steps({ manifest, tests: further, configs: more })).toEqual([]);
  });

  test('Playwright and Vitest do not run the tests of the other, in a package of a monorepo neither', () => {
    const dependencies = { vitest: '^4.1.0', '@playwright/test': '^1.60.0' };
    const inPackage = { manifest: { dependencies }, lockDirectory: '/projects' };
    expect(textOf(steps(inPackage), 'vitest.config.mjs')).toContain("exclude: [...configDefaults.exclude, 'tests/**']");
    expect(planOf(project({ ...inPackage, hasVitestAbove: true }), NO_WISHES).notes.join()).toContain(
      "unless `test.exclude` has 'tests/**'",
    );
  });

  test('Playwright and Vitest do not run the tests of the other', () => {
    const manifest = { dependencies: { vitest: '4', '@playwright/test': '1.60' } };
    const all = steps({ manifest, files: ['e2e'] });
    expect(textOf(all, 'playwright.config.mjs')).toContain("testDir: './e2e'");
    expect(textOf(all, 'vitest.config.mjs')).toContain("exclude: [...configDefaults.exclude, 'e2e/**']");
    const configs = [{ path: 'vitest.config.js', text: 'export default { test: { globals: true } };' }];
    expect(planOf(project({ manifest, configs }), NO_WISHES).notes.join()).toContain("`test.exclude` has 'tests/**'");
    expect(textOf(steps({ manifest: { dependencies: { '@playwright/test': '1.60' } } }), 'playwright.config.mjs')).toBe(
      '',
    );
  });

  test.each<[string, Given, Partial<Wishes>, string]>([
    ['a monorepo without tests at its root', { members: [member] }, {}, 'packages/web (Playwright)'],
    ['one of pnpm', { members: [member], locks: ['pnpm-lock.yaml'] }, {}, 'Run `pnpm exec mailcap init` in'],
    ['Mocha', { manifest: { dependencies: { mocha: '^11.0.0' } } }, {}, 'mailcap docs other-runners#mocha'],
    [
      'Mocha with pnpm',
      { manifest: { dependencies: { mocha: '^11.0.0' } }, locks: ['pnpm-lock.yaml'] },
      {},
      'after pnpm add --save-dev mailcap.',
    ],
    ['a wish for what is not there', {}, { runner: 'jest' }, 'has no Jest'],
    [
      'Vitest 2',
      { manifest: { dependencies: { vitest: '^2.1.0' } } },
      {},
      'Vitest ^2.1.0 is too old: the fixtures need 3.2',
    ],
    [
      'Playwright 1.40',
      { manifest: { dependencies: { '@playwright/test': '^1.40.0' } }, installed: { playwright: '1.40.1' } },
      {},
      'Playwright 1.40.1 is too old',
    ],
  ])('%s is refused', (_, given, wishes, reason) => {
    expect(() => planOf(project(given), { ...NO_WISHES, ...wishes })).toThrow(reason);
  });

  test.each([
    ['node --test', ['node']],
    ['NODE_ENV=test node --import tsx --test test/*.ts', ['node']],
    ['c8 node --test --test-reporter spec', ['node']],
    ['tsx --test', ['node']],
    ['node --test-timeout=1 app.js', []],
    ['node app.js && mocha --test', []],
  ])('the script %s runs these tests: %j', (script, runners) => {
    expect(runnersOf({ dependencies: {}, scripts: { test: script } })).toEqual(runners);
  });

  test('a version range that includes what the fixtures need is accepted', () => {
    expect(() => planOf(project({ manifest: { dependencies: { vitest: '^3.0.0' } } }), NO_WISHES)).not.toThrow();
  });
});

describe('the first test', () => {
  const vitest = { manifest: VITEST };
  test.each<[string, Given, string]>([
    ['no test, JavaScript', vitest, 'test/mailcap.test.js'],
    ['no test, TypeScript', { ...vitest, hasTsconfig: true }, 'test/mailcap.test.ts'],
    [
      'beside the others',
      {
        ...vitest,
        tests: [
          { path: 'src/a/x.spec.ts', text: '' },
          { path: 'src/a/y.spec.ts', text: '' },
          { path: 'src/z.test.js', text: '' },
        ],
      },
      'src/a/mailcap.spec.ts',
    ],
    [
      'where the runner looks',
      { ...vitest, configs: [{ path: 'vitest.config.ts', text: "test: { include: ['src/**/*.spec.js'] }" }] },
      'src/mailcap.spec.js',
    ],
    [
      'not among those of the browser',
      {
        manifest: { dependencies: { vitest: '4', '@playwright/test': '1.60' } },
        configs: [{ path: 'playwright.config.ts', text: "testDir: './tests'" }],
        tests: [{ path: 'tests/a.spec.ts', text: '' }],
      },
      'test/mailcap.test.js',
    ],
    ['a name that is taken', { ...vitest, files: ['test/mailcap.test.js'] }, 'test/mailcap-first.test.js'],
    [
      'two names that are taken',
      { ...vitest, files: ['test/mailcap.test.js', 'test/mailcap-first.test.js'] },
      'test/mailcap-first-2.test.js',
    ],
  ])('%s', (_, given, path) => {
    expect(created(steps(given, { runner: 'vitest' }))).toEqual([path]);
  });

  test('Playwright looks in its testDir', () => {
    const manifest = { dependencies: { '@playwright/test': '^1.60.0' } };
    const configs = [{ path: 'playwright.config.ts', text: "export default defineConfig({ testDir: './specs/' });" }];
    expect(created(steps({ manifest, configs, hasTsconfig: true }))).toEqual(['specs/mailcap.spec.ts']);
    expect(created(steps({ manifest, files: ['e2e'] }))).toEqual(['e2e/mailcap.spec.js']);
  });

  test.each<[string, string]>([
    ['.e2e', '.e2e/mailcap.spec.js'],
    ['./a/../my tests', 'my tests/mailcap.spec.js'],
    ['.', 'mailcap.spec.js'],
    ['../e2e', 'outside this project'],
    ['a/../../e2e', 'outside this project'],
    ['/srv/e2e', 'outside this project'],
  ])('the testDir %j of Playwright: %s', (testDir, wanted) => {
    const manifest = { dependencies: { '@playwright/test': '^1.60.0' } };
    const configs = [{ path: 'playwright.config.ts', text: `export default { testDir: '${testDir}' };` }];
    const made = () => planOf(project({ manifest, configs }), NO_WISHES);
    if (wanted.includes(' this ')) return expect(made).toThrow(wanted);
    expect(created(made().steps)).toEqual([wanted]);
    return expect(made().runs).toEqual([`npx playwright test ${wanted.includes(' ') ? `'${wanted}'` : wanted}`]);
  });

  test.each([
    ['CommonJS', { hasTsconfig: false, type: 'commonjs' }, 'tests/mailcap.spec.mjs'],
    ['CommonJS in TypeScript', { hasTsconfig: true, type: 'commonjs' }, 'tests/mailcap.spec.mts'],
    ['ES modules', { hasTsconfig: false, type: 'module' }, 'tests/mailcap.spec.js'],
  ] as const)("with Yarn's Plug'n'Play, the first test of Playwright is an ES module: %s", (_, given, wanted) => {
    const manifest = { type: given.type, dependencies: { '@playwright/test': '^1.60.0' } };
    const plan = planOf(project({ manifest, hasTsconfig: given.hasTsconfig, files: ['.pnp.cjs'] }), NO_WISHES);
    expect(created(plan.steps)).toEqual([wanted]);
  });

  test.each<[string, Given, string]>([
    ['in CommonJS', {}, 'npx jest test/mailcap.test.js'],
    [
      'with a script that switches them on',
      { manifest: { type: 'module', scripts: { test: 'NODE_OPTIONS=--experimental-vm-modules jest' } } },
      'NODE_OPTIONS=--experimental-vm-modules npx jest test/mailcap.test.js',
    ],
    [
      'with a preset of ts-jest',
      { configs: [{ path: 'jest.config.js', text: "export default { preset: 'ts-jest/presets/default-esm' };" }] },
      'NODE_OPTIONS=--experimental-vm-modules npx jest test/mailcap.test.js',
    ],
    [
      'with `extensionsToTreatAsEsm` in package.json',
      { manifest: { jest: { extensionsToTreatAsEsm: ['.ts'] } } },
      'NODE_OPTIONS=--experimental-vm-modules npx jest test/mailcap.test.js',
    ],
  ])(
    'the command for the first test of Jest has the option for ES modules that the project needs: %s',
    (_, given, run) => {
      const manifest = { ...given.manifest, dependencies: { jest: '^30.0.0' } };
      expect(planOf(project({ ...given, manifest }), NO_WISHES).runs).toEqual([run]);
    },
  );

  test('a project with Playwright and no configuration is told what an app needs that Playwright starts', () => {
    const manifest = { dependencies: { '@playwright/test': '^1.60.0' } };
    expect(planOf(project({ manifest }), NO_WISHES).notes.join()).toContain('If Playwright starts your app');
  });

  test("Vitest with Yarn's Plug'n'Play is told what it needs, which Vite does not support", () => {
    const notes = (files: readonly string[]) => planOf(project({ ...vitest, files }), NO_WISHES).notes.join();
    expect(notes(['.pnp.cjs'])).toContain('nodeLinker: node-modules');
    expect(notes([])).not.toContain('nodeLinker');
  });

  test('no test is written where one uses mailcap already', () => {
    const tests = [{ path: 'test/mail.test.js', text: "import { test } from 'mailcap/vitest';" }];
    expect(created(steps({ ...vitest, tests }))).toEqual([]);
  });

  test('the test runs in Node where the others run in a DOM', () => {
    const configs = [{ path: 'vitest.config.ts', text: "test: { environment: 'jsdom' }" }];
    expect(textOf(steps({ ...vitest, configs }), 'test/mailcap.test.js')).toMatch(/^\/\/ @vitest-environment node\n/);
  });

  test.each<[string, Record<string, string>, boolean, string]>([
    ['JavaScript', { vitest: '4' }, false, 'mailcap@^1.0.0 nodemailer'],
    ['TypeScript', { vitest: '4' }, true, 'mailcap@^1.0.0 nodemailer @types/nodemailer'],
    ['Nodemailer is there', { vitest: '4', nodemailer: '7' }, true, 'mailcap@^1.0.0 @types/nodemailer'],
    ['the package is there', { vitest: '4', mailcap: '1' }, false, 'nodemailer'],
    ['Cypress sends from Node', { cypress: '15' }, true, 'mailcap@^1.0.0'],
  ])('the test sends by SMTP, and what it sends with is installed: %s', (_, dependencies, hasTsconfig, packages) => {
    const given = { manifest: { dependencies }, hasTsconfig };
    expect(installed(given)).toBe(`npm install --save-dev ${packages}`);
    const [test = ''] = created(steps(given)).filter((path) => /mailcap\.(test|cy)/.test(path));
    expect(textOf(steps(given), test)).toMatch(/createTransport\(process\.env\.MAILCAP_SMTP_URL\)|'mailcap:send'/);
  });

  test('where everything is there, nothing is installed', () => {
    expect(installed({ manifest: { dependencies: { vitest: '4', mailcap: '1', nodemailer: '7' } } })).toBeUndefined();
  });
});

describe('CI', () => {
  const on = (given: Given) =>
    planOf(project({ manifest: { ...VITEST, scripts: { test: 'vitest run' } }, ...given }), NO_WISHES);
  test('a CI file that runs the tests stays unchanged', () => {
    const { steps: all, notes } = on({
      ci: [{ path: '.github/workflows/ci.yml', text: 'steps:\n  - run: npm test\n' }],
    });
    expect(all.filter(({ do: what }) => what === 'paste')).toEqual([]);
    expect(notes.join()).toContain('.github/workflows/ci.yml runs the tests already');
  });

  test('a CI file that runs no tests is not edited: the plan prints the lines', () => {
    const pasted = on({ ci: [{ path: '.gitlab-ci.yml', text: 'lint:\n  script: npm run lint\n' }] }).steps.at(-1);
    expect(pasted).toMatchObject({ do: 'paste', path: '.gitlab-ci.yml', lines: 'npm ci\nnpm test' });
  });

  test.each<[string, string]>([
    ['github.com', '.github/workflows/test.yml'],
    ['gitlab.example.org', '.gitlab-ci.yml'],
  ])('without one, a repository at %s gets %s', (remoteHost, path) => {
    expect(created(on({ remoteHost, repository: '/projects/app' }).steps)).toContain(path);
  });

  test('a project in a subdirectory of its repository gets a CI file at the root that changes into the subdirectory', () => {
    const all = on({ remoteHost: 'github.com', repository: '/projects' }).steps;
    expect(textOf(all, '../.github/workflows/test.yml')).toContain("run: { working-directory: 'app' }");
  });

  test.each<[string, string]>([
    ["it's mine", "run: { working-directory: 'it''s mine' }"],
    ['a: b #c', "run: { working-directory: 'a: b #c' }"],
    ['a\nb', 'run: { working-directory: "a\\nb" }'],
  ])('at GitHub the directory %j is one scalar of YAML', (name, line) => {
    const at = { directory: `/projects/${name}`, repository: '/projects' };
    const text = textOf(on({ ...at, remoteHost: 'github.com' }).steps, '../.github/workflows/test.yml');
    expect(text).toContain(line);
    const { jobs } = parse(text);
    expect(jobs.test.defaults.run['working-directory']).toBe(name);
    expect(jobs.test.steps.at(-1).with.path).toBe(`${name}/.mailcap/failures`);
  });

  test('the GitLab file quotes a directory with blanks and quotes', () => {
    const at = { directory: "/projects/it's mine", repository: '/projects' };
    const text = textOf(on({ ...at, remoteHost: 'gitlab.com' }).steps, '../.gitlab-ci.yml');
    expect(parse(text).test.script[0]).toBe("cd 'it'\\''s mine'");
  });

  test('no CI file is written for an unknown host', () => {
    expect(created(on({}).steps)).toEqual(['test/mailcap.test.js']);
  });
});

describe('mail providers', () => {
  const withPackage = (name: string) => {
    const manifest = { ...VITEST, dependencies: { ...VITEST.dependencies, [name]: '^1.0.0' } };
    return planOf(project({ manifest }), NO_WISHES).notes.filter((note) => note.startsWith('What the app sends by'));
  };

  test.each(PROVIDER_LINES.flatMap(({ packages, line }) => packages.map((name) => [name, line] as const)))(
    'a project with %s is told the line',
    (name, line) => {
      const [note, ...others] = withPackage(name);
      expect(others).toEqual([]);
      expect(note).toContain(line('http://127.0.0.1:8025').split('\n')[0]);
    },
  );

  test('other projects are told nothing', () => {
    expect(withPackage('express')).toEqual([]);
  });

  test('every provider of the server has a line', () => {
    expect(PROVIDER_LINES.map(({ id }) => id)).toEqual([...PROVIDER_NAMES]);
  });
});
