import type { Api } from '../connection/api.ts';
import type { WebhookRequestView } from '../connection/resources.ts';
import { ContentError, LocalOnlyError } from '../errors.ts';
import type { CallOptions } from '../transport/deadline.ts';
import { located, locatedSync } from '../waiting/call-site.ts';
import { curlOf } from './curl.ts';
import type { Hmac } from './hmac.ts';
import { type SignatureScheme, type Verdict, verifySignature } from './signature.ts';

/** A request that came to a webhook's URL, as a test reads it. */
export interface CapturedRequest {
  /** The id on the server. */
  readonly id: string;
  /** The method, in capitals. */
  readonly method: string;
  /** The path after the capture key, still percent-encoded, `/` at least. */
  readonly path: string;
  /** Without `?`; null where there was none. */
  readonly query: string | null;
  /** Names in lower case, repeats joined by commas. */
  readonly headers: Readonly<Record<string, string>>;
  /** When the server received it, by the server's clock. */
  readonly receivedAt: Date;
  /** The status that the sender was answered with. */
  readonly responseStatus: number;
  /** Exact bytes. Bytes that are no text a local server alone tells: throws a LocalOnlyError elsewhere. */
  readonly rawBody: Uint8Array;
  /**
   * The body as text.
   *
   * @example expect(request.text()).toContain('paid');
   */
  text(): string;
  /**
   * The body as JSON, taken for what the caller says it is. Throws a ContentError with the code `not_json` where it is none.
   *
   * @example const { orderId } = request.json<{ orderId: string }>();
   */
  json<T = unknown>(): T;
  /**
   * The curl command that sends the same request again.
   *
   * @example console.log(request.curl());
   */
  curl(): string;
  /**
   * Forwards it again to where the webhook forwards.
   *
   * @example await request.replay();
   */
  replay(options?: CallOptions): Promise<void>;
  /**
   * Tells whether it was signed with the secret, judged on its exact bytes; if not, whether secret, body or timestamp is wrong.
   *
   * @example expect(request.verify('github', secret)).toEqual({ ok: true });
   */
  verify(scheme: SignatureScheme, secret: string): Verdict;
}

/** `body` is null where the server does not tell it. */
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
    throw new LocalOnlyError('rawBody', 'The body is not text, and the cloud API tells text alone.');
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
    // The caller says what it is, as of any JSON.
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
    const start = text.length > 60 ? `${text.slice(0, 60)}…` : text;
    throw new ContentError('not_json', `The body of ${method} ${path} is no JSON: ${JSON.stringify(start)}.`, {
      hint: contentType === null ? 'It says nothing of its type.' : `It says it is ${contentType}.`,
      cause,
    });
  }
}
