import { chmodSync, existsSync, readdirSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeDirectory } from '../make-directory.ts';

/** The directory that holds what belongs to one server: its files are for the owner alone. */
export interface DataDir {
  readonly path: string;
  /** Replaces the file whole, mode 0600. */
  write(name: string, content: string): void;
  remove(name: string): void;
  /** Removes the directory where this process made it and nothing but its own marker is left in it. */
  removeIfMade(): void;
}

/** Opens the directory, and makes it where it is not there: mode 0700, and nothing in it meant for version control. */
export function openDataDir(path: string): DataDir {
  const made = !existsSync(path);
  makeDirectory(path, 0o700);
  // A directory that was there with something in it is the user's: its .gitignore is not ours to write.
  if (readdirSync(path).length === 0) writeFileSync(join(path, '.gitignore'), '*\n');
  return {
    path,
    write: (name, content) => replaceFile(join(path, name), content),
    remove: (name) => rmSync(join(path, name), { force: true }),
    removeIfMade: () => {
      if (!made || !existsSync(path) || readdirSync(path).some((name) => name !== '.gitignore')) return;
      rmSync(join(path, '.gitignore'), { force: true });
      rmdirSync(path);
    },
  };
}

function replaceFile(path: string, content: string): void {
  const temporary = `${path}.${process.pid}`;
  writeFileSync(temporary, content, { mode: 0o600 });
  // The mode counts at creation only, and a temporary file may be left from a process that was killed.
  chmodSync(temporary, 0o600);
  renameSync(temporary, path);
}
