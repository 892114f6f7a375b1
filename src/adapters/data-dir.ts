import { existsSync, readdirSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeDirectory } from '../make-directory.ts';

/** The data directory of one server. Only its owner may read its files. */
export interface DataDir {
  readonly path: string;
  /** Replaces a file atomically, with mode 0600. */
  write(name: string, content: string): void;
  remove(name: string): void;
  /** Removes the directory if this process created it and it holds only its .gitignore. */
  removeIfMade(): void;
}

/** Opens the directory or creates it with mode 0700. A new one gets a .gitignore that excludes everything in it. */
export function openDataDir(path: string): DataDir {
  const made = !existsSync(path);
  makeDirectory(path, 0o700);
  // A directory with other files belongs to the user, so it gets no .gitignore.
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
  // A killed process may have left it. Another user may have made it as a link to a file of this user.
  rmSync(temporary, { force: true });
  writeFileSync(temporary, content, { mode: 0o600, flag: 'wx' });
  renameSync(temporary, path);
}
