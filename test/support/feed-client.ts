import { once } from 'node:events';
import { type ClientOptions, WebSocket } from 'ws';
import type { FeedEvent } from '../../ui/web/app/ports.ts';

export type { FeedEvent };

/** A subscriber of the feed, and all events it has received. */
export class FeedClient implements AsyncDisposable {
  readonly events: FeedEvent[] = [];
  /** The WebSocket close code. */
  readonly closed: Promise<number>;
  readonly ws: WebSocket;
  #told: () => void = () => {};

  private constructor(ws: WebSocket) {
    this.ws = ws;
    ws.on('message', (data, isBinary) => {
      if (isBinary) throw new Error('not a text frame');
      this.events.push(JSON.parse(data.toString()));
      this.#told();
    });
    ws.on('error', () => {});
    this.closed = new Promise((resolve) => ws.once('close', resolve));
    void this.closed.then(() => this.#told());
  }

  /** Resolves when the subscription is active. `query` has no leading `?`. */
  static async open(
    feedUrl: string,
    query = '',
    protocols: string[] = [],
    options?: ClientOptions,
  ): Promise<FeedClient> {
    const ws = new WebSocket(query === '' ? feedUrl : `${feedUrl}?${query}`, protocols, options);
    const client = new FeedClient(ws);
    await once(ws, 'open');
    return client;
  }

  /** Resolves when the condition holds for the received events. Rejects if the connection ends before. */
  async until(holds: (events: readonly FeedEvent[]) => boolean): Promise<FeedEvent[]> {
    while (!holds(this.events)) {
      if (this.ws.readyState === WebSocket.CLOSED) throw new Error(`closed after ${this.events.length} events`);
      await new Promise<void>((resolve) => {
        this.#told = resolve;
      });
    }
    return this.events;
  }

  /** Resolves when this many events were received. */
  take(count: number): Promise<FeedEvent[]> {
    return this.until((events) => events.length >= count);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.ws.terminate();
    await this.closed;
  }
}

/** Returns the status, the headers and the body that refuse a handshake. */
export async function refused(
  feedUrl: string,
  options: ClientOptions & { readonly protocols?: string[] } = {},
): Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; body: string }> {
  const { protocols = [], ...rest } = options;
  const ws = new WebSocket(feedUrl, protocols, rest);
  return new Promise((resolve, reject) => {
    ws.once('open', () => {
      ws.terminate();
      reject(new Error('it was not refused'));
    });
    ws.on('error', reject);
    ws.once('unexpected-response', (_req, res) => {
      let body = '';
      res.setEncoding('utf8').on('data', (chunk: string) => {
        body += chunk;
      });
      res.once('end', () => resolve({ status: res.statusCode ?? 0, headers: res.headers, body }));
    });
  });
}
