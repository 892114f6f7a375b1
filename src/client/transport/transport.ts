import { ON_LOOPBACK, TOOL_HEADER } from '../../text/tool-header.ts';
import { errorCode, isObject, jsonOrNull } from '../../text/unknown.ts';
import { after, chance, now, sleep, steady, uniqueKey } from '../environment.ts';
import { MailcapError, type MailcapErrorCode, NoServerError, RefusedError, TimeoutError } from '../errors.ts';
import type { Settings } from '../options/options.ts';

/** The options of every call. */
export interface CallOptions {
  /**
   * The longest time the call may take, in milliseconds, retries and pauses after a 429 included. Default: the client's
   * `timeout`, which is 10,000.
   */
  readonly timeout?: number | undefined;
  /** Aborts the call with the signal's reason. Without it, only the client's own signal aborts the call. */
  readonly signal?: AbortSignal | undefined;
}

/** The reason with which a deadline's signal aborts when its time is up. */
export const TIME_IS_UP = Symbol('time is up');

/** The longest time that the server holds an await, in seconds. A longer wait makes one await after another. */
export const LONGEST_AWAIT_SECONDS = 60;

/**
 * A deadline after `timeoutMs` milliseconds. Its signal aborts when the time is up, or when one of the given signals
 * aborts.
 */
export class Deadline {
  readonly timeoutMs: number;
  readonly #controller = new AbortController();
  readonly #startedAt = steady();
  readonly #undo: (() => void)[] = [];

