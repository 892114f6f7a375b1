import type { CallOptions } from '../transport/deadline.ts';
import type { Source } from './wait.ts';

/** Waits until something matches, whether a wait has returned it or not, and leaves the cursor where it is. */
export type Peek = (filter: object, options: CallOptions) => Promise<void>;

const PEEKS = new WeakMap<object, Peek>();

/** Finds the peek of a handle; null for anything else. For matchers: an assertion takes nothing from the waits that follow it. */
export function peekOf(handle: object): Peek | null {
  return PEEKS.get(handle) ?? null;
}

/** Lets {@link peekOf} find it. */
export function withPeek<Handle extends object>(handle: Handle, peek: Peek): Handle {
  PEEKS.set(handle, peek);
  return handle;
}

/** The same source, of which nothing counts as returned. */
export function asIfUnreturned<Entry>(source: Source<Entry>): Source<Entry> {
  return {
    returned: new Set(),
    passedOver: new Set(),
    entries: () => source.entries(),
    listed: (options) => source.listed(options),
    refresh: (options) => source.refresh(options),
    next: (deadline) => source.next(deadline),
  };
}
