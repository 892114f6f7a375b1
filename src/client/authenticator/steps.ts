import { now, workingDirectory } from '../environment.ts';

// Which time steps of which secrets were handed out. Apps refuse a code that was used, and the retry of a test, the worker
// beside it or the next run is often another process.

/** What is further from now than that is the time of a clock that a test has moved. */
const REAL_WITHIN_MS = 600_000;

/** By this process. */
const taken = new Set<string>();

/**
 * Takes a time step of a secret for the caller alone: false where somebody has it already, in this process or in another of
 * this user on this machine. `key` is what is the same for all who have the secret, `expiresAt` the step's end, milliseconds since 1970.
 */
export async function takeStep(key: string, expiresAt: number): Promise<boolean> {
  const name = `${expiresAt}-${await fingerprint(key)}`;
  if (taken.has(name)) return false;
  taken.add(name);
  const at = now();
  // The next run begins a moved clock anew, and is to find it so.
  if (workingDirectory() === null || Math.abs(expiresAt - at) > REAL_WITHIN_MS) return true;
  const { takeFile } = await import('./step-files.ts');
  return takeFile(name, at - REAL_WITHIN_MS);
}

/** Of which nobody who sees it learns the secret. */
async function fingerprint(key: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(key));
  return Array.from(new Uint8Array(hash, 0, 16), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
