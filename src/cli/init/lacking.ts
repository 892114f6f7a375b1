import { type DoctorFinding, ok, warning } from '../server/doctor-finding.ts';
import { planConfig } from './config.ts';
import { lookAt } from './look.ts';
import { isProjectChange, type Project, type RunnerName } from './project.ts';
import { NAMES, runnersOf, tooOld } from './runner.ts';
import { loadParser } from './source.ts';

/**
 * Checks how the project in a directory tests with mailcap, by what `mailcap init` would still change. There are no
 * findings where mailcap is no dependency.
 */
export async function checkProject(directory: string): Promise<DoctorFinding[]> {
  const project = projectIn(directory);
  if (project === null || project.manifest.dependencies['mailcap'] === undefined) return [];
  await loadParser();
  return [...runnersOf(project.manifest).map((runner) => checkRunner(project, runner)), ...checkLinker(project)];
}

function projectIn(directory: string): Project | null {
  try {
    return lookAt(directory, undefined);
  } catch {
    // There is no package.json, or it is no JSON.
    return null;
  }
}

function checkRunner(project: Project, runner: RunnerName): DoctorFinding {
  const name = NAMES[runner];
  const old = tooOld(project, runner);
  if (old !== null) return warning(name, old, `Install a newer ${name}.`);
  // Vitest needs its global setup only for code that reads its environment when it is loaded.
  const steps = runner === 'vitest' ? [] : planConfig(project, runner).steps;
  const [step] = steps.filter((one) => one.do === 'edit' || one.do === 'paste' || one.do === 'create');
  if (step === undefined || (runner === 'playwright' && step.do === 'create'))
    return ok(name, 'nothing is missing in its configuration');
  if (runner === 'playwright')
    return warning(
      name,
      `${step.path} starts your app without \`mailcapWebServer()\` before it, so the app can't know the mail server.`,
      hintFor(steps.every(isProjectChange)),
    );
  return warning(name, `its configuration does not start the mail server.`, hintFor(steps.every(isProjectChange)));
}

function hintFor(isDoneByInit: boolean): string {
  return isDoneByInit
    ? 'Run `npx mailcap init`, which adds it.'
    : 'Run `npx mailcap init --dry-run`, which prints the lines to add.';
}

function checkLinker(project: Project): DoctorFinding[] {
  if (!project.exists('.pnp.cjs') || project.manifest.dependencies['vitest'] === undefined) return [];
  return [
    warning(
      "Plug'n'Play",
      'Vite, which Vitest needs, does not support it.',
      'Set `nodeLinker: node-modules` in .yarnrc.yml, and run `yarn install`.',
    ),
  ];
}
