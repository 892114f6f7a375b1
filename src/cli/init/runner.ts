import { normalize } from 'node:path/posix';
import { docsCommand } from '../../text/docs-place.ts';
import { installCommand, runs } from './manager.ts';
import {
  type Manager,
  type Manifest,
  type Project,
  RUNNERS,
  type RunnerName,
  refusal,
  type TextFile,
} from './project.ts';
import { asNode, exportedObject, nodesOf, programOf, propertyOf, type SyntaxNode, stringOf } from './source.ts';

/** The packages of the runners. */
export const PACKAGES = { playwright: '@playwright/test', vitest: 'vitest', jest: 'jest', cypress: 'cypress' } as const;
export const NAMES: Readonly<Record<RunnerName, string>> = {
  playwright: 'Playwright',
  vitest: 'Vitest',
  jest: 'Jest',
  cypress: 'Cypress',
  node: 'node:test',
};
/** The commands that run the tests of a project once. */
export const PROGRAMS: Readonly<Record<RunnerName, string>> = {
  playwright: 'playwright test',
  vitest: 'vitest run',
  jest: 'jest',
  cypress: 'cypress run',
  node: 'node --test',
};
/** The oldest versions with which the fixtures work. */
const OLDEST: Readonly<Partial<Record<RunnerName, readonly [number, number]>>> = {
  playwright: [1, 51],
  vitest: [3, 2],
};
/** Runners for which mailcap has no fixtures. Their tests use the client. */
const OTHERS = ['mocha', 'ava', 'jasmine', 'tap', 'uvu', 'testcafe', 'karma', '@wdio/cli', 'react-scripts'];
const PAGES_OF_OTHERS: Readonly<Record<string, string>> = {
  mocha: docsCommand('other-runners#mocha'),
  '@wdio/cli': docsCommand('other-runners#webdriverio'),
};

/** A script that runs node:test, as in `node --import tsx --test`. */
const RUNS_NODE_TEST = /(?:^|[\s&|;])(?:node|tsx)\s(?:[^&|;]{0,300}\s)?--test(?=$|[\s&|;])/;

/** Returns the runners of a package, by its dependencies; node:test is part of Node.js, so its scripts name it. */
export function runnersOf({ dependencies, scripts }: Pick<Manifest, 'dependencies' | 'scripts'>): RunnerName[] {
  const found = RUNNERS.filter((runner) => runner !== 'node' && dependencies[PACKAGES[runner]] !== undefined);
  return Object.values(scripts).some((script) => RUNS_NODE_TEST.test(script)) ? [...found, 'node'] : found;
}

/**
 * Chooses the runners to set up: that of --runner, else all that the project has, else node:test. Throws a UserError if
 * there is none to choose, or if they are too old.
 */
export function chosenRunners(
  project: Project,
  wished: RunnerName | null,
  manager: Manager,
): { runners: readonly [RunnerName, ...RunnerName[]]; notes: readonly string[] } {
  const here = runnersOf(project.manifest);
  if (wished !== null && wished !== 'node' && !here.includes(wished))
    throw refusal(`this project has no ${NAMES[wished]}: ${PACKAGES[wished]} is not among its dependencies.`);
  if (wished === null && here.length === 0) {
    refuseRoot(project, manager);
    refuseOthers(project, manager);
  }
  const wanted = wished === null ? here : [wished];
  const old = wanted.map((runner) => tooOld(project, runner));
  const [first = 'node', ...others] = wanted.filter((_, at) => old[at] === null);
  const reasons = old.flatMap((reason) => reason ?? []);
  if (wanted.length > 0 && reasons.length === wanted.length) throw refusal(reasons[0] ?? '');
  return { runners: [first, ...others], notes: reasons.map((reason) => `It is left out: ${reason}`) };
}

