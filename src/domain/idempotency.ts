import type { KeyId, Ulid, WorkspaceId } from './ids.ts';

export const REPLAY_WINDOW_MS = 24 * 60 * 60 * 1000;
export const MAX_KEY_LENGTH = 255;

/** The stored answer of a POST with an Idempotency-Key. */
export interface IdempotencyRecord {
  /** {@link idempotencyId}, or {@link traceId} for a record that leads from a resource to its answer. */
  readonly id: string;
  readonly workspaceId: WorkspaceId;
  readonly status: number;
  /** The JSON text of the body. Null if there was none. */
  readonly body: string | null;
  /** The header fields to repeat, such as `Location`. */
  readonly headers: Readonly<Record<string, string>>;
  /** The SHA-256 of the request body in hex. A replay with another body causes a warning. */
  readonly bodyHash: string;
  /** The time in the workspace. The window of replays follows it. */
  readonly createdAt: number;
  /** The real time. */
  readonly storedAt: number;
  /** The resource that the request created. Absent if it created none. */
  readonly resourceId?: string;
}

/** Builds the id of a record from API key, method, path and Idempotency-Key (docs/contract.md#idempotency). */
export function idempotencyId(apiKeyId: KeyId, method: string, path: string, key: string): string {
  return [apiKeyId, method, path, key].join(' ');
}

/** Builds the id of the record that leads from a resource to the answer that tells of it. */
export function traceId(resourceId: string): string {
  return `created ${resourceId}`;
}

/** Builds the record whose body is the id of the record of an answer. It lets a deletion find that answer. */
export function traceOf(record: IdempotencyRecord, resourceId: string): IdempotencyRecord {
  const { id, workspaceId, createdAt, storedAt } = record;
  return { id: traceId(resourceId), workspaceId, status: 0, body: id, headers: {}, bodyHash: '', createdAt, storedAt };
}

/** Returns the id of the resource that an answer says was created, or null. */
export function createdBy(status: number, body: string | null): Ulid | null {
  if (status !== 201 || body === null) return null;
  const { id } = JSON.parse(body) as { id?: Ulid }; // the server wrote this body
  return id ?? null;
}

/** The texts of an answer that say nothing of what a client wrote. */
const HARMLESS_TEXTS: ReadonlySet<string> = new Set(['id', 'workspaceId', 'groupId', 'createdAt']);

/**
 * Returns a record without the texts of the resource that it created, because the resource was deleted. The answer keeps
 * its fields, so that clients can read it, but texts such as the name or a body are empty.
 */
export function withoutDetails(record: IdempotencyRecord): IdempotencyRecord {
  if (createdBy(record.status, record.body) === null) return record;
  const fields = Object.entries(JSON.parse(record.body ?? '{}') as object);
  const emptied = fields.map(([name, value]: [string, unknown]) => [
    name,
    typeof value === 'string' && !HARMLESS_TEXTS.has(name) ? '' : value,
  ]);
  return { ...record, body: JSON.stringify(Object.fromEntries(emptied)) };
}

/** Tells whether a record answers a repeated request at `now`, in the time of its workspace. */
export function isReplayable(record: IdempotencyRecord, now: number): boolean {
  return now < record.createdAt + REPLAY_WINDOW_MS;
}

/** Tells whether a record is kept at `realNow`. A shift of a clock must not lose it. */
export function isKept({ storedAt }: IdempotencyRecord, realNow: number): boolean {
  return realNow < storedAt + REPLAY_WINDOW_MS;
}

/** Tells whether an answer is stored. 401, 429 and 5xx are not, because the client should try again. */
export function isStored(status: number): boolean {
  return status !== 401 && status !== 429 && status < 500;
}
