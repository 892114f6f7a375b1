import type { Api } from '../connection/caller.ts';
import type { WebhookRequestSummary, WebhookRequestView } from '../connection/resources.ts';
import { apiTime, randomName, sleep } from '../environment.ts';
import { isRefusedAs, MailcapError, OptionError, UnexpectedError, WaitTimeoutError } from '../errors.ts';
import {
  CALL,
  checkOptions,
  duration,
  filledText,
  isEmpty,
  number,
  oneOf,
  text,
  texts,
  writeFilter,
} from '../options/check-options.ts';
import type { Settings } from '../options/options.ts';
import type { CallOptions, Deadline, Transport } from '../transport/transport.ts';
import { locatedAll } from '../waiting/call-site.ts';
import { KnownEntries, loadingOnce, PAGE_SIZE, type SharedByViews } from '../waiting/known-entries.ts';
import {
  type AskedWait,
  createWaits,
  type LookOptions,
  reasonAgainst,
  sinceOf,
  type WaitOptions,
  type WatchOptions,
  whereToLook,
  withNonConsumingWait,
} from '../waiting/wait.ts';
import {
  type CapturedRequest,
  checkRequestFilter,
  createCapturedRequest,
  listedRefusals,
  type RequestFilter,
  requestRefusals,
} from './captured-request.ts';
import { loadHmac } from './signature.ts';

/** The options of `client.webhook()`. */
export interface WebhookOptions extends CallOptions {
  /**
   * An existing webhook, by its id; a new webhook if left out. Requests from before the handle count only if a wait
   * says `since`.
   */
  readonly webhook?: string | undefined;
  /** The name of a new webhook; `'test'` if left out. A random suffix follows it. */
  readonly name?: string | undefined;
}

const OPTIONS = { ...CALL, webhook: filledText, name: text };

/** Opens a handle of a new webhook, or of an existing one. */
export async function openWebhook(
  api: Api,
  settings: Settings,
  transport: Transport,
  options: WebhookOptions,
): Promise<Webhook> {
  checkOptions('The argument of webhook()', options, OPTIONS, 'An id, as text, or { name: "orders" }.');
  const { webhook: wanted, name = 'test', timeout, signal } = options;
  const call = { timeout, signal };
  const base = await webhookBaseUrlOf(api, call);
  const isOwn = wanted === undefined;
  const webhook = isOwn
    ? await api.createWebhook({ name: `${name} ${randomName(8)}` }, call)
    : await api.getWebhook(wanted, call);
  const newest = isOwn ? undefined : (await api.listWebhookRequests(webhook.id, { pageSize: 1 }, call)).items[0];
  const requests = new RequestEntries(api, transport, webhook.id, newest?.id ?? null);
  return createWebhookHandle({ api, settings, requests, url: `${base}/${webhook.key}`, isOwn });
}

async function webhookBaseUrlOf(api: Api, options: CallOptions): Promise<string> {
  const { webhookBaseUrl } = await api.server();
  if (webhookBaseUrl !== null) return webhookBaseUrl;
  if (await api.hasLocalApi()) return (await api.local.getInfo(options)).webhookBaseUrl;
  throw new MailcapError('unknown_webhook_base_url', 'The base URL of the webhooks is unknown.', {
    hint: 'Set MAILCAP_WEBHOOK_BASE_URL, or give createClient a webhookBaseUrl.',
  });
}

/** The answer of a webhook. */
export interface WebhookResponse {
  /** The HTTP status; 200 if left out. */
  readonly status?: number | undefined;
  /** The body; empty if left out. */
  readonly body?: string | undefined;
  /** The headers. A list of answers allows any; a single answer allows only `Content-Type`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The delay before the answer, in milliseconds; 0 if left out. It is allowed only in a list of answers. */
  readonly delayMs?: number | undefined;
  /** Drops the connection without an answer. It is allowed only in a list of answers. */
  readonly drop?: true | undefined;
}

