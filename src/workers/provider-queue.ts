import { onClockSet, timeIn } from '../actions/time.ts';
import type { Context } from '../context.ts';
import { laneOf, type ProviderRecord } from '../domain/provider.ts';

/** The delay in milliseconds before the next look after a failure, such as a full disk. */
const TROUBLE_MS = 1_000;
/** The longest time in milliseconds between two looks. Timers can't wait for longer than 24 days. */
const LONGEST_MS = 24 * 60 * 60 * 1_000;
/** The records that are acted on at a time. */
const PLACES = 16;

/**
 * Sends the scheduled emails of the providers' APIs when they are due, by the clock of their workspace, and the events to
 * the webhooks of the app, mail and texts for it. The returned function stops it and gives running tries `graceMs` to end.
 */
export function startProviderQueue(ctx: Context): (graceMs?: number) => Promise<void> {
  const queue = new ProviderQueue(ctx);
  queue.wake();
  return (graceMs = 0) => queue.stop(graceMs);
}

class ProviderQueue {
  readonly #ctx: Context;
  /** The ids of the records that are being acted on, or that wait for another try after a failure. */
  readonly #held = new Set<string>();
  readonly #underWay = new Set<Promise<void>>();
  /** The lanes of the events that are under way, so that the app learns in order what became of an email. */
  readonly #lanes = new Set<string>();
  readonly #cut = new AbortController();
  readonly #undo: readonly (() => void)[];
  #cancelTimer = () => {};
  #looking: Promise<void> | null = null;
  #woken = false;
  #stopped = false;

  constructor(ctx: Context) {
    this.#ctx = ctx;
    this.#undo = [
      ctx.store.onCommit(({ due, all }) => {
        if (due || all) this.wake();
      }),
      onClockSet(ctx, () => this.wake()),
    ];
  }

  /** Looks for records that are due. */
  wake(): void {
    this.#woken = true;
    if (this.#looking !== null || this.#stopped) return;
    this.#looking = this.#look().finally(() => {
      this.#looking = null;
      if (this.#woken) this.wake();
    });
  }

  async stop(graceMs: number): Promise<void> {
    this.#stopped = true;
    for (const undo of this.#undo) undo();
    this.#cancelTimer();
    const cancel = this.#ctx.clock.after(graceMs, () => this.#cut.abort());
    await this.#looking;
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
    cancel();
  }

  async #look(): Promise<void> {
    const { store, log } = this.#ctx;
    this.#woken = false;
    this.#cancelTimer();
    let nextMs = LONGEST_MS;
    try {
      for (const record of await store.read.providerRecords.due()) {
        if (this.#held.has(record.id)) continue;
        const waitMs = (record.dueAt ?? 0) - (await timeIn(this.#ctx, store.read, record.workspaceId));
        if (waitMs > 0) nextMs = Math.min(nextMs, waitMs);
        else if (this.#underWay.size < PLACES && !this.#stopped) this.#act(record);
      }
    } catch (error) {
      log.error('what is due at the providers could not be read', { error });
      nextMs = TROUBLE_MS;
    }
    if (!this.#stopped) this.#cancelTimer = this.#ctx.clock.after(nextMs, () => this.wake());
  }

  #act(record: ProviderRecord): void {
    const lane = laneOf(record);
    if (lane !== null) {
      if (this.#lanes.has(lane)) return;
      this.#lanes.add(lane);
    }
    this.#held.add(record.id);
    const acting = this.#perform(record).then((waitMs) => {
      this.#underWay.delete(acting);
      if (lane !== null) this.#lanes.delete(lane);
      const leave = () => {
        this.#held.delete(record.id);
        this.wake();
      };
      if (waitMs === 0) leave();
      else if (!this.#stopped) this.#ctx.clock.after(waitMs, leave);
    });
    this.#underWay.add(acting);
  }

  /** Acts on a record. Returns the time to wait before another try, or 0. */
  async #perform(record: ProviderRecord): Promise<number> {
    try {
      // The providers are loaded for the first record, which most servers never have.
      const { actOnDue } = await import('../providers/due.ts');
      return (await actOnDue(this.#ctx, record, this.#cut.signal)) ? 0 : LONGEST_MS;
    } catch (error) {
      this.#ctx.log.error('what was due at a provider failed', { provider: record.provider, kind: record.kind, error });
      return TROUBLE_MS;
    }
  }
}
