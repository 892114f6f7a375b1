import { linkSync, mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';

// One process on a directory. The lock names its holder, so that one left behind by a killed process is told apart:
// same machine and boot, and a process of that number that started at that time.

/** Another process has the directory, or its contents can't be used; the message says which and what to do. */
export class StoreRefused extends Error {
  override readonly name = 'StoreRefused';
  readonly code: 'STORE_LOCKED' | 'STORE_FORMAT';

  constructor(code: StoreRefused['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

interface Holder {
  readonly pid: number;
  readonly host: string;
  readonly boot: string;
  readonly started: string;
}

/** A holder on another machine or in another container can't be asked: it counts as gone when it has not renewed for so long. */
const SILENCE_MS = 75_000;

export interface Lock {
  /** Says that the holder lives. To be called every 30 s or so. */
  renew(): void;
  release(): void;
}

/** Takes the lock. Throws {@link StoreRefused} `STORE_LOCKED` while another process holds it. */
export function lockDirectory(directory: string): Lock {
  const path = join(directory, 'lock');
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const mine: Holder = { pid: process.pid, host: hostname(), boot: bootId(), started: startOf(process.pid) };
  for (let attempt = 0; attempt < 3; attempt++) {
    if (create(path, mine)) {
      return {
        renew: () => touch(path),
        release: () => {
          if (sameHolder(read(path), mine)) rmSync(path, { force: true });
        },
      };
    }
    const holder = read(path);
    if (holder !== null && isAlive(path, holder, mine)) {
      throw new StoreRefused(
        'STORE_LOCKED',
        `${directory} is in use by another mailcap (pid ${holder.pid}); stop it, or give this one its own directory with --data-dir`,
      );
    }
    rmSync(path, { force: true });
  }
  throw new StoreRefused(
    'STORE_LOCKED',
    `${directory} is being taken by another mailcap; try again, or use --data-dir`,
  );
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

function sameHolder(a: Holder | null, b: Holder): boolean {
  return a !== null && a.pid === b.pid && a.host === b.host && a.boot === b.boot && a.started === b.started;
}

function isAlive(path: string, holder: Holder, mine: Holder): boolean {
  if (holder.host !== mine.host) return ageOf(path) < SILENCE_MS;
  if (holder.boot !== mine.boot) return false;
  if (holder.pid === mine.pid) return holder.started === mine.started;
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false;
  }
  return holder.started === '' || startOf(holder.pid) === holder.started;
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

function bootId(): string {
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
