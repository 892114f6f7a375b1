import type { Context } from '../context.ts';
import type { CapturedRequest } from '../domain/captured-request.ts';
import { refuse } from '../domain/errors.ts';
import type { Webhook } from '../domain/webhook.ts';
import { momentNow } from '../ports/clock.ts';
import { type HeldRequest, type Recording, recorded, toRecording } from '../webhooks/recording.ts';
import { readHeaders, readWholeBody } from './read-request.ts';

const PAGE = 200;
/** The maximum number of bytes of bodies in a recording. A file that people review is far smaller. */
const MAX_BYTES = 32 * 1024 * 1024;

/**
 * Returns the newest `limit` requests of an interceptor as a recording, oldest first, without secrets. Throws
 * `payload_too_large` if their bodies have more than 32 MiB.
 */
export async function recordRequests(ctx: Context, { id }: Webhook, limit: number): Promise<Recording> {
  // A request that arrives meanwhile moves older ones to the next page, so a request may be read twice. The map keeps
  // it once.
  const rows = new Map<string, CapturedRequest>();
  const pageSize = Math.min(PAGE, limit);
  for (let page = 1; rows.size < limit; page++) {
    const more = await ctx.store.read.requests.page(id, { page, pageSize, now: momentNow(ctx.clock) });
    for (const row of more) rows.set(row.id, row);
    if (more.length < pageSize) break;
  }
  const chosen = [...rows.values()].slice(0, limit).reverse();
  if (chosen.reduce((bytes, { sizeBytes }) => bytes + sizeBytes, 0) > MAX_BYTES) throw refuse('payload_too_large');
  const captured: HeldRequest[] = [];
  for (const row of chosen) captured.push(await read(ctx, row));
  return toRecording(recorded(captured));
}

async function read(ctx: Context, row: CapturedRequest): Promise<HeldRequest> {
  const { method, path, query, receivedAt } = row;
  const headers = await readHeaders(ctx, row);
  return { method, path, query, receivedAt, headers, body: await readWholeBody(ctx, row) };
}
