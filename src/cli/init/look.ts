import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';
import { docsCommand } from '../../text/docs-place.ts';
import { isObject, jsonOrNull } from '../../text/unknown.ts';
import { LOCKS } from './manager.ts';
import {
  MANAGERS,
  type Manager,
  type Manifest,
  type Member,
  type Project,
  type RunnerName,
  refusal,
  type TextFile,
} from './project.ts';
import { PACKAGES, runnersOf } from './runner.ts';

/**
 * The largest number of directory entries that the search for test files reads. It ignores the rest of a larger
 * project.
 */
const ENTRIES = 5_000;
const DEPTH = 8;
/** The largest file that is read, in bytes. People write no larger test or configuration. */
const BYTES = 256 * 1024;
const SKIPPED = /^(node_modules|dist|build|out|coverage|vendor|\..*)$/;
const TEST = /(?:\.(?:test|spec|cy)\.[cm]?[jt]sx?|(?:^|\/)(?:test|tests|__tests__)\/.*\.[cm]?[jt]sx?)$/;
const CONFIG = /^(?:playwright|vitest|vite|jest|cypress)\.config\.(?:[cm]?[jt]s|json)$/;
const CI = [
  '.gitlab-ci.yml',
  '.circleci/config.yml',
  'azure-pipelines.yml',
  'bitbucket-pipelines.yml',
  '.travis.yml',
  '.drone.yml',
  '.woodpecker.yml',
  '.buildkite/pipeline.yml',
  'Jenkinsfile',
];
/** The languages whose users are sent to a page of the documentation, by a file that identifies such a project. */
const LANGUAGES: Readonly<Record<string, string>> = {
  'pyproject.toml': 'Python',
  'requirements.txt': 'Python',
  'go.mod': 'Go',
  Gemfile: 'Ruby',
  'pom.xml': 'Java',
  'build.gradle': 'Java',
  'composer.json': 'PHP',
};

/**
 * Looks at the project in a directory. Throws a UserError if it is not a Node.js project, or if its package.json is
 * invalid.
 */
export function lookAt(directory: string, userAgent: string | undefined): Project {
  const text = textAt(join(directory, 'package.json'));
  if (text === null) throw noProject(directory);
  const manifest = manifestOf(text);
  const lockDirectory = above(directory, (at) => locksIn(at).length > 0) ?? directory;
  const repository = above(directory, (at) => existsSync(join(at, '.git')));
  return {
    directory,
    manifest,
    locks: locksIn(lockDirectory),
    lockDirectory,
    hasVitestAbove:
      lockDirectory !== directory &&
      names(lockDirectory).some((name) => /^vite(?:st)?\.(?:config|workspace)\./.test(name)),
    isClassicYarn: (textAt(join(lockDirectory, 'yarn.lock')) ?? '').includes('# yarn lockfile v1'),
    installedBy: installerOf(lockDirectory),
    runBy: managerIn(userAgent),
    members: membersOf(directory, manifest),
    hasTsconfig: existsSync(join(directory, 'tsconfig.json')),
    configs: names(directory)
      .filter((name) => CONFIG.test(name))
      .flatMap((path) => fileAt(directory, path)),
    tests: testsIn(directory),
    installed: installedIn(directory),
    repository,
    remoteHost: repository === null ? null : remoteOf(repository),
    ci: ciIn(repository ?? directory),
    exists: (path) => isThere(join(directory, path)),
  };
}

function noProject(directory: string): Error {
  const other = Object.entries(LANGUAGES).find(([name]) => existsSync(join(directory, name)));
  const hint =
    other === undefined
      ? 'Create one with `npm init --yes`, and run `mailcap init` again.'
      : `For a project in ${other[1]}, \`mailcap dev\` is enough: ${docsCommand('other-runners')} has the lines for its tests.`;
  return refusal(`there is no package.json in ${directory}. ${hint}`);
}

function manifestOf(text: string): Manifest {
  const json = parsedObject(text);
  if (json === null) throw refusal('package.json is not a JSON object: correct it first.');
  const { packageManager, workspaces, jest } = json;
  return {
    type: json['type'] === 'module' ? 'module' : 'commonjs',
    scripts: textsOf(json['scripts']),
    dependencies: {
      ...textsOf(json['peerDependencies']),
      ...textsOf(json['dependencies']),
      ...textsOf(json['devDependencies']),
    },
    packageManager: typeof packageManager === 'string' ? packageManager : null,
    jest: isObject(jest) ? jest : null,
    workspaces: patternsOf(isObject(workspaces) ? workspaces['packages'] : workspaces),
  };
}

/** Reads a JSON object. Null for anything else, such as a file with comments, which its owner has to edit. */
export function parsedObject(text: string): Record<string, unknown> | null {
  const json = jsonOrNull(text.replace(/^\uFEFF/, ''));
  return isObject(json) ? json : null;
}

function textsOf(value: unknown): Record<string, string> {
  const pairs = isObject(value) ? Object.entries(value) : [];
  return Object.fromEntries(pairs.flatMap(([name, text]) => (typeof text === 'string' ? [[name, text]] : [])));
}

function patternsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

function managerIn(userAgent = ''): Manager | null {
  return MANAGERS.find((name) => userAgent.startsWith(`${name}/`)) ?? null;
}

function locksIn(directory: string): string[] {
  return Object.keys(LOCKS).filter((name) => existsSync(join(directory, name)));
}

/**
 * Returns the manager that created node_modules, by the file that it leaves there. npm fails on a node_modules of
 * another manager.
 */
