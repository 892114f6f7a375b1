import {
  chmodSync,
  existsSync,
  lstatSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  type Stats,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { makeDirectory } from '../make-directory.ts';
import { otherWriter } from '../ownership.ts';
import { PlantedFile, refuseLinks } from './planted-files.ts';

/** The data directory of one server. Only its owner may read its files. */
export interface DataDir {
  readonly path: string;
  /** Replaces a file atomically, with mode 0600. */
  write(name: string, content: string): void;
  remove(name: string): void;
  /** Removes the directory if this process created it and it holds only its .gitignore. */
  removeIfMade(): void;
}

/** The name of a data directory that nobody named. */
const DEFAULT_NAME = '.mailcap';
const IGNORE = '.gitignore';
const OURS = /^(\.gitignore|store|credentials\.json|server\.json|tls\.pem)(\.\d+)?$/;

/**
 * Opens the directory or creates it with mode 0700, with a .gitignore that excludes everything in it. Throws
 * {@link PlantedFile} if it holds a link where the server writes.
 *
 * @param isNamed tells whether a person or a program named the directory. One that was only found is refused if it is a
 * link, or if another user owns it or may write to it.
 */
export function openDataDir(path: string, isNamed: boolean): DataDir {
  const made = !existsSync(path);
  if (!isNamed) makePrivate(path);
  makeDirectory(path, 0o700);
  refuseLinks(path, [IGNORE, 'store', 'credentials.json', 'tls.pem']);
  if (isOurs(path)) writeIgnore(join(path, IGNORE));
  return {
    path,
    write: (name, content) => replaceFile(join(path, name), content),
    remove: (name) => rmSync(join(path, name), { force: true }),
    removeIfMade: () => {
      if (!made || !existsSync(path) || readdirSync(path).some((name) => name !== IGNORE)) return;
      rmSync(join(path, IGNORE), { force: true });
      rmdirSync(path);
    },
  };
}

/**
 * Refuses an existing directory in which another user may have put files, and takes from others the right to read it:
 * git makes directories that everybody may read.
 */
function makePrivate(path: string): void {
  const about = lstatSync(path, { throwIfNoEntry: false });
  if (about === undefined) return;
  if (about.isSymbolicLink()) {
    // The error of the creation says more of a link to nothing.
    if (!existsSync(path)) return;
    throw new PlantedFile(
      `${path} is a link, so it is not used: remove it, or name the directory itself with --data-dir.`,
    );
  }
  const why = otherWriter(about);
  if (why !== null) {
    const mend = why.endsWith('owns it')
      ? 'remove it, run mailcap as its owner'
      : 'remove it if others wrote into it, take that right away with chmod go-w';
    throw new PlantedFile(`${path} is not used, because ${why}: ${mend}, or choose another with --data-dir.`);
  }
  if (basename(path) === DEFAULT_NAME && isReadByOthers(about)) chmodSync(path, 0o700);
}

function isReadByOthers({ uid, mode }: Stats): boolean {
  return uid === process.getuid?.() && (mode & 0o077) !== 0;
}

/** Tells whether git may ignore the whole directory: it has the default name, or holds nothing of its user. */
function isOurs(path: string): boolean {
  return basename(path) === DEFAULT_NAME || readdirSync(path).every((name) => OURS.test(name));
}

function writeIgnore(path: string): void {
  if (existsSync(path)) return;
  try {
    writeFileSync(path, '*\n', { flag: 'wx' });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === 'EEXIST') return;
    // A full disk must not keep a server from its store, which has a reserve. An empty file would ignore nothing.
    if (code !== 'ENOSPC' && code !== 'EDQUOT') throw error;
    rmSync(path, { force: true });
  }
}

function replaceFile(path: string, content: string): void {
  const temporary = `${path}.${process.pid}`;
  // A killed process may have left it. Another user may have made it as a link to a file of this user.
  rmSync(temporary, { force: true });
  writeFileSync(temporary, content, { mode: 0o600, flag: 'wx' });
  renameSync(temporary, path);
}
