import { runStartedAt } from '../environment.ts';
import { OptionError } from '../errors.ts';
import { abortSignal, CALL, type Check, type Checks, checkOptions, duration, oneOf } from '../options/check-options.ts';
import { shown } from '../options/shown.ts';
import { type CallOptions, Deadline } from '../transport/deadline.ts';

/** What a wait may be given. */
export interface WaitOptions extends CallOptions {
  /**
   * Which one is meant where several are new and match: `'only'`, the default, takes that for an error. `'newest'` passes over the
   * older ones, which no later wait returns; `'oldest'` leaves the newer ones to the waits that follow.
   *
   * @example await mailbox.waitForMessage({ subject: 'code' }, { pick: 'newest' });
   */
  readonly pick?: 'only' | 'newest' | 'oldest' | undefined;
  /**
   * Looks back to a time before the handle was made, by the server's clock. Without it a handle begins when it is made. The start of the
   * run is when the runner's server or setup began, else when this process did.
   *
   * @example await mailbox.waitForMessage({ subject: 'Welcome' }, { since: 'start of the run' });
   */
  readonly since?: Date | 'start of the run' | undefined;
}

/** What has come to a handle, and what may still come. */
export interface Source<Entry> {
  /** Looks for what is there. */
  refresh(options: CallOptions): Promise<void>;
  /** What came since the source begins, oldest first. */
  entries(): readonly Entry[];
  /** What is there now of it, oldest first: what was deleted is not. */
  listed(options: CallOptions): Promise<readonly Entry[]>;
  /** Resolves once there may be something new, or the deadline is over. */
  next(deadline: Deadline): Promise<void>;
  /** The ids of what a wait has returned: no other returns it. */
  readonly returned: Set<string>;
  /** Those of the returned that nobody was handed: a wait asked for the newest. */
  readonly passedOver: Set<string>;
}

/** What a report says of one that was passed over. */
export const PASSED_OVER = "an earlier wait asked for the newest (pick: 'newest') and passed over it";

/** A wait for so many that are new and match. */
export interface Wait<Entry, Item, Result> {
  readonly source: Source<Entry>;
  readonly matches: (entry: Entry, options: CallOptions) => Promise<boolean>;
  readonly load: (entry: Entry, options: CallOptions) => Promise<Item>;
  readonly count: number;
  readonly options: WaitOptions;
  readonly timeoutMs: number;
  /** The client's. */
  readonly signal: AbortSignal | undefined;
  /** Makes the result of those chosen; while it throws they count as not returned. */
  readonly take: (items: readonly Item[]) => Result;
  /** `false`: those chosen count as not returned, and the next wait may have them. */
  readonly takes: boolean;
  readonly several: (items: readonly Item[]) => Error;
  readonly missed: (options: CallOptions) => Promise<Error>;
}

const sinceWhen: Check = (name, value) => {
  if (value === 'start of the run' || (value instanceof Date && !Number.isNaN(value.getTime()))) return;
  throw new OptionError(`${name} must be a Date or 'start of the run'; it is ${shown(value)}.`);
};
const WINDOW = { for: duration, signal: abortSignal };
/** What the call that tells all that is there may be given. */
export const LOOK_OPTIONS = { ...CALL, since: sinceWhen };
const WAIT_OPTIONS = { ...LOOK_OPTIONS, pick: oneOf('only', 'newest', 'oldest') };

/** What is asked around the end of a wait may take this much longer. */
const GRACE_MS = 2_000;