/** A handle of a URL that captures every request. Its waits work like those of a mailbox. */
export interface Webhook {
  /** The id of the webhook. */
  readonly id: string;
  /**
   * The URL that the app sends to. Sub-paths and queries are captured too.
   *
   * @example await app.configure({ callbackUrl: webhook.url });
   */
  readonly url: string;
  /**
   * Sets the answer to all later requests. A list sets the answers to the next requests, one each. Throws an
   * OptionError for an invalid answer, and a LocalOnlyError for a list if the server has no local API.
   *
   * @example await webhook.respond([{ status: 500 }, { drop: true }, { status: 200 }]);
   */
  respond(response: WebhookResponse | readonly WebhookResponse[], options?: CallOptions): Promise<void>;
  /**
   * Waits for the one request that matches and that no wait has returned. A request from before the wait counts too. A
   * local server pushes it. The cloud API has only a list, which the client reads in growing pauses within the rate
   * limit. Throws a WaitTimeoutError if none came within `timeout` (10,000 ms by default), and an AmbiguityError if
   * several match.
   *
   * @example const request = await webhook.waitForRequest({ path: '/orders' });
   */
  waitForRequest(filter?: RequestFilter, options?: WaitOptions): Promise<CapturedRequest>;
  /**
   * Waits for `count` requests and returns them in the order they came. It waits and throws like
   * {@link waitForRequest}.
   *
   * @example const attempts = await webhook.waitForRequests(3);
   */
  waitForRequests(count: number, filter?: RequestFilter, options?: WaitOptions): Promise<CapturedRequest[]>;
  /**
   * Watches for `for` milliseconds, and resolves if no matching request comes. A request that came before and that no
   * wait has returned counts too. Throws an UnexpectedError as soon as one matches.
   *
   * @example await webhook.expectNoRequest({ path: '/refunds' }, { for: 1_000 });
   */
  expectNoRequest(filter: RequestFilter | undefined, options: WatchOptions): Promise<void>;
  /**
   * Lists all requests that match and that the webhook holds now, oldest first. Requests that a wait has returned are
   * included. The list starts at the start of the handle, or at `since`.
   *
   * @example expect(await webhook.requests({ method: 'POST' })).toHaveLength(1);
   */
  requests(filter?: RequestFilter, options?: LookOptions): Promise<CapturedRequest[]>;
  /**
   * Deletes the webhook, if this handle created it. A fixture calls it when its test ends.
   *
   * @example await webhook.delete();
   */
  delete(options?: CallOptions): Promise<void>;
}

/** The parts that a webhook handle is made of. */
interface WebhookParts {
  readonly api: Api;
  readonly settings: Settings;
  readonly requests: RequestEntries;
  readonly url: string;
  /** `true` if this handle created the webhook. */
  readonly isOwn: boolean;
}

function createWebhookHandle({ api, settings, requests, url, isOwn }: WebhookParts): Webhook {
  const { webhookId } = requests;
  /** Loads a request. Null means that it was deleted, or made room for newer ones. */
  const load = loadingOnce(({ id }: WebhookRequestSummary, options) => fetchRequest(api, id, url, options));

  const waits = createWaits<WebhookRequestSummary, CapturedRequest, RequestFilter>({
    noun: 'request',
    place: url,
    timeoutMs: settings.timeoutMs,
    signal: settings.signal,
    check: checkRequestFilter,
    source: (since) => requests.since(since),
    next: ({ options }, deadline) => requests.since(sinceOf(options)).next(deadline),
    matches: async (entry, filter, options) => {
      if (listedRefusals(entry, filter).length > 0) return false;
      const request = await load(entry, options);
      return request !== null && requestRefusals(request, filter).length === 0;
    },
    load,
    describe,
    missed: async (missed, options) =>
      noRequest(requests, url, missed, load, await trimmedSince(api, requests, options).catch(() => 0), options, api),
  });

  const calls: Omit<Webhook, 'id' | 'url'> = {
    respond: async (response, options) => {
      checkResponses(response);
      if (isList(response)) await api.local.setResponses(webhookId, response, options);
      else await api.updateWebhook(webhookId, toUpdateDto(response), options);
    },
    waitForRequest: (filter, options) => waits.one('waitForRequest', filter, options, (request) => request),
    waitForRequests: (count, filter, options) => waits.many('waitForRequests', count, filter, options),
    expectNoRequest: async (filter, options) => {
      await waits.none('expectNoRequest', filter, options);
      const trimmed = await trimmedSince(api, requests, { signal: options.signal });
      if (trimmed > 0) throw trimmedRequests(url, trimmed);
    },
    requests: (filter, options) => waits.all('requests', filter, options),
    delete: async (options = {}) => {
      checkOptions('The last argument of delete', options, CALL);
      if (isOwn) await api.deleteWebhook(webhookId, options);
    },
  };
  const handle: Webhook = { id: webhookId, url, ...locatedAll(calls) };
  return withNonConsumingWait(handle, waits.peek);
}

