import type { Client } from './client.ts';
import type { CallOptions, Deadline } from './deadline.ts';
import { sleep } from './environment.ts';
import { Frontier } from './frontier.ts';
import type { WebhookRequestSummary } from './resources.ts';
import type { Transport } from './transport.ts';
import type { Source } from './wait.ts';

const PAGE = 50;
const LONGEST_AWAIT_SECONDS = 60;
/** The pauses between two looks where there is nothing to wait at; each half as long again, to this. */
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;

/**
 * The captured requests of a webhook since a start. Pushed by a local server; the cloud API has nothing but the list, which is
 * looked at in growing pauses, and less often the less of the rate limit is left.
 */
export class Requests implements Source<WebhookRequestSummary> {
  readonly returned = new Set<string>();
  readonly passedOver = new Set<string>();
  readonly webhookId: string;
  readonly #client: Client;
  readonly #transport: Transport;
  readonly #start: string | null;
  readonly #frontier: Frontier;
  readonly #known = new Map<string, WebhookRequestSummary>();
  #pauseMs = FIRST_PAUSE_MS;

  constructor(client: Client, transport: Transport, webhookId: string, start: string | null) {
    this.#client = client;
    this.#transport = transport;
    this.#start = start;
    this.#frontier = new Frontier(start);
    this.webhookId = webhookId;
  }

  entries(): readonly WebhookRequestSummary[] {
    return [...this.#known.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  async refresh(options: CallOptions): Promise<void> {
    let newest: WebhookRequestSummary | undefined;
    for (let page = 1; ; page++) {
      const { items } = await this.#client.listWebhookRequests(this.webhookId, { page, pageSize: PAGE }, options);
      newest ??= items[0];
      const fresh = items.filter(({ id }) => this.#frontier.isSince(id) && !this.#known.has(id));
      for (const summary of fresh) this.#known.set(summary.id, summary);
      if (fresh.length > 0) this.#pauseMs = FIRST_PAUSE_MS;
      if (this.#frontier.isReachedBy(items, PAGE)) break;
    }
    this.#frontier.advance(newest, this.#known.values());
  }

  async next(deadline: Deadline): Promise<void> {
    try {
      deadline.signal.throwIfAborted();
      if (await this.#client.hasLocalApi()) await this.#pushed(deadline);
      else await this.#pause(deadline.signal);
    } catch (error) {
      // The wait itself says that it is over, and why.
      if (!deadline.signal.aborted) throw error;
    }
  }

  async #pushed({ leftMs, signal }: Deadline): Promise<void> {
    const timeout = Math.min(LONGEST_AWAIT_SECONDS, Math.max(1, Math.ceil(leftMs / 1_000)));
    const after = this.entries().at(-1)?.id ?? this.#start ?? undefined;
    await this.#client.local.awaitWebhookRequest(this.webhookId, { after, timeout }, { signal });
  }

  async #pause(signal: AbortSignal): Promise<void> {
    await sleep(Math.max(this.#pauseMs, this.#transport.paceMs), signal);
    this.#pauseMs = Math.min(LONGEST_PAUSE_MS, this.#pauseMs * 1.5);
  }
}
