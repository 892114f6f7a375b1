import type { Client } from '../client/index.ts';

/** The tools share this: the server they ask, chance and time from outside, and what their waits have returned. */
export interface ToolContext {
  /** Returns the client of the server. It looks for the server anew, because an agent often starts before it. */
  client(): Promise<Client>;
  /** Returns a new random id for a fence. */
  fenceId(): string;
  /** Returns the time in milliseconds since 1970. */
  now(): number;
  /** Returns the monotonic clock in milliseconds. */
  steady(): number;
  /** The messages and requests that waits have returned, so that each returns one only once. */
  readonly returned: RememberedIds;
  /** The webhooks that an agent made here. */
  readonly made: RememberedIds;
  /** Returns the sentence of an error that is no bug; null for any other. */
  explain(error: unknown): string | null;
}

/** One call of a tool. */
export interface ToolCall {
  readonly desk: ToolContext;
  /** Aborts when the agent takes the call back. */
  readonly signal: AbortSignal;
}

const MOST_REMEMBERED = 2_000;

/** A set of ids that forgets the oldest beyond 2,000. */
export class RememberedIds {
  readonly #ids = new Set<string>();

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  add(id: string): void {
    this.#ids.add(id);
    if (this.#ids.size <= MOST_REMEMBERED) return;
    for (const oldest of this.#ids) {
      this.#ids.delete(oldest);
      break;
    }
  }
}

/** A call that can't be done. Its message tells the agent what to do instead, and holds nothing from outside. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
}
