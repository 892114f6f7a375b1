import { concludeAttempt } from '../actions/conclude-attempt.ts';
import { deliverSend } from '../actions/deliver-send.ts';
import type { Context } from '../context.ts';
import { comparableAddress } from '../domain/address.ts';
import { serverOf } from '../domain/auto-relay.ts';
import type { SendId } from '../domain/ids.ts';
import {
  type DeliveryOutcome,
  isWaiting,
  type Lane,
  laneOf,
  laneTo,
  type Send,
  type SendRecipient,
} from '../domain/send.ts';
import { realTime } from '../ports/system.ts';
import { addTo, getOrCreate } from '../text/maps.ts';

const PAGE = 200;
/** The number of concurrent local deliveries. Their transactions share one flush of the disk. */
const PLACES_HERE = 16;
/** The delay in milliseconds before a retry after a local failure, such as a full disk. */
const TROUBLE_MS = 1_000;

/**
 * Delivers accepted sends, including those from before a restart. The returned function stops it and gives running
 * attempts `graceMs` to end.
 */
export function startDelivery(ctx: Context): (graceMs: number) => Promise<void> {
  const delivery = new Delivery(ctx);
  if (ctx.relay !== null) ctx.log.info('outbound mail to other servers goes to the relay', { relay: ctx.relay.name });
  delivery.wake();
  return (graceMs) => delivery.stop(graceMs);
}

class Delivery {
  readonly #ctx: Context;
  readonly #queue = new DeliveryQueue();
  /** The free places of each lane. */
  readonly #free: Map<Lane, number>;
  readonly #underWay = new Set<Promise<void>>();
  readonly #timers = new Set<() => void>();
  readonly #cut = new AbortController();
  readonly #unsubscribe: () => void;
  /** The newest send that the queue holds. */
  #cursor: SendId | null = null;
  #filling = false;
  #woken = false;
  #stopped = false;

