import { execFileSync } from 'node:child_process';
import { ConfigError } from '../../config/user-error.ts';
import { docsCommand } from '../../text/docs-place.ts';
import { harmlessLine, harmlessText } from '../../text/harmless.ts';
import { PROVIDER_LINES } from '../../text/provider-lines.ts';
import { wrapLine } from '../../text/width.ts';
import { VERSION } from '../../version.ts';
import { isAgreed } from '../ask.ts';
import { type Arguments, EXIT } from '../command.ts';
import { print, printJson, say } from '../output.ts';
import { apply } from './apply.ts';
import { planCi } from './ci.ts';
import { planConfig } from './config.ts';
import { planTest } from './first-test.ts';
import { lookAt } from './look.ts';
import { managerOf, planInstall } from './manager.ts';
import {
  type InitPlan,
  type InitStep,
  isProjectChange,
  MANAGERS,
  type Project,
  RUNNERS,
  type Wishes,
} from './project.ts';
import { chosenRunners, NAMES } from './runner.ts';
import { loadParser } from './source.ts';

/** Runs `mailcap init`: adds mailcap to the project of the working directory. It looks first, tells its plan, and asks. */
export async function init(args: Arguments): Promise<number> {
  await loadParser();
  const project = lookAt(process.cwd(), process.env['npm_config_user_agent']);
  const plan = planOf(project, {
    runner: oneOf(args, 'runner', RUNNERS),
    manager: oneOf(args, 'manager', MANAGERS),
    package: packageOf(args),
    isInstalling: !args.isOn('skipInstall'),
  });
  const isDry = args.isOn('dryRun');
  const isJson = args.isOn('json');
  const changes = plan.steps.filter(isProjectChange);
  if (!isJson) for (const line of showPlan(project, plan)) print(line);
  if (!isDry && changes.length > 0) {
    for (const path of uncommitted(project, plan)) say(`${path} has uncommitted changes, and init changes it too.`);
    if (!(await isAgreed(args, 'change this project', null, 'Nothing was changed.'))) return EXIT.failed;
    await apply(project, plan);
  }
  const applied = !isDry && changes.length > 0;
  if (isJson) printJson({ ...written(project, plan), applied });
  else if (applied) print(plan.runs.length === 0 ? 'Done.' : `Done. ${saidRuns(plan.runs)}`);
  else if (changes.length === 0)
    print(
      plan.steps.length === 0
        ? 'There is nothing to change.'
        : 'Nothing was changed: what stands above is to be added by hand.',
    );
  return EXIT.done;
}

function saidRuns(runs: readonly string[]): string {
  const [only, ...others] = runs.map((run) => harmlessLine(run));
  return others.length === 0 ? `The first test: ${only}` : ['The first tests:', only, ...others].join('\n  ');
}

function oneOf<Choice extends string>(args: Arguments, name: string, choices: readonly Choice[]): Choice | null {
  const [first] = choices;
  return first === undefined || args.text(name) === null ? null : args.oneOf(name, choices, first);
}

/** Returns the package to install: --package, or else this version. Refuses a name that looks like an option. */
function packageOf(args: Arguments): string {
  const named = args.text('package') ?? `mailcap@^${VERSION}`;
  if (/^-|[\s"'`$&|;<>(){}]/.test(named) && named !== `mailcap@^${VERSION}`)
    throw new ConfigError(`--package: expected a package as a package manager takes it, got ${JSON.stringify(named)}.`);
  return named;
}

/** Lists the files with uncommitted changes that a plan would change. Without git the list is empty. */
function uncommitted({ directory, repository }: Project, { steps }: InitPlan): string[] {
  if (repository === null) return [];
  const edited = steps.flatMap((step) =>
    step.do === 'edit' ? [step.path] : step.do === 'install' ? ['package.json'] : [],
  );
  if (edited.length === 0) return [];
  try {
    const status = ['status', '--porcelain', '--untracked-files=no', '--', ...new Set(edited)];
    const told = execFileSync('git', status, { cwd: directory, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    return told
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => line.slice(3));
  } catch {
    return [];
  }
}

/** Plans the changes of a project. Throws a UserError if nothing useful can be added to it. */
export function planOf(project: Project, wishes: Wishes): InitPlan {
  const manager = managerOf(project, wishes.manager);
  const { runners, notes } = chosenRunners(project, wishes.runner, manager);
  const taken = new Set<string>();
  const known: Project = { ...project, exists: (path) => taken.has(path) || project.exists(path) };
  const tests = runners.map((runner) => {
    const config = planConfig(known, runner);
    const test = planTest(known, runner, manager);
    if (test.path !== null) taken.add(test.path);
    return { config, test };
  });
  const needed = [...new Set(tests.flatMap(({ test }) => test.needs))];
  const install = planInstall(project, manager, wishes, needed);
  // A test comes after the parts that it needs.
  const parts = [install, ...tests.flatMap(({ config, test }) => [config, test]), planCi(project, runners, manager)];
  return {
    manager,
    runners,
    isTypeScript: tests.some(({ test }) => test.path?.endsWith('.ts')),
    steps: parts.flatMap(({ steps }) => steps),
    notes: [...notes, ...parts.flatMap((part) => part.notes), ...providerNotes(project)],
    runs: tests.flatMap(({ test }) => test.run ?? []),
  };
}

const USUAL_URL = 'http://127.0.0.1:8025';

/** Tells how each SDK of a provider that the project has sends to mailcap. */
function providerNotes({ manifest }: Project): string[] {
  const found = PROVIDER_LINES.filter(({ packages }) =>
    packages.some((name) => manifest.dependencies[name] !== undefined),
  );
  return found.map(
    ({ name, page, where, line }) =>
      `What the app sends by ${name} comes to mailcap with this line, ${where === '.env' ? 'in .env' : where}: ${line(USUAL_URL).split('\n').join(' ')} (${docsCommand(page)})`,
  );
}

const WIDTH = 80;

function showPlan({ manifest }: Project, { manager, runners, isTypeScript, steps, notes }: InitPlan): string[] {
  const modules = manifest.type === 'module' ? 'ES modules' : 'CommonJS';
  return [
    [manager, ...runners.map((runner) => NAMES[runner]), ...(isTypeScript ? ['TypeScript'] : []), modules].join(', '),
    ...steps.flatMap(linesOf),
    ...notes.flatMap((note) => wrapLine(harmlessLine(note), WIDTH)),
  ];
}

function linesOf(step: InitStep): string[] {
  switch (step.do) {
    case 'install':
      return [`  run     ${step.command.join(' ')}`];
    case 'create':
    case 'edit':
      return [`  ${step.do.padEnd(7)} ${harmlessLine(step.path)}: ${step.why}`];
    case 'paste':
      return [
        `  by hand ${harmlessLine(step.path)}, because ${step.why}:`,
        ...harmlessText(step.lines)
          .split('\n')
          .map((line) => `            ${line}`.trimEnd()),
      ];
  }
}

/** Returns a plan as JSON. */
export function written(
  { directory, manifest }: Project,
  { manager, runners, isTypeScript, steps, notes, runs }: InitPlan,
) {
  return {
    project: { directory, manager, runners, typescript: isTypeScript, module: manifest.type },
    steps: steps.map((step) => {
      if (step.do !== 'edit') return step;
      const { change: _, ...told } = step;
      return told;
    }),
    notes,
    runs,
  };
}
