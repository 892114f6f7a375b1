import { ApiError, refuse } from '../../domain/errors.ts';
import { ObjectStorageAway } from '../../ports/object-storage.ts';

/** The code of PostgreSQL that tells of a full disk. */
const DISK_FULL = '53100';
/** The classes of codes that tell of the database's state: connection, resources, operator, system, transaction, lock. */
const PASSING = new Set(['08', '25', '40', '53', '55', '57', '58']);

/** Translates a failure of the database or of the object storage into the error of the store's port. It returns a programming error unchanged. */
export function storageTrouble(error: unknown): unknown {
  if (error instanceof ApiError) return error;
  if (error instanceof ObjectStorageAway) return refuse('storage_unavailable', undefined, { cause: error });
  const code = codeOf(error);
  if (code === DISK_FULL) return refuse('disk_full', undefined, { cause: error });
  if (code !== null && !PASSING.has(code.slice(0, 2))) return error;
  return refuse('storage_unavailable', undefined, { cause: error });
}

/** Tells whether an error is an answer of the database. A lost connection is none. */
export function isAnswer(error: unknown): boolean {
  return codeOf(error) !== null;
}

/** Returns the SQLSTATE of an error, or null if the database did not send it. */
export function codeOf(error: unknown): string | null {
  // EPIPE of a broken connection has the form of an SQLSTATE.
  if (error instanceof Error && 'syscall' in error) return null;
  const code = error instanceof Error && 'code' in error ? error.code : null;
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : null;
}
