import type { HeldWait, HeldWaits } from '../ports/waits.ts';

/** Creates the list of held awaits. It lives in this process only. */
export function createHeldWaits(): HeldWaits {
  const held = new Set<HeldWait>();
  return {
    hold(wait) {
      // The copy is a separate entry even if the same object is registered twice.
      const own = { ...wait };
      held.add(own);
      return () => void held.delete(own);
    },
    list: () => [...held],
  };
}
