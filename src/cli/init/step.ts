import { UserError } from '../../config/user-error.ts';
import { EXIT } from '../command.ts';
import type { Manager, RunnerName } from './project.ts';

/** A command of the package manager, without a shell. */
export type InstallCommand = readonly [Manager, ...string[]];

/** A change of the project, or lines that its owner is to put in. */
export type InitStep =
  | { readonly do: 'install'; readonly command: InstallCommand }
  | { readonly do: 'create'; readonly path: string; readonly text: string; readonly why: string }
  | { readonly do: 'edit'; readonly path: string; readonly why: string; readonly change: (text: string) => string }
  | { readonly do: 'paste'; readonly path: string; readonly lines: string; readonly why: string };

/** The share of one part in a plan. */
export interface Planned {
  readonly steps: readonly InitStep[];
  readonly notes: readonly string[];
}

/** The options of the user. Null means that the project decides. */
export interface Wishes {
  readonly runner: RunnerName | null;
  readonly manager: Manager | null;
  /** The package to install, as the package manager takes it. */
  readonly package: string;
  readonly isInstalling: boolean;
}

/** The plan for a project. */
export interface InitPlan extends Planned {
  readonly manager: Manager;
  readonly runner: RunnerName;
  readonly isTypeScript: boolean;
  /** The command that runs the first test; null where no step makes one. */
  readonly run: string | null;
}

/** Tells whether a step changes the project by itself. */
export function isProjectChange(step: InitStep): boolean {
  return step.do !== 'paste';
}

/** Creates the error of a project to which nothing sensible can be added. */
export function refusal(message: string): UserError {
  return new UserError(message, EXIT.failed);
}
