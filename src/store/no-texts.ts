import type { MessageTexts, Reader } from '../ports/store.ts';

/** Creates prepared texts for a store that keeps none, so that searches read the mails themselves. */
export function noTexts(read: Pick<Reader, 'counts'>): MessageTexts {
  return {
    missing: async () => [],
    add: async () => {},
    async *find() {
      yield { downTo: null, found: null };
    },
    progress: async () => ({ prepared: 0, missing: (await read.counts()).messages }),
  };
}
