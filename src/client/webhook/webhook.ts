import type { Api } from '../connection/api.ts';
import type { WebhookRequestSummary } from '../connection/resources.ts';
import {
  AmbiguityError,
  ContentError,
  OptionError,
  RefusedError,
  UnexpectedError,
  WaitTimeoutError,
} from '../errors.ts';
import { CALL, checkOptions, duration, number, oneOf, text, texts } from '../options/check-options.ts';
import type { Settings } from '../options/options.ts';
import { inBrackets, isEmpty, writeFilter } from '../options/write-filter.ts';
import type { CallOptions } from '../transport/deadline.ts';
import { locatedAll } from '../waiting/call-site.ts';
import { pageOf } from '../waiting/page.ts';
import { withPeek } from '../waiting/peek.ts';
import { PASSED_OVER, type WaitOptions } from '../waiting/wait.ts';
import { createWaits, type LookOptions, type Missed, type WatchOptions } from '../waiting/waits.ts';
import { type CapturedRequest, createCapturedRequest } from './captured-request.ts';
import { loadHmac } from './load-hmac.ts';
import { checkRequestFilter, listedRefusals, type RequestFilter, requestRefusals } from './request-filter.ts';
import type { RequestEntries } from './requests.ts';

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
export interface WebhookParts {
  readonly api: Api;
  readonly settings: Settings;
  readonly requests: RequestEntries;
  readonly url: string;
  /** `true` if this handle created the webhook. */
  readonly isOwn: boolean;
}

