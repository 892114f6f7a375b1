import { readFacts, readTopFields, unlessGone } from '../actions/read-message.ts';
import { handToRelay } from '../actions/sends.ts';
import type { Context } from '../context.ts';
import { type AutoRelay, autoRelayDelayMs, leavingTo } from '../domain/auto-relay.ts';
import { type EventType, feedIdOf } from '../domain/event.ts';
import type { EventId } from '../domain/ids.ts';
import type { BlobRef, Message } from '../domain/message.ts';
import type { Relay } from '../ports/outbound.ts';
import { momentNow, realTime } from '../ports/system.ts';

/** The events that are read at a time, and the mails that are under way at once. */
const AT_A_TIME = 50;
/** The mails that wait for another try, at most. A further one is given up, which the log tells. */
const MOST_WAITING = 10_000;
/** The time in milliseconds after which a failed read is repeated. */
const RETRY_MS = 1_000;
/** A mail that passed more servers than this goes in a circle (RFC 5321 6.3). */
const MOST_HOPS = 25;

const ARRIVALS: ReadonlySet<EventType> = new Set(['message.received']);

/**
 * Sends mail that comes on to other servers, as the rules of the configuration say, in the order in which it came
 * (docs/drop-in.md#mail-that-leaves-by-itself). It begins with the mail that comes after its start. The returned function
 * stops it and gives running tries `graceMs` to end.
 */
export function startAutoRelay(ctx: Context): (graceMs?: number) => Promise<void> {
  const worker = new AutoRelayer(ctx);
  worker.wake();
  return (graceMs = 0) => worker.stop(graceMs);
}

/** A mail on its way by one rule. */
interface Leaving {
  readonly message: Message;
  readonly rule: AutoRelay;
  readonly relay: Relay;
  /** The recipients that the server has not taken yet. */
  recipients: readonly string[];
  tries: number;
}

class AutoRelayer {
  readonly #ctx: Context;
  readonly #underWay = new Set<Promise<void>>();
  readonly #timers = new Set<() => void>();
  readonly #cut = new AbortController();
  readonly #unsubscribe: () => void;
  /** The last event that was read. Undefined before the first look. */
  #cursor: EventId | null | undefined;
  /** The facts of the last mail. Its copies in several mailboxes share them. */
  #lastFacts: BlobRef | null = null;
  #reading: Promise<void> | null = null;
  #woken = false;
  #stopped = false;

  constructor(ctx: Context) {
    this.#ctx = ctx;
    this.#unsubscribe = ctx.store.onCommit(({ feed }) => {
      if (feed) this.wake();
    });
  }

  wake(): void {
    this.#woken = true;
    if (this.#reading !== null || this.#stopped) return;
    this.#reading = this.#readAll().finally(() => {
      this.#reading = null;
      if (this.#woken) this.wake();
    });
  }

  async stop(graceMs: number): Promise<void> {
    // What came before the stop still leaves.
    const cancel = this.#ctx.clock.after(graceMs, () => this.#cut.abort());
    await this.#reading;
    this.#stopped = true;
    this.#unsubscribe();
    for (const cancelTimer of this.#timers) cancelTimer();
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
    cancel();
  }

  async #readAll(): Promise<void> {
    const { store, clock, log } = this.#ctx;
    this.#woken = false;
    try {
      if (this.#cursor === undefined) this.#cursor = await store.read.events.lastId();
      for (;;) {
        const query = { types: ARRIVALS, after: this.#cursor, limit: AT_A_TIME, now: momentNow(clock) };
        const items = await store.read.events.after(query);
        for (const item of items) {
          if (item.kind === 'message') await this.#take(item.message);
          this.#cursor = feedIdOf(item);
        }
        if (items.length < AT_A_TIME || this.#cut.signal.aborted) return;
      }
    } catch (error) {
      log.error('the mail to relay could not be read', { error });
      this.#after(RETRY_MS, () => this.wake());
    }
  }

  /** Begins the ways of a mail that came by SMTP, or by an API of other catchers as if by SMTP. */
  async #take(message: Message): Promise<void> {
    const ctx = this.#ctx;
    if (message.kind === 'sms' || message.rcptTo.length === 0) return;
    const facts = await unlessGone(ctx, message, () => readFacts(ctx, message));
    if (facts === null || (facts.source !== 'smtp' && facts.source !== 'api')) return;
    const isCopy = message.facts === this.#lastFacts;
    this.#lastFacts = message.facts;
    for (const { rule, relay } of ctx.autoRelays) {
      if (isCopy && rule.to !== null) continue;
      const recipients = leavingTo(rule, message.rcptTo);
      if (recipients.length > 0) await this.#begin({ message, rule, relay, recipients, tries: 0 });
    }
  }

  /** Waits for a place, so that a slow server holds back the reading and not the memory. */
  async #begin(leaving: Leaving): Promise<void> {
    while (this.#underWay.size >= AT_A_TIME) await Promise.race(this.#underWay);
    const attempt = this.#attempt(leaving).then(() => {
      this.#underWay.delete(attempt);
    });
    this.#underWay.add(attempt);
  }

  /** Makes one try. Never rejects. */
  async #attempt(leaving: Leaving): Promise<void> {
    const ctx = this.#ctx;
    const { message, rule, relay } = leaving;
    const about = { message: message.id, relay: relay.name };
    try {
      const fields = await unlessGone(ctx, message, () => readTopFields(ctx, message));
      if (fields === null) return ctx.log.warn('a mail was deleted before it was relayed', about);
      const hops = fields.filter(({ name }) => name.toLowerCase() === 'received').length;
      if (hops > MOST_HOPS) return ctx.log.warn('a mail was not relayed, because it goes in a circle', about);
      const sending = { rules: rule, recipients: leaving.recipients, fields: this.#trace(message) };
      const { outcomes } = await handToRelay(ctx, relay, message, sending, this.#cut.signal);
      const failed = leaving.recipients.filter((address) => outcomes.get(address)?.kind !== 'accepted');
      if (failed.length === 0) return ctx.log.info('a mail was relayed', { ...about, to: leaving.recipients });
      const replies = failed.map((address) => outcomes.get(address)?.reply ?? 'no answer');
      leaving.tries++;
      leaving.recipients = failed.filter((address) => outcomes.get(address)?.kind === 'deferred');
      const delayMs = leaving.recipients.length === 0 ? null : autoRelayDelayMs(leaving.tries);
      const isFull = this.#timers.size >= MOST_WAITING;
      ctx.log.warn('a mail was not relayed', { ...about, to: failed, replies, again: delayMs !== null && !isFull });
      if (delayMs !== null && !isFull) this.#after(delayMs, () => void this.#begin(leaving));
    } catch (error) {
      ctx.log.error('a mail could not be relayed', { ...about, error });
    }
  }

  /** The field that every server on the way writes (RFC 5321 4.4). It also ends circles. */
  #trace({ id }: Message): string {
    const { clock, config } = this.#ctx;
    const date = new Date(realTime(clock)).toUTCString().replace('GMT', '+0000');
    return `Received: by ${config.mailDomain} (mailcap) id ${id}; ${date}\r\n`;
  }

  #after(ms: number, act: () => void): void {
    if (this.#stopped) return;
    const cancel = this.#ctx.clock.after(ms, () => {
      this.#timers.delete(cancel);
      act();
    });
    this.#timers.add(cancel);
  }
}
