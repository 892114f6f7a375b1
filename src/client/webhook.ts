import { locatedAll } from './call-site.ts';
import { type CapturedRequest, createCapturedRequest } from './captured-request.ts';
import { CALL, checkOptions, duration, number, oneOf, text, texts, count as wholeNumber } from './check-options.ts';
import type { Client } from './client.ts';
import type { CallOptions } from './deadline.ts';
import { AmbiguityError, ContentError, OptionError, UnexpectedError, WaitTimeoutError } from './errors.ts';
import { inBrackets, isEmpty, writeFilter } from './message-filter.ts';
import type { Settings } from './options.ts';
import { asIfUnreturned, withPeek } from './peek.ts';
import { checkRequestFilter, listedRefusals, type RequestFilter, requestRefusals } from './request-filter.ts';
import type { Requests } from './requests.ts';
import type { WebhookRequestSummary } from './resources.ts';
import {
  checkWaitOptions,
  checkWindow,
  expectNone,
  PASSED_OVER,
  type Source,
  type Wait,
  type WaitOptions,
  waitFor,
} from './wait.ts';

/** What a webhook answers. */
export interface WebhookResponse {
  /** 200 if left out. */
  readonly status?: number | undefined;
  readonly body?: string | undefined;
  /** In a list any; alone `Content-Type` at most. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** In a list alone: milliseconds before the answer. */
  readonly delayMs?: number | undefined;
  /** In a list alone: the connection is dropped, and nothing answered. */
  readonly drop?: true | undefined;
}

/** A URL that captures every request, with the cursor of a mailbox handle. */
export interface Webhook {
  readonly id: string;
  /** Where the app is to send. */
  readonly url: string;
  /** One response: the answer from now on. A list: the answers of the next requests, one each, which a local server alone has. */
  respond(response: WebhookResponse | readonly WebhookResponse[], options?: CallOptions): Promise<void>;
  /**
   * The one request that matches and no wait has returned, whether it came before the wait or comes during it. A local server
   * pushes it; the cloud API has only a list, which is looked at in growing pauses that respect the rate limit.
   */
  waitForRequest(filter?: RequestFilter, options?: WaitOptions): Promise<CapturedRequest>;
  /** So many, in the order they came. */
  waitForRequests(count: number, filter?: RequestFilter, options?: WaitOptions): Promise<CapturedRequest[]>;
  /** Watches for so many milliseconds that no request comes that matches, nor is there already. */
  expectNoRequest(
    filter: RequestFilter | undefined,
    options: { readonly for: number } & Pick<CallOptions, 'signal'>,
  ): Promise<void>;
  /** All that came and match, also those that waits have returned, in the order they came. */
  requests(filter?: RequestFilter, options?: CallOptions): Promise<CapturedRequest[]>;
  /** Deletes the webhook, where this handle made it. */
  delete(options?: CallOptions): Promise<void>;
}

/** What a handle stands on. */
export interface WebhookParts {
  readonly client: Client;
  readonly settings: Settings;
  readonly requests: Requests;
  readonly url: string;
  /** Whether this handle made it. */
  readonly isOwn: boolean;
}

