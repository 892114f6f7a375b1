import { rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const NAME = 'unfinished-copy';

/** Tells whether a directory holds the remains of a copy that did not end. */
export function isUnfinishedCopy(directory: string): boolean {
  return statSync(join(directory, NAME), { throwIfNoEntry: false }) !== undefined;
}

/** Marks a directory, before the first byte of a copy is in it. */
export function markUnfinished(directory: string): void {
  writeFileSync(join(directory, NAME), 'mailcap store copy writes this store, or was interrupted.\n', { mode: 0o600 });
}

/** Removes the mark of a directory whose copy is whole. */
export function unmarkUnfinished(directory: string): void {
  rmSync(join(directory, NAME));
}
