import type { Client } from '../client/index.ts';
import type { SeenMail } from '../extract/find.ts';
import type { MailTexts } from '../ports/mail.ts';

/**
 * The context that all tools share: the client of the server, sources of randomness and time, and the ids that waits
 * have returned.
 */
export interface ToolContext {
  /**
   * Finds the server and returns its client. Each call looks again, because an agent often starts before the server.
   */
  client(): Promise<Client>;
  /** Finds what a reader sees of a mail. */
  see(mail: MailTexts): Promise<SeenMail>;
  /** Returns a new random id for a fence. */
  fenceId(): string;
  /** Returns the time in milliseconds since 1970. */
  now(): number;
  /** Returns the monotonic clock in milliseconds. */
  steady(): number;
  /** The messages and requests that waits have returned, so that each returns one only once. */
  readonly returned: RememberedIds;
  /** The ids of the webhooks that an agent created here. */
  readonly made: RememberedIds;
  /** Returns a sentence for an error that the user can correct; null for a bug. */
  explain(error: unknown): string | null;
}

export interface ToolCall {
  readonly toolContext: ToolContext;
  /** Aborts when the agent cancels the call. */
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

/**
 * The error of a call that can't be carried out. Its message tells the agent what to do instead, and quotes no
 * untrusted text.
 */
export class ToolError extends Error {
  override readonly name = 'ToolError';
}

/**
 * A capability that the user allows in addition to the eight tools. `faults` adds the tools that make the server fail
 * on purpose.
 */
export const CAPS = ['faults'] as const;
export type Cap = (typeof CAPS)[number];

/** Parses capabilities with commas between them. If one is not known, returns the first such name as `unknown`. */
export function parseCaps(text: string): { readonly caps: readonly Cap[] } | { readonly unknown: string } {
  const names = text.split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim()]));
  const unknown = names.find((name) => !CAPS.some((cap) => cap === name));
  return unknown === undefined ? { caps: CAPS.filter((cap) => names.includes(cap)) } : { unknown };
}
