import type { Api } from '../connection/caller.ts';
import { runStartedAt } from '../environment.ts';
import { AmbiguityError, ContentError, OptionError, UnexpectedError } from '../errors.ts';
import {
  abortSignal,
  CALL,
  checkOptions,
  checkThat,
  duration,
  inBrackets,
  isTime,
  type OptionChecks,
  oneOf,
  count as wholeNumber,
} from '../options/check-options.ts';
import { type CallOptions, Deadline } from '../transport/transport.ts';
import type { KnownEntries, KnownEntry, SharedByViews } from './known-entries.ts';

/** A wait, as a handle and the errors know it. */
export interface AskedWait<Filter> {
  /** The name of the call: `waitForMessage`. */
  readonly name: string;
  readonly count: number;
  readonly filter: Filter;
  readonly timeoutMs: number;
  readonly options: WaitOptions;
}

/** The items that came to a handle. */
type EntrySource<Entry> = Pick<
  KnownEntries<never, Entry & KnownEntry, never>,
  'returned' | 'passedOver' | 'entries' | 'listed' | 'refresh'
>;

/** The kind of item that a wait is for: the messages of a mailbox, or the requests of a webhook. */
export interface Subject<Entry, Item, Filter> {
  readonly noun: 'message' | 'request';
  /** The addresses or the URL that the items come to. */
  readonly place: string;
  /** The default timeout of a wait, in milliseconds. */
  readonly timeoutMs: number;
  /** The client's signal. */
  readonly signal: AbortSignal | undefined;
  /** Throws an OptionError for an invalid filter. */
  check(filter: Filter): void;
  /** Returns the items since the handle was made, or since a time in milliseconds since 1970. */
  source(since: number | null): EntrySource<Entry>;
  /** Resolves when there may be a new item, or when the deadline is over. */
  next(wait: AskedWait<Filter>, deadline: Deadline): Promise<void>;
  matches(entry: Entry, filter: Filter, options: CallOptions): Promise<boolean>;
  /** Loads an item; null if it is gone. */
  load(entry: Entry, options: CallOptions): Promise<Item | null>;
  /** Describes an item in one line. */
  describe(item: Item): string;
  /** Builds the error of a wait without a result. */
  missed(wait: AskedWait<Filter>, options: CallOptions): Promise<Error>;
}

/** The options of a watch for items that must not come. */
export interface WatchOptions extends Pick<CallOptions, 'signal'> {
  /** The length of the watch in milliseconds. There is no default, because only the test knows how long is enough. */
  readonly for: number;
}

/** The options of a call that lists all items: `timeout`, `signal` and `since`. */
export interface LookOptions extends CallOptions, Pick<WaitOptions, 'since'> {}

