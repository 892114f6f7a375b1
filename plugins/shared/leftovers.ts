import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname, networkInterfaces } from 'node:os';
import type { LocalApi } from '../../src/client/index.ts';
import { isAlive } from './is-alive.ts';

// A worker that is killed leaves its workspace on a server that goes on. The workspace's name says whose it was, so that the
// next worker of the same host can tell that it is nobody's.

/** A name for a workspace of this process. */
export function ownName(name: string): string {
  const host = hostOfProcesses();
  return host === null ? name : `${name} (process ${process.pid} of ${host})`;
}

/** Deletes the workspaces of processes of this host that are gone. Other hosts' it can't tell, and leaves. */
export async function deleteLeftovers(local: LocalApi): Promise<void> {
  const host = hostOfProcesses();
  const isLeft = (name: string | null) => {
    const [, pid, of] = / \(process (\d+) of ([0-9a-f]{16})\)$/.exec(name ?? '') ?? [];
    return of !== undefined && of === host && !isAlive(Number(pid));
  };
  const left = (await local.listWorkspaces()).filter(({ name }) => isLeft(name));
  // Another worker may have found them too.
  await Promise.allSettled(left.map(({ id }) => local.deleteWorkspace(id)));
}

/** A mark of all processes that have their ids from where this one has its own; null where that can't be told. */
function hostOfProcesses(): string | null {
  const facts = process.platform === 'linux' ? factsOfLinux() : [hostname(), ...cards()];
  return facts && createHash('sha256').update(facts.join('\n')).digest('hex').slice(0, 16);
}

/** A kernel since it was started, and of it a container: their names may be the same on many machines. */
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