  constructor(timeoutMs: number, signals: readonly (AbortSignal | undefined)[]) {
    this.timeoutMs = timeoutMs;
    // A timer can't be set further ahead than this, about 25 days.
    if (timeoutMs <= 0x7fffffff) this.#undo.push(after(timeoutMs, () => this.#controller.abort(TIME_IS_UP)));
    for (const signal of signals) {
      if (signal === undefined) continue;
      const abort = () => this.#controller.abort(signal.reason);
      if (signal.aborted) abort();
      else signal.addEventListener('abort', abort, { once: true });
      this.#undo.push(() => signal.removeEventListener('abort', abort));
    }
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get isOver(): boolean {
    return this.signal.reason === TIME_IS_UP;
  }

  /** The time left in milliseconds, 0 at least. */
  get leftMs(): number {
    return Math.max(0, this.timeoutMs - (steady() - this.#startedAt));
  }

  /** The time in seconds for which the server shall hold the next await. It takes whole seconds, from 1 on. */
  get awaitSeconds(): number {
    return Math.min(LONGEST_AWAIT_SECONDS, Math.max(1, Math.ceil(this.leftMs / 1_000)));
  }

  dispose(): void {
    for (const undo of this.#undo) undo();
  }
}

/** The server that the calls go to, with what is known about it without a request. */
export interface Server {
  /** The base URL of the server, `{base_url}`. */
  readonly url: string;
  /** The API key; null if it is unknown. */
  readonly apiKey: string | null;
  /** The admin token of the local API; null if it is unknown. */
  readonly adminToken: string | null;
  /** The id of the key's workspace; null if it is unknown. */
  readonly workspaceId: string | null;
  /** The domain of all mailbox addresses; null if it is unknown. */
  readonly mailDomain: string | null;
  /** The URL that all webhook URLs begin with; null if it is unknown. */
  readonly webhookBaseUrl: string | null;
}

/** A request of one of the two APIs. */
export interface Call {
  /** The name of the call in the client: `getMessage`, `local.reset`. */
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path, beginning with `/v1` or `/_mailcap`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>> | undefined;
  readonly json?: unknown;
  readonly body?: Uint8Array | string | undefined;
  /** A note of a wait, as the value of a header. */
  readonly note?: string | null | undefined;
  /** The time that the server itself may hold the request, in milliseconds. It is added to the timeout of the call. */
  readonly heldMs?: number | undefined;
  readonly options?: CallOptions | undefined;
}

/** The headers of an answer. */
type ReplyHeaders = Pick<Headers, 'get'>;

/** Bytes in memory of their own: `Uint8Array<ArrayBuffer>`, which TypeScript before 5.7 calls `Uint8Array`. */
export type Bytes = ReturnType<Uint8ArrayConstructor['of']>;

/** An answer with its body. */
interface ApiReply {
  readonly status: number;
  readonly headers: ReplyHeaders;
  readonly bytes: Bytes;
}

/**
 * The pauses before a retry after a failed connection, in milliseconds. Each is extended by a random time up to its own
 * length.
 */
const PAUSES_MS = [50, 150, 300];
/**
 * The pauses before a retry of a GET to a server that answered before. They are longer, because the server may restart.
 */
const RESTART_PAUSES_MS = [...PAUSES_MS, 500, 500, 1_000, 1_000, 1_000];

/** Sends calls to the server. Throws a MailcapError for every failure, and the signal's reason if a signal aborts. */
export class Transport {
  readonly settings: Settings;
  readonly #locate: () => Promise<Server>;
  #paceMs = 0;
  #wasReached = false;

  constructor(settings: Settings, locate: () => Promise<Server>) {
    this.settings = settings;
    this.#locate = locate;
  }

  /** The pause between calls, in milliseconds, that spreads the rest of the rate limit over its window. */
  get paceMs(): number {
    return this.#paceMs;
  }

  /** Sends a call and returns its answer, whose status is below 400. Throws a MailcapError for any other outcome. */
  async send(call: Call): Promise<ApiReply> {
    const { options = {}, heldMs = 0 } = call;
    const { settings } = this;
    const timeoutMs = options.timeout ?? settings.timeoutMs + heldMs;
    const deadline = new Deadline(timeoutMs, [options.signal, settings.signal]);
    try {
      deadline.signal.throwIfAborted();
      return await this.#untilAnswered(call, deadline);
    } catch (error) {
      if (!deadline.isOver || error instanceof MailcapError) throw error;
      throw new TimeoutError('timed_out', `${call.name} got no answer within ${Math.round(timeoutMs)} ms.`, {
        hint: 'The server may be busy or unreachable. A longer `timeout` gives it more time.',
        call: call.name,
      });
    } finally {
      deadline.dispose();
    }
  }

  async #untilAnswered(call: Call, deadline: Deadline): Promise<ApiReply> {
    const server = await this.#locate();
    const request = requestOf(call, server, this.settings);
    const mayRepeat = isRepeatable(call);
    let lost: NoServerError | null = null;
    for (let failures = 0; ; ) {
      let reply: ApiReply;
      try {
        reply = await this.#once(server.url, request, deadline.signal);
      } catch (error) {
        if (deadline.signal.aborted) throw deadline.isOver ? (lost ?? error) : error;
        lost = unreachable(call, server, error);
        const pauses = this.#wasReached && call.method === 'GET' ? RESTART_PAUSES_MS : PAUSES_MS;
        const pause = pauses[failures++];
        if (!mayRepeat || pause === undefined || pause > deadline.leftMs) throw lost;
        await sleep(pause * (1 + chance()), deadline.signal).catch((ended: unknown) => {
          throw deadline.isOver ? lost : ended;
        });
        continue;
      }
      lost = null;
      if (reply.status < 400) return reply;
      // An earlier attempt has deleted it, and its answer was lost.
      if (reply.status === 404 && call.method === 'DELETE' && failures > 0) return { ...reply, status: 204 };
      const refusal = refusalOf(call, server.url, reply);
      // The server is stopping and ran nothing. Another may start in its place, so this counts as a failed connection.
      const pauseMsAtStop = refusal.code === 'shutting_down' ? RESTART_PAUSES_MS[failures++] : undefined;
      if (pauseMsAtStop !== undefined) {
        await sleep(pauseMsAtStop * (1 + chance()), deadline.signal);
        continue;
      }
      const pauseMs = pauseAfter(refusal, reply.headers);
      if (pauseMs === null || pauseMs > deadline.leftMs) throw refusal;
      await sleep(pauseMs, deadline.signal);
    }
  }

  async #once(url: string, { path, init }: Request, signal: AbortSignal): Promise<ApiReply> {
    const response = await this.settings.fetch(url + path, { ...init, signal });
    this.#wasReached = true;
    this.#paceMs = paceOf(response.headers) ?? this.#paceMs;
    const bytes = new Uint8Array(await response.arrayBuffer());
    return { status: response.status, headers: response.headers, bytes };
  }
}

type Request = ReturnType<typeof requestOf>;

function requestOf(call: Call, server: Server, { isTool }: Settings) {
  const { method, json, body, note } = call;
  // In Node, the class Headers would load the whole of fetch.
  const headers = new Map([['Accept', 'application/json']]);
  const token = isCloud(call) ? keyOf(server) : server.adminToken;
  if (token !== null) headers.set('Authorization', `Bearer ${token}`);
  if (note !== undefined && note !== null) headers.set('Mailcap-Wait', note);
  if (isTool && isCloud(call)) headers.set(TOOL_HEADER, server.adminToken ?? ON_LOOPBACK);
  if (json !== undefined) headers.set('Content-Type', 'application/json');
  if (body !== undefined) headers.set('Content-Type', 'message/rfc822');
  // All attempts have the same idempotency key, so the server runs only the first that reaches it.
  if (method === 'POST' && isCloud(call)) headers.set('Idempotency-Key', uniqueKey());
  // The cast is needed because the type of a byte array also allows shared memory, which the body of fetch does not.
  const content = json === undefined ? (body as RequestInit['body']) : JSON.stringify(json);
  const init = { method, headers: Object.fromEntries(headers), ...(content === undefined ? {} : { body: content }) };
  return { path: call.path + queryOf(call.query ?? {}), init };
}

function isCloud({ path }: Call): boolean {
  return path.startsWith('/v1/');
}

function keyOf({ apiKey, url }: Server): string {
  if (apiKey !== null) return apiKey;
  throw new MailcapError('no_api_key', `There is no API key for ${url}.`, {
    hint: 'Set MAILCAP_API_KEY, or give createClient an apiKey.',
    url,
  });
}

/**
 * Tells whether a call may be sent again. A POST of the local API runs each time, but a reset has the same result each
 * time.
 */
function isRepeatable(call: Call): boolean {
  return call.method !== 'POST' || isCloud(call) || call.path === '/_mailcap/reset';
}

function queryOf(query: Readonly<Record<string, string | number | undefined>>): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) given.set(name, `${value}`);
  return given.size === 0 ? '' : `?${given}`;
}

