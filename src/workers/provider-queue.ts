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
  const { store, clock, log } = ctx;
  /** The ids of the records that are being acted on, or that wait for another try after a failure. */
  const held = new Set<string>();
  const underWay = new Set<Promise<void>>();
  /** The lanes of the events that are under way, so that the app learns in order what became of an email. */
  const lanes = new Set<string>();
  const cut = new AbortController();
  let cancelTimer = () => {};
  let looking: Promise<void> | null = null;
  let isWoken = false;
  let isStopped = false;

  /** Acts on a record. Returns the time to wait before another try, or 0. */
  const perform = async (record: ProviderRecord): Promise<number> => {
    try {
      // The providers are loaded for the first record, which most servers never have.
      const { actOnDue } = await import('../providers/due.ts');
      return (await actOnDue(ctx, record, cut.signal)) ? 0 : LONGEST_MS;
    } catch (error) {
      log.error('what was due at a provider failed', { provider: record.provider, kind: record.kind, error });
      return TROUBLE_MS;
    }
  };
  const act = (record: ProviderRecord): void => {
    const lane = laneOf(record);
    if (lane !== null) {
      if (lanes.has(lane)) return;
      lanes.add(lane);
    }
    held.add(record.id);
    const acting = perform(record).then((waitMs) => {
      underWay.delete(acting);
      if (lane !== null) lanes.delete(lane);
      const leave = () => {
        held.delete(record.id);
        wake();
      };
      if (waitMs === 0) leave();
      else if (!isStopped) clock.after(waitMs, leave);
    });
    underWay.add(acting);
  };
  const look = async (): Promise<void> => {
    isWoken = false;
    cancelTimer();
    let nextMs = LONGEST_MS;
    try {
      for (const record of await store.read.providerRecords.due()) {
        if (held.has(record.id)) continue;
        const waitMs = (record.dueAt ?? 0) - (await timeIn(ctx, store.read, record.workspaceId));
        if (waitMs > 0) nextMs = Math.min(nextMs, waitMs);
        else if (underWay.size < PLACES && !isStopped) act(record);
      }
    } catch (error) {
      log.error('what is due at the providers could not be read', { error });
      nextMs = TROUBLE_MS;
    }
    if (!isStopped) cancelTimer = clock.after(nextMs, wake);
  };
  /** Looks for records that are due. */
  const wake = (): void => {
    isWoken = true;
    if (looking !== null || isStopped) return;
    looking = look().finally(() => {
      looking = null;
      if (isWoken) wake();
    });
  };

  const undo = [
    store.onCommit(({ due, all }) => {
      if (due || all) wake();
    }),
    onClockSet(ctx, wake),
  ];
  wake();
  return async (graceMs = 0) => {
    isStopped = true;
    for (const one of undo) one();
    cancelTimer();
    const cancel = clock.after(graceMs, () => cut.abort());
    await looking;
    while (underWay.size > 0) await Promise.all(underWay);
    cancel();
  };
}
