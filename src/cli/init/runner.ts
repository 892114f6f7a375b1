import { docsCommand } from '../../text/docs-place.ts';
import { type Manifest, type Project, type RunnerName, refusal, type TextFile } from './project.ts';

/** The packages of the runners, in the order in which they are chosen. */
const PACKAGES = { playwright: '@playwright/test', vitest: 'vitest', jest: 'jest', cypress: 'cypress' } as const;
/** The names that people read. */
export const NAMES: Readonly<Record<RunnerName, string>> = {
  playwright: 'Playwright',
  vitest: 'Vitest',
  jest: 'Jest',
  cypress: 'Cypress',
  node: 'node:test',
};
/** The oldest versions with which the fixtures work. */
const OLDEST: Readonly<Partial<Record<RunnerName, readonly [number, number]>>> = {
  playwright: [1, 51],
  vitest: [3, 2],
};
/** Runners for which mailcap has no fixtures. Their tests use the client. */
const OTHERS = ['mocha', 'ava', 'jasmine', 'tap', 'uvu', 'testcafe', 'karma', '@wdio/cli', 'react-scripts'];

/** Returns the runners of a package, by its dependencies. */
export function runnersOf({ dependencies }: Pick<Manifest, 'dependencies'>): RunnerName[] {
  const known: readonly (keyof typeof PACKAGES)[] = ['playwright', 'vitest', 'jest', 'cypress'];
  return known.filter((runner) => dependencies[PACKAGES[runner]] !== undefined);
}

/**
 * Chooses the runner of the first test: that of --runner, else the first that the project has, else node:test. Throws a
 * UserError if there is none to choose, or if it is too old.
 */
export function runnerOf(
  project: Project,
  wished: RunnerName | null,
): { runner: RunnerName; notes: readonly string[] } {
  const here = runnersOf(project.manifest);
  if (wished !== null && wished !== 'node' && !here.includes(wished))
    throw refusal(`this project has no ${NAMES[wished]}: ${PACKAGES[wished]} is not among its dependencies.`);
  if (wished === null && here.length === 0) {
    refuseRoot(project);
    refuseOthers(project);
  }
  const runner = wished ?? here[0] ?? 'node';
  refuseOld(project, runner);
  const rest = here.filter((other) => other !== runner);
  const notes =
    wished !== null || rest.length === 0
      ? []
      : [
          `It also has ${rest.map((name) => NAMES[name]).join(' and ')}: use --runner ${rest.join('|')} for a first test with that runner.`,
        ];
  return { runner, notes };
}

/** Refuses the root of a monorepo that has no tests of its own. */
function refuseRoot({ members }: Project): void {
  if (members.length === 0) return;
  const tested = members.filter(({ runners }) => runners.length > 0);
  const list = (tested.length > 0 ? tested : members)
    .slice(0, 8)
    .map(({ path, runners }) =>
      runners.length === 0 ? path : `${path} (${runners.map((name) => NAMES[name]).join(', ')})`,
    );
  throw refusal(
    `this is the root of a monorepo. Run \`mailcap init\` in the package that has the tests: ${list.join(', ')}.`,
  );
}

function refuseOthers({ manifest }: Project): void {
  const other = OTHERS.find((name) => manifest.dependencies[name] !== undefined);
  if (other === undefined) return;
  throw refusal(
    `mailcap has no fixtures for ${other}. Its tests can use the client (${docsCommand('client')}) after npm install --save-dev mailcap. For a first test with node:test, give --runner node.`,
  );
}

function refuseOld({ manifest, installed }: Project, runner: RunnerName): void {
  const oldest = OLDEST[runner];
  if (oldest === undefined || runner === 'node') return;
  const told = installed[runner] ?? manifest.dependencies[PACKAGES[runner]] ?? '';
  const [, major, minor = '0'] = /^[\^~>=v\s]*(\d+)(?:\.(\d+))?/.exec(told) ?? [];
  if (major === undefined) return;
  const at = [Number(major), Number(minor)] as const;
  if (
    at[0] < oldest[0] ||
    (at[0] === oldest[0] && at[1] < oldest[1] && (installed[runner] !== undefined || told.startsWith('~')))
  )
    throw refusal(`${NAMES[runner]} ${told} is too old: the fixtures need ${oldest.join('.')} or later.`);
}

/** Returns the configuration of a runner; null if there is none. */
export function runnerConfig({ configs }: Pick<Project, 'configs'>, runner: RunnerName): TextFile | null {
  const names = {
    playwright: /^playwright\.config\./,
    vitest: /^vitest\.config\./,
    jest: /^jest\.config\./,
    cypress: /^cypress\.config\./,
    node: /^$/,
  };
  return (
    configs.find(({ path }) => names[runner].test(path)) ??
    (runner === 'vitest' ? (configs.find(({ path }) => /^vite\.config\./.test(path)) ?? null) : null)
  );
}
