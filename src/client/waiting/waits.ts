import { OptionError } from '../errors.ts';
import { checkOptions, type OptionChecks, count as wholeNumber } from '../options/check-options.ts';
import type { CallOptions } from '../transport/deadline.ts';
import { asIfUnreturned, type Peek } from './peek.ts';
import {
  checkWaitOptions,
  checkWindow,
  type EntrySource,
  expectNone,
  LOOK_OPTIONS,
  sinceOf,
  type WaitOptions,
  waitFor,
} from './wait.ts';

/** A wait that ended without a result, for the error message. */
export interface Missed<Filter> {
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
  missed(missed: Missed<Filter>, options: CallOptions): Promise<Error>;
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
  many(name: string, count: number, filter?: Filter, options?: WaitOptions): Promise<Item[]>;
  /** Waits for one item, and leaves it to the next wait. */
  look(name: string, filter?: Filter, options?: WaitOptions): Promise<Item>;
  /** Watches that no item comes. */
  none(name: string, filter: Filter | undefined, options: WatchOptions): Promise<void>;
  /** Lists all items that match and exist now, returned or not. */
  all(name: string, filter?: Filter, options?: LookOptions): Promise<Item[]>;
  /** Waits until one item has come, returned or not, and takes nothing. Matchers use it. */
  readonly peek: Peek;
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
    many: async (name, count, filter = anything, options = {}) => {
      wholeNumber('count', count);
      return wait(name, count, filter, options, { take: (found) => [...found] });
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
