import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname, networkInterfaces } from 'node:os';
import type { LocalApi } from '../../src/client/index.ts';
import { isAlive } from './is-alive.ts';

// A killed worker leaves its workspace on a server that keeps running. The name of the workspace contains the worker's
// process id and host, so that the next worker on the same host can find it and delete it.

/** Returns the name of a workspace of this process. */
export function ownName(name: string): string {
  const host = hostOfProcesses();
  return host === null ? name : `${name} (process ${process.pid} of ${host})`;
}

/**
 * Deletes the workspaces of dead processes of this host. It leaves those of other hosts, whose processes it can't
 * check.
 */
export async function deleteLeftovers(local: LocalApi): Promise<void> {
  const host = hostOfProcesses();
  const isLeft = (name: string | null) => {
    const [, pid, of] = / \(process (\d+) of ([0-9a-f]{16})\)$/.exec(name ?? '') ?? [];
    return of !== undefined && of === host && !isAlive(Number(pid));
  };
  const left = (await local.listWorkspaces()).filter(({ name }) => isLeft(name));
  // Another worker may delete them at the same time.
  await Promise.allSettled(left.map(({ id }) => local.deleteWorkspace(id)));
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