  constructor(ctx: Context) {
    this.#ctx = ctx;
    this.#free = new Map([['here', PLACES_HERE]]);
    if (ctx.relay !== null) this.#free.set('relay', ctx.relay.places);
    for (const { rule, relay } of ctx.autoRelays) this.#free.set(laneTo(serverOf(rule)), relay.places);
    this.#unsubscribe = ctx.store.onCommit(({ sends }) => {
      if (sends) this.wake();
    });
  }

  /** Reads new sends from the store into the queue. */
  wake(): void {
    this.#woken = true;
    if (!this.#filling && !this.#stopped) this.#follow(this.#fill());
  }

  async stop(graceMs: number): Promise<void> {
    this.#stopped = true;
    this.#unsubscribe();
    for (const cancel of this.#timers) cancel();
    const cancel = this.#ctx.clock.after(graceMs, () => this.#cut.abort());
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
    cancel();
  }

  async #fill(): Promise<void> {
    const { store, log } = this.#ctx;
    this.#filling = true;
    try {
      while (this.#woken && !this.#stopped) {
        this.#woken = false;
        const sends = await store.read.sends.pending(this.#cursor, PAGE);
        for (const send of sends) {
          this.#await(this.#queue.join(send, await this.#lanesOf(send)));
          this.#cursor = send.id;
        }
        if (sends.length === PAGE) this.#woken = true;
        this.#attemptDue();
      }
    } catch (error) {
      log.error('the sends to deliver could not be read', { error });
      this.#after(TROUBLE_MS, () => this.wake());
    } finally {
      this.#filling = false;
    }
  }

  async #lanesOf(send: Send): Promise<(address: string) => Lane> {
    if (send.onward !== undefined) {
      const lane = laneTo(send.onward.server);
      // A send whose server is no longer there fails here.
      return () => (this.#free.has(lane) ? lane : 'here');
    }
    const { config, relay } = this.#ctx;
    const claimed = await this.#claimedOf(send);
    const facts = { mailDomain: config.mailDomain, hasRelay: relay !== null };
    return (address) => laneOf(address, { ...facts, isClaimed: claimed.has(address) });
  }

  async #claimedOf({ recipients, workspaceId }: Send): Promise<ReadonlySet<string>> {
    const { read } = this.#ctx.store;
    const claimed = new Set<string>();
    for (const { address } of recipients)
      if (
        (await read.mailboxes.byAddress(address)) !== null ||
        (await this.#ctx.inbound.takes(read, workspaceId, address))
      )
        claimed.add(address);
    return claimed;
  }

  /** Schedules entries. Those with the same due time are attempted together. */
  #await(firsts: readonly WaitingRecipient[]): void {
    const now = realTime(this.#ctx.clock);
    for (const dueAt of new Set(firsts.map((waiting) => waiting.dueAt))) {
      const together = firsts.filter((waiting) => waiting.dueAt === dueAt);
      if (dueAt <= now) this.#queue.due(together);
      else
        this.#after(dueAt - now, () => {
          this.#queue.due(together);
          this.#attemptDue();
        });
    }
  }

  #attemptDue(): void {
    for (const lane of this.#free.keys()) {
      while (this.#freeIn(lane) > 0 && !this.#stopped) {
        const together = this.#queue.take(lane);
        if (together === null) break;
        this.#free.set(lane, this.#freeIn(lane) - 1);
        this.#follow(
          this.#attempt(lane, together).finally(() => {
            this.#free.set(lane, this.#freeIn(lane) + 1);
            this.#attemptDue();
          }),
        );
      }
    }
  }

  #freeIn(lane: Lane): number {
    return this.#free.get(lane) ?? 0;
  }

  async #attempt(lane: Lane, together: readonly WaitingRecipient[]): Promise<void> {
    const [{ sendId } = { sendId: null }] = together;
    if (sendId === null) return;
    try {
      const send = await this.#ctx.store.read.sends.get(sendId);
      const after = send === null ? null : await this.#deliver(send, lane, together);
      this.#await(together.flatMap((waiting) => this.#next(waiting, after)));
    } catch (error) {
      this.#ctx.log.error('a delivery failed', { sendId, error });
      const dueAt = realTime(this.#ctx.clock) + TROUBLE_MS;
      this.#await(together.map((waiting) => this.#queue.stay(waiting, dueAt)));
    }
  }

  async #deliver(send: Send, lane: Lane, together: readonly WaitingRecipient[]): Promise<Send | null> {
    // An interrupted attempt may have finished some of them.
    const addresses = together.map(({ address }) => address).filter((address) => isWaiting(send, address));
    const outcomes = await deliverSend(this.#ctx, send, lane, addresses, this.#cut.signal);
    this.#tell(send, outcomes);
    for (;;) {
      try {
        return await concludeAttempt(this.#ctx, send, outcomes);
      } catch (error) {
        // A relay gives its answer only once, so the answer is kept until it can be stored.
        if (lane === 'here' || this.#cut.signal.aborted) throw error;
        this.#ctx.log.error('the answer of the relay could not be recorded', { sendId: send.id, error });
        await this.#ctx.clock.sleep(TROUBLE_MS, this.#cut.signal);
      }
    }
  }

  /** Removes a finished recipient from its line, or keeps it for another attempt. Returns the entries to schedule. */
  #next(waiting: WaitingRecipient, send: Send | null): WaitingRecipient[] {
    const recipient = send?.recipients.find(({ address }) => address === waiting.address);
    return recipient?.state === 'queued'
      ? [this.#queue.stay(waiting, recipient.nextAttemptAt ?? 0)]
      : this.#queue.leave(waiting);
  }

  #tell(send: Send, outcomes: ReadonlyMap<string, DeliveryOutcome>): void {
    for (const [address, { state, reply }] of outcomes) {
      // A report tells the sender of a bounce, unless the mail left by itself.
      if (state !== 'queued' && state !== 'failed' && (state !== 'bounced' || send.onward === undefined)) continue;
      const { attempts = 0 } = send.recipients.find((recipient) => recipient.address === address) ?? {};
      // It warns only at the first and the last of up to 152 attempts.
      const say = attempts === 0 || state !== 'queued' ? 'warn' : 'debug';
      this.#ctx.log[say]('a mail was not delivered', { sendId: send.id, recipient: address, state, reply });
    }
  }

  #after(ms: number, act: () => void): void {
    if (this.#stopped) return;
    const cancel = this.#ctx.clock.after(ms, () => {
      this.#timers.delete(cancel);
      act();
    });
    this.#timers.add(cancel);
  }

  #follow(work: Promise<void>): void {
    const followed = work.finally(() => this.#underWay.delete(followed));
    this.#underWay.add(followed);
  }
}