/** Waits until so many that are new match, and returns what is made of them. */
export async function waitFor<Entry extends { readonly id: string }, Item, Result>(
  wait: Wait<Entry, Item, Result>,
): Promise<Result> {
  const { source, count, options } = wait;
  const deadline = new Deadline(wait.timeoutMs, [options.signal, wait.signal]);
  try {
    for (;;) {
      // Read before looking: what came until then is seen by the look.
      const isLast = hasEnded(deadline);
      const matches = await look(wait, deadline);
      if (matches.length >= count) {
        const pick = options.pick ?? 'only';
        const chosen = pick === 'oldest' ? matches.slice(0, count) : matches.slice(-count);
        const isAmbiguous = pick === 'only' && matches.length > count;
        const items = await loadAll(wait, isAmbiguous ? matches : chosen, deadline);
        if (isAmbiguous) throw wait.several(items);
        // From here on nothing is awaited, so that no other wait returns the same.
        if (chosen.some(({ id }) => source.returned.has(id))) continue;
        const result = wait.take(items);
        if (!wait.takes) return result;
        // Passing over the older ones is what asking for the newest means.
        for (const { id } of pick === 'newest' ? matches : chosen) source.returned.add(id);
        if (pick === 'newest') for (const { id } of matches.slice(0, -count)) source.passedOver.add(id);
        return result;
      }
      if (isLast) throw await wait.missed(callOptions(deadline, options));
      await source.next(deadline);
    }
  } finally {
    deadline.dispose();
  }
}

/** Watches the whole time that none comes; throws what `unexpected` says of those that do. */
export async function expectNone<Entry extends { readonly id: string }, Item>(
  wait: Pick<Wait<Entry, Item, never>, 'source' | 'matches' | 'load' | 'options' | 'timeoutMs' | 'signal'> & {
    readonly unexpected: (items: readonly Item[]) => Error;
  },
): Promise<void> {
  const deadline = new Deadline(wait.timeoutMs, [wait.options.signal, wait.signal]);
  try {
    for (;;) {
      const isLast = hasEnded(deadline);
      const matches = await look(wait, deadline);
      if (matches.length > 0) throw wait.unexpected(await loadAll(wait, matches, deadline));
      if (isLast) return;
      await wait.source.next(deadline);
    }
  } finally {
    deadline.dispose();
  }
}

/** The time a wait looks back to, milliseconds since 1970; null where it begins with its handle. */
export function sinceOf({ since }: Pick<WaitOptions, 'since'>): number | null {
  if (since === undefined) return null;
  return since === 'start of the run' ? runStartedAt() : since.getTime();
}

/** Throws an OptionError for what no wait can be given. */
export function checkWaitOptions(what: string, options: WaitOptions, more: Checks = {}): void {
  checkOptions(`The options object of ${what}`, options, { ...WAIT_OPTIONS, ...more });
}

/** Throws an OptionError for what no watch can be given. */
export function checkWindow(
  what: string,
  options: ({ readonly for: number } & Pick<CallOptions, 'signal'>) | undefined,
): void {
  if (options !== undefined)
    checkOptions(`The options object of ${what}`, options, WINDOW, `Write ${what}({}, { for: 500 }).`);
  if (options?.for === undefined)
    throw new OptionError(`${what} must be told for how many milliseconds: { for: 500 }.`);
}

type Looking<Entry, Item> = Pick<Wait<Entry, Item, unknown>, 'source' | 'matches' | 'load' | 'options'>;

async function look<Entry extends { readonly id: string }, Item>(
  wait: Looking<Entry, Item>,
  deadline: Deadline,
): Promise<Entry[]> {
  const options = callOptions(deadline, wait.options);
  const { source } = wait;
  await source.refresh(options);
  const open = source.entries().filter(({ id }) => !source.returned.has(id));
  const verdicts = await Promise.all(open.map((entry) => wait.matches(entry, options)));
  return open.filter(({ id }, at) => verdicts[at] === true && !source.returned.has(id));
}

function loadAll<Entry, Item>(
  wait: Looking<Entry, Item>,
  entries: readonly Entry[],
  deadline: Deadline,
): Promise<Item[]> {
  const options = callOptions(deadline, wait.options);
  return Promise.all(entries.map((entry) => wait.load(entry, options)));
}

/** Throws the reason of the caller's signal. */
function hasEnded(deadline: Deadline): boolean {
  if (!deadline.isOver) deadline.signal.throwIfAborted();
  return deadline.isOver;
}

function callOptions({ leftMs }: Deadline, { signal }: CallOptions): CallOptions {
  return { timeout: leftMs + GRACE_MS, signal };
}
