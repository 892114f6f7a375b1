import { UserError } from '../../config/user-error.ts';
import { EXIT } from '../command.ts';

// This module declares the facts about a project that decide what `mailcap init` does. They are plain data, so tests
// can list them in tables.

export const MANAGERS = ['npm', 'pnpm', 'yarn', 'bun'] as const;
export type Manager = (typeof MANAGERS)[number];

/** The runners, in the order in which they are chosen. */
export const RUNNERS = ['playwright', 'vitest', 'jest', 'cypress', 'node'] as const;
export type RunnerName = (typeof RUNNERS)[number];

export interface TextFile {
  /** The path from the project's directory, with `/`. */
  readonly path: string;
  readonly text: string;
}

/** The fields of package.json that are used. A field of another type counts as absent. */
export interface Manifest {
  readonly type: 'module' | 'commonjs';
  readonly scripts: Readonly<Record<string, string>>;
  /** All dependencies by their names, with their ranges. */
  readonly dependencies: Readonly<Record<string, string>>;
  readonly packageManager: string | null;
  /** The `jest` field, where it is an object. */
  readonly jest: Readonly<Record<string, unknown>> | null;
  /** The patterns of `workspaces`. */
  readonly workspaces: readonly string[];
}

/** A package of a monorepo, seen from its root. */
export interface Member {
  readonly path: string;
  readonly runners: readonly RunnerName[];
}

export interface Project {
  /** The absolute path of the directory with package.json. */
  readonly directory: string;
  readonly manifest: Manifest;
  /** The lock files of the nearest directory that has any, by their names. */
  readonly locks: readonly string[];
  /** The absolute path of that directory; that of the project if there is no lock file. */
  readonly lockDirectory: string;
  /** `true` if a configuration of Vitest is at the root of the monorepo above, which may be that of its packages. */
  readonly hasVitestAbove: boolean;
  /** `true` if Yarn 1 wrote yarn.lock. */
  readonly isClassicYarn: boolean;
  /** The manager that created node_modules; null if it left no trace. */
  readonly installedBy: Manager | null;
  /** The manager that runs this program, by `npm_config_user_agent`. */
  readonly runBy: Manager | null;
  /** The packages below, where this is the root of a monorepo; else none. */
  readonly members: readonly Member[];
  readonly hasTsconfig: boolean;
  /** The configuration files of runners that are in the directory. */
  readonly configs: readonly TextFile[];
  /** The test files that the search found, each with its text. */
  readonly tests: readonly TextFile[];
  /** The versions of runners that are installed. */
  readonly installed: Readonly<Partial<Record<RunnerName, string>>>;
  /** The absolute path of the root of the repository; null outside git. */
  readonly repository: string | null;
  /** The host of the remote repository: `github.com`; null where none is known. */
  readonly remoteHost: string | null;
  /** The files of CI systems. Their paths begin at the repository, or at the project outside git. */
  readonly ci: readonly TextFile[];
  /** Tells whether a file or directory has this path. */
  exists(path: string): boolean;
}

/** A command of the package manager, without a shell. */
export type InstallCommand = readonly [Manager, ...string[]];

/** A change of the project, or lines that its owner has to add by hand. */
export type InitStep =
  | { readonly do: 'install'; readonly command: InstallCommand }
  | { readonly do: 'create'; readonly path: string; readonly text: string; readonly why: string }
  | { readonly do: 'edit'; readonly path: string; readonly why: string; readonly change: (text: string) => string }
  | { readonly do: 'paste'; readonly path: string; readonly lines: string; readonly why: string };

/** The steps and notes that one part adds to a plan. */
export interface PlanPart {
  readonly steps: readonly InitStep[];
  readonly notes: readonly string[];
}

/** The options of the user. Null means that the project decides. */
export interface Wishes {
  readonly runner: RunnerName | null;
  readonly manager: Manager | null;
  /** The package to install, in the syntax of the package manager. */
  readonly package: string;
  readonly isInstalling: boolean;
}

export interface InitPlan extends PlanPart {
  readonly manager: Manager;
  /** The runners that it sets up, at least one. */
  readonly runners: readonly RunnerName[];
  readonly isTypeScript: boolean;
  /** The commands that run the first tests; none if no step creates one. */
  readonly runs: readonly string[];
}

/** Tells whether `mailcap init` carries out the step itself. */
export function isProjectChange(step: InitStep): boolean {
  return step.do !== 'paste';
}

/** Plans an edit of a file; or what `byHand` tells, if `edited` finds no place in it. */
export function editOrPaste(
  { path, text }: TextFile,
  why: string,
  edited: (text: string) => string | null,
  byHand: () => { readonly lines: string; readonly why: string },
): InitStep {
  if (edited(text) === null) return { do: 'paste', path, ...byHand() };
  return { do: 'edit', path, why, change: (before) => edited(before) ?? before };
}

/** Creates the error for a project to which nothing useful can be added. */
export function refusal(message: string): UserError {
  return new UserError(message, EXIT.failed);
}
