import { setMaxListeners } from 'node:events';
import { forwardRequest } from '../actions/captures.ts';
import { onClockSet, timeIn } from '../actions/time.ts';
import type { Context } from '../context.ts';
import { type CapturedRequest, isForwardDue } from '../domain/captured-request.ts';
import type { CapturedRequestId, WebhookId } from '../domain/ids.ts';
import { addTo } from '../text/maps.ts';

/**
 * The limits on concurrent attempts, in total and for one webhook. They hold even if every target fails to answer.
 */
const MOST = 512;
const MOST_OF_ONE = 8;
const PAGE = 500;
/** The delay in milliseconds before a retry after the store failed. */
const TROUBLE_MS = 5_000;
/**
 * The time in milliseconds that running attempts get to end when the worker stops. The next start repeats the attempts
 * that were cut off.
 */
const GRACE_MS = 3_000;

/** Forwards pending requests, including those from before a restart. The returned function stops it. */
export function startForwarder(ctx: Context): (graceMs?: number) => Promise<void> {
  const forwarder = new Forwarder(ctx);
  const undo = [
    ctx.store.onCommit(({ webhookIds, all }) => {
      if (webhookIds.size > 0 || all) forwarder.wake();
    }),
    onClockSet(ctx, () => forwarder.lookAtWaiting()),
  ];
  forwarder.wake();
  return (graceMs = GRACE_MS) => {
    for (const one of undo) one();
    return forwarder.stop(Math.min(graceMs, GRACE_MS));
  };
}

class Forwarder {
  readonly #ctx: Context;
  readonly #ending = new AbortController();
  /**
   * The due requests by webhook, without empty queues. The webhooks are served round-robin in the map's order.
   */
  readonly #due = new Map<WebhookId, CapturedRequestId[]>();
  readonly #running = new Map<WebhookId, number>();
  readonly #attempts = new Set<Promise<void>>();
  readonly #timers = new Map<CapturedRequestId, { readonly webhookId: WebhookId; readonly cancel: () => void }>();
  #cursor: CapturedRequestId | null = null;
  #reading = false;
  #woken = false;
  #stopped = false;

  constructor(ctx: Context) {
    this.#ctx = ctx;
    // Every running attempt listens to the signal.
    setMaxListeners(0, this.#ending.signal);
  }

  /** Reads the new pending requests from the cursor on. */
  wake(): void {
    this.#woken = true;
    if (!this.#reading) void this.#read();
  }

  /** Looks at the requests that wait for their time again, because a clock was set. Those that are not due wait on. */
  lookAtWaiting(): void {
    if (this.#stopped) return;
    for (const [id, { webhookId, cancel }] of this.#timers) {
      cancel();
      addTo(this.#due, webhookId, id);
    }
    this.#timers.clear();
    this.#fill();
  }

  async stop(graceMs: number): Promise<void> {
    this.#stopped = true;
    for (const { cancel } of this.#timers.values()) cancel();
    const cancel = this.#ctx.clock.after(graceMs, () => this.#ending.abort());
    await Promise.all(this.#attempts);
    cancel();
  }

  async #read(): Promise<void> {
    this.#reading = true;
    try {
      while (this.#woken && !this.#stopped) {
        this.#woken = false;
        const page: CapturedRequest[] = await this.#ctx.store.read.requests.pending(this.#cursor, PAGE);
        for (const request of page) await this.#take(request);
        this.#cursor = page.at(-1)?.id ?? this.#cursor;
        if (page.length === PAGE) this.#woken = true;
        this.#fill();
      }
    } catch (error) {
      this.#ctx.log.error('the pending requests to forward could not be read', { error });
      this.#ctx.clock.after(TROUBLE_MS, () => this.wake());
    } finally {
      this.#reading = false;
    }
  }

  async #take({ id, webhookId, workspaceId, nextForwardAt }: CapturedRequest): Promise<void> {
    const now = await timeIn(this.#ctx, this.#ctx.store.read, workspaceId);
    const dueAt = nextForwardAt ?? now;
    if (isForwardDue(dueAt, now)) addTo(this.#due, webhookId, id);
    else this.#later(webhookId, id, dueAt - now);
  }

  /** Starts attempts up to the limits, one webhook after another. */
  #fill(): void {
    for (let next = this.#next(); next !== null; next = this.#next()) {
      const [webhookId, id] = next;
      this.#running.set(webhookId, (this.#running.get(webhookId) ?? 0) + 1);
      const attempt = this.#attempt(webhookId, id).then(() => {
        this.#attempts.delete(attempt);
        const left = (this.#running.get(webhookId) ?? 1) - 1;
        if (left === 0) this.#running.delete(webhookId);
        else this.#running.set(webhookId, left);
        this.#fill();
      });
      this.#attempts.add(attempt);
    }
  }

  #next(): [WebhookId, CapturedRequestId] | null {
    if (this.#stopped || this.#attempts.size >= MOST) return null;
    for (const [webhookId, queue] of this.#due) {
      if ((this.#running.get(webhookId) ?? 0) >= MOST_OF_ONE) continue;
      const id = queue.shift();
      // Moves the webhook to the end of the round if it has more requests.
      this.#due.delete(webhookId);
      if (queue.length > 0) this.#due.set(webhookId, queue);
      if (id !== undefined) return [webhookId, id];
    }
    return null;
  }

  /** Never rejects. */
  async #attempt(webhookId: WebhookId, id: CapturedRequestId): Promise<void> {
    const { log } = this.#ctx;
    try {
      const nextMs = await forwardRequest(this.#ctx, id, 'due', this.#ending.signal);
      if (nextMs !== null) this.#later(webhookId, id, nextMs);
    } catch (error) {
      log.error('a forward failed', { requestId: id, error });
      this.#later(webhookId, id, TROUBLE_MS);
    }
  }

  #later(webhookId: WebhookId, id: CapturedRequestId, ms: number): void {
    if (this.#stopped) return;
    const cancel = this.#ctx.clock.after(Math.max(0, ms), () => {
      this.#timers.delete(id);
      addTo(this.#due, webhookId, id);
      this.#fill();
    });
    this.#timers.set(id, { webhookId, cancel });
  }
}
