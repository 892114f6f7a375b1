import type { HeldWait, Waits } from '../ports/waits.ts';

/** Kept in this process. */
export function createWaits(): Waits {
  const held = new Set<HeldWait>();
  return {
    hold(wait) {
      // A copy, so that the same one given twice is two.
      const own = { ...wait };
      held.add(own);
      return () => void held.delete(own);
    },
    list: () => [...held],
  };
}
