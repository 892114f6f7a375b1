import type { Api } from '../connection/api.ts';
import type { WebhookRequestSummary } from '../connection/resources.ts';
import { sleep } from '../environment.ts';
import type { CallOptions, Deadline } from '../transport/deadline.ts';
import type { Transport } from '../transport/transport.ts';
import { KnownEntries, PAGE_SIZE } from '../waiting/known-entries.ts';
import type { EntrySource } from '../waiting/wait.ts';

const LONGEST_AWAIT_SECONDS = 60;
/**
 * The pauses between two reads of the list on a server without an await endpoint, in milliseconds. Each pause is half
 * as long again as the one before, up to the longest.
 */
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;

/**
 * The captured requests of a webhook since a start. A local server pushes them. The cloud API has only the list, which
 * is read in growing pauses, and less often when less of the rate limit is left.
 */
export class RequestEntries implements EntrySource<WebhookRequestSummary> {
  readonly returned: Set<string>;
  readonly passedOver: Set<string>;
  readonly webhookId: string;
  /** The id of the newest request from before the handle. Null if there was none. */
  readonly start: string | null;
  readonly #api: Api;
  readonly #transport: Pick<Transport, 'paceMs'>;
  readonly #known: KnownEntries<WebhookRequestSummary>;
  readonly #views = new Map<number, RequestEntries>();
  /** The id of the newest request that was seen; an await asks for those after it. */
  #newest: string | null;
  #pauseMs = FIRST_PAUSE_MS;

  constructor(
    api: Api,
    transport: Pick<Transport, 'paceMs'>,
    webhookId: string,
    start: string | null,
    shared?: Pick<RequestEntries, 'returned' | 'passedOver'> & { readonly from: number },
  ) {
    this.#api = api;
    this.#transport = transport;
    this.webhookId = webhookId;
    this.start = start;
    this.returned = shared?.returned ?? new Set();
    this.passedOver = shared?.passedOver ?? new Set();
    this.#newest = start;
    this.#known = new KnownEntries({
      start,
      from: shared?.from ?? null,
      listedOf: (summary) => summary,
      read: (options, isEnough) => this.#read(options, isEnough),
    });
  }

  /** Returns a view of the requests since a time in milliseconds since 1970; returns itself for null. */
  since(time: number | null): RequestEntries {
    if (time === null) return this;
    const known = this.#views.get(time);
    if (known !== undefined) return known;
    const { returned, passedOver, webhookId } = this;
    const shared = { returned, passedOver, from: time };
    const view = new RequestEntries(this.#api, this.#transport, webhookId, null, shared);
    this.#views.set(time, view);
    return view;
  }

  entries(): readonly WebhookRequestSummary[] {
    return this.#known.inOrder();
  }

  refresh(options: CallOptions): Promise<void> {
    return this.#known.refresh(options);
  }

  listed(options: CallOptions): Promise<readonly WebhookRequestSummary[]> {
    return this.#known.listed(options);
  }

  async #read(
    options: CallOptions,
    isEnough: (page: readonly WebhookRequestSummary[]) => boolean,
  ): Promise<WebhookRequestSummary | undefined> {
    let newest: WebhookRequestSummary | undefined;
    for (let page = 1; ; page++) {
      const { items } = await this.#api.listWebhookRequests(this.webhookId, { page, pageSize: PAGE_SIZE }, options);
      newest ??= items[0];
      const fresh = items.filter((one) => this.#known.isOfInterest(one) && this.#known.get(one.id) === undefined);
      for (const summary of fresh) this.#known.add(summary);
      if (fresh.length > 0) this.#pauseMs = FIRST_PAUSE_MS;
      if (isEnough(items)) break;
    }
    if (newest !== undefined && newest.id > (this.#newest ?? '')) this.#newest = newest.id;
    return newest;
  }

  async next(deadline: Deadline): Promise<void> {
    try {
      deadline.signal.throwIfAborted();
      if (await this.#api.hasLocalApi()) await this.#pushed(deadline);
      else await this.#pause(deadline.signal);
    } catch (error) {
      // The wait itself reports its end and the reason.
      if (!deadline.signal.aborted) throw error;
    }
  }

  async #pushed({ leftMs, signal }: Deadline): Promise<void> {
    const timeout = Math.min(LONGEST_AWAIT_SECONDS, Math.max(1, Math.ceil(leftMs / 1_000)));
    const after = this.#newest ?? undefined;
    await this.#api.local.awaitWebhookRequest(this.webhookId, { after, timeout }, { signal });
  }

  async #pause(signal: AbortSignal): Promise<void> {
    await sleep(Math.max(this.#pauseMs, this.#transport.paceMs), signal);
    this.#pauseMs = Math.min(LONGEST_PAUSE_MS, this.#pauseMs * 1.5);
  }
}
