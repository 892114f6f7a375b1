import { lstatSync, realpathSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { LOCKS } from './manager.ts';
import type { Project } from './project.ts';
import { type InitStep, refusal } from './step.ts';

/**
 * Throws a UserError if a step would write through a symbolic link that leads out of the project, or nowhere. A link
 * inside the project is followed. With git, the project is the whole repository.
 */
export function checkInside(project: Project, steps: readonly InitStep[]): void {
  const { directory, lockDirectory, repository } = project;
  const roots = [directory, lockDirectory, ...(repository === null ? [] : [repository])].map((root) =>
    realpathSync(root),
  );
  for (const path of steps.flatMap((step) => writtenBy(step, project))) {
    const target = targetOf(path);
    if (target === null) throw refusal(`${path} goes through a symbolic link that leads nowhere. Nothing was changed.`);
    if (!roots.some((root) => isWithin(root, target)))
      throw refusal(`${path} leads out of the project, to ${target}: init writes nothing there. Nothing was changed.`);
  }
}

/** Returns the absolute paths that a step writes. Of an install these are the files that init restores if it fails. */
function writtenBy(step: InitStep, { directory, lockDirectory }: Project): string[] {
  if (step.do === 'paste') return [];
  if (step.do !== 'install') return [join(directory, step.path)];
  return [join(directory, 'package.json'), ...Object.keys(LOCKS).map((name) => join(lockDirectory, name))];
}

/** Returns where a path leads, or the nearest directory above it that exists; null if a link leads nowhere. */
function targetOf(path: string): string | null {
  let at = path;
  while (!isThere(at)) at = dirname(at);
  try {
    return realpathSync(at);
  } catch {
    return null;
  }
}

/** Tells whether a file, a directory or a link has this path. */
function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // A part of the path is a file, not a directory.
    return false;
  }
}

function isWithin(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !/^[A-Za-z]:/.test(way);
}
