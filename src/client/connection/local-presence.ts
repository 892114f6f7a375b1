import { LocalOnlyError, MailcapError, RefusedError } from '../errors.ts';
import type { CallOptions } from '../transport/deadline.ts';
import { replyText } from '../transport/reply.ts';
import type { Transport } from '../transport/transport.ts';
import type { LocalApi } from './local-api.ts';

/**
 * Finds out whether the server has a local API, and asks only once. Throws a NoServerError if the server can't be
 * reached.
 */
export class LocalPresence {
  readonly #transport: Transport;
  #answer: Promise<boolean> | null = null;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  isThere(options?: CallOptions): Promise<boolean> {
    this.#answer ??= this.#ask(options).catch((error: unknown) => {
      this.#answer = null;
      throw error;
    });
    return this.#answer;
  }

  /**
   * Wraps the calls of the local API. A wrapped call throws a LocalOnlyError if the server has no local API, even if
   * its arguments are invalid.
   */
  guard(api: LocalApi): LocalApi {
    const calls = Object.entries(api).map(([name, call]: [string, (...args: unknown[]) => Promise<unknown>]) => [
      name,
      async (...args: unknown[]) => {
        if (!(await this.isThere())) throw new LocalOnlyError(`local.${name}`);
        return call(...args);
      },
    ]);
    // Each entry keeps its name and its type.
    return Object.fromEntries(calls) as LocalApi;
  }

  async #ask(options?: CallOptions): Promise<boolean> {
    try {
      const reply = await this.#transport.send({
        name: 'local.health',
        method: 'GET',
        path: '/_mailcap/health',
        options,
      });
      return isHealth(replyText(reply));
    } catch (error) {
      if (!(error instanceof MailcapError) || error.status === null) throw error;
      // The local API is there, but the server is starting, fails its health check or refuses this caller. The calls
      // report that.
      return (
        error.code === 'starting' ||
        error.code === 'forbidden' ||
        (error instanceof RefusedError && tellsHealth(error.extra))
      );
    }
  }
}

function isHealth(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && tellsHealth(value);
  } catch {
    return false;
  }
}

function tellsHealth(body: object): boolean {
  return 'status' in body && 'version' in body;
}
