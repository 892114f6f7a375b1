import type { ServerResponse } from 'node:http';

/** The requests that can be told to come to an end: what lets a server close while ten thousand wait. */
export interface Lifetime {
  readonly closing: boolean;
  /** Aborts when the response's connection ends, or the server closes. */
  signalOf(res: ServerResponse): AbortSignal;
  close(): void;
}

export function createLifetime(): Lifetime {
  const held = new Set<AbortController>();
  let closing = false;
  return {
    get closing() {
      return closing;
    },
    signalOf(res) {
      const controller = new AbortController();
      if (closing || res.destroyed) {
        controller.abort();
        return controller.signal;
      }
      held.add(controller);
      res.once('close', () => {
        held.delete(controller);
        controller.abort();
      });
      return controller.signal;
    },
    close() {
      closing = true;
      for (const controller of held) controller.abort();
      held.clear();
    },
  };
}
