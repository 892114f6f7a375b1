import { ApiError, refuse } from '../../domain/errors.ts';
import { ObjectStorageAway } from '../../ports/object-storage.ts';

/** The error for a database that can't be used. Its message tells the reason and the remedy. It holds no secret. */
export class DatabaseRefused extends Error {
  override readonly name = 'DatabaseRefused';
  readonly code = 'DATABASE_REFUSED';
}

/** PostgreSQL's error code (SQLSTATE) for a full disk. */
const DISK_FULL = '53100';
/**
 * The classes of error codes that may pass: connection, transaction state, rollback, resources, object state, operator
 * intervention, system.
 */
const PASSING = new Set(['08', '25', '40', '53', '55', '57', '58']);

/**
 * Translates a failure of the database or the object storage into `disk_full` or `storage_unavailable`. It returns
 * other errors, such as an invalid statement, unchanged.
 */
export function storageTrouble(error: unknown): unknown {
  if (error instanceof ApiError) return error;
  if (error instanceof ObjectStorageAway) return refuse('storage_unavailable', undefined, { cause: error });
  const code = codeOf(error);
  if (code === DISK_FULL) return refuse('disk_full', undefined, { cause: error });
  if (code !== null && !PASSING.has(code.slice(0, 2))) return error;
  return refuse('storage_unavailable', undefined, { cause: error });
}

/** Tells whether the database sent the error. A lost connection is not sent by the database. */
export function isAnswer(error: unknown): boolean {
  return codeOf(error) !== null;
}

/** Returns the SQLSTATE of an error, or null if the database did not send it. */
export function codeOf(error: unknown): string | null {
  // EPIPE, the error of a broken connection, looks like an SQLSTATE.
  if (error instanceof Error && 'syscall' in error) return null;
  const code = error instanceof Error && 'code' in error ? error.code : null;
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : null;
}
