import type { CallOptions } from '../transport/deadline.ts';
import type { EntrySource } from './wait.ts';

/** Waits until an item matches, even one that a wait has returned. It takes nothing from later waits. */
export type Peek = (filter: object, options: CallOptions) => Promise<void>;

const PEEKS = new WeakMap<object, Peek>();

/**
 * Returns the peek function of a handle; null for any other object. Matchers use it, so that an assertion takes no
 * message from a later wait.
 */
export function peekOf(handle: object): Peek | null {
  return PEEKS.get(handle) ?? null;
}

/** Registers the peek function of a handle for {@link peekOf}. */
export function withPeek<Handle extends object>(handle: Handle, peek: Peek): Handle {
  PEEKS.set(handle, peek);
  return handle;
}

/** Returns the same source with no entry marked as returned. */
export function asIfUnreturned<Entry>(source: EntrySource<Entry>): EntrySource<Entry> {
  return {
    returned: new Set(),
    passedOver: new Set(),
    entries: () => source.entries(),
    listed: (options) => source.listed(options),
    refresh: (options) => source.refresh(options),
    next: (deadline) => source.next(deadline),
  };
}