/** Creates the waits of a handle, for messages or for requests. */
export function createWaits<Entry extends { readonly id: string }, Item, Filter extends object>(
  subject: Subject<Entry, Item, Filter>,
) {
  // The cast is safe, because every field of a filter is optional.
  const anything = {} as Filter;

  async function wait<Result>(
    name: string,
    count: number,
    filter: Filter,
    options: WaitOptions,
    take: (items: readonly Item[]) => Result,
    { mode = 'take', more = {} }: { readonly mode?: Mode; readonly more?: OptionChecks | undefined } = {},
  ): Promise<Result> {
    subject.check(filter);
    checkOptions(`The options object of ${name}`, options, { ...WAIT_OPTIONS, ...more });
    const source = subject.source(sinceOf(options));
    const timeoutMs = options.timeout ?? subject.timeoutMs;
    return waitFor({ subject, source, name, count, filter, options, timeoutMs, mode }, take);
  }

  return {
    /** Waits for one item, and returns the result made from it. */
    one: async <Result>(
      name: string,
      filter = anything,
      options: WaitOptions = {},
      take: (item: Item) => Result,
      more?: OptionChecks,
    ): Promise<Result> => wait(name, 1, filter, options, (found) => take(only(found)), { more }),
    /** Waits for `count` items, and returns them in the order they came. */
    many: async (
      name: string,
      count: number,
      filter = anything,
      options: WaitOptions = {},
      more?: OptionChecks,
    ): Promise<Item[]> => {
      wholeNumber('count', count);
      return wait(name, count, filter, options, (found) => [...found], { more });
    },
    /** Waits for one item, and leaves it to the next wait. */
    look: async (name: string, filter = anything, options: WaitOptions = {}): Promise<Item> =>
      wait(name, 1, filter, options, only, { mode: 'look' }),
    /** Watches that no item comes. */
    none: async (name: string, filter = anything, options: WatchOptions): Promise<void> => {
      subject.check(filter);
      checkWindow(name, options);
      const { for: timeoutMs, signal } = options;
      const source = subject.source(null);
      await expectNone({ subject, source, name, count: 1, filter, options: { signal }, timeoutMs, mode: 'look' });
    },
    /** Lists all items that match and exist now, returned or not. */
    all: async (name: string, filter = anything, options: LookOptions = {}): Promise<Item[]> => {
      subject.check(filter);
      checkOptions(`The last argument of ${name}`, options, LOOK_OPTIONS);
      const { since: _, ...call } = options;
      const listed = await subject.source(sinceOf(options)).listed(call);
      const found = await Promise.all(
        listed.map(async (entry) =>
          (await subject.matches(entry, filter, call)) ? [await load(subject, entry, call)] : [],
        ),
      );
      return found.flat();
    },
    /** Waits until one item has come, returned or not, and takes nothing. Matchers use it. */
    peek: async (filter: object, options: CallOptions): Promise<void> => {
      // The matcher has checked that this is a handle. An invalid filter is refused here.
      await wait('toHaveReceived', 1, filter as Filter, { ...options, pick: 'oldest' }, only, { mode: 'peek' });
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

/**
 * Tells which items a wait sees, and what becomes of them: `take` sees new ones, and they count as returned; `look` leaves
 * them to the next wait; `peek` also sees those that a wait has returned.
 */
type Mode = 'take' | 'look' | 'peek';

/** A wait under way. */
interface Wait<Entry, Item, Filter> extends AskedWait<Filter> {
  readonly subject: Subject<Entry, Item, Filter>;
  readonly source: EntrySource<Entry>;
  readonly mode: Mode;
}

const sinceWhen = checkThat("a Date or 'start of the run'", (value) => value === 'start of the run' || isTime(value));
const WINDOW = { for: duration, signal: abortSignal };
/** The options of a call that lists all items. */
const LOOK_OPTIONS = { ...CALL, since: sinceWhen };
const WAIT_OPTIONS = { ...LOOK_OPTIONS, pick: oneOf('only', 'newest', 'oldest') };

/** The extra time for requests around the end of a wait, in milliseconds. */
const GRACE_MS = 2_000;

/**
 * Waits until `count` items match, and returns the result that `take` makes from them. If it throws, the items do not
 * count as returned.
 */
export function waitFor<Entry extends { readonly id: string }, Item, Filter extends object, Result>(
  wait: Wait<Entry, Item, Filter>,
  take: (items: readonly Item[]) => Result,
): Promise<Result> {
  const { subject, source, mode, count, filter, options } = wait;
  return lookUntil(wait, async (matches, deadline, isLast) => {
    const call = callOptions(deadline, options);
    if (matches.length < count) {
      if (isLast) throw await subject.missed(wait, call);
      return 'wait';
    }
    const pick = options.pick ?? 'only';
    const chosen = pick === 'oldest' ? matches.slice(0, count) : matches.slice(-count);
    const isAmbiguous = pick === 'only' && matches.length > count;
    const items = await Promise.all((isAmbiguous ? matches : chosen).map((entry) => load(subject, entry, call)));
    if (isAmbiguous) throw several(subject, count, filter, items);
    // No `await` may follow here, or another wait could return the same items.
    if (mode !== 'peek' && chosen.some(({ id }) => source.returned.has(id))) return 'look again';
    const result = take(items);
    if (mode !== 'take') return { result };
    // `'newest'` discards the older items.
    for (const { id } of pick === 'newest' ? matches : chosen) source.returned.add(id);
    if (pick === 'newest') for (const { id } of matches.slice(0, -count)) source.passedOver.add(id);
    return { result };
  });
}

/** Watches until the deadline that no item matches. */
function expectNone<Entry extends { readonly id: string }, Item, Filter extends object>(
  wait: Wait<Entry, Item, Filter>,
): Promise<void> {
  const { subject, filter, options } = wait;
  return lookUntil(wait, async (matches, _deadline, isLast) => {
    if (matches.length === 0) return isLast ? { result: undefined } : 'wait';
    // Something came, so the check has failed. Reading it for the error may take longer than the watch.
    throw unexpected(subject, filter, await Promise.all(matches.map((entry) => load(subject, entry, options))));
  });
}

/**
 * Looks at the items that match whenever a new one may have come, until `decide` has a result. `decide` has to have one,
 * or to throw, at the last look.
 */
async function lookUntil<Entry extends { readonly id: string }, Item, Filter, Result>(
  wait: Wait<Entry, Item, Filter>,
  decide: (
    matches: readonly Entry[],
    deadline: Deadline,
    isLast: boolean,
  ) => Promise<{ readonly result: Result } | 'wait' | 'look again'>,
): Promise<Result> {
  const { subject, options } = wait;
  const deadline = new Deadline(wait.timeoutMs, [options.signal, subject.signal]);
  try {
    for (;;) {
      // The deadline is read before the refresh, so that the last refresh sees everything that came in time.
      const isLast = hasEnded(deadline);
      const decided = await decide(await look(wait, callOptions(deadline, options)), deadline, isLast);
      if (typeof decided === 'object') return decided.result;
      if (decided === 'wait')
        await subject.next(wait, deadline).catch((error: unknown) => {
          // The next look ends the wait, and says why.
          if (!deadline.signal.aborted) throw error;
        });
    }
  } finally {
    deadline.dispose();
  }
}

async function look<Entry extends { readonly id: string }, Item, Filter>(
  { subject, source, filter, mode }: Wait<Entry, Item, Filter>,
  options: CallOptions,
): Promise<Entry[]> {
  const isOpen = ({ id }: Entry) => mode === 'peek' || !source.returned.has(id);
  await source.refresh(options);
  const open = source.entries().filter(isOpen);
  const verdicts = await Promise.all(open.map((entry) => subject.matches(entry, filter, options)));
  return open.filter((entry, at) => verdicts[at] === true && isOpen(entry));
}

async function load<Entry extends { readonly id: string }, Item, Filter>(
  subject: Subject<Entry, Item, Filter>,
  entry: Entry,
  options: CallOptions,
): Promise<Item> {
  const item = await subject.load(entry, options);
  if (item !== null) return item;
  const gone = subject.noun === 'message' ? 'deleted' : 'removed';
  throw new ContentError('not_found', `The ${subject.noun} ${entry.id} was ${gone} while it was read.`);
}

function several<Item, Filter extends object>(
  { noun, describe }: Pick<Subject<never, Item, Filter>, 'noun' | 'describe'>,
  count: number,
  filter: Filter,
  found: readonly Item[],
): AmbiguityError {
  const wanted = count === 1 ? 'one' : `${count} of them`;
  return new AmbiguityError(
    `several_${noun}s`,
    `${found.length} new ${noun}s match, but the wait is for ${wanted}${inBrackets(filter)}:`,
    found.map(describe),
    { hint: "Narrow the filter, or choose with { pick: 'newest' } or { pick: 'oldest' }." },
  );
}

function unexpected<Item, Filter extends object>(
  { noun, place, describe }: Pick<Subject<never, Item, Filter>, 'noun' | 'place' | 'describe'>,
  filter: Filter,
  found: readonly Item[],
): UnexpectedError {
  const lines = found.map((item) => `  ${describe(item)}`).join('\n');
  return new UnexpectedError(
    `unexpected_${noun}`,
    `Expected no ${noun} to ${place}${inBrackets(filter)}, but there is:\n${lines}`,
  );
}

/**
 * Returns the reason why a wait does not return an entry; null if nothing stands against it. `refusals` tells the reasons
 * of the filters.
 */
export async function reasonAgainst(
  { passedOver, returned }: SharedByViews,
  id: string,
  refusals: () => Promise<readonly string[]>,
): Promise<string | null> {
  if (passedOver.has(id)) return "an earlier wait with pick: 'newest' discarded it";
  if (returned.has(id)) return 'an earlier wait returned it';
  const reasons = await refusals();
  return reasons.length === 0 ? null : `refused, ${reasons.join('; ')}`;
}

/**
 * Returns the time from which items count, in milliseconds since 1970; null if they count from the start of the handle.
 */
export function sinceOf({ since }: Pick<WaitOptions, 'since'>): number | null {
  if (since === undefined) return null;
  return since === 'start of the run' ? runStartedAt() : since.getTime();
}

/** Throws an OptionError for invalid options of a watch. */
function checkWindow(what: string, options: WatchOptions | undefined): void {
  if (options !== undefined)
    checkOptions(`The options object of ${what}`, options, WINDOW, `Write ${what}({}, { for: 500 }).`);
  if (options?.for === undefined)
    throw new OptionError(`${what} needs the length of the watch in milliseconds: { for: 500 }.`);
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

/** Tells where a person finds all that came. `list` is the call that lists it. */
export async function whereToLook(
  api: Pick<Api, 'hasLocalApi' | 'server'>,
  part: 'mail' | 'webhooks',
  id: string,
  list: string,
): Promise<string> {
  const [all, them] = part === 'mail' ? ['the mail of the mailbox', 'it'] : ['all requests', 'them'];
  const page = await pageOf(api, part, id);
  return page === null ? `${list} lists ${all}.` : `Look at ${all} at ${page} or list ${them} with ${list}.`;
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
