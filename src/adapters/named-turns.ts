import type { Turns } from '../ports/turns.ts';

/** Turns within this process. A name is remembered as long as somebody has it or waits for it. */
export function createTurns(): Turns {
  const ends = new Map<string, Promise<void>>();
  return {
    async take(name, act) {
      const before = ends.get(name);
      let end = (): void => {};
      const ended = new Promise<void>((resolve) => {
        end = resolve;
      });
      ends.set(name, ended);
      try {
        await before;
        return await act();
      } finally {
        if (ends.get(name) === ended) ends.delete(name);
        end();
      }
    },
  };
}
