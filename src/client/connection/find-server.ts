import type { Ready } from '../../runtime.ts';

// This module is loaded only where there is a file system. It gets the modules of Node from the process, so that a
// bundler for browsers finds no import that it can't resolve.

const TEXTS = [
  'url',
  'apiUrl',
  'smtpUrl',
  'smtpHost',
  'webhookBaseUrl',
  'feedUrl',
  'mailDomain',
  'apiKey',
  'workspaceId',
  'mailboxId',
  'version',
] as const satisfies readonly (keyof Ready)[];

/**
 * Reads the `server.json` of a data directory. Returns null if no server runs there; ignores a file that a dead process
 * left.
 */
export async function findReadyServer(dataDir: string): Promise<Ready | null> {
  const { readFile } = process.getBuiltinModule('node:fs/promises');
  const { join } = process.getBuiltinModule('node:path');
  const ready = parseReady(await readFile(join(dataDir, 'server.json'), 'utf8').catch(() => ''));
  return ready !== null && isAlive(ready.pid) ? ready : null;
}

/**
 * Looks for a `.mailcap` directory here and in every directory above. Returns the nearest server that runs, or null.
 */
export async function findServerAbove(directory: string): Promise<Ready | null> {
  const { dirname, join } = process.getBuiltinModule('node:path');
  for (let at = directory; ; at = dirname(at)) {
    const ready = await findReadyServer(join(at, '.mailcap'));
    if (ready !== null || at === dirname(at)) return ready;
  }
}

function parseReady(text: string): Ready | null {
  try {
    const value: unknown = JSON.parse(text);
    // Older servers did not write these two fields.
    return isReady(value) ? { ...value, smtpsUrl: value.smtpsUrl ?? null, smtpCa: value.smtpCa ?? null } : null;
  } catch {
    return null;
  }
}

function isReady(value: unknown): value is Ready {
  if (typeof value !== 'object' || value === null) return false;
  const fields = new Map<string, unknown>(Object.entries(value));
  const numbers = ['smtpPort', 'pid'].every((name) => Number.isInteger(fields.get(name)));
  return numbers && TEXTS.every((name) => typeof fields.get(name) === 'string');
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process exists, but belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