export function createWebhookHandle({ api, settings, requests, url, isOwn }: WebhookParts): Webhook {
  const { webhookId } = requests;
  const loaded = new Map<string, Promise<CapturedRequest | null>>();
  /** Loads a request. Null means that it was deleted, or made room for newer ones. */
  const load = ({ id }: WebhookRequestSummary, options: CallOptions): Promise<CapturedRequest | null> => {
    const known = loaded.get(id);
    if (known !== undefined) return known;
    const made = fetchRequest(api, id, url, options);
    loaded.set(id, made);
    made.catch(() => loaded.delete(id));
    return made;
  };

  const waits = createWaits<WebhookRequestSummary, CapturedRequest, RequestFilter>({
    timeoutMs: settings.timeoutMs,
    signal: settings.signal,
    check: checkRequestFilter,
    source: (_filter, since) => requests.since(since),
    matches: async (entry, filter, options) => {
      if (listedRefusals(entry, filter).length > 0) return false;
      const request = await load(entry, options);
      return request !== null && requestRefusals(request, filter).length === 0;
    },
    load: async (entry, options) => {
      const request = await load(entry, options);
      if (request === null)
        throw new ContentError('not_found', `The request ${entry.id} was removed while it was read.`);
      return request;
    },
    several: severalRequests,
    unexpected: (filter, found) => unexpectedRequests(url, filter, found),
    missed: async (missed, options) =>
      noRequest(requests, url, missed, load, await trimmedSince(api, requests, options).catch(() => 0), options, api),
  });

  const calls: Omit<Webhook, 'id' | 'url'> = {
    respond: async (response, options) => {
      checkResponses(response);
      if (isList(response)) await api.local.setResponses(webhookId, response, options);
      else await api.updateWebhook(webhookId, standing(response), options);
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
  return withPeek(handle, waits.peek);
}

/** Builds the error of a wait without a request: what came, why it did not match, and where to look. */
async function noRequest(
  requests: RequestEntries,
  url: string,
  { name, filter, timeoutMs }: Missed<RequestFilter>,
  load: (entry: WebhookRequestSummary, options: CallOptions) => Promise<CapturedRequest | null>,
  trimmed: number,
  options: CallOptions,
  api: Api,
): Promise<WaitTimeoutError> {
  const lines = await Promise.all(
    requests.entries().map(async (entry) => {
      if (requests.passedOver.has(entry.id)) return `  ${describe(entry)}: ${PASSED_OVER}`;
      if (requests.returned.has(entry.id)) return `  ${describe(entry)}: an earlier wait returned it`;
      const reasons = (await everyRefusal(() => load(entry, options), filter)).join('; ');
      return `  ${describe(entry)}: ${reasons === '' ? 'it matches' : `refused, ${reasons}`}`;
    }),
  );
  const came = lines.length === 0 ? 'The handle has received nothing.' : 'The handle has received:';
  const head = `No request to ${url} within ${timeoutMs} ms ${isEmpty(filter) ? 'came' : `matched ${writeFilter(filter)}`} (${name}).`;
  const gone = trimmed === 0 ? [] : [`${saidTrimmed(trimmed)} The awaited one may be among them.`];
  const sections = [head, came, ...lines.slice(-10), ...gone, 'Does the app send to this URL?'];
  return new WaitTimeoutError('no_request', sections.join('\n'), { hint: await whereToLook(api, requests) });
}

async function whereToLook(api: Api, { webhookId }: RequestEntries): Promise<string> {
  const list = `client.listWebhookRequests('${webhookId}')`;
  const page = await pageOf(api, 'webhooks', webhookId);
  return page === null ? `${list} lists all requests.` : `Look at all requests at ${page} or list them with ${list}.`;
}

/** Returns the number of requests that made room for newer ones, if one of them came since the handle was made. */
async function trimmedSince(api: Api, { webhookId, start }: RequestEntries, options: CallOptions): Promise<number> {
  if (!(await api.hasLocalApi())) return 0;
  const { trimmed = null } = await api.local.getWebhook(webhookId, options);
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

async function everyRefusal(load: () => Promise<CapturedRequest | null>, filter: RequestFilter): Promise<string[]> {
  try {
    const request = await load();
    return request === null ? ['it was removed'] : requestRefusals(request, filter, 'every');
  } catch {
    // The cloud may not return the body, or no time may be left. A report must not fail because of that.
    return ['its content could not be read'];
  }
}

async function fetchRequest(api: Api, id: string, url: string, options: CallOptions): Promise<CapturedRequest | null> {
  try {
    const view = await api.getWebhookRequest(id, options);
    return createCapturedRequest(view, await bodyOf(api, view, options), url, api, await loadHmac());
  } catch (error) {
    if (error instanceof RefusedError && error.code === 'not_found') return null;
    throw error;
  }
}

async function bodyOf(
  api: Api,
  {
    id,
    sizeBytes,
    bodyIsText,
    bodyText,
  }: { id: string; sizeBytes: number; bodyIsText: boolean; bodyText: string | null },
  options: CallOptions,
): Promise<Uint8Array | null> {
  if (sizeBytes === 0) return new Uint8Array();
  if (await api.hasLocalApi()) return api.local.getWebhookRequestBody(id, options);
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

function standing(response: WebhookResponse) {
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

function severalRequests(count: number, filter: RequestFilter, found: readonly CapturedRequest[]): AmbiguityError {
  const wanted = count === 1 ? 'one' : `${count} of them`;
  return new AmbiguityError(
    'several_requests',
    `${found.length} new requests match, but the wait is for ${wanted}${inBrackets(filter)}:`,
    found.map(describe),
    { hint: "Narrow the filter, or choose with { pick: 'newest' } or { pick: 'oldest' }." },
  );
}

function unexpectedRequests(url: string, filter: RequestFilter, found: readonly CapturedRequest[]): UnexpectedError {
  const lines = found.map((request) => `  ${describe(request)}`).join('\n');
  return new UnexpectedError(
    'unexpected_request',
    `Expected no request to ${url}${inBrackets(filter)}, but there is:\n${lines}`,
  );
}

function describe({
  id,
  method,
  path,
  receivedAt,
}: Pick<CapturedRequest | WebhookRequestSummary, 'id' | 'method' | 'path' | 'receivedAt'>): string {
  return `${new Date(receivedAt).toISOString()} ${method} ${path} (${id})`;
}