/** Builds the error of a wait without a request: what came, why it did not match, and where to look. */
async function noRequest(
  requests: RequestEntries,
  url: string,
  { name, filter, timeoutMs }: AskedWait<RequestFilter>,
  load: (entry: WebhookRequestSummary, options: CallOptions) => Promise<CapturedRequest | null>,
  trimmed: number,
  options: CallOptions,
  api: Api,
): Promise<WaitTimeoutError> {
  const lines = await Promise.all(
    requests.entries().map(async (entry) => {
      const reason = await reasonAgainst(requests, entry.id, () =>
        // The cloud may not return the body, or no time may be left. A report must not fail because of that.
        everyRefusal(load(entry, options), filter).catch(() => ['its content could not be read']),
      );
      return `  ${describe(entry)}: ${reason ?? 'it matches'}`;
    }),
  );
  const came = lines.length === 0 ? 'The handle has received nothing.' : 'The handle has received:';
  const head = `No request to ${url} within ${timeoutMs} ms ${isEmpty(filter) ? 'came' : `matched ${writeFilter(filter)}`} (${name}).`;
  const gone = trimmed === 0 ? [] : [`${saidTrimmed(trimmed)} The awaited one may be among them.`];
  const sections = [head, came, ...lines.slice(-10), ...gone, 'Does the app send to this URL?'];
  const { webhookId } = requests;
  const hint = await whereToLook(api, 'webhooks', webhookId, `client.listWebhookRequests('${webhookId}')`);
  return new WaitTimeoutError('no_request', sections.join('\n'), { hint });
}

/** Returns the number of requests that made room for newer ones, if one of them came since the handle was made. */
async function trimmedSince(api: Api, { webhookId, start }: RequestEntries, options: CallOptions): Promise<number> {
  if (!(await api.hasLocalApi())) return 0;
  const { trimmed = null } = await api.local.getWebhookOf(webhookId, options);
  return trimmed === null || trimmed.upTo <= (start ?? '') ? 0 : trimmed.count;
}

function saidTrimmed(count: number): string {
  return `The server has removed ${count} of the requests, the oldest ones, to keep its --capture-quota.`;
}

function trimmedRequests(url: string, count: number): UnexpectedError {
  return new UnexpectedError(
    'requests_trimmed',
    `Expected no request to ${url}, but nobody can tell. ${saidTrimmed(count)} One of them may have matched.`,
  );
}

async function everyRefusal(loaded: Promise<CapturedRequest | null>, filter: RequestFilter): Promise<string[]> {
  const request = await loaded;
  return request === null ? ['it was removed'] : requestRefusals(request, filter, 'every');
}

async function fetchRequest(api: Api, id: string, url: string, options: CallOptions): Promise<CapturedRequest | null> {
  try {
    const view = await api.getCapturedRequest(id, options);
    return createCapturedRequest(view, await bodyOf(api, view, options), url, api, await loadHmac());
  } catch (error) {
    if (isRefusedAs(error, 'not_found')) return null;
    throw error;
  }
}

