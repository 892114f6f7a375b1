import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a directory, and those above it that are not there; nothing where it is there already. Throws what the system says.
 * Node's own `recursive` never ends where the system takes nothing, as in /proc: it asks for the parent and the child in turn.
 */
export function makeDirectory(path: string, mode = 0o777): void {
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    const parent = dirname(path);
    switch (codeOf(error)) {
      case 'EEXIST':
      // Of a directory that is there a read-only disk says this.
      case 'EROFS':
      case 'EACCES':
      case 'EPERM':
        if (isDirectory(path)) return;
        throw error;
      case 'ENOENT':
        if (parent === path || isThere(parent)) throw error;
        makeDirectory(parent, mode);
        mkdirSync(path, { mode });
        return;
      default:
        throw error;
    }
  }
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

function isThere(path: string): boolean {
  try {
    statSync(path);
    return true;
  } catch (error) {
    // A parent that can't be looked at is there, and refuses.
    return codeOf(error) !== 'ENOENT';
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : null;
}
