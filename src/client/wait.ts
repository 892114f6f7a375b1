import { abortSignal, CALL, type Checks, checkOptions, duration, oneOf } from './check-options.ts';
import { type CallOptions, Deadline } from './deadline.ts';
import { OptionError } from './errors.ts';

/** What a wait may be given. */
export interface WaitOptions extends CallOptions {
  /**
   * Of several that are new and match: `only`, the default, takes that for an error. `newest` passes over the older ones, which no
   * later wait returns; `oldest` leaves the newer ones to the waits that follow.
   */
  readonly pick?: 'only' | 'newest' | 'oldest' | undefined;
}

/** What has come to a handle, and what may still come. */
export interface Source<Entry> {
  /** Looks for what is there. */
  refresh(options: CallOptions): Promise<void>;
  /** Since the handle was made, oldest first. */
  entries(): readonly Entry[];
  /** Resolves once there may be something new, or the deadline is over. */
  next(deadline: Deadline): Promise<void>;
  /** What a wait has returned, by id: no other returns it. */
  readonly returned: Set<string>;
  /** Of those returned the ones that nobody was handed: a wait asked for the newest. */
  readonly passedOver: Set<string>;
}

/** What a report says of one. */
export const PASSED_OVER = "an earlier wait asked for the newest (pick: 'newest') and passed over it";

export interface Wait<Entry, Item, Result> {
  readonly source: Source<Entry>;
  readonly matches: (entry: Entry, options: CallOptions) => Promise<boolean>;
  readonly load: (entry: Entry, options: CallOptions) => Promise<Item>;
  readonly count: number;
  readonly options: WaitOptions;
  readonly timeoutMs: number;
  /** Of the client. */
  readonly signal: AbortSignal | undefined;
  /** What becomes of those chosen; while it throws they count as not returned. */
  readonly take: (items: readonly Item[]) => Result;
  readonly several: (items: readonly Item[]) => Error;
  readonly missed: (options: CallOptions) => Promise<Error>;
}

const WINDOW = { for: duration, signal: abortSignal };
const WAIT_OPTIONS = { ...CALL, pick: oneOf('only', 'newest', 'oldest') };

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

/** Throws an OptionError for what no wait can be given. */
export function checkWaitOptions(what: string, options: WaitOptions, more: Checks = {}): void {
  checkOptions(`What ${what} is given after the filter`, options, { ...WAIT_OPTIONS, ...more });
}

/** Throws an OptionError for what no watch can be given. */
export function checkWindow(
  what: string,
  options: ({ readonly for: number } & Pick<CallOptions, 'signal'>) | undefined,
): void {
  if (options !== undefined)
    checkOptions(`What ${what} is given after the filter`, options, WINDOW, `Write ${what}({}, { for: 500 }).`);
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
