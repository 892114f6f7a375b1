import { createHash } from 'node:crypto';
import { timeIn } from '../actions/time.ts';
import type { Context } from '../context.ts';
import type { ApiKey } from '../domain/api-key.ts';
import { ApiError, refuse } from '../domain/errors.ts';
import {
  createdBy,
  type IdempotencyRecord,
  idempotencyId,
  isReplayable,
  isStored,
  MAX_KEY_LENGTH,
  traceOf,
} from '../domain/idempotency.ts';
import type { KeyId, WorkspaceId } from '../domain/ids.ts';
import type { Reader, Tx } from '../ports/store.ts';
import { realTime } from '../ports/system.ts';
import { type Answer, type Exchange, errorBody } from './exchange.ts';

/**
 * Returns the Idempotency-Key of a POST, or null. Throws `invalid_idempotency_key`, but errors of `resolve` come first.
 */
export async function idempotencyKey({ req }: Exchange, resolve: () => Promise<unknown>): Promise<string | null> {
  const header = req.method === 'POST' ? req.headers['idempotency-key'] : undefined;
  const key = Array.isArray(header) ? header.join(', ') : header;
  if (key === undefined || key === '') return null;
  if (key.length > MAX_KEY_LENGTH) {
    await resolve();
    throw refuse('invalid_idempotency_key');
  }
  return key;
}

/** The key that owns the recorded answers. Another key never gets them. */
export type Owner = Pick<ApiKey, 'id' | 'workspaceId'>;

export interface Work {
  read(): Promise<Buffer>;
  effect(bytes: Buffer): Promise<TransactionEffect>;
}

/**
 * Runs the work unless its answer is recorded. Effect and record are one transaction, so a killed process can't leave
 * one without the other. A duplicate that comes meanwhile queues behind it and finds the record.
 */
export async function runOnce(
  ctx: Context,
  exchange: Exchange,
  { id: apiKeyId, workspaceId }: Owner,
  key: string,
  work: Work,
): Promise<Answer> {
  const id = idOf(exchange, apiKeyId, key);
  let bodyHash = '';
  const once = (effect: TransactionEffect) =>
    runEffect(ctx, effect, async (tx, run) => {
      const record = await replayable(ctx, tx, id, workspaceId);
      if (record !== null) return replay(ctx, exchange, record, bodyHash);
      const answer = await run(tx);
      await keep(ctx, tx, answer, { id, workspaceId, bodyHash });
      return answer;
    });
  try {
    const bytes = await work.read();
    bodyHash = hashOf(bytes);
    return await once(await work.effect(bytes));
  } catch (error) {
    // A refusal rolled its transaction back, so another transaction records its answer.
    if (!(error instanceof ApiError) || !isStored(error.status)) throw error;
    return once({ run: async () => ({ status: error.status, body: errorBody(error) }), discard: () => {} });
  }
}

/**
 * Runs `act`, which is no transaction, unless its answer is recorded. A duplicate that comes meanwhile waits and finds
 * the record. A killed process leaves no record. Nobody can know then whether `act` was done, so it is done again.
 */
export function performOnce(
  ctx: Context,
  exchange: Exchange,
  { id: apiKeyId, workspaceId }: Owner,
  key: string,
  act: () => Promise<Answer>,
): Promise<Answer> {
  const id = idOf(exchange, apiKeyId, key);
  const bodyHash = hashOf(Buffer.alloc(0));
  return ctx.mutex.runExclusive(id, async () => {
    const record = await replayable(ctx, ctx.store.read, id, workspaceId);
    if (record !== null) return replay(ctx, exchange, record, bodyHash);
    const answer = await act().catch((error: unknown) => {
      if (!(error instanceof ApiError) || !isStored(error.status)) throw error;
      return { status: error.status, body: errorBody(error) };
    });
    await ctx.store.transaction((tx) => keep(ctx, tx, answer, { id, workspaceId, bodyHash }));
    return answer;
  });
}

function idOf({ req, path }: Exchange, apiKeyId: KeyId, key: string): string {
  // Ids may be in either case, and nothing else in a path differs by case alone.
  return idempotencyId(apiKeyId, req.method ?? '', path.toUpperCase(), key);
}

/** Returns the hash of a body, which tells whether a repeated request has the same one. */
export function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Returns the record of an answer if it is still to be given again. */
export async function replayable(
  ctx: Context,
  reader: Reader,
  id: string,
  workspaceId: WorkspaceId,
): Promise<IdempotencyRecord | null> {
  const record = await reader.idempotency.get(id);
  return record !== null && isReplayable(record, await timeIn(ctx, reader, workspaceId)) ? record : null;
}

function replay(ctx: Context, exchange: Exchange, record: IdempotencyRecord, bodyHash: string): Answer {
  if (record.bodyHash !== bodyHash) {
    ctx.log.warn('a request repeated an Idempotency-Key with a different body: it got the answer to the first one', {
      requestId: exchange.requestId,
      path: exchange.path,
    });
  }
  return { status: record.status, body: record.body, headers: { ...record.headers, 'Idempotency-Replayed': 'true' } };
}

/** Stores an answer, and of a created resource also the way from the resource to its answer. */
async function keep(
  ctx: Context,
  tx: Tx,
  { status, body, headers = {} }: Answer,
  asked: Pick<IdempotencyRecord, 'id' | 'workspaceId' | 'bodyHash'>,
): Promise<void> {
  const resourceId = createdBy(status, body);
  const record: IdempotencyRecord = {
    ...asked,
    createdAt: await timeIn(ctx, tx, asked.workspaceId),
    storedAt: realTime(ctx.clock),
    ...{ status, body, headers },
    ...(resourceId !== null && { resourceId }),
  };
  await tx.idempotency.put(record);
  if (resourceId !== null) await tx.idempotency.put(traceOf(record, resourceId));
}

/** The change that a request makes, in the transaction that it gets. */
export interface TransactionEffect {
  run(tx: Tx): Promise<Answer>;
  /** Releases the prepared data of an effect that did not run. */
  discard(): void;
}

/** Runs an effect within `around` in a transaction. An effect that did not run is discarded. */
export async function runEffect(
  ctx: Context,
  effect: TransactionEffect,
  around: (tx: Tx, run: TransactionEffect['run']) => Promise<Answer> = (tx, run) => run(tx),
): Promise<Answer> {
  let done = false;
  try {
    let ran = false;
    const answer = await ctx.store.transaction((tx) => {
      ran = false;
      return around(tx, (within) => {
        ran = true;
        return effect.run(within);
      });
    });
    done = ran;
    return answer;
  } finally {
    if (!done) effect.discard();
  }
}
