import { execFileSync } from 'node:child_process';
import { ConfigError } from '../../config/user-error.ts';
import { harmlessLine } from '../../text/harmless.ts';
import { VERSION } from '../../version.ts';
import type { Arguments } from '../arguments.ts';
import { isAgreed } from '../ask.ts';
import { EXIT } from '../command.ts';
import { print, printJson, say } from '../output.ts';
import { apply } from './apply.ts';
import { lookAt } from './look.ts';
import { planOf } from './plan.ts';
import { MANAGERS, type Project, RUNNERS } from './project.ts';
import { showPlan, written } from './show.ts';
import { type InitPlan, isProjectChange } from './step.ts';

/** Runs `mailcap init`: adds mailcap to the project of the working directory. It looks first, tells its plan, and asks. */
export async function init(args: Arguments): Promise<number> {
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
  else if (applied) print(plan.run === null ? 'Done.' : `Done. The first test: ${harmlessLine(plan.run)}`);
  else if (changes.length === 0) print('There is nothing to change.');
  return EXIT.done;
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
