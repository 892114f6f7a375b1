import { type BigIntStats, lstatSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

// A cloned repository, or another user who may write to a directory, can put links where the server is going to write.
// The user removes such a link by hand, so a start refuses it and names it.

/** The error for something in a data directory that mailcap did not make. Its message says what it is and what to do. */
export class PlantedFile extends Error {
  override readonly name = 'PlantedFile';
  readonly code = 'PLANTED';
}

/** The names that a store uses in its directory. Its user may keep other files there, which no server opens. */
const OF_THE_STORE = /^(segments|log|lock|state\.json|state\.copy\.json|unfinished-copy)(\..*)?$/;

/** Refuses the first of these names in a directory that is a link. */
export function refuseLinks(directory: string, names: readonly string[]): void {
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
