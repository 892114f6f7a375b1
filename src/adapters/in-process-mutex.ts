import type { KeyedMutex } from '../ports/keyed-mutex.ts';

/** Creates a keyed mutex for this process. It forgets a key once nobody holds it or waits for it. */
export function createKeyedMutex(): KeyedMutex {
  const tails = new Map<string, Promise<void>>();
  return {
    async runExclusive(key, work) {
      const previous = tails.get(key);
      let release = (): void => {};
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      tails.set(key, released);
      try {
        await previous;
        return await work();
      } finally {
        if (tails.get(key) === released) tails.delete(key);
        release();
      }
    },
  };
}
