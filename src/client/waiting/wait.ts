import type { Api } from '../connection/caller.ts';
import { runStartedAt } from '../environment.ts';
import { OptionError } from '../errors.ts';
import {
  abortSignal,
  CALL,
  type Check,
  checkOptions,
  duration,
  type OptionChecks,
  oneOf,
  shown,
  count as wholeNumber,
} from '../options/check-options.ts';
import { type CallOptions, Deadline } from '../transport/transport.ts';

/** A wait that ended without a result, for the error message. */
export interface MissedWait<Filter> {
  /** The name of the call: `waitForMessage`. */
  readonly name: string;
  readonly count: number;
  readonly filter: Filter;
  readonly timeoutMs: number;
  readonly options: WaitOptions;
}

/** The kind of item that a wait is for: the messages of a mailbox, or the requests of a webhook. */
export interface Subject<Entry, Item, Filter> {
  /** The default timeout of a wait, in milliseconds. */
  readonly timeoutMs: number;
  /** The client's signal. */
  readonly signal: AbortSignal | undefined;
  /** Throws an OptionError for an invalid filter. */
  check(filter: Filter): void;
  /** Returns the items since the handle was made, or since a time in milliseconds since 1970. `name` is the call's. */
  source(filter: Filter, since: number | null, name: string): EntrySource<Entry>;
  matches(entry: Entry, filter: Filter, options: CallOptions): Promise<boolean>;
  load(entry: Entry, options: CallOptions): Promise<Item>;
  several(count: number, filter: Filter, items: readonly Item[]): Error;
  unexpected(filter: Filter, items: readonly Item[]): Error;
  missed(missed: MissedWait<Filter>, options: CallOptions): Promise<Error>;
}

/** The options of a watch for items that must not come. */
export interface WatchOptions extends Pick<CallOptions, 'signal'> {
  /** The length of the watch in milliseconds. There is no default, because only the test knows how long is enough. */
  readonly for: number;
}

/** The options of a call that lists all items: `timeout`, `signal` and `since`. */
export interface LookOptions extends CallOptions, Pick<WaitOptions, 'since'> {}

/** The waits of a handle, for messages or for requests. */
export interface Waits<Item, Filter> {
  /** Waits for one item, and returns the result made from it. */
  one<Result>(
    name: string,
    filter: Filter | undefined,
    options: WaitOptions | undefined,
    take: (item: Item) => Result,
    more?: OptionChecks,
  ): Promise<Result>;
  /** Waits for `count` items, and returns them in the order they came. */
  many(name: string, count: number, filter?: Filter, options?: WaitOptions, more?: OptionChecks): Promise<Item[]>;
  /** Waits for one item, and leaves it to the next wait. */
  look(name: string, filter?: Filter, options?: WaitOptions): Promise<Item>;
  /** Watches that no item comes. */
  none(name: string, filter: Filter | undefined, options: WatchOptions): Promise<void>;
  /** Lists all items that match and exist now, returned or not. */
  all(name: string, filter?: Filter, options?: LookOptions): Promise<Item[]>;
  /** Waits until one item has come, returned or not, and takes nothing. Matchers use it. */
  readonly peek: NonConsumingWait;
}

