import type { Context } from '../context.ts';
import type { CapturedRequest } from '../domain/captured-request.ts';
import { refuse } from '../domain/errors.ts';
import type { CapturedRequestId } from '../domain/ids.ts';
import type { Webhook } from '../domain/webhook.ts';
import { momentNow } from '../ports/clock.ts';
import type { Ending } from '../ports/ending.ts';
import { onShiftIn } from './on-clock-set.ts';

export interface RequestAwait {
  /** Only requests newer than this position count. Undefined admits any request. */
  readonly after: CapturedRequestId | undefined;
  readonly timeoutMs: number;
  /** Ends when the client disconnects or the server closes. */
  readonly ending: Ending;
}

/**
 * Waits for a captured request after a position. Returns the newest one, or null if the time ran out. Throws
 * `not_found` if the interceptor is deleted. It subscribes before it reads, so it misses no request.
 */
export async function awaitRequest(
  ctx: Context,
  { id, workspaceId }: Webhook,
  { after, timeoutMs, ending }: RequestAwait,
): Promise<CapturedRequest | null> {
  let isOver = ending.ended;
  let isStale = false;
  let wake = () => {};
  const end = () => {
    isOver = true;
    wake();
  };
  const look = () => {
    isStale = true;
    wake();
  };
  const undo = [
    // A clock that is set back may bring a request back.
    await onShiftIn(ctx, workspaceId, look),
    ctx.store.onCommit(({ webhookIds, all }) => {
      if (webhookIds.has(id) || all) look();
    }),
    ctx.clock.after(timeoutMs, end),
    ending.onEnd(end),
  ];
  try {
    for (;;) {
      isStale = false;
      const isLast = isOver;
      const [newest] = await ctx.store.read.requests.page(id, { page: 1, pageSize: 1, now: momentNow(ctx.clock) });
      if (newest !== undefined && (after === undefined || newest.id > after)) return newest;
      if ((await ctx.store.read.webhooks.get(id)) === null) throw refuse('not_found');
      if (isLast) return null;
      if (!isStale && !isOver) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  } finally {
    for (const one of undo) one();
  }
}
