// This module declares the facts about a project that decide what `mailcap init` does. They are plain data, so tests
// can list them in tables.

export const MANAGERS = ['npm', 'pnpm', 'yarn', 'bun'] as const;
export type Manager = (typeof MANAGERS)[number];

export const RUNNERS = ['playwright', 'vitest', 'jest', 'cypress', 'node'] as const;
export type RunnerName = (typeof RUNNERS)[number];

/** A text file of the project. */
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
