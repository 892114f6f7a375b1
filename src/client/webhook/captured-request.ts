import { shorten } from '../../text/shorten.ts';
import type { Hmac, SignatureScheme } from '../../webhooks/schemes.ts';
import type { Api } from '../connection/caller.ts';
import type { WebhookRequestView } from '../connection/resources.ts';
import { ContentError, LocalOnlyError } from '../errors.ts';
import {
  checkFilter,
  each,
  hasText,
  type TextFilter,
  text,
  textOrPattern,
  whyNot,
  writeTextFilter,
} from '../options/check-options.ts';
import type { CallOptions } from '../transport/transport.ts';
import { located, locatedSync } from '../waiting/call-site.ts';
import { curlOf } from './curl.ts';
import { type Verdict, verifySignature } from './signature.ts';

/** A request that came to the URL of a webhook. */
export interface CapturedRequest {
  /** The id of the request on the server. */
  readonly id: string;
  /** The HTTP method in upper case. */
  readonly method: string;
  /** The path after the key, still percent-encoded; at least `/`. */
  readonly path: string;
  /** The query without `?`; null if there was none. */
  readonly query: string | null;
  /** The headers by their lower-case names. Repeated headers are joined by commas. */
  readonly headers: Readonly<Record<string, string>>;
  /** The time of receipt, by the server's clock. */
  readonly receivedAt: Date;
  /** The status of the answer that the sender got. */
  readonly responseStatus: number;
  /** The body, byte for byte. Throws a LocalOnlyError if the body is not text and the server has no local API. */
  readonly rawBody: Uint8Array;
  /**
   * Returns the body as text, decoded as UTF-8. Throws a LocalOnlyError like `rawBody`.
   *
   * @example expect(request.text()).toContain('paid');
   */
  text(): string;
  /**
   * Parses the body as JSON and returns it with the type that the caller names; the type is not checked. Throws a
   * ContentError with the code `not_json` if the body is not JSON.
   *
   * @example const { orderId } = request.json<{ orderId: string }>();
   */
  json<T = unknown>(): T;
  /**
   * Returns the curl command that sends the same request again, for a POSIX shell.
   *
   * @example console.log(request.curl());
   */
  curl(): string;
  /**
   * Sends the request again to the forward URL of the webhook.
   *
   * @example await request.replay();
   */
  replay(options?: CallOptions): Promise<void>;
  /**
   * Verifies the signature of the exact body with a secret. If it is wrong, the verdict says whether the secret, the
   * body, the timestamp or the header is the cause. Throws an OptionError for an unknown scheme or an empty secret.
   *
   * @example expect(request.verify('github', secret)).toEqual({ ok: true });
   */
  verify(scheme: SignatureScheme, secret: string): Verdict;
}

/** Creates a captured request. `body` is null if the server does not return it. */
export function createCapturedRequest(
  view: WebhookRequestView,
  body: Uint8Array | null,
  url: string,
  api: Pick<Api, 'replayWebhookRequest'>,
  hmac: Hmac,
): CapturedRequest {
  const { id, method, path, query, headers } = view;
  const bytes = (): Uint8Array => {
    if (body !== null) return body;
    throw new LocalOnlyError('rawBody', 'The body is not text, and the cloud API returns only text bodies.');
  };
  const text = () => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes());
  const receivedAt = new Date(view.receivedAt);
  return {
    id,
    method,
    path,
    query,
    headers,
    receivedAt,
    responseStatus: view.responseStatus,
    get rawBody() {
      return bytes();
    },
    text: locatedSync(text),
    // The caller names the type of the JSON.
    json: locatedSync(() => jsonOf(text(), view)) as CapturedRequest['json'],
    curl: locatedSync(() => curlOf({ url: sentTo(url, view), method, headers, rawBody: bytes() })),
    replay: located((options?: CallOptions) => api.replayWebhookRequest(id, options)),
    verify: locatedSync((scheme: SignatureScheme, secret: string) =>
      verifySignature({ headers, rawBody: bytes(), receivedAt }, scheme, secret, hmac),
    ),
  };
}

function sentTo(url: string, { path, query }: WebhookRequestView): string {
  return `${url}${path === '/' ? '' : path}${query === null ? '' : `?${query}`}`;
}

function jsonOf(text: string, { method, path, contentType }: WebhookRequestView): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const start = shorten(text, 60);
    throw new ContentError('not_json', `The body of ${method} ${path} is not JSON: ${JSON.stringify(start)}.`, {
      hint: contentType === null ? 'The request has no Content-Type.' : `Its Content-Type is ${contentType}.`,
      cause,
    });
  }
}

/**
 * The filters of a request, all of which must match. A text matches as a part, in any case; a pattern is tested as it
 * is.
 *
 * @example await webhook.waitForRequest({ method: 'POST', path: '/orders' });
 */
export interface RequestFilter {
  /** The HTTP method, in any case. */
  readonly method?: string | undefined;
  /** A filter of the path after the key. */
  readonly path?: TextFilter | undefined;
  /** A filter of the query, without `?`. */
  readonly query?: TextFilter | undefined;
  /** A filter of the body as text. */
  readonly body?: TextFilter | undefined;
  /** A predicate. It must return true or false at once; any other result is an OptionError. */
  readonly where?: ((request: CapturedRequest) => boolean) | undefined;
}

const CHECKS = { method: text, ...each(['path', 'query', 'body'], textOrPattern) };

/** Throws an OptionError for an unknown filter or an invalid value. */
export function checkRequestFilter(filter: RequestFilter): void {
  checkFilter('A request filter', filter, CHECKS, 'path');
}

/**
 * Returns the reasons why a request does not match; none if it matches. `first` stops at the first reason, `every`, for
 * a report, returns all.
 */
export function requestRefusals(
  request: CapturedRequest,
  filter: RequestFilter,
  which: 'first' | 'every' = 'first',
): string[] {
  const { query, body, where } = filter;
  const refusals = listedRefusals(request, filter);
  if (query !== undefined) refusals.push(...textRefusals('query', request.query, query));
  const isReport = which === 'every';
  if (refusals.length > 0 && !isReport) return refusals;
  if (body !== undefined && !hasText([request.text()], body)) refusals.push(`body has no ${writeTextFilter(body)}`);
  const reason = where !== undefined && (isReport || refusals.length === 0) ? whyNot(where, request, which) : null;
  if (reason !== null) refusals.push(reason);
  return refusals;
}

/** Returns the reasons that the list of requests already tells, so that a request that can't match is not fetched. */
export function listedRefusals(
  { method, path }: Pick<CapturedRequest, 'method' | 'path'>,
  filter: RequestFilter,
): string[] {
  const wanted = filter.method?.toUpperCase() ?? method;
  return [
    ...(wanted === method ? [] : [`method is ${method}, not ${wanted}`]),
    ...(filter.path === undefined ? [] : textRefusals('path', path, filter.path)),
  ];
}

function textRefusals(name: string, text: string | null, wanted: TextFilter): string[] {
  if (hasText([text], wanted)) return [];
  return [`${name} has no ${writeTextFilter(wanted)}: it is ${JSON.stringify(text)}`];
}
