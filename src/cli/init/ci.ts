import { relative, sep } from 'node:path/posix';
import { inShell } from '../../text/in-shell.ts';
import { runs } from './manager.ts';
import type { Manager, PlanPart, Project, RunnerName } from './project.ts';
import { PROGRAMS } from './runner.ts';

/** A command of a CI file that runs tests. */
const RUNS_TESTS =
  /\b(?:npm|pnpm|yarn|bun)\s+(?:run\s+)?(?:t|test|tst|e2e)\b|\b(?:playwright test|vitest|jest|cypress run|node --test)\b|cypress-io\/github-action/;
/** The test script that `npm init` writes. */
const NO_TEST = /no test specified/;

/**
 * Plans the lines for CI. The first test starts its own server, so a CI file that runs the tests needs no change. An
 * existing CI file is never edited.
 */
export function planCi(project: Project, runners: readonly RunnerName[], manager: Manager): PlanPart {
  const { ci, remoteHost } = project;
  const tested = ci.find(({ text }) => RUNS_TESTS.test(text));
  if (tested !== undefined)
    return { steps: [], notes: [`${tested.path} runs the tests already. They start the server there too.`] };
  const [first] = ci;
  if (first !== undefined) {
    const lines = isOfGitHub(first.path) ? githubSteps(project, runners, manager) : script(project, runners, manager);
    return {
      steps: [{ do: 'paste', path: first.path, lines: lines.join('\n'), why: 'it runs no tests yet' }],
      notes: [],
    };
  }
  if (remoteHost === 'github.com')
    return created('.github/workflows/test.yml', githubWorkflow(project, runners, manager), project);
  if (remoteHost?.includes('gitlab') === true)
    return created('.gitlab-ci.yml', gitlab(project, runners, manager), project);
  return { steps: [], notes: ['There is no CI here yet. One that runs the tests needs no line for mailcap.'] };
}

function isOfGitHub(path: string): boolean {
  return path.includes('.github/workflows/');
}

/** Plans a file at the root of the repository, which may be above the project. */
function created(path: string, lines: readonly string[], project: Project): PlanPart {
  const up = relative(slashed(project.directory), slashed(project.repository ?? project.directory));
  const at = up === '' ? path : `${up}/${path}`;
  return { steps: [{ do: 'create', path: at, text: `${lines.join('\n')}\n`, why: 'runs the tests' }], notes: [] };
}

function slashed(path: string): string {
  return path.split('\\').join(sep);
}

/** Returns the path of the project in its repository; empty if the project is the root. */
function place({ repository, directory }: Project): string {
  return repository === null ? '' : relative(slashed(repository), slashed(directory));
}

/** Returns the commands that install the project and run its tests. */
function script(project: Project, runners: readonly RunnerName[], manager: Manager): string[] {
  const cd = place(project) === '' ? [] : [`cd ${inShell(place(project))}`];
  const browsers = runners.includes('playwright') ? [runs(manager, 'playwright install --with-deps')] : [];
  const commands = new Set(runners.map((runner) => testCommand(project, runner, manager)));
  return [...cd, ...installs(project, manager), ...browsers, ...commands];
}

function installs({ locks }: Project, manager: Manager): string[] {
  const frozen = locks.length > 0 ? ' --frozen-lockfile' : '';
  const commands = {
    npm: ['npm ci'],
    pnpm: ['corepack enable', `pnpm install${frozen}`],
    yarn: ['corepack enable', 'yarn install'],
    bun: ['bun install'],
  };
  return commands[manager];
}

/** Returns the test command of the project, or that of the runner if the project has none. */
function testCommand({ manifest }: Project, runner: RunnerName, manager: Manager): string {
  const { test } = manifest.scripts;
  const isOwn = test !== undefined && !NO_TEST.test(test) && test.includes(runner);
  if (isOwn || runner === 'node') return manager === 'bun' ? 'bun run test' : `${manager} test`;
  return runs(manager, PROGRAMS[runner]);
}

function githubSteps(project: Project, runners: readonly RunnerName[], manager: Manager): string[] {
  const setUp = manager === 'bun' ? ['- uses: oven-sh/setup-bun@v2'] : [];
  const commands = script({ ...project, repository: null }, runners, manager).map(
    (command) => `- run: ${inYaml(command)}`,
  );
  return [
    '- uses: actions/checkout@v5',
    '- uses: actions/setup-node@v5',
    '  with: { node-version: 22 }',
    ...setUp,
    ...commands,
    ...runners.flatMap((runner) => kept(project, runner, runners.length > 1 ? `failures-${runner}` : 'failures')),
  ];
}

/** Returns the steps that keep the files of failed tests. */
function kept(project: Project, runner: RunnerName, name: string): string[] {
  const paths = { playwright: 'test-results', vitest: '.mailcap/failures', cypress: 'cypress/screenshots' } as const;
  if (runner === 'jest' || runner === 'node') return [];
  const path = [place(project), paths[runner]].filter((part) => part !== '').join('/');
  return [
    '- uses: actions/upload-artifact@v5',
    '  if: failure()',
    `  with: { name: ${name}, path: ${inYaml(path)}, include-hidden-files: true, if-no-files-found: ignore }`,
  ];
}

function githubWorkflow(project: Project, runners: readonly RunnerName[], manager: Manager): string[] {
  const at = place(project);
  return [
    'name: Test',
    'on:',
    '  push:',
    '  pull_request:',
    'permissions:',
    '  contents: read',
    'jobs:',
    '  test:',
    '    runs-on: ubuntu-latest',
    '    timeout-minutes: 15',
    ...(at === '' ? [] : ['    defaults:', `      run: { working-directory: ${inYaml(at, true)} }`]),
    '    steps:',
    ...githubSteps(project, runners, manager).map((line) => `      ${line}`),
  ];
}

function gitlab(project: Project, runners: readonly RunnerName[], manager: Manager): string[] {
  const image = manager === 'bun' ? 'oven/bun:1' : 'node:22';
  return [
    'test:',
    `  image: ${image}`,
    '  script:',
    ...script(project, runners, manager).map((command) => `    - ${inYaml(command)}`),
  ];
}

/** Writes a text as a YAML scalar, in quotes if it needs them. */
function inYaml(text: string, isQuoted = false): string {
  if (/^[\w./][\w./ @=-]*$/.test(text) && !isQuoted) return text;
  return /^[\x20-\x7e]*$/.test(text) ? `'${text.replace(/'/g, "''")}'` : JSON.stringify(text);
}
