import type { KeyId, WorkspaceId } from './ids.ts';

export const REPLAY_WINDOW_MS = 24 * 60 * 60 * 1000;
export const MAX_KEY_LENGTH = 255;

/** The stored answer of a POST with an Idempotency-Key. */
export interface IdempotencyRecord {
  /** {@link idempotencyId} */
  readonly id: string;
  readonly workspaceId: WorkspaceId;
  readonly status: number;
  /** The JSON text of the body. Null if there was none. */
  readonly body: string | null;
  /** The header fields to repeat, such as `Location`. */
  readonly headers: Readonly<Record<string, string>>;
  /** The SHA-256 of the request body in hex. A replay with another body causes a warning. */
  readonly bodyHash: string;
  readonly createdAt: number;
}

/** Builds the id of a record from API key, method, path and Idempotency-Key (docs/contract.md#idempotency). */
export function idempotencyId(apiKeyId: KeyId, method: string, path: string, key: string): string {
  return [apiKeyId, method, path, key].join(' ');
}

export function isReplayable(record: IdempotencyRecord, now: number): boolean {
  return now < record.createdAt + REPLAY_WINDOW_MS;
}

/** Tells whether an answer is stored. 401, 429 and 5xx are not, because the client should try again. */
export function isStored(status: number): boolean {
  return status !== 401 && status !== 429 && status < 500;
}
