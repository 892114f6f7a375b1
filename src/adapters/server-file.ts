import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from '../ports/log.ts';
import type { Ready } from '../runtime.ts';
import type { DataDir } from './data-dir.ts';

const FILE = 'server.json';

/**
 * Writes `server.json`, so that clients find this server (docs/contract.md#finding-a-server). It leaves the file of
 * another running server alone. The returned function removes the file, unless another server has replaced it.
 */
export function announce(dir: DataDir, ready: Ready, log: Log): () => void {
  const content = `${JSON.stringify(ready)}\n`;
  const other = runningPid(readOrNull(join(dir.path, FILE)));
  if (other !== null) {
    log.warn(
      `another server (pid ${other}) is announced in ${join(dir.path, FILE)}: this one is found by its addresses alone`,
    );
    return () => {};
  }
  dir.write(FILE, content);
  return () => {
    if (readOrNull(join(dir.path, FILE)) === content) dir.remove(FILE);
  };
}

/** Returns the pid if it belongs to another running process, or null. */
function runningPid(content: string | null): number | null {
  try {
    const { pid } = JSON.parse(content ?? '{}') as { pid?: unknown }; // compared, never trusted
    if (typeof pid !== 'number' || !Number.isInteger(pid) || pid < 1 || pid === process.pid) return null;
    process.kill(pid, 0);
    return pid;
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