/** The pause after a 429 that does not name one, in milliseconds. */
const PAUSE_MS = 1_000;
const SHORTEST_PAUSE_MS = 50;

/**
 * Returns the milliseconds until a call that was limited may be tried again. Reads the `Retry-After` header, which
 * holds seconds or a date (RFC 9110 section 10.2.3). Returns null if waiting does not help: for another status, or for
 * a daily limit, which names no time.
 */
function pauseAfter({ status, code }: RefusedError, headers: ReplyHeaders): number | null {
  if (status !== 429) return null;
  const after = headers.get('retry-after');
  if (after === null) return code === 'rate_limited' || code === 'unexpected_answer' ? PAUSE_MS : null;
  // The date is by the server's clock, so it is compared with the `Date` header.
  const sentAt = Date.parse(headers.get('date') ?? '') || now();
  const pauseMs = /^\s*[\d.]+\s*$/.test(after) ? Number(after) * 1_000 : Date.parse(after) - sentAt;
  return Number.isNaN(pauseMs) ? PAUSE_MS : Math.max(SHORTEST_PAUSE_MS, pauseMs);
}

/**
 * The error codes of a connection that was never made. After any other error the request may have reached the server.
 */
const NEVER_THERE = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
];

function unreachable(call: Call, { url }: Server, cause: unknown): NoServerError {
  const details = { call: call.name, url, cause };
  if (!isRepeatable(call) && !NEVER_THERE.includes(codeOf(cause)))
    return new NoServerError(
      'unreachable',
      `${call.name} was sent to ${url}, and its answer was lost: ${failureReason(cause)}.`,
      {
        ...details,
        hint: 'The server may have run the call, so the client did not repeat it. Check the result before you do. Is the server still running?',
      },
      true,
    );
  return new NoServerError('unreachable', `${call.name} did not reach ${url}: ${failureReason(cause)}.`, {
    ...details,
    hint: 'Is the server running? Start one with `npx mailcap dev`.',
  });
}

function codeOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return errorCode(cause) ?? '';
}

/** Returns the reason of a failed request. fetch says only "fetch failed" and puts the reason into `cause`. */
export function failureReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  return cause.message || (errorCode(cause) ?? error.message);
}

