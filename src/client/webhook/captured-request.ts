import { shorten } from '../../text/shorten.ts';
import type { Hmac } from '../../webhooks/hmac.ts';
import type { SignatureScheme } from '../../webhooks/schemes.ts';
import type { Api } from '../connection/api.ts';
import type { WebhookRequestView } from '../connection/resources.ts';
import { ContentError, LocalOnlyError } from '../errors.ts';
import type { CallOptions } from '../transport/deadline.ts';
import { located, locatedSync } from '../waiting/call-site.ts';
import { curlOf } from './curl.ts';
import { type Verdict, verifySignature } from './signature.ts';

/** A request that came to the URL of a webhook. */
export interface CapturedRequest {
  /** The id of the request on the server. */
  readonly id: string;
  /** The HTTP method in upper case. */
  readonly method: string;
  /** The path after the capture key, still percent-encoded; at least `/`. */
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
