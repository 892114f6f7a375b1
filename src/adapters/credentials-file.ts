import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isWellFormedKey } from '../domain/api-key.ts';
import { otherWriter } from '../ownership.ts';
import type { DataDir } from './data-dir.ts';

/** The generated secrets. They are stored, so that a restart does not change them. */
export interface Credentials {
  readonly apiKey?: string;
  readonly adminToken?: string;
}

const FILE = 'credentials.json';

/**
 * Reads the stored credentials, or an empty object if there are none. Throws if the file has another format. A file that
 * another user may have written is not believed, because that user knows its keys; `tell` gets a sentence about it.
 */
export function readCredentials(dataDir: string, tell: (sentence: string) => void): Credentials {
  const path = join(dataDir, FILE);
  // Opening a pipe would wait for its writer. Windows has neither flag.
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
  let file: number;
  try {
    file = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {};
    throw error;
  }
  try {
    const about = fstatSync(file);
    if (!about.isFile()) throw new Error(`${path} is no credentials file`);
    const why = otherWriter(about);
    if (why === null) return parse(readFileSync(file, 'utf8'), path);
    tell(`${path} is not believed, because ${why}: its keys are not used`);
    return {};
  } finally {
    closeSync(file);
  }
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