async function bodyOf(
  api: Api,
  { id, sizeBytes, bodyIsText, bodyText }: WebhookRequestView,
  options: CallOptions,
): Promise<Uint8Array | null> {
  if (sizeBytes === 0) return new Uint8Array();
  if (await api.hasLocalApi()) return api.local.getRequestBody(id, options);
  return bodyIsText && bodyText !== null ? new TextEncoder().encode(bodyText) : null;
}

function isList(response: WebhookResponse | readonly WebhookResponse[]): response is readonly WebhookResponse[] {
  return Array.isArray(response);
}

const RESPONSE = { status: number, body: text, headers: texts, delayMs: duration, drop: oneOf(true) };

function checkResponses(response: WebhookResponse | readonly WebhookResponse[]): void {
  for (const one of isList(response) ? response : [response])
    checkOptions('A response', one, RESPONSE, 'Write respond({ status: 500 }), or pass a list of answers.');
}

function toUpdateDto(response: WebhookResponse) {
  const { status = 200, body = '', headers = {}, delayMs, drop } = response;
  const types = Object.entries(headers).filter(([name]) => name.toLowerCase() === 'content-type');
  if (delayMs !== undefined || drop !== undefined || types.length < Object.keys(headers).length)
    throw new OptionError(
      'A permanent answer can have only a status, a body and a Content-Type.',
      'An answer in a list, which is used once, can have more: respond([{ status: 500, delayMs: 100 }]).',
    );
  const [type] = types;
  return { responseStatus: status, responseBody: body, ...(type && { responseContentType: type[1] }) };
}

type Described = Pick<CapturedRequest | WebhookRequestSummary, 'id' | 'method' | 'path' | 'receivedAt'>;

function describe({ id, method, path, receivedAt }: Described): string {
  return `${apiTime(new Date(receivedAt))} ${method} ${path} (${id})`;
}

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
class RequestEntries extends KnownEntries<WebhookRequestSummary, WebhookRequestSummary, RequestEntries> {
  readonly webhookId: string;
  /** The id of the newest request from before the handle. Null if there was none. */
  readonly start: string | null;
  readonly #api: Api;
  readonly #transport: Pick<Transport, 'paceMs'>;
  #pauseMs = FIRST_PAUSE_MS;

  constructor(
    api: Api,
    transport: Pick<Transport, 'paceMs'>,
    webhookId: string,
    start: string | null,
    view?: SharedByViews & { readonly from: number },
  ) {
    super(start, view);
    this.#api = api;
    this.#transport = transport;
    this.webhookId = webhookId;
    this.start = start;
  }

  protected override viewSince(time: number): RequestEntries {
    const { returned, passedOver, webhookId } = this;
    return new RequestEntries(this.#api, this.#transport, webhookId, null, { returned, passedOver, from: time });
  }

  protected override async page(page: number, _before: string | undefined, options: CallOptions) {
    return (await this.#api.listWebhookRequests(this.webhookId, { page, pageSize: PAGE_SIZE }, options)).items;
  }

  protected override entryOf(summary: WebhookRequestSummary): WebhookRequestSummary {
    this.#pauseMs = FIRST_PAUSE_MS;
    return summary;
  }

  /** Resolves when there may be a new request, or when the deadline is over. */
  async next({ awaitSeconds: timeout, signal }: Deadline): Promise<void> {
    signal.throwIfAborted();
    const after = this.newestSeen ?? undefined;
    if (await this.#api.hasLocalApi())
      await this.#api.local.awaitRequest(this.webhookId, { after, timeout }, { signal });
    else await this.#pause(signal);
  }

  async #pause(signal: AbortSignal): Promise<void> {
    await sleep(Math.max(this.#pauseMs, this.#transport.paceMs), signal);
    this.#pauseMs = Math.min(LONGEST_PAUSE_MS, this.#pauseMs * 1.5);
  }
}
