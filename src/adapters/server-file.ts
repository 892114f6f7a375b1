import { lstatSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { otherWriter } from '../ownership.ts';
import type { Log } from '../ports/log.ts';
import { isSameProcess, processStart } from '../process-start.ts';
import type { Announced } from '../runtime.ts';
import type { DataDir } from './data-dir.ts';

const FILE = 'server.json';

/**
 * Writes `server.json`, so that clients find this server (docs/cli.md#how-a-command-finds-the-server). It leaves the file
 * of another running server alone. The returned function removes the file, unless another server has replaced it.
 */
export function announce(dir: DataDir, announced: Announced, log: Log): () => void {
  // Process ids are used again. With the start of the process, clients know a file that a killed server left.
  const content = `${JSON.stringify({ ...announced, processStart: processStart(process.pid) })}\n`;
  const other = runningPid(readOrNull(join(dir.path, FILE)));
  if (other !== null) {
    log.warn(
      `another server (pid ${other}) is announced in ${join(dir.path, FILE)}: this one is found by its addresses alone`,
    );
    return () => {};
  }
  warnIfRefused(dir.path, log);
  dir.write(FILE, content);
  return () => {
    if (readOrNull(join(dir.path, FILE)) === content) dir.remove(FILE);
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
