import { UserError } from '../../config/user-error.ts';
import { EXIT } from '../command.ts';
import type { Manager, RunnerName } from './project.ts';

/** A command of the package manager, without a shell. */
export type InstallCommand = readonly [Manager, ...string[]];

/** A change of the project, or lines that its owner has to add by hand. */
export type InitStep =
  | { readonly do: 'install'; readonly command: InstallCommand }
  | { readonly do: 'create'; readonly path: string; readonly text: string; readonly why: string }
  | { readonly do: 'edit'; readonly path: string; readonly why: string; readonly change: (text: string) => string }
  | { readonly do: 'paste'; readonly path: string; readonly lines: string; readonly why: string };

/** The steps and notes that one part adds to a plan. */
export interface Planned {
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

/** The plan for a project. */
export interface InitPlan extends Planned {
  readonly manager: Manager;
  readonly runner: RunnerName;
  readonly isTypeScript: boolean;
  /** The command that runs the first test; null if no step creates one. */
  readonly run: string | null;
}

/** Tells whether `mailcap init` carries out the step itself. */
export function isProjectChange(step: InitStep): boolean {
  return step.do !== 'paste';
}

/** Creates the error for a project to which nothing useful can be added. */
export function refusal(message: string): UserError {
  return new UserError(message, EXIT.failed);
}