export function createWebhookHandle({ client, settings, requests, url, isOwn }: WebhookParts): Webhook {
  const { webhookId } = requests;
  const loaded = new Map<string, Promise<CapturedRequest>>();
  const load = ({ id }: WebhookRequestSummary, options: CallOptions): Promise<CapturedRequest> => {
    const known = loaded.get(id);
    if (known !== undefined) return known;
    const made = fetchRequest(client, id, url, options);
    loaded.set(id, made);
    made.catch(() => loaded.delete(id));
    return made;
  };
  const matches = async (entry: WebhookRequestSummary, filter: RequestFilter, options: CallOptions) =>
    listedRefusals(entry, filter).length === 0 && requestRefusals(await load(entry, options), filter).length === 0;
  const everyRefusal = async (entry: WebhookRequestSummary, filter: RequestFilter, options: CallOptions) => {
    try {
      return requestRefusals(await load(entry, options), filter, 'every');
    } catch {
      // Bytes that the cloud does not tell, or no time left: a report is not to fail for want of them.
      return ['what it holds could not be read'];
    }
  };
  const looking = (filter: RequestFilter) => ({
    source: requests,
    load,
    matches: (entry: WebhookRequestSummary, o: CallOptions) => matches(entry, filter, o),
    signal: settings.signal,
  });

  const missed = async (name: string, filter: RequestFilter, timeoutMs: number, options: CallOptions) => {
    const lines = await Promise.all(
      requests.entries().map(async (entry) => {
        if (requests.passedOver.has(entry.id)) return `  ${describe(entry)}: ${PASSED_OVER}`;
        if (requests.returned.has(entry.id)) return `  ${describe(entry)}: an earlier wait returned it`;
        const reasons = (await everyRefusal(entry, filter, options)).join('; ');
        return `  ${describe(entry)}: ${reasons === '' ? 'it matches' : `refused, ${reasons}`}`;
      }),
    );
    const came = lines.length === 0 ? 'Since the handle was made it got nothing.' : 'Since the handle was made it got:';
    const head = `No request to ${url} within ${timeoutMs} ms ${isEmpty(filter) ? 'came' : `matched ${writeFilter(filter)}`} (${name}).`;
    return new WaitTimeoutError('no_request', [head, came, ...lines.slice(-10)].join('\n'), {
      hint: `Does the app send to this URL? client.listWebhookRequests('${webhookId}') has all that came.`,
    });
  };
  const wait = async <Result>(
    name: string,
    count: number,
    filter: RequestFilter,
    options: WaitOptions,
    take: Wait<WebhookRequestSummary, CapturedRequest, Result>['take'],
    source: Source<WebhookRequestSummary> = requests,
  ): Promise<Result> => {
    checkRequestFilter(filter);
    checkWaitOptions(name, options);
    const timeoutMs = options.timeout ?? settings.timeoutMs;
    return waitFor({
      ...looking(filter),
      source,
      count,
      options,
      timeoutMs,
      take,
      several: (found) =>
        new AmbiguityError(
          'several_requests',
          `${found.length} new requests match, where ${count} ${count === 1 ? 'was' : 'were'} waited for${inBrackets(filter)}:`,
          found.map(describe),
          { hint: "Narrow the filter, or say which is meant: { pick: 'newest' } or { pick: 'oldest' }." },
        ),
      missed: (o) => missed(name, filter, timeoutMs, o),
    });
  };

  const calls = {
    respond: async (response: WebhookResponse | readonly WebhookResponse[], options?: CallOptions): Promise<void> => {
      checkResponses(response);
      if (isList(response)) await client.local.setResponses(webhookId, response, options);
      else await client.updateWebhook(webhookId, standing(response), options);
    },
    waitForRequest: (filter: RequestFilter = {}, options: WaitOptions = {}) =>
      wait('waitForRequest', 1, filter, options, only),
    waitForRequests: async (count: number, filter: RequestFilter = {}, options: WaitOptions = {}) => {
      wholeNumber('count', count);
      return wait('waitForRequests', count, filter, options, (found) => [...found]);
    },
    expectNoRequest: async (
      filter: RequestFilter = {},
      options: { for: number } & Pick<CallOptions, 'signal'>,
    ): Promise<void> => {
      checkRequestFilter(filter);
      checkWindow('expectNoRequest', options);
      await expectNone({
        ...looking(filter),
        options: { signal: options.signal },
        timeoutMs: options.for,
        unexpected: (found) =>
          new UnexpectedError(
            'unexpected_request',
            `No request was to come to ${url}${inBrackets(filter)}, but there is:\n${found.map((one) => `  ${describe(one)}`).join('\n')}`,
          ),
      });
    },
    requests: async (filter: RequestFilter = {}, options: CallOptions = {}): Promise<CapturedRequest[]> => {
      checkRequestFilter(filter);
      checkOptions('The last argument of requests', options, CALL);
      await requests.refresh(options);
      const found = await Promise.all(
        requests
          .entries()
          .map(async (entry) => ((await matches(entry, filter, options)) ? load(entry, options) : null)),
      );
      return found.filter((request) => request !== null);
    },
    delete: async (options: CallOptions = {}): Promise<void> => {
      checkOptions('The last argument of delete', options, CALL);
      if (isOwn) await client.deleteWebhook(webhookId, options);
    },
  };
  const handle: Webhook = { id: webhookId, url, ...locatedAll(calls) };
  return withPeek(handle, async (filter: RequestFilter, options) => {
    checkOptions('What toHaveReceived is given after the filter', options, CALL);
    return wait('toHaveReceived', 1, filter, { ...options, pick: 'oldest' }, () => {}, asIfUnreturned(requests));
  });
}

async function fetchRequest(client: Client, id: string, url: string, options: CallOptions): Promise<CapturedRequest> {
  const view = await client.getWebhookRequest(id, options);
  return createCapturedRequest(view, await bodyOf(client, view, options), url, client);
}

async function bodyOf(
  client: Client,
  {
    id,
    sizeBytes,
    bodyIsText,
    bodyText,
  }: { id: string; sizeBytes: number; bodyIsText: boolean; bodyText: string | null },
  options: CallOptions,
): Promise<Uint8Array | null> {
  if (sizeBytes === 0) return new Uint8Array();
  if (await client.hasLocalApi()) return client.local.getWebhookRequestBody(id, options);
  return bodyIsText && bodyText !== null ? new TextEncoder().encode(bodyText) : null;
}

function isList(response: WebhookResponse | readonly WebhookResponse[]): response is readonly WebhookResponse[] {
  return Array.isArray(response);
}

const RESPONSE = { status: number, body: text, headers: texts, delayMs: duration, drop: oneOf(true) };

function checkResponses(response: WebhookResponse | readonly WebhookResponse[]): void {
  for (const one of isList(response) ? response : [response])
    checkOptions('A response', one, RESPONSE, 'Write respond({ status: 500 }), or a list of such.');
}

function standing(response: WebhookResponse) {
  const { status = 200, body = '', headers = {}, delayMs, drop } = response;
  const types = Object.entries(headers).filter(([name]) => name.toLowerCase() === 'content-type');
  if (delayMs !== undefined || drop !== undefined || types.length < Object.keys(headers).length)
    throw new OptionError(
      'An answer that stays has a status, a body and a Content-Type.',
      'In a list, for the next requests, one can have more: respond([{ status: 500, delayMs: 100 }]).',
    );
  const [type] = types;
  return { responseStatus: status, responseBody: body, ...(type && { responseContentType: type[1] }) };
}

function only(found: readonly CapturedRequest[]): CapturedRequest {
  const [request] = found;
  if (request === undefined) throw new ContentError('no_request', 'a wait for one request returned none');
  return request;
}

function describe({
  id,
  method,
  path,
  receivedAt,
}: Pick<CapturedRequest | WebhookRequestSummary, 'id' | 'method' | 'path' | 'receivedAt'>): string {
  return `${new Date(receivedAt).toISOString()} ${method} ${path} (${id})`;
}
