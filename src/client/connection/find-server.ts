import type { Ready } from '../../runtime.ts';

// Loaded where there is a file system. What it needs of Node it asks the process for: a bundler for browsers that follows
// every import finds nothing to stumble over.

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

/** The server that runs on a data directory, as its `server.json` tells; null where none does. A file left by a dead process is ignored. */
export async function findServer(dataDir: string): Promise<Ready | null> {
  const { readFile } = process.getBuiltinModule('node:fs/promises');
  const { join } = process.getBuiltinModule('node:path');
  const ready = parseReady(await readFile(join(dataDir, 'server.json'), 'utf8').catch(() => ''));
  return ready !== null && isAlive(ready.pid) ? ready : null;
}

/** The server announced in `.mailcap` of a directory or of one above it, the nearest that runs; null where none does. */
export async function findServerAbove(directory: string): Promise<Ready | null> {
  const { dirname, join } = process.getBuiltinModule('node:path');
  for (let at = directory; ; at = dirname(at)) {
    const ready = await findServer(join(at, '.mailcap'));
    if (ready !== null || at === dirname(at)) return ready;
  }
}

function parseReady(text: string): Ready | null {
  try {
    const value: unknown = JSON.parse(text);
    // A server of before these were told has neither.
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
    // It is there, but somebody else's.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
