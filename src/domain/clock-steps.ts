// The id of a row has the real time of its arrival, and `receivedAt` has the time of its workspace. While the clock of the
// workspace stands, both grow together. A list by id can therefore stop at a time, if it knows how far the times were
// apart. These steps record that for the rows of one mailbox or interceptor.

/** The rows that arrived while the clock of the workspace stood. */
export interface ClockStep {
  /** The id of the row before the first one, or ''. */
  readonly after: string;
  /** The id of the first row. */
  readonly from: string;
  /** No row was received later than this many milliseconds after the time in its id. */
  readonly leadMs: number;
}

/** A step, and where the next one begins. */
export interface ClockSpan extends ClockStep {
  /** The first id of the next step. Undefined in the last one. */
  readonly to: string | undefined;
}

/** Times that are less than this apart belong to one step, because the clocks of two servers are not exactly equal. */
const GRAIN_MS = 1_000;
/** The number of steps that are kept. The oldest ones are joined, so that their rows only cost more to find. */
const MOST = 32;
/** The rows from before the first step: without a shift, no row is received later than the time in its id. */
const BEGINNING: ClockStep = { after: '', from: '', leadMs: 0 };

/** A row, with the time in its id. */
interface Dated {
  readonly id: string;
  readonly idTime: number;
}

/**
 * Returns the steps after a row arrived. They are the given ones if it arrived in the last of them. `last` is the row
 * before it.
 */
export function stepsWith(
  steps: readonly ClockStep[] | undefined,
  { id, idTime, receivedAt }: Dated & { readonly receivedAt: number },
  last: Dated | undefined,
): readonly ClockStep[] | undefined {
  const lead = receivedAt - idTime;
  const current = steps?.at(-1) ?? BEGINNING;
  if (lead <= current.leadMs && lead > current.leadMs - 2 * GRAIN_MS) return steps;
  const leadMs = Math.ceil(lead / GRAIN_MS) * GRAIN_MS;
  // Ids of an earlier version may be ahead of real time. Their time then stands still, and all such rows are one step.
  if (steps !== undefined && idTime === last?.idTime)
    return [...steps.slice(0, -1), { ...current, leadMs: Math.max(leadMs, current.leadMs) }];
  const step = { after: last?.id ?? '', from: id, leadMs };
  const [first, second, ...others] = [...(steps ?? []), step];
  if (first === undefined || second === undefined || others.length + 2 <= MOST) return [...(steps ?? []), step];
  return [{ ...first, leadMs: Math.max(first.leadMs, second.leadMs) }, ...others];
}

/** Returns the spans of the steps, the oldest first. */
export function spansOf(steps: readonly ClockStep[] | undefined): ClockSpan[] {
  const all = [BEGINNING, ...(steps ?? [])];
  return all.map((step, at) => ({ ...step, to: all[at + 1]?.from }));
}