export function createWaits<Entry extends { readonly id: string }, Item, Filter extends object>(
  subject: Subject<Entry, Item, Filter>,
): Waits<Item, Filter> {
  // The cast is safe, because every field of a filter is optional.
  const anything = {} as Filter;

  async function wait<Result>(
    name: string,
    count: number,
    filter: Filter,
    options: WaitOptions,
    how: {
      take(items: readonly Item[]): Result;
      takes?: boolean;
      more?: OptionChecks;
      source?: typeof asIfUnreturned<Entry>;
    },
  ): Promise<Result> {
    subject.check(filter);
    checkWaitOptions(name, options, how.more);
    const source = subject.source(filter, sinceOf(options), name);
    const timeoutMs = options.timeout ?? subject.timeoutMs;
    return waitFor({
      source: how.source?.(source) ?? source,
      matches: (entry, o) => subject.matches(entry, filter, o),
      load: (entry, o) => subject.load(entry, o),
      count,
      options,
      timeoutMs,
      signal: subject.signal,
      take: how.take,
      takes: how.takes ?? true,
      several: (found) => subject.several(count, filter, found),
      missed: (o) => subject.missed({ name, count, filter, timeoutMs, options }, o),
    });
  }

  return {
    one: async (name, filter = anything, options = {}, take, more = {}) =>
      wait(name, 1, filter, options, { take: (found) => take(only(found)), more }),
    many: async (name, count, filter = anything, options = {}, more = {}) => {
      wholeNumber('count', count);
      return wait(name, count, filter, options, { take: (found) => [...found], more });
    },
    look: async (name, filter = anything, options = {}) => wait(name, 1, filter, options, { take: only, takes: false }),
    none: async (name, filter = anything, options) => {
      subject.check(filter);
      checkWindow(name, options);
      await expectNone({
        source: subject.source(filter, null, name),
        matches: (entry, o) => subject.matches(entry, filter, o),
        load: (entry, o) => subject.load(entry, o),
        options: { signal: options.signal },
        timeoutMs: options.for,
        signal: subject.signal,
        unexpected: (found) => subject.unexpected(filter, found),
      });
    },
    all: async (name, filter = anything, options = {}) => {
      subject.check(filter);
      checkOptions(`The last argument of ${name}`, options, LOOK_OPTIONS);
      const { since: _, ...call } = options;
      const listed = await subject.source(filter, sinceOf(options), name).listed(call);
      const found = await Promise.all(
        listed.map(async (entry) =>
          (await subject.matches(entry, filter, call)) ? [await subject.load(entry, call)] : [],
        ),
      );
      return found.flat();
    },
    peek: async (filter, options) => {
      // The matcher has checked that this is a handle. An invalid filter is refused here.
      const given = filter as Filter;
      await wait('toHaveReceived', 1, given, { ...options, pick: 'oldest' }, { take: only, source: asIfUnreturned });
    },
  };
}

function only<Item>(found: readonly Item[]): Item {
  const [item] = found;
  if (item === undefined) throw new OptionError('a wait for one returned none');
  return item;
}

/** The options of a wait. */
export interface WaitOptions extends CallOptions {
  /**
   * The choice among several new items that match. `'only'`, the default, throws an AmbiguityError. `'newest'` returns
   * the newest and discards the older ones, so that no later wait returns them. `'oldest'` leaves the newer ones to
   * later waits.
   *
   * @example await mailbox.waitForMessage({ subject: 'code' }, { pick: 'newest' });
   */
  readonly pick?: 'only' | 'newest' | 'oldest' | undefined;
  /**
   * A time before the handle was made from which messages or requests count, by the server's clock. By default they
   * count from the creation of the handle. `'start of the run'` is the time at which the runner's server or setup
   * started, or else this process.
   *
   * @example await mailbox.waitForMessage({ subject: 'Welcome' }, { since: 'start of the run' });
   */
  readonly since?: Date | 'start of the run' | undefined;
}

/** The items that came to a handle, and a signal for new ones. */
export interface EntrySource<Entry> {
  /** Looks for new items. */
  refresh(options: CallOptions): Promise<void>;
  /** Returns the known items, oldest first. */
  entries(): readonly Entry[];
  /** Lists the items that exist now, oldest first. Deleted items are left out. */
  listed(options: CallOptions): Promise<readonly Entry[]>;
  /** Resolves when there may be a new item, or when the deadline is over. */
  next(deadline: Deadline): Promise<void>;
  /** The ids of the items that a wait has returned. No other wait returns them. */
  readonly returned: Set<string>;
  /** The ids of the returned items that no caller got, because a wait asked for the newest. */
  readonly passedOver: Set<string>;
}

