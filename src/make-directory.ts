import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorCode } from './text/unknown.ts';

/**
 * Creates a directory and its missing parents. It does nothing if the directory exists, and throws the system's error.
 * Node's `recursive` option loops forever in places such as /proc that refuse new directories: it tries the parent and
 * the child in turn.
 */
export function makeDirectory(path: string, mode = 0o777): void {
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    const parent = dirname(path);
    switch (errorCode(error)) {
      case 'EEXIST':
      // A read-only disk reports this for a directory that exists.
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
    // A parent that cannot be inspected exists, but denies access.
    return errorCode(error) !== 'ENOENT';
  }
}
