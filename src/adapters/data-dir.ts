import {
  type BigIntStats,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { isWellFormedKey } from '../domain/api-key.ts';
import { makeDirectory } from '../make-directory.ts';
import { otherWriter } from '../ownership.ts';
import type { Log } from '../ports/system.ts';
import { isSameProcess, processStart } from '../process-start.ts';
import type { ServerFile } from '../runtime.ts';
import { fileText } from '../text/file-text.ts';
import { errorCode, jsonOrNull } from '../text/unknown.ts';

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
const OURS = /^(\.gitignore|store|credentials\.json|server\.(json|log)|tls\.pem)(\.\d+)?$/;

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
  refuseLinks(path, [IGNORE, 'store', 'credentials.json', 'tls.pem', 'server.log']);
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
    const code = errorCode(error);
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

/** The generated secrets. They are stored, so that a restart does not change them. */
export interface Credentials {
  readonly apiKey?: string;
  readonly adminToken?: string;
}

const CREDENTIALS_FILE = 'credentials.json';

/**
 * Reads the stored credentials, or an empty object if there are none. Throws if the file has another format. A file that
 * another user may have written is not believed, because that user knows its keys; `tell` gets a sentence about it.
 */
export function readCredentials(dataDir: string, tell: (sentence: string) => void): Credentials {
  const path = join(dataDir, CREDENTIALS_FILE);
  // Opening a pipe would wait for its writer. Windows has neither flag.
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
  let file: number;
  try {
    file = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return {};
    throw error;
  }
  try {
    const about = fstatSync(file);
    if (!about.isFile()) throw new Error(`${path} is no credentials file`);
    const why = otherWriter(about);
    if (why === null) return parse(fileText(readFileSync(file)), path);
    tell(`${path} is not believed, because ${why}: its keys are not used`);
    return {};
  } finally {
    closeSync(file);
  }
}

/** Replaces the stored credentials. */
export function writeCredentials(dir: DataDir, credentials: Credentials): void {
  dir.write(CREDENTIALS_FILE, `${JSON.stringify(credentials, null, 2)}\n`);
}

function parse(text: string, path: string): Credentials {
  const parsed = jsonOrNull(text);
  if (typeof parsed !== 'object' || parsed === null) throw new Error(`${path} is no credentials file`);
  const { apiKey, adminToken }: { apiKey?: unknown; adminToken?: unknown } = parsed;
  if (apiKey !== undefined && !(typeof apiKey === 'string' && isWellFormedKey(apiKey))) {
    throw new Error(`${path} holds a key of another form`);
  }
  return {
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(typeof adminToken === 'string' ? { adminToken } : {}),
  };
}

const SERVER_FILE = 'server.json';

/**
 * Writes `server.json`, so that clients find this server (docs/cli.md#how-a-command-finds-the-server). It leaves the file
 * of another running server alone. The returned function removes the file, unless another server has replaced it.
 */
export function announce(dir: DataDir, announced: ServerFile, log: Log): () => void {
  // Process ids are used again. With the start of the process, clients know a file that a killed server left.
  const content = `${JSON.stringify({ ...announced, processStart: processStart(process.pid) })}\n`;
  const other = runningPid(readOrNull(join(dir.path, SERVER_FILE)));
  if (other !== null) {
    log.warn(
      `another server (pid ${other}) is announced in ${join(dir.path, SERVER_FILE)}: this one is found by its addresses alone`,
    );
    return () => {};
  }
  warnIfRefused(dir.path, log);
  dir.write(SERVER_FILE, content);
  return () => {
    if (readOrNull(join(dir.path, SERVER_FILE)) === content) dir.remove(SERVER_FILE);
  };
}

/** Clients look for a directory of this name, and believe only a private one. Others they find if the user names them. */
function warnIfRefused(path: string, log: Log): void {
  if (basename(path) !== '.mailcap') return;
  const why = otherWriter(lstatSync(path));
  if (why === null) return;
  log.warn(
    `commands and fixtures do not find this server by ${path}, because of the directory: ${why}. Name it with --data-dir, or the server with MAILCAP_URL`,
  );
}

/** Returns the pid if it belongs to another running process, or null. */
function runningPid(content: string | null): number | null {
  try {
    const { pid, processStart: start } = JSON.parse(content ?? '{}') as Record<string, unknown>; // compared, never trusted
    if (typeof pid !== 'number' || !Number.isInteger(pid) || pid === process.pid) return null;
    return isSameProcess(pid, typeof start === 'string' ? start : null) ? pid : null;
  } catch {
    return null;
  }
}

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

// A cloned repository, or another user who may write to a directory, can put links where the server is going to write.
// The user removes such a link by hand, so a start refuses it and names it.

/** The error for something in a data directory that mailcap did not make. Its message says what it is and what to do. */
export class PlantedFile extends Error {
  override readonly name = 'PlantedFile';
  readonly code = 'PLANTED';
}

/** The names that a store uses in its directory. Its user may keep other files there, which no server opens. */
const OF_THE_STORE = /^(segments|texts|log|lock|state\.json|state\.copy\.json|unfinished-copy)(\..*)?$/;

/** Refuses the first of these names in a directory that is a link. */
function refuseLinks(directory: string, names: readonly string[]): void {
  for (const name of names) {
    const path = join(directory, name);
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true) throw planted(path, 'is a link');
  }
}

/**
 * Refuses a store that holds a link, a file with a name elsewhere too, something that is no file, or a file of another
 * user than this one, root and the owner of the directory. The directory itself may be a link: its user named it.
 */
export function refusePlanted(directory: string): void {
  const owners = [BigInt(process.getuid?.() ?? 0), 0n, statSync(directory, { bigint: true }).uid];
  const files: (readonly [path: string, about: BigIntStats])[] = [];
  const names = readdirSync(directory).filter((name) => OF_THE_STORE.test(name));
  for (const path of names.map((name) => join(directory, name))) {
    const about = checked(path, owners);
    if (about?.isDirectory() !== true) files.push(...(about === null ? [] : [[path, about] as const]));
    else
      for (const name of readdirSync(path)) {
        const inside = checked(join(path, name), owners);
        if (inside !== null) files.push([join(path, name), inside]);
      }
  }
  refuseNamesElsewhere(files);
}

/** Returns the metadata, or null for a file that another process has removed meanwhile. */
function checked(path: string, owners: readonly bigint[]): BigIntStats | null {
  const about = lstatSync(path, { bigint: true, throwIfNoEntry: false }) ?? null;
  if (about === null) return null;
  if (about.isSymbolicLink()) throw planted(path, 'is a link');
  // The sign of life of a running server is a socket.
  if (!about.isFile() && !about.isDirectory() && !about.isSocket()) throw planted(path, 'is no plain file');
  if (!owners.includes(about.uid)) throw planted(path, `belongs to user ${about.uid}`);
  return about;
}

/** The store itself gives files a second name, but only in the same directory. */
function refuseNamesElsewhere(files: readonly (readonly [path: string, about: BigIntStats])[]): void {
  const names = new Map<string, bigint>();
  const identity = ({ dev, ino }: BigIntStats) => `${dev}.${ino}`;
  for (const [, about] of files) names.set(identity(about), (names.get(identity(about)) ?? 0n) + 1n);
  for (const [path, about] of files)
    if (about.isFile() && about.nlink > (names.get(identity(about)) ?? 0n))
      throw planted(path, 'is a file that has another name elsewhere (a hard link)');
}

function planted(path: string, what: string): PlantedFile {
  return new PlantedFile(
    `${path} ${what}, which mailcap did not make, so it is not opened: remove it, or choose another directory with --data-dir.`,
  );
}
