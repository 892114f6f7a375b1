import { now, workingDirectory } from '../environment.ts';

// This module records which time steps of which secrets were handed out. Apps refuse a code that was used. The retry of
// a test, the worker beside it or the next run is often another process, so the record is shared on disk.

/** A step further from now than this belongs to a clock that a test has moved. */
const REAL_WITHIN_MS = 600_000;

/** The steps that this process took. */
const taken = new Set<string>();

/**
 * Takes a time step of a secret for the caller alone. Returns false if the step was taken before, by this process or by
 * another process of this user on this machine. `key` is the same for all handles of one secret. `expiresAt` is the end
 * of the step in milliseconds since 1970.
 */
export async function takeStep(key: string, expiresAt: number): Promise<boolean> {
  const name = `${expiresAt}-${await fingerprint(key)}`;
  if (taken.has(name)) return false;
  taken.add(name);
  const at = now();
  // A step of a moved clock is not written to disk, because the next run may move its clock to the same time.
  if (workingDirectory() === null || Math.abs(expiresAt - at) > REAL_WITHIN_MS) return true;
  const { takeFile } = await import('./step-files.ts');
  return takeFile(name, at - REAL_WITHIN_MS);
}

/** Returns a hash that does not reveal the secret. */
async function fingerprint(key: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(key));
  return Array.from(new Uint8Array(hash, 0, 16), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
