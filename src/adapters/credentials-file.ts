import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isWellFormedKey } from '../domain/api-key.ts';
import type { DataDir } from './data-dir.ts';

/** The generated secrets. They are stored, so that a restart does not change them. */
export interface Credentials {
  readonly apiKey?: string;
  readonly adminToken?: string;
}

const FILE = 'credentials.json';

/** Reads the stored credentials, or an empty object if there are none. Throws if the file has another format. */
export function readCredentials(dataDir: string): Credentials {
  const path = join(dataDir, FILE);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {};
    throw error;
  }
  return parse(text, path);
}

/** Replaces the stored credentials. */
export function writeCredentials(dir: DataDir, credentials: Credentials): void {
  dir.write(FILE, `${JSON.stringify(credentials, null, 2)}\n`);
}

function parse(text: string, path: string): Credentials {
  const parsed = readJson(text);
  if (typeof parsed !== 'object' || parsed === null) throw new Error(`${path} is no credentials file`);
  const { apiKey, adminToken }: { apiKey?: unknown; adminToken?: unknown } = parsed;
  if (apiKey !== undefined && !(typeof apiKey === 'string' && isWellFormedKey(apiKey))) {
    throw new Error(`${path} holds a key of another form`);
  }
  return {
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(typeof adminToken === 'string' ? { adminToken } : {}),
  };
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
