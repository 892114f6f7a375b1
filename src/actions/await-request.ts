import type { Context } from '../context.ts';
import type { CapturedRequest } from '../domain/captured-request.ts';
import { refuse } from '../domain/errors.ts';
import type { CapturedRequestId } from '../domain/ids.ts';
import type { Webhook } from '../domain/webhook.ts';
import type { Ending } from '../ports/ending.ts';

export interface RequestAwait {
  /** Only requests newer than this position; any where it is undefined. */
  readonly after: CapturedRequestId | undefined;
  readonly timeoutMs: number;
  /** When nobody waits for the answer any more, or the server closes. */
  readonly ending: Ending;
}

/**
 * The newest captured request after a position, null when none came in time. Throws `not_found` when the interceptor is gone.
 * Subscribes first, then reads, then waits: no request falls between.
 */
export async function awaitRequest(
  ctx: Context,
  { id }: Webhook,
  { after, timeoutMs, ending }: RequestAwait,
): Promise<CapturedRequest | null> {
  let isOver = ending.ended;
  let isStale = false;
  let wake = () => {};
  const end = () => {
    isOver = true;
    wake();
  };
  const undo = [
    ctx.store.onCommit(({ webhookIds }) => {
      if (!webhookIds.has(id)) return;
      isStale = true;
      wake();
    }),
    ctx.clock.after(timeoutMs, end),
    ending.onEnd(end),
  ];
  try {
    for (;;) {
      isStale = false;
      const isLast = isOver;
      const [newest] = await ctx.store.read.requests.page(id, { page: 1, pageSize: 1, now: ctx.clock.now() });
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
