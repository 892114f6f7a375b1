import type { ClaimTurns } from '../ports/claim-turns.ts';

/** Creates the queue of the callers that wait for addresses. */
export function createClaimTurns(): ClaimTurns {
  // A set keeps the order in which its members came.
  const waiting = new Set<ReadonlySet<string>>();
  const listeners = new Set<() => void>();
  return {
    join(keys) {
      const own = new Set(keys);
      waiting.add(own);
      return {
        isFirst: () => {
          for (const other of waiting) {
            if (other === own) return true;
            for (const key of own) if (other.has(key)) return false;
          }
          return true;
        },
        onChange: (act) => {
          // The wrapper is a listener of its own even if the same function is given twice.
          const listener = () => act();
          listeners.add(listener);
          return () => void listeners.delete(listener);
        },
        leave: () => {
          waiting.delete(own);
          for (const listener of [...listeners]) listener();
        },
      };
    },
  };
}