/** The reason that a report gives for an item that was passed over. */
export const PASSED_OVER = "an earlier wait with pick: 'newest' discarded it";

/** A wait for `count` new items that match. */
export interface Wait<Entry, Item, Result> {
  readonly source: EntrySource<Entry>;
  readonly matches: (entry: Entry, options: CallOptions) => Promise<boolean>;
  readonly load: (entry: Entry, options: CallOptions) => Promise<Item>;
  readonly count: number;
  readonly options: WaitOptions;
  readonly timeoutMs: number;
  /** The client's signal. */
  readonly signal: AbortSignal | undefined;
  /** Makes the result from the chosen items. If it throws, the items do not count as returned. */
  readonly take: (items: readonly Item[]) => Result;
  /** `false` if the chosen items do not count as returned, so that the next wait may return them. */
  readonly takes: boolean;
  readonly several: (items: readonly Item[]) => Error;
  readonly missed: (options: CallOptions) => Promise<Error>;
}

const sinceWhen: Check = (name, value) => {
  if (value === 'start of the run' || (value instanceof Date && !Number.isNaN(value.getTime()))) return;
  throw new OptionError(`${name} must be a Date or 'start of the run'; it is ${shown(value)}.`);
};
const WINDOW = { for: duration, signal: abortSignal };
/** The options of a call that lists all items. */
const LOOK_OPTIONS = { ...CALL, since: sinceWhen };
const WAIT_OPTIONS = { ...LOOK_OPTIONS, pick: oneOf('only', 'newest', 'oldest') };

/** The extra time for requests around the end of a wait, in milliseconds. */
const GRACE_MS = 2_000;

/** Waits until `count` new items match, and returns the result made from them. */
export function waitFor<Entry extends { readonly id: string }, Item, Result>(
  wait: Wait<Entry, Item, Result>,
): Promise<Result> {
  const { source, count, options } = wait;
  return lookUntil<Entry, Item, Result>(wait, async (matches, deadline, isLast) => {
    if (matches.length < count) {
      if (isLast) throw await wait.missed(callOptions(deadline, options));
      return 'wait';
    }
    const pick = options.pick ?? 'only';
    const chosen = pick === 'oldest' ? matches.slice(0, count) : matches.slice(-count);
    const isAmbiguous = pick === 'only' && matches.length > count;
    const items = await loadAll(wait, isAmbiguous ? matches : chosen, deadline);
    if (isAmbiguous) throw wait.several(items);
    // No `await` may follow here, or another wait could return the same items.
    if (chosen.some(({ id }) => source.returned.has(id))) return 'look again';
    const result = wait.take(items);
    if (!wait.takes) return { result };
    // `'newest'` discards the older items.
    for (const { id } of pick === 'newest' ? matches : chosen) source.returned.add(id);
    if (pick === 'newest') for (const { id } of matches.slice(0, -count)) source.passedOver.add(id);
    return { result };
  });
}

/** Watches until the deadline that no item matches. Throws the error of `unexpected` if one does. */
export function expectNone<Entry extends { readonly id: string }, Item>(
  wait: Looking<Entry, Item> & { readonly unexpected: (items: readonly Item[]) => Error },
): Promise<void> {
  return lookUntil<Entry, Item, void>(wait, async (matches, _deadline, isLast) => {
    // Something came, so the check has failed. Reading it for the error may take longer than the watch.
    const { signal } = wait.options;
    if (matches.length > 0) throw wait.unexpected(await Promise.all(matches.map((one) => wait.load(one, { signal }))));
    return isLast ? { result: undefined } : 'wait';
  });
}

/**
 * Looks at the items that match whenever a new one may have come, until `decide` has a result. `decide` has to have one,
 * or to throw, at the last look.
 */
