import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Ready } from '../runtime.ts';

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
  const ready = parseReady(await readFile(join(dataDir, 'server.json'), 'utf8').catch(() => ''));
  return ready !== null && isAlive(ready.pid) ? ready : null;
}

function parseReady(text: string): Ready | null {
  try {
    const value: unknown = JSON.parse(text);
    return isReady(value) ? value : null;
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
