import { linkSync, mkdirSync, readFileSync, readlinkSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { bootId } from '../process-start.ts';
import { errorCode } from '../text/unknown.ts';

// A lock that admits one process to a directory. The lock file names its holder, so that a lock left by a killed
// process can be recognized. The holder listens on a socket beside the lock, which shows that it is alive. Without a
// socket, its process id, boot id and start time are compared.

/** The error for a directory in use. Its message names the other process and the remedy. */
export class DirectoryLocked extends Error {
  override readonly name = 'DirectoryLocked';
  readonly code = 'STORE_LOCKED';
}

interface Holder {
  readonly pid: number;
  readonly host: string;
  readonly boot: string;
  readonly started: string;
  /** The PID namespace of the holder, '' if unknown. Process ids are comparable only within one namespace. */
  readonly namespace?: string;
  /** The name of the holder's socket beside the lock. Absent if it has none. */
  readonly socket?: string;
}

/**
 * The time in milliseconds after which a silent holder on another machine or in another container counts as dead. It
 * cannot be asked.
 */
const SILENCE_MS = 75_000;

export interface Lock {
  /** Renews the lock. The holder must call it about every 30 seconds. */
  renew(): void;
  release(): void;
}

/** Acquires the lock. Throws {@link DirectoryLocked} while another process holds it. */
export async function lockDirectory(directory: string): Promise<Lock> {
  const path = join(directory, 'lock');
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const me = { pid: process.pid, host: hostname(), boot: bootId(), started: startOf(process.pid) };
  const namespace = pidNamespace();
  const socket = `lock.${me.pid}.${me.started}.${namespace}.sock`;
  // The socket exists before the lock names it, so a reader of the lock always finds it.
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
        // The directory may have been replaced, with a lock of another holder.
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
    // Another process may have found the same holder dead and taken the lock meanwhile.
    if (!sameHolder(read(path), holder)) continue;
    rmSync(path, { force: true });
    const socket = socketOf(holder, path);
    if (socket !== null) rmSync(socket, { force: true });
  }
  throw new DirectoryLocked(`${directory} is being taken by another mailcap; try again, or use --data-dir`);
}

/**
 * Writes the lock under another name and links it into place. Readers see a complete file, and only one link succeeds.
 */
function create(path: string, holder: Holder): boolean {
  const aside = `${path}.${holder.pid}.${holder.started}`;
  writeFresh(aside, JSON.stringify(holder));
  try {
    linkSync(aside, path);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}

/** Writes a new file. A killed process may have left the name, or another user may have made it as a link. */
function writeFresh(path: string, text: string): void {
  rmSync(path, { force: true });
  writeFileSync(path, text, { mode: 0o600, flag: 'wx' });
}

function read(path: string): Holder | null {
  try {
    // The content is only compared, never trusted.
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
  // The socket works across containers, because they share a kernel.
  const socket = socketOf(holder, path);
  const answer = socket !== null && mine.boot !== '' && holder.boot === mine.boot ? await showsLife(socket) : null;
  if (answer !== null) return answer;
  if (holder.host !== mine.host) return ageOf(path) < SILENCE_MS;
  if (holder.boot !== mine.boot) return false;
  // Containers may share a host name, and each counts its processes from 1.
  if ((holder.namespace ?? mine.namespace) !== mine.namespace) return ageOf(path) < SILENCE_MS;
  if (holder.pid === mine.pid) return holder.started === mine.started;
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    if (errorCode(error) === 'ESRCH') return false;
  }
  return holder.started === '' || startOf(holder.pid) === holder.started;
}

/** Returns the path of the holder's socket. The path is always beside the lock, even if the file names another one. */
function socketOf(holder: Holder | null, path: string): string | null {
  const name = String(holder?.socket ?? '');
  return /^lock[\d.]*\.sock$/.test(name) ? join(dirname(path), name) : null;
}

function whoIs(holder: Holder, mine: Holder): string {
  return holder.host === mine.host ? `pid ${holder.pid}` : `pid ${holder.pid} on ${holder.host}`;
}

/** Computes a file's age in milliseconds. */
function ageOf(path: string): number {
  return timeBeside(path).getTime() - statSync(path).mtime.getTime();
}

/** Returns the time by the file system's clock, which a fresh file beside a path has. */
function timeBeside(path: string): Date {
  const probe = `${path}.${process.pid}.probe`;
  try {
    writeFresh(probe, '');
    return statSync(probe).mtime;
  } finally {
    rmSync(probe, { force: true });
  }
}

function touch(path: string): void {
  try {
    const now = timeBeside(path);
    utimesSync(path, now, now);
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

/**
 * Returns the kernel's start time of a process, or '' without /proc. With it, a reused process id can be recognized.
 */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
}

// A Unix socket as a sign of life. All containers that share the directory can reach it, and the kernel closes it even
// if the process is killed. A process id, by contrast, is valid only within one container.

/**
 * Listens at a path. The returned function stops it. Resolves with null if the file system or the path's length allows
 * no socket.
 */
function showLife(path: string): Promise<(() => void) | null> {
  return new Promise((resolve) => {
    const server = createServer((caller) => caller.destroy());
    server.unref();
    server.once('error', () => resolve(null));
    server.listen(path, () => {
      resolve(() => {
        server.close();
        rmSync(path, { force: true });
      });
    });
  });
}

/** Tells whether a process on this machine listens at a path. Returns null if that is unknown. */
function showsLife(path: string): Promise<boolean | null> {
  return new Promise((resolve) => {
    const caller = connect(path);
    caller.once('connect', () => {
      caller.destroy();
      resolve(true);
    });
    caller.once('error', (error) => {
      const code = errorCode(error);
      if (code === 'ECONNREFUSED') resolve(false);
      // EAGAIN: the process listens but its backlog is full.
      else resolve(code === 'EAGAIN' ? true : null);
    });
  });
}