async function lookUntil<Entry extends { readonly id: string }, Item, Result>(
  wait: Looking<Entry, Item>,
  decide: (
    matches: readonly Entry[],
    deadline: Deadline,
    isLast: boolean,
  ) => Promise<{ readonly result: Result } | 'wait' | 'look again'>,
): Promise<Result> {
  const deadline = new Deadline(wait.timeoutMs, [wait.options.signal, wait.signal]);
  try {
    for (;;) {
      // The deadline is read before the refresh, so that the last refresh sees everything that came in time.
      const isLast = hasEnded(deadline);
      const decided = await decide(await look(wait, deadline), deadline, isLast);
      if (typeof decided === 'object') return decided.result;
      if (decided === 'wait') await wait.source.next(deadline);
    }
  } finally {
    deadline.dispose();
  }
}

/**
 * Returns the time from which items count, in milliseconds since 1970; null if they count from the start of the handle.
 */
export function sinceOf({ since }: Pick<WaitOptions, 'since'>): number | null {
  if (since === undefined) return null;
  return since === 'start of the run' ? runStartedAt() : since.getTime();
}

/** Throws an OptionError for invalid options of a wait. */
function checkWaitOptions(what: string, options: WaitOptions, more: OptionChecks = {}): void {
  checkOptions(`The options object of ${what}`, options, { ...WAIT_OPTIONS, ...more });
}

/** Throws an OptionError for invalid options of a watch. */
function checkWindow(
  what: string,
  options: ({ readonly for: number } & Pick<CallOptions, 'signal'>) | undefined,
): void {
  if (options !== undefined)
    checkOptions(`The options object of ${what}`, options, WINDOW, `Write ${what}({}, { for: 500 }).`);
  if (options?.for === undefined)
    throw new OptionError(`${what} needs the length of the watch in milliseconds: { for: 500 }.`);
}

type Looking<Entry, Item> = Pick<
  Wait<Entry, Item, unknown>,
  'source' | 'matches' | 'load' | 'options' | 'timeoutMs' | 'signal'
>;

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

/** Tells whether the deadline is over. Throws the reason if the caller's signal aborted. */
function hasEnded(deadline: Deadline): boolean {
  if (!deadline.isOver) deadline.signal.throwIfAborted();
  return deadline.isOver;
}

function callOptions({ leftMs }: Deadline, { signal }: CallOptions): CallOptions {
  return { timeout: leftMs + GRACE_MS, signal };
}

/** Waits until an item matches, even one that a wait has returned. It takes nothing from later waits. */
type NonConsumingWait = (filter: object, options: CallOptions) => Promise<void>;

const NON_CONSUMING_WAITS = new WeakMap<object, NonConsumingWait>();

/**
 * Returns the non-consuming wait of a handle; null for any other object. Matchers use it, so that an assertion takes no
 * message from a later wait.
 */
export function nonConsumingWaitOf(handle: object): NonConsumingWait | null {
  return NON_CONSUMING_WAITS.get(handle) ?? null;
}

/** Registers the non-consuming wait of a handle for {@link nonConsumingWaitOf}. */
export function withNonConsumingWait<Handle extends object>(handle: Handle, peek: NonConsumingWait): Handle {
  NON_CONSUMING_WAITS.set(handle, peek);
  return handle;
}

/** Returns the same source with no entry marked as returned. */
function asIfUnreturned<Entry>(source: EntrySource<Entry>): EntrySource<Entry> {
  return {
    returned: new Set(),
    passedOver: new Set(),
    entries: () => source.entries(),
    listed: (options) => source.listed(options),
    refresh: (options) => source.refresh(options),
    next: (deadline) => source.next(deadline),
  };
}

/**
 * Returns the URL of a mailbox or a webhook in the web inbox, for a person who opens it in a browser; null where there is
 * no web inbox, as in the cloud. Errors contain it, so it never throws.
 */
export async function pageOf(
  api: Pick<Api, 'hasLocalApi' | 'server'>,
  part: 'mail' | 'webhooks',
  id: string,
): Promise<string | null> {
  try {
    return (await api.hasLocalApi()) ? `${(await api.server()).url}/#/${part}/${id}` : null;
  } catch {
    return null;
  }
}
