import type { KeyId, WorkspaceId } from './ids.ts';

export const REPLAY_WINDOW_MS = 24 * 60 * 60 * 1000;
export const MAX_KEY_LENGTH = 255;

/** The stored answer of a POST that carried an Idempotency-Key. */
export interface IdempotencyRecord {
  /** {@link idempotencyId} */
  readonly id: string;
  readonly workspaceId: WorkspaceId;
  readonly status: number;
  /** The body's JSON text, null where there was none. */
  readonly body: string | null;
  /** `Location`-like headers, to be sent again. */
  readonly headers: Readonly<Record<string, string>>;
  /** SHA-256 of the request body, hex: a replay with another body is worth a warning. */
  readonly bodyHash: string;
  readonly createdAt: number;
}

/** Scope: API key + method + path + Idempotency-Key (docs/contract.md#idempotency). */
export function idempotencyId(apiKeyId: KeyId, method: string, path: string, key: string): string {
  return [apiKeyId, method, path, key].join(' ');
}

export function isReplayable(record: IdempotencyRecord, now: number): boolean {
  return now < record.createdAt + REPLAY_WINDOW_MS;
}

/** 401, 429 and 5xx are not stored: the caller is meant to try again. */
export function isStored(status: number): boolean {
  return status !== 401 && status !== 429 && status < 500;
}
