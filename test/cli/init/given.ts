import { planOf } from '../../../src/cli/init/init.ts';
import type { InitStep, Manifest, Project, Wishes } from '../../../src/cli/init/project.ts';
import { loadParser } from '../../../src/cli/init/source.ts';

await loadParser();

// Projects as plain data, and what `mailcap init` plans for them.

export const NO_WISHES: Wishes = { runner: null, manager: null, package: 'mailcap@^1.0.0', isInstalling: true };

export interface Given extends Partial<Omit<Project, 'manifest'>> {
  readonly manifest?: Partial<Manifest>;
  readonly files?: readonly string[];
}

export function project({ manifest, files = [], ...given }: Given = {}): Project {
  return {
    directory: '/projects/app',
    manifest: {
      type: 'commonjs',
      scripts: {},
      dependencies: {},
      packageManager: null,
      jest: null,
      workspaces: [],
      ...manifest,
    },
    locks: [],
    lockDirectory: '/projects/app',
    hasVitestAbove: false,
    isClassicYarn: false,
    installedBy: null,
    runBy: null,
    members: [],
    hasTsconfig: false,
    configs: [],
    tests: [],
    installed: {},
    repository: null,
    remoteHost: null,
    ci: [],
    exists: (path) => files.includes(path),
    ...given,
  };
}

export const steps = (given: Given, wishes: Partial<Wishes> = {}) =>
  planOf(project(given), { ...NO_WISHES, ...wishes }).steps;
/** Returns the files that are created, but for configurations, which have tests of their own. */
export const created = (all: readonly InitStep[]) =>
  all.flatMap((step) =>
    step.do === 'create' && !/^(vitest|playwright)\.config\.mjs$/.test(step.path) ? [step.path] : [],
  );
export const textOf = (all: readonly InitStep[], path: string) =>
  all.flatMap((step) => (step.do === 'create' && step.path === path ? [step.text] : []))[0] ?? '';
export const installed = (given: Given, wishes: Partial<Wishes> = {}) =>
  steps(given, wishes).flatMap((step) => (step.do === 'install' ? [step.command.join(' ')] : []))[0];
/** Returns the command that installs the package, in a project that has what the first test sends with. */
export const command = ({ manifest, ...given }: Given, wishes: Partial<Wishes> = {}) =>
  installed(
    { ...given, manifest: { ...manifest, dependencies: { nodemailer: '^10.0.0', ...manifest?.dependencies } } },
    wishes,
  );
export const member = { path: 'packages/web', runners: ['playwright'] } as const;
export const VITEST = { dependencies: { vitest: '^4.1.0' } };
