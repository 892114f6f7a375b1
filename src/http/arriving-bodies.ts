import { refuse } from '../domain/errors.ts';
import type { WebhookId } from '../domain/ids.ts';
import type { Clock } from '../ports/clock.ts';

// Bodies that are still arriving count against no quota yet, and a sender may take minutes for one. So they have a bound
// of their own (docs/webhooks.md#how-much-is-kept).

/** How long in milliseconds a body waits for room, and after which time a slow one has to give way to it. */
const PATIENCE_MS = 10_000;
/** The `Retry-After` of a body without room, in seconds. */
const RETRY_AFTER_S = 1;

/** The most bytes that may arrive at once. */
export interface ArrivingLimits {
  /** In the requests to one interceptor. */
  readonly webhook: number;
  /** In all requests. */
  readonly server: number;
}

/** The room that one body takes. */
export interface Place {
  /** Makes the room larger. Waits for it, and throws `capture_quota_reached` if there is none in time. */
  grow(bytes: number): Promise<void>;
  leave(): void;
}

interface Holder {
  readonly webhookId: WebhookId;
  readonly end: () => void;
  since: number;
  bytes: number;
}

interface Waiter {
  readonly holder: Holder;
  readonly bytes: number;
  readonly go: () => void;
}

/** Bounds the bytes of the captured bodies that are arriving. */
export class ArrivingBodies {
  readonly #limits: ArrivingLimits;
  readonly #clock: Pick<Clock, 'after' | 'steady'>;
  readonly #byWebhook = new Map<WebhookId, number>();
  readonly #holders = new Set<Holder>();
  readonly #waiters = new Set<Waiter>();
  #bytes = 0;

  constructor(limits: ArrivingLimits, clock: Pick<Clock, 'after' | 'steady'>) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /** Enters a body that takes nothing yet. `end` ends its request if it is slow and another body needs the room. */
  enter(webhookId: WebhookId, end: () => void): Place {
    const holder: Holder = { webhookId, end, since: 0, bytes: 0 };
    return {
      grow: (bytes) => this.#grow(holder, bytes),
      leave: () => {
        if (!this.#holders.delete(holder)) return;
        this.#count(holder, -holder.bytes);
        this.#admit();
      },
    };
  }

  async #grow(holder: Holder, bytes: number): Promise<void> {
    if (this.#waiters.size === 0 && this.#fits(holder, bytes)) return this.#take(holder, bytes);
    let timeOut = () => {};
    const mayGo = await new Promise<boolean>((resolve) => {
      const waiter: Waiter = { holder, bytes, go: () => resolve(true) };
      this.#waiters.add(waiter);
      timeOut = this.#clock.after(PATIENCE_MS, () => {
        if (!this.#waiters.delete(waiter)) return;
        this.#endSlow();
        resolve(false);
      });
      this.#admit();
      this.#endSlow();
    });
    timeOut();
    if (!mayGo) throw refuse('capture_quota_reached', { limit_bytes: this.#limits.webhook, retryAfter: RETRY_AFTER_S });
  }

  /** Lets the bodies in that have room now, the oldest first. A body to a full interceptor holds up no other one. */
  #admit(): void {
    for (const waiter of this.#waiters) {
      if (!this.#fits(waiter.holder, waiter.bytes)) continue;
      this.#waiters.delete(waiter);
      this.#take(waiter.holder, waiter.bytes);
      waiter.go();
    }
  }

  /** Ends the requests that have kept their room for long. The others arrive in time or become slow themselves. */
  #endSlow(): void {
    const before = this.#clock.steady() - PATIENCE_MS;
    for (const holder of [...this.#holders]) {
      if (holder.since > before) continue;
      holder.since = Number.POSITIVE_INFINITY;
      holder.end();
    }
  }

  /** A body that is alone always has room, even one that is larger than the limit. */
  #fits({ webhookId, bytes: held }: Holder, more: number): boolean {
    const others = (this.#byWebhook.get(webhookId) ?? 0) - held;
    const all = this.#bytes - held;
    return fits(others, held + more, this.#limits.webhook) && fits(all, held + more, this.#limits.server);
  }

  #take(holder: Holder, bytes: number): void {
    if (holder.bytes === 0) holder.since = this.#clock.steady();
    this.#holders.add(holder);
    holder.bytes += bytes;
    this.#count(holder, bytes);
  }

  #count({ webhookId }: Holder, by: number): void {
    this.#bytes += by;
    const own = (this.#byWebhook.get(webhookId) ?? 0) + by;
    if (own === 0) this.#byWebhook.delete(webhookId);
    else this.#byWebhook.set(webhookId, own);
  }
}

function fits(others: number, bytes: number, limit: number): boolean {
  return others === 0 || others + bytes <= limit;
}