/** One recipient of one send that waits for delivery. */
export interface WaitingRecipient {
  readonly sendId: SendId;
  readonly address: string;
  readonly lane: Lane;
  /**
   * The key of the entry's line. A line is the queue of one recipient of one workspace; only its first entry is
   * attempted.
   */
  readonly line: string;
  /** The time of the next attempt, in milliseconds of real time. */
  readonly dueAt: number;
}

/**
 * Decides which recipients to attempt next. Mail to one recipient is delivered in the order of acceptance, so a send in
 * backoff delays only later sends to the same recipient. The queue has no clock: the caller reports with `due` which
 * entries are due.
 */
export class DeliveryQueue {
  readonly #lines = new Map<string, WaitingRecipient[]>();
  readonly #due = new Map<Lane, Map<SendId, WaitingRecipient[]>>();

  /** Adds the queued recipients of a send to their lines. Returns the entries that are now first in their line. */
  join(send: Send, laneOf: (address: string) => Lane): WaitingRecipient[] {
    return send.recipients
      .filter(({ state }) => state === 'queued')
      .flatMap((recipient) => {
        const waiting = waitingOf(send, recipient, laneOf);
        const isFirst = !this.#lines.has(waiting.line);
        addTo(this.#lines, waiting.line, waiting);
        return isFirst ? [waiting] : [];
      });
  }

  /** Marks entries as due. Each must be the first of its line. */
  due(firsts: readonly WaitingRecipient[]): void {
    for (const waiting of firsts) {
      const due = getOrCreate(this.#due, waiting.lane, () => new Map<SendId, WaitingRecipient[]>());
      addTo(due, waiting.sendId, waiting);
    }
  }

  /** Takes the due recipients of one send in a lane, for one attempt. Returns null if none is due. */
  take(lane: Lane): WaitingRecipient[] | null {
    const due = this.#due.get(lane);
    const [next] = due ?? [];
    if (next === undefined) return null;
    due?.delete(next[0]);
    return next[1];
  }

  /** Removes a finished entry. Returns the new first entry of its line, if any. */
  leave({ line }: WaitingRecipient): WaitingRecipient[] {
    const waiting = this.#lines.get(line) ?? [];
    waiting.shift();
    if (waiting.length === 0) this.#lines.delete(line);
    return waiting.slice(0, 1);
  }

  /** Keeps the entry first in its line until `dueAt`, and returns it with that time. */
  stay(waiting: WaitingRecipient, dueAt: number): WaitingRecipient {
    const staying = { ...waiting, dueAt };
    this.#lines.get(waiting.line)?.splice(0, 1, staying);
    return staying;
  }
}

function waitingOf(
  { id: sendId, workspaceId, onward }: Send,
  { address, nextAttemptAt }: SendRecipient,
  laneOf: (address: string) => Lane,
): WaitingRecipient {
  // Mail that leaves by itself has a line of its own: one address may get all of it.
  const line = `${onward === undefined ? workspaceId : sendId} ${comparableAddress(address)}`;
  return { sendId, address, lane: laneOf(address), line, dueAt: nextAttemptAt ?? 0 };
}