function installerOf(directory: string): Manager | null {
  const marks = { '.modules.yaml': 'pnpm', '.yarn-integrity': 'yarn', '.yarn-state.yml': 'yarn' } as const;
  const [, manager] = Object.entries(marks).find(([name]) => existsSync(join(directory, 'node_modules', name))) ?? [];
  return manager ?? null;
}

/**
 * Returns the nearest directory, from the given one up to the root of the repository, for which `holds` returns true.
 */
function above(directory: string, holds: (at: string) => boolean): string | null {
  for (let at = directory; ; at = dirname(at)) {
    if (holds(at)) return at;
    if (existsSync(join(at, '.git')) || dirname(at) === at) return null;
  }
}

/** Lists the packages of a monorepo, from `workspaces` or pnpm-workspace.yaml. A pattern is `dir/*` or a path. */
function membersOf(directory: string, { workspaces }: Manifest): Member[] {
  const yaml = textAt(join(directory, 'pnpm-workspace.yaml')) ?? '';
  const listed = [...yaml.matchAll(/^[ \t]*-[ \t]*['"]?([^'"#\s](?:[^'"#\n]*[^'"#\s])?)['"]?[ \t\r]*$/gm)].map(
    ([, pattern = '']) => pattern,
  );
  const paths = [...workspaces, ...listed]
    .filter((pattern) => !pattern.startsWith('!'))
    .map((pattern) => pattern.replace(/^\.\//, '').replace(/\/$/, ''))
    .flatMap((pattern) => packagesAt(directory, '', pattern.split('/')));
  return [...new Set(paths)].flatMap((path) => {
    const text = textAt(join(directory, path, 'package.json'));
    const json = text === null ? null : parsedObject(text);
    return json === null ? [] : [{ path, runners: runnersOf(manifestOf(JSON.stringify(json))) }];
  });
}

/** Returns the paths that a pattern of a monorepo names: `apps/web`, `apps/*`, `packages/**`. */
function packagesAt(directory: string, at: string, [first, ...rest]: readonly string[], depth = 0): string[] {
  if (first === undefined) return at === '' ? [] : [at];
  if (!first.includes('*')) return packagesAt(directory, at === '' ? first : `${at}/${first}`, rest, depth);
  const inside = names(join(directory, at))
    .filter((name) => !SKIPPED.test(name) && fits(name, first))
    .map((name) => (at === '' ? name : `${at}/${name}`));
  if (first !== '**') return inside.flatMap((path) => packagesAt(directory, path, rest, depth));
  const here = packagesAt(directory, at, rest, depth);
  if (depth > DEPTH) return here;
  return [...here, ...inside.flatMap((path) => packagesAt(directory, path, [first, ...rest], depth + 1))];
}

/** Tells whether a name fits a pattern in which each `*` stands for any text. */
function fits(name: string, pattern: string): boolean {
  const [head = '', ...rest] = pattern.split('*');
  const tail = rest.pop() ?? '';
  if (!name.startsWith(head) || !name.endsWith(tail) || name.length < head.length + tail.length) return false;
  let at = head.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found < 0 || found + part.length > name.length - tail.length) return false;
    at = found + part.length;
  }
  return true;
}

function testsIn(directory: string): TextFile[] {
  const found: TextFile[] = [];
  let seen = 0;
  const walk = (at: string, depth: number) => {
    for (const name of names(at)) {
      seen += 1;
      if (seen > ENTRIES || depth > DEPTH) return;
      const path = join(at, name);
      const kind = lstatSync(path, { throwIfNoEntry: false });
      if (kind === undefined) continue;
      // A package of a monorepo has tests of its own.
      if (kind.isDirectory() && !SKIPPED.test(name) && !existsSync(join(path, 'package.json'))) walk(path, depth + 1);
      const inside = relative(directory, path).split(sep).join('/');
      if (kind.isFile() && TEST.test(inside)) found.push(...fileAt(directory, inside));
    }
  };
  walk(directory, 0);
  return found;
}

function installedIn(directory: string): Partial<Record<RunnerName, string>> {
  const require = createRequire(join(directory, 'package.json'));
  const versions = Object.entries(PACKAGES).flatMap(([runner, name]) => {
    try {
      const { version } = JSON.parse(readFileSync(require.resolve(`${name}/package.json`), 'utf8'));
      return typeof version === 'string' ? [[runner, version]] : [];
    } catch {
      return [];
    }
  });
  return Object.fromEntries(versions);
}

function remoteOf(repository: string): string | null {
  try {
    const url = execFileSync('git', ['config', '--get', 'remote.origin.url'], {
      cwd: repository,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return /^(?:[a-z+]+:\/\/)?(?:[^@/]+@)?([^:/]+)[:/]/.exec(url.trim())?.[1] ?? null;
  } catch {
    // There is no git, or no remote.
    return null;
  }
}

function ciIn(directory: string): TextFile[] {
  const workflows = names(join(directory, '.github', 'workflows')).filter((name) => /\.ya?ml$/.test(name));
  return [...workflows.map((name) => `.github/workflows/${name}`), ...CI].flatMap((path) => fileAt(directory, path));
}

function names(directory: string): string[] {
  try {
    return readdirSync(directory).sort();
  } catch {
    return [];
  }
}

function fileAt(directory: string, path: string): TextFile[] {
  const text = textAt(join(directory, path));
  return text === null ? [] : [{ path, text }];
}

/** Returns the text of a file of usual size; null for anything else. */
function textAt(path: string): string | null {
  try {
    const kind = statSync(path);
    // A pipe or a device may never end.
    if (!kind.isFile()) return null;
    return kind.size > BYTES && !path.endsWith('package.json') && !path.endsWith('yarn.lock')
      ? null
      : readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

/** Tells whether a path exists. A dangling link counts too. */
export function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // A part of the path is a file, not a directory.
    return false;
  }
}
