// This module is loaded only where there is a file system, as find-server.ts is.

/** Only the root of a repository holds one of these. */
const REPOSITORY = ['.git', '.hg', '.jj', '.svn'];

/** The root of a project, and that of each of its packages, holds one of these. */
const MANIFESTS = [
  'package.json',
  'deno.json',
  'pyproject.toml',
  'composer.json',
  'Gemfile',
  'go.mod',
  'Cargo.toml',
  'pom.xml',
  'build.gradle',
  'build.gradle.kts',
];

/**
 * Returns the directories in which a server is looked for: the given one and those above it, up to the root of the
 * project or the home directory, whichever comes first (docs/cli.md#how-a-command-finds-the-server). What lies above
 * belongs to other projects or other people.
 *
 * The root of the project is the root of the repository. A directory outside of a repository and outside of the home
 * directory belongs to the project of the topmost manifest, as in an image that holds a copy of the project.
 */
export async function placesToSearch(directory: string): Promise<string[]> {
  const above = directoriesAbove(directory);
  for (const [at, place] of above.entries()) if (await isRepository(place)) return above.slice(0, at + 1);
  if (above.some(isHome)) return above;
  const topmost = (await Promise.all(above.map((place) => holdsOne(place, MANIFESTS)))).lastIndexOf(true);
  return above.slice(0, Math.max(0, topmost) + 1);
}

/** Returns a directory and those above it. The home directory is the last of them, if it is one. */
function directoriesAbove(directory: string): string[] {
  const { dirname } = process.getBuiltinModule('node:path');
  const above = [directory];
  for (let at = directory; !isHome(at) && dirname(at) !== at; ) {
    at = dirname(at);
    above.push(at);
  }
  return above;
}

/** Tells whether a directory is this user's home. The users of services have none, or `/`. */
function isHome(place: string): boolean {
  const { dirname, relative } = process.getBuiltinModule('node:path');
  const home = process.getBuiltinModule('node:os').homedir();
  // On Windows, upper and lower case mean the same directory, and `relative` knows it.
  return home !== '' && dirname(home) !== home && relative(place, home) === '';
}

async function isRepository(place: string): Promise<boolean> {
  return (await holdsOne(place, REPOSITORY)) && !(await isSubmodule(place));
}

/** The size of the longest `.git` file that is read: a path. */
const MOST_BYTES = 8_192;

/** Tells whether a directory is a submodule, which is a part of the repository above it. A worktree is not. */
async function isSubmodule(place: string): Promise<boolean> {
  const { lstat, readFile } = process.getBuiltinModule('node:fs/promises');
  const { join } = process.getBuiltinModule('node:path');
  const path = join(place, '.git');
  // In a repository of its own this is a directory.
  const isFile = await lstat(path).then(
    (about) => about.isFile() && about.size <= MOST_BYTES,
    () => false,
  );
  const link = isFile ? await readFile(path, 'utf8').catch(() => '') : '';
  return /^gitdir: (?:.*[\\/])?\.git[\\/](?:worktrees[\\/][^\\/]+[\\/])?modules[\\/]/.test(link);
}

async function holdsOne(place: string, names: readonly string[]): Promise<boolean> {
  const { lstat } = process.getBuiltinModule('node:fs/promises');
  const { join } = process.getBuiltinModule('node:path');
  const found = await Promise.allSettled(names.map((name) => lstat(join(place, name))));
  return found.some(({ status }) => status === 'fulfilled');
}
