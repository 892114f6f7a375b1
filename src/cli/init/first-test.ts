import { isAbsolute, normalize } from 'node:path/posix';
import { inShell } from '../../text/in-shell.ts';
import { runs } from './manager.ts';
import type { Manager, Project, RunnerName, TextFile } from './project.ts';
import { NAMES, runnerConfig } from './runner.ts';
import { type Planned, refusal } from './step.ts';
import { firstTestText, type TestLanguage } from './templates.ts';

export interface PlannedTest extends Planned {
  /** The path of the first test; null where the project has one that uses mailcap. */
  readonly path: string | null;
  /** The command that runs it; null where there is none. */
  readonly run: string | null;
}

interface Place {
  readonly directory: string;
  /** The part between the name and the ending: `.test`, `.spec`, `.cy`. */
  readonly suffix: string;
  readonly ending: 'ts' | 'js' | 'mjs';
}

/** A file that imports or requires an entry point of the package. */
const USES = /['"]mailcap(?:\/(?:playwright|vitest|jest|cypress|client))?['"]|['"]mailcap:mailbox['"]/;

/** Plans the first test, unless a test of the project uses mailcap already. */
export function planTest(project: Project, runner: RunnerName, manager: Manager): PlannedTest {
  const user = project.tests.find(({ text }) => USES.test(text));
  if (user !== undefined) return { path: null, run: null, steps: [], notes: [] };
  const { directory, suffix, ending } = placeOf(project, runner);
  const named = (name: string) => [directory, `${name}${suffix}.${ending}`].filter((part) => part !== '').join('/');
  const path = freeName(project, named);
  const text = firstTestText(runner, languageOf(project, runner, ending));
  return {
    path,
    run: runOf(manager, runner, path),
    steps: [{ do: 'create', path, text, why: `a first test with ${NAMES[runner]}` }],
    notes: notesOf(project, runner),
  };
}

function freeName(project: Project, named: (name: string) => string): string {
  for (let count = 1; ; count += 1) {
    const path = named(count === 1 ? 'mailcap' : count === 2 ? 'mailcap-first' : `mailcap-first-${count - 1}`);
    if (!project.exists(path)) return path;
  }
}

/** Chooses the directory and the name of the first test, to match the existing tests. */
function placeOf(project: Project, runner: RunnerName): Place {
  const config = runnerConfig(project, runner)?.text ?? '';
  switch (runner) {
    case 'playwright': {
      const told = testDirOf(config);
      if (told !== null && isOutside(told))
        throw refusal(
          `Playwright's tests are in ${told}, outside this project: run \`mailcap init\` beside the package.json of those tests.`,
        );
      const directory = told ?? (project.exists('e2e') ? 'e2e' : 'tests');
      const inside = project.tests.filter(({ path }) => path.startsWith(`${directory}/`) || directory === '');
      return {
        directory,
        suffix: /\.test\./.test(inside[0]?.path ?? '') ? '.test' : '.spec',
        ending: endingOf(project, inside),
      };
    }
    case 'vitest':
    case 'jest':
      return besideOthers(project, runner, config);
    case 'cypress':
      return {
        directory: 'cypress/e2e',
        suffix: '.cy',
        ending: endingOf(
          project,
          project.tests.filter(({ path }) => /\.cy\./.test(path)),
        ),
      };
    case 'node':
      return { directory: 'test', suffix: '.test', ending: 'mjs' };
  }
}

function isOutside(path: string): boolean {
  return isAbsolute(path) || path === '..' || path.startsWith('../');
}

/** Returns the `testDir` of a configuration of Playwright, without `./`. */
function testDirOf(config: string): string | null {
  const [, directory] = /\btestDir:\s*['"`]([^'"`$]+)['"`]/.exec(config) ?? [];
  return directory === undefined
    ? null
    : normalize(directory)
        .replace(/^\.(?:\/|$)/, '')
        .replace(/\/$/, '');
}

/** Finds the directory with the most unit tests, and the extension of their names. */
function besideOthers(project: Project, runner: RunnerName, config: string): Place {
  const browser = runnerConfig(project, 'playwright');
  const elsewhere = browser === null ? null : (testDirOf(browser.text) ?? 'tests');
  const units = project.tests.filter(
    ({ path }) =>
      /\.(test|spec)\.[cm]?[jt]sx?$/.test(path) &&
      (elsewhere === null || elsewhere === '' || !path.startsWith(`${elsewhere}/`)),
  );
  const counts = new Map<string, number>();
  for (const { path } of units) {
    const directory = path.split('/').slice(0, -1).join('/');
    counts.set(directory, (counts.get(directory) ?? 0) + 1);
  }
  const [most] = [...counts].sort(([one, a], [other, b]) => b - a || one.length - other.length);
  const specs = units.filter(({ path }) => /\.spec\./.test(path)).length;
  // A list of patterns names the places where the runner looks:  `include: ['src/**/*.spec.ts']`
  const [, prefix, rest] =
    /\binclude:\s*\[\s*['"]([\w./-]*?)\/?\*([^'"]*)['"]/.exec(runner === 'vitest' ? config : '') ?? [];
  const isSpec =
    units.length > 0 ? specs * 2 > units.length : /\bspec\b/.test(rest ?? '') && !/\btest\b/.test(rest ?? '');
  const usual = prefix?.replace(/^\.\//, '') ?? (project.exists('tests') && elsewhere !== 'tests' ? 'tests' : 'test');
  return {
    directory: most?.[0] ?? usual,
    suffix: isSpec ? '.spec' : '.test',
    ending: endingOf(project, units, runner),
  };
}

/** Chooses the extension of the existing tests, or else that of the project's language. */
function endingOf(project: Project, tests: readonly TextFile[], runner: RunnerName | null = null): 'ts' | 'js' {
  const { manifest, hasTsconfig } = project;
  if (tests.length > 0) return tests.some(({ path }) => /\.[cm]?tsx?$/.test(path)) ? 'ts' : 'js';
  const has = (name: string) => manifest.dependencies[name] !== undefined;
  // Jest reads TypeScript only with a transformer.
  if (runner === 'jest' && !['ts-jest', '@swc/jest', '@babel/preset-typescript'].some(has)) return 'js';
  return hasTsconfig || has('typescript') ? 'ts' : 'js';
}

function languageOf(project: Project, runner: RunnerName, ending: Place['ending']): TestLanguage {
  const { manifest } = project;
  const has = (name: string) => manifest.dependencies[name] !== undefined;
  const isTypeScript = ending === 'ts';
  // Jest supports `import` only with a transformer, or if Node's own modules are switched on.
  const isTranslated = isTypeScript || has('@babel/preset-env') || has('@swc/jest');
  const isNative = /experimental-vm-modules/.test(Object.values(manifest.scripts).join(' '));
  const config = runnerConfig(project, runner)?.text ?? '';
  return {
    isTypeScript,
    imports: runner !== 'jest' || isTranslated || (isNative && manifest.type === 'module'),
    hasNodemailer: has('nodemailer') && (!isTypeScript || (has('@types/nodemailer') && has('@types/node'))),
    isInBrowser: runner === 'jest' ? true : /environment:\s*['"](jsdom|happy-dom|edge-runtime)/.test(config),
  };
}

function runOf(manager: Manager, runner: RunnerName, file: string): string {
  const path = inShell(file);
  switch (runner) {
    case 'playwright':
      return runs(manager, `playwright test ${path}`);
    case 'vitest':
      return runs(manager, `vitest run ${path}`);
    case 'jest':
      return runs(manager, `jest ${path}`);
    case 'cypress':
      return runs(manager, `cypress run --spec ${path}`);
    case 'node':
      return `node --test ${path}`;
  }
}

function notesOf(project: Project, runner: RunnerName): readonly string[] {
  const config = runnerConfig(project, runner)?.text ?? '';
  if (runner === 'vitest' && /\bbrowser:\s*\{/.test(config))
    return [
      'Vitest runs tests in a browser here. The first test needs Node: add a Vitest project without `browser` for it.',
    ];
  return [];
}