/** Refuses the root of a monorepo that has no tests of its own. */
function refuseRoot({ members }: Project, manager: Manager): void {
  if (members.length === 0) return;
  const tested = members.filter(({ runners }) => runners.length > 0);
  const list = (tested.length > 0 ? tested : members)
    .slice(0, 8)
    .map(({ path, runners }) =>
      runners.length === 0 ? path : `${path} (${runners.map((name) => NAMES[name]).join(', ')})`,
    );
  throw refusal(
    `this is the root of a monorepo. Run \`${runs(manager, 'mailcap init')}\` in the directory of the package that has the tests: ${list.join(', ')}.`,
  );
}

function refuseOthers(project: Project, manager: Manager): void {
  const other = OTHERS.find((name) => project.manifest.dependencies[name] !== undefined);
  if (other === undefined) return;
  throw refusal(
    `mailcap has no fixtures for ${other}. Its tests can use the client (${PAGES_OF_OTHERS[other] ?? docsCommand('client')}) after ${installCommand(project, manager, ['mailcap']).join(' ')}. For a first test with node:test, give --runner node.`,
  );
}

/** Returns why a runner can't be used; null if it can. */
export function tooOld({ manifest, installed }: Project, runner: RunnerName): string | null {
  const oldest = OLDEST[runner];
  if (oldest === undefined || runner === 'node') return null;
  const told = installed[runner] ?? manifest.dependencies[PACKAGES[runner]] ?? '';
  const [, major, minor = '0'] = /^[\^~>=v\s]*(\d+)(?:\.(\d+))?/.exec(told) ?? [];
  if (major === undefined) return null;
  const at = [Number(major), Number(minor)] as const;
  if (
    at[0] < oldest[0] ||
    (at[0] === oldest[0] && at[1] < oldest[1] && (installed[runner] !== undefined || told.startsWith('~')))
  )
    return `${NAMES[runner]} ${told} is too old: the fixtures need ${oldest.join('.')} or later.`;
  return null;
}

/** Returns the configuration of a runner; null if there is none. */
export function runnerConfig({ configs }: Pick<Project, 'configs'>, runner: RunnerName): TextFile | null {
  const named = (name: string) => configs.find(({ path }) => path.startsWith(`${name}.config.`));
  return named(runner) ?? (runner === 'vitest' ? named('vite') : undefined) ?? null;
}

/** Returns the `testDir` of a configuration of Playwright, without `./`; null if it names none, or computes it. */
function testDirOf({ path, text }: TextFile): string | null {
  const program = programOf(path, text);
  const object = program === null ? null : exportedObject(program);
  const value = object === null ? null : asNode(propertyOf(object, 'testDir')?.['value']);
  const directory = stringOf(value) ?? joined(value);
  return directory === null
    ? null
    : normalize(directory)
        .replace(/^\.(?:\/|$)/, '')
        .replace(/\/$/, '');
}

/** Returns the path of `path.join(__dirname, 'e2e')` and `resolve(import.meta.dirname, 'e2e')`; null for others. */
function joined(node: SyntaxNode | null): string | null {
  const callee = asNode(node?.['callee']);
  const name = String((asNode(callee?.['property']) ?? callee)?.['name']);
  const [first, ...rest] = nodesOf(node?.['arguments']);
  if (node?.type !== 'CallExpression' || (name !== 'join' && name !== 'resolve') || first === undefined) return null;
  if (first['name'] !== '__dirname' && asNode(first['property'])?.['name'] !== 'dirname') return null;
  const parts = rest.map((part) => stringOf(part));
  return parts.includes(null) ? null : parts.join('/');
}

/** Returns the directory of Playwright's tests, without `./`: empty for the project itself. */
export function browserTests({ configs, exists, tests }: Pick<Project, 'configs' | 'exists' | 'tests'>): string {
  const config = runnerConfig({ configs }, 'playwright');
  const named = config === null ? null : testDirOf(config);
  if (named !== null) return named;
  const used = tests.find(({ text }) => /['"](?:@playwright\/test|mailcap\/playwright)['"]/.test(text));
  if (used?.path.includes('/')) return used.path.slice(0, used.path.indexOf('/'));
  return exists('e2e') ? 'e2e' : 'tests';
}
