import { linkSync, mkdirSync, readFileSync, readlinkSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { showLife, showsLife } from './sign-of-life.ts';

// One process on a directory. The lock names its holder, so that one left behind by a killed process is told apart: where it
// listens on a socket beside the lock, by asking there; else by the process of that number, boot and start.

/** Another process has the directory; the message says which, and what to do. */
export class DirectoryLocked extends Error {
  override readonly name = 'DirectoryLocked';
  readonly code = 'STORE_LOCKED';
}

interface Holder {
  readonly pid: number;
  readonly host: string;
  readonly boot: string;
  readonly started: string;
  /** Where process numbers mean what they mean to this process; '' where that is not told. */
  readonly namespace?: string;
  /** Its sign of life, a file beside the lock; absent where it has none. */
  readonly socket?: string;
}

/** A holder on another machine or in another container can't be asked: it counts as gone when it has not renewed for so long. */
const SILENCE_MS = 75_000;

export interface Lock {
  /** Says that the holder lives. To be called every 30 s or so. */
  renew(): void;
  release(): void;
}

/** Takes the lock. Throws {@link DirectoryLocked} while another process holds it. */
export async function lockDirectory(directory: string): Promise<Lock> {
  const path = join(directory, 'lock');
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const me = { pid: process.pid, host: hostname(), boot: bootId(), started: startOf(process.pid) };
  const namespace = pidNamespace();
  const socket = `lock.${me.pid}.${me.started}.${namespace}.sock`;
  // Before the lock says so: whoever reads it finds the holder alive.
  const hide = await showLife(join(directory, socket));
  const mine: Holder = { ...me, namespace, ...(hide === null ? {} : { socket }) };
  try {
    return await take(path, mine, () => hide?.());
  } catch (error) {
    hide?.();
    throw error;
  }
}

async function take(path: string, mine: Holder, hide: () => void): Promise<Lock> {
  const directory = dirname(path);
  for (let attempt = 0; attempt < 3; attempt++) {
    if (create(path, mine)) {
      return {
        // The directory may be another by now, with a holder of its own.
        renew: () => {
          if (sameHolder(read(path), mine)) touch(path);
        },
        release: () => {
          hide();
          if (sameHolder(read(path), mine)) rmSync(path, { force: true });
        },
      };
    }
    const holder = read(path);
    if (holder !== null && (await isAlive(path, holder, mine))) {
      throw new DirectoryLocked(
        `${directory} is in use by another mailcap (${whoIs(holder, mine)}); stop it, or give this one its own directory with --data-dir`,
      );
    }
    // Judging took its time: whoever found the same holder gone may have the lock by now.
    if (!sameHolder(read(path), holder)) continue;
    rmSync(path, { force: true });
    const socket = socketOf(holder, path);
    if (socket !== null) rmSync(socket, { force: true });
  }
  throw new DirectoryLocked(`${directory} is being taken by another mailcap; try again, or use --data-dir`);
}

/** Written aside and linked into place: whoever sees a lock sees all of it, and only one link succeeds. */
function create(path: string, holder: Holder): boolean {
  const aside = `${path}.${holder.pid}.${holder.started}`;
  writeFileSync(aside, JSON.stringify(holder), { mode: 0o600 });
  try {
    linkSync(aside, path);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}

function read(path: string): Holder | null {
  try {
    // Whatever stands there is compared, never trusted.
    return JSON.parse(readFileSync(path, 'utf8')) as Holder;
  } catch {
    return null;
  }
}

function sameHolder(a: Holder | null, b: Holder | null): boolean {
  if (a === null || b === null) return a === b;
  const facts = ['pid', 'host', 'boot', 'started', 'namespace'] as const;
  return facts.every((fact) => a[fact] === b[fact]);
}

async function isAlive(path: string, holder: Holder, mine: Holder): Promise<boolean> {
  // Whatever the container: one kernel knows who listens.
  const socket = socketOf(holder, path);
  const answer = socket !== null && mine.boot !== '' && holder.boot === mine.boot ? await showsLife(socket) : null;
  if (answer !== null) return answer;
  if (holder.host !== mine.host) return ageOf(path) < SILENCE_MS;
  if (holder.boot !== mine.boot) return false;
  // Containers may share a name, and each counts its processes from 1.
  if ((holder.namespace ?? mine.namespace) !== mine.namespace) return ageOf(path) < SILENCE_MS;
  if (holder.pid === mine.pid) return holder.started === mine.started;
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false;
  }
  return holder.started === '' || startOf(holder.pid) === holder.started;
}

/** Beside the lock and nowhere else, whatever stands in it. */
function socketOf(holder: Holder | null, path: string): string | null {
  const name = String(holder?.socket ?? '');
  return /^lock[\d.]*\.sock$/.test(name) ? join(dirname(path), name) : null;
}

function whoIs(holder: Holder, mine: Holder): string {
  return holder.host === mine.host ? `pid ${holder.pid}` : `pid ${holder.pid} on ${holder.host}`;
}

/** A file's age by its own file system's clock: a fresh file beside it tells that one's time. */
function ageOf(path: string): number {
  const probe = `${path}.${process.pid}.probe`;
  try {
    writeFileSync(probe, '');
    return statSync(probe).mtimeMs - statSync(path).mtimeMs;
  } finally {
    rmSync(probe, { force: true });
  }
}

function touch(path: string): void {
  try {
    const probe = `${path}.${process.pid}.probe`;
    writeFileSync(probe, '');
    const { mtime } = statSync(probe);
    rmSync(probe, { force: true });
    utimesSync(path, mtime, mtime);
  } catch {
    // A full disk must not end the process that holds the lock.
  }
}

function pidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid').replace(/\D/g, '');
  } catch {
    return '';
  }
}

/** Names the boot of this machine where the system tells it, '' elsewhere. */
export function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
}

/** The kernel's start time of a process where /proc tells it, '' elsewhere: a reused number is then another process. */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
}
