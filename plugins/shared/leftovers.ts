import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname, networkInterfaces } from 'node:os';
import type { LocalApi } from '../../src/client/index.ts';

// A killed worker leaves its workspace on a server that keeps running, and a worker with a failed test leaves it on
// purpose. The name of the workspace contains the worker's process id and host, so that the next worker on the same host
// can find it and delete it. If it is kept, the name also contains the run and the project.

/** The run of the tests that a worker belongs to. */
export interface RunProject {
  /** The test runner. */
  readonly runner: 'playwright' | 'vitest' | 'cypress';
  /** The path of the configuration, or else of the directory. */
  readonly path: string;
}

/**
 * The most workspaces that a run keeps, the newest ones. A run in watch mode never ends, and it would keep one for each
 * failure.
 */
const MOST_KEPT = 100;

/** Returns the name of a workspace of this process. */
export function ownName(name: string): string {
  const host = hostOfProcesses();
  return host === null ? name : `${name} (process ${process.pid} of ${host})`;
}

/**
 * Returns the name of a workspace that is kept until the next run; null if no run could find it. Once its worker is
 * closed, no process uses it any more, although a worker that was a thread leaves a process that lives on.
 */
export function keptName(
  name: string,
  project: RunProject,
  { isClosed }: { readonly isClosed: boolean },
): string | null {
  const host = hostOfProcesses();
  if (host === null) return null;
  const user = isClosed ? '' : `process ${process.pid} `;
  return `${name} (${user}of ${host}, kept by ${runId()} of ${markOf(project)})`;
}

/**
 * Deletes the workspaces of dead processes of this host, except those that a run keeps. It leaves those of other hosts,
 * whose processes it can't check. Of the kept ones it deletes those of earlier runs of this project, and the oldest of
 * this run.
 */
export async function deleteLeftovers(local: LocalApi, project: RunProject): Promise<void> {
  const host = hostOfProcesses();
  const own = markOf(project);
  const left: string[] = [];
  const ofThisRun: string[] = [];
  for (const { id, name } of await local.listWorkspaces()) {
    const { pid, of, run, mark } = MARKED.exec(name ?? '')?.groups ?? {};
    const isUsed = pid !== undefined && of === host && isAlive(Number(pid));
    if (of === undefined || isUsed) continue;
    if (run === undefined) {
      if (of === host && pid !== undefined) left.push(id);
    } else if (mark === own) {
      // The mark contains the name of this host, so a run with another mark of processes was before its last start.
      if (of !== host || !isAlive(Number(run))) left.push(id);
      else if (Number(run) === runId()) ofThisRun.push(id);
    }
  }
  const tooMany = ofThisRun.sort().slice(0, -MOST_KEPT);
  // Another worker may delete them at the same time.
  await Promise.allSettled([...left, ...tooMany].map((id) => local.deleteWorkspace(id)));
}

const MARKED =
  / \((?:process (?<pid>\d+) )?of (?<of>[0-9a-f]{16})(?:, kept by (?<run>\d+) of (?<mark>[0-9a-f]{16}))?\)$/;

/** Tells whether a process with this id exists, of any user. */
export function isAlive(pid: number): boolean {
  try {
    // Signal 0 is not sent; the call only checks whether the process exists.
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Returns the id of the process that runs the tests. A worker that is a thread of it has the same id. */
export function runId(): number {
  return process.send === undefined ? process.pid : process.ppid;
}

/** Returns a mark that the runs of a project on this host share. */
function markOf({ runner, path }: RunProject): string {
  return createHash('sha256').update([hostname(), runner, path].join('\n')).digest('hex').slice(0, 16);
}

/** Returns a mark that all processes with the same process id space share; null if it can't be determined. */
function hostOfProcesses(): string | null {
  const facts = process.platform === 'linux' ? factsOfLinux() : [hostname(), ...cards()];
  return facts && createHash('sha256').update(facts.join('\n')).digest('hex').slice(0, 16);
}

/** Returns the facts that identify a boot of the kernel and a container. Host names may repeat on many machines. */
function factsOfLinux(): string[] | null {
  try {
    return [hostname(), readFileSync('/proc/sys/kernel/random/boot_id', 'utf8'), readlinkSync('/proc/self/ns/pid')];
  } catch {
    return null;
  }
}

function cards(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses.map(({ mac }) => mac));
  return [...new Set(all)].sort();
}