/** Returns the pause between calls in milliseconds; null if the headers do not name the rate limit. */
function paceOf(headers: ReplyHeaders): number | null {
  const [remaining, reset] = [headers.get('ratelimit-remaining'), headers.get('ratelimit-reset')];
  if (remaining === null || reset === null) return null;
  return (Number(reset) * 1_000) / Math.max(1, Number(remaining)) || 0;
}

/** Returns the body as text. */
export function replyText(reply: Pick<ApiReply, 'bytes'>): string {
  return new TextDecoder().decode(reply.bytes);
}

/** Returns the body as JSON. The type `T` comes from docs/api.md; unknown fields are kept. */
export function jsonOf<T>(reply: ApiReply, call: string): T {
  try {
    return JSON.parse(replyText(reply)) as T; // the server's schemas define the type
  } catch (cause) {
    throw new MailcapError('unexpected_answer', `The answer to ${call} is not JSON.`, {
      status: reply.status,
      requestId: reply.headers.get('x-request-id') ?? undefined,
      hint: 'Is there a proxy before the server, or another server at this address?',
      cause,
    });
  }
}

const HINTS: Readonly<Record<string, string>> = {
  unauthorized:
    'Is MAILCAP_API_KEY the key of this server? The local API of a server in a container needs MAILCAP_ADMIN_TOKEN.',
  forbidden:
    'The local API answers only requests to a loopback name, such as localhost; --allowed-hosts adds other names.',
  invalid_clock:
    'A clock takes { offsetSeconds: 3600 } or { now: "2027-01-31T12:00:00Z" }, and null for the real time.',
  rate_limited: 'Give the call a longer `timeout`, or start a local server with --limits off.',
  invalid_name:
    'A name needs 1 to 100 characters, no control characters, and at least one letter or digit for the subdomain. The client adds up to 13 characters to the name of a handle.',
  invalid_from_domain:
    "Send from the mailbox's own domain, which no other workspace may use, or verify this one with client.local.createIdentity(workspaceId, { domain }). In the cloud, use the dashboard.",
  recipients_not_allowed:
    "Add them to the mailbox's allowlist with client.local.updateMailbox(id, { allowlist: ['*.example.com'] }). In the cloud, use the dashboard.",
  outbound_disabled: 'Sending needs the Business plan and a mailbox with `outboundEnabled`.',
  plan_max_mailboxes_reached: 'Delete mailboxes, or share one mailbox: client.mailbox({ isolation: "address" }).',
  disk_full: "The server's disk is full. Free some space, or delete messages.",
  storage_unavailable: "The server can't write to its disk. Its log has the reason.",
  hook_limit_reached: 'Delete webhooks that you no longer use with client.deleteWebhook(id).',
};

/** Converts an answer with a status of 400 or above to an error. */
export function refusalOf(call: Call, url: string, reply: ApiReply): RefusedError {
  const { error, ...extra } = bodyOf(reply);
  // A newer server may have codes that this client does not know.
  const code = typeof error === 'string' ? (error as MailcapErrorCode) : 'unexpected_answer';
  const requestId = reply.headers.get('x-request-id') ?? undefined;
  const said = typeof error === 'string' ? error : replyText(reply).slice(0, 200);
  const more = Object.keys(extra).length === 0 ? '' : ` ${JSON.stringify(extra)}`;
  const message = `${call.name} was refused: ${reply.status} ${said}${more}`;
  return new RefusedError(
    code,
    message,
    {
      status: reply.status,
      requestId,
      call: call.name,
      url,
      hint: code === 'not_found' ? notThere(call) : HINTS[code],
    },
    extra,
  );
}

/** Builds the message of a 404: what is missing, and why that may be. */
function notThere({ path }: Call): string {
  const nothing = `There is nothing at ${path}, or the key can't access it.`;
  const isOfHandle = /\/(mailboxes|webhooks)\//.test(path);
  return isOfHandle
    ? `${nothing} A fixture deletes its mailboxes and webhooks when its test ends, and a reset deletes all: does the test await every call?`
    : nothing;
}

function bodyOf(reply: ApiReply): Readonly<Record<string, unknown>> {
  const body = jsonOrNull(replyText(reply));
  return isObject(body) ? body : {};
}
