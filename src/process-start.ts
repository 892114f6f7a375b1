// This module tells which process an id means. Ids are used again, so an id and the start of its process name a process.
// The client and the server share the module. It gets the modules of Node from the process, so that a bundler for
// browsers finds no import that it can't resolve.

/**
 * Tells whether a process runs, is one of this user, and started at `start`, which {@link processStart} returned for it.
 */
export function isSameProcess(pid: number, start: string | null): boolean {
  return isRunning(pid) && processStart(pid) === start;
}

/**
 * Returns the start of a running process in the form of this system. Null where the system does not tell it fast, as on
 * Windows, and for a process that has ended.
 */
export function processStart(pid: number): string | null {
  switch (process.platform) {
    case 'linux':
    case 'android':
      return startInProc(pid);
    case 'win32':
      return null;
    default:
      return startByPs(pid);
  }
}

/** Tells whether a process runs that this user may send signals. */
export function isRunning(pid: number): boolean {
  try {
    // 0 and negative ids mean groups of processes.
    return pid > 0 && process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** The place of the start among the fields of /proc/<pid>/stat that follow the name (proc(5)). */
const START = 19;

function startInProc(pid: number): string | null {
  const { readFileSync } = process.getBuiltinModule('node:fs');
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name is in brackets and may hold brackets and spaces.
    const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ticks = fields[START - 1];
    // A zombie has ended, and its parent has not asked for its exit code yet.
    if (ticks === undefined || state === 'Z' || state === 'X') return null;
    // The ticks count from the start of the machine, where pid 1 starts at much the same tick each time.
    return `${bootId()} ${ticks}`;
  } catch {
    return null;
  }
}

/** Returns the random id of this run of the machine; '' where the system has none. */
export function bootId(): string {
  try {
    return process.getBuiltinModule('node:fs').readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
}

const PATIENCE_MS = 2_000;

/** Asks `ps`, as on macOS and the BSDs. Its time has one second's resolution. */
export function startByPs(pid: number): string | null {
  try {
    const told = process
      .getBuiltinModule('node:child_process')
      .execFileSync('/bin/ps', ['-o', 'lstart=', '-p', `${pid}`], {
        encoding: 'utf8',
        // Both change how the time is written.
        env: { LC_ALL: 'C', TZ: 'UTC' },
        stdio: ['ignore', 'pipe', 'ignore'],
        timeout: PATIENCE_MS,
      });
    return told.trim() || null;
  } catch {
    return null;
  }
}
