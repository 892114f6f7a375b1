/** The id of a JSON-RPC request, which its client chose. */
export type CallId = string | number;

/**
 * The calls of clients over HTTP that are running. Each request has its own MCP server, so the one that gets
 * `notifications/cancelled` finds here the one that runs the call. Clients number their calls from 0, so a call is known
 * by the session of its client as well.
 */
export class RunningCalls {
  readonly #ends = new Map<string, () => void>();

  /** Enters a call. The returned function removes it. */
  begin(session: string, id: CallId, end: () => void): () => void {
    const key = keyOf(session, id);
    this.#ends.set(key, end);
    return () => {
      // A client may have given the id to a later call.
      if (this.#ends.get(key) === end) this.#ends.delete(key);
    };
  }

  /** Ends a call. Does nothing if it is over, or if the session has no such call. */
  cancel(session: string, id: CallId): void {
    this.#ends.get(keyOf(session, id))?.();
  }
}

function keyOf(session: string, id: CallId): string {
  return JSON.stringify([session, id]);
}
