import { type IncomingMessage, ServerResponse, STATUS_CODES } from 'node:http';
import { type Duplex, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { applyFault } from '../actions/faults.ts';
import type { Context } from '../context.ts';
import { attachmentDisposition, mediaTypeOr } from '../domain/content.ts';
import { ApiError, type ErrorCode, refuse } from '../domain/errors.ts';
import type { HttpReply } from '../domain/fault.ts';
import { type MailboxId, parseUlid } from '../domain/ids.ts';
import type { ScriptedResponse } from '../domain/webhook.ts';
import type { Log, Random } from '../ports/system.ts';
import type { CancelSignal } from '../ports/waiting.ts';
import { shorten } from '../text/shorten.ts';

/** Writes the errors of an API of another product as that product does. Its paths may differ in that. */
export type ErrorForm = (
  error: ApiError,
  path: string,
) => {
  readonly status: number;
  readonly type: string;
  readonly body: string;
};

/**
 * A request and its answer on their way through the pipeline. It ends when the client hangs up or the server closes.
 */
export class Exchange implements CancelSignal {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly requestId: string;
  /** The path without the query. */
  readonly path: string;
  /** The query as sent, without `?`. */
  readonly query: string;
  readonly params: Readonly<Record<string, string>>;
  /** The headers of the answer, whatever it will be, names and values in turn. */
  readonly headers: string[];
  /** The code of the error that the request was refused with; null if it was not refused. */
  refusal: ErrorCode | null = null;
  /** Writes the answer of a fault rule that gives a status alone. Null means that it has no body. */
  faultForm: ((status: number, path: string) => Answer | null) | null = null;
  /** Writes the refusals of the route. Null means that they are those of our APIs. */
  errorForm: ErrorForm | null = null;
  /** Tells whether a 401 offers Basic besides Bearer. */
  takesPassword = false;
  readonly #lifetime: Lifetime;

  constructor(
    req: IncomingMessage,
    res: ServerResponse,
    requestId: string,
    params: Readonly<Record<string, string>>,
    lifetime: Lifetime,
    url = req.url ?? '/',
  ) {
    const mark = url.indexOf('?');
    this.req = req;
    this.res = res;
    this.requestId = requestId;
    this.path = mark < 0 ? url : url.slice(0, mark);
    this.query = mark < 0 ? '' : url.slice(mark + 1);
    this.params = params;
    this.headers = ['X-Request-Id', requestId];
    this.#lifetime = lifetime;
  }

  /** Returns an exchange for another route that answers a part of the same request. */
  asking(url: string, params: Readonly<Record<string, string>>): Exchange {
    return new Exchange(this.req, this.res, this.requestId, params, this.#lifetime, url);
  }

  /** The address and the port of the client; null if it has left. */
  get client(): { readonly clientAddress: string | null; readonly clientPort: number | null } {
    const { remoteAddress = null, remotePort = null } = this.req.socket;
    return { clientAddress: remoteAddress, clientPort: remotePort };
  }

  /** `true` if the server is stopping, so that this is the last answer on the connection. */
  get stopping(): boolean {
    return this.#lifetime.stopping;
  }

  /** `true` if the server is closing, so that nothing more will come to wait for. */
  get closing(): boolean {
    return this.#lifetime.closing;
  }

  get isCancelled(): boolean {
    return this.closing || this.res.destroyed;
  }

  onCancel(act: () => void): () => void {
    if (this.isCancelled) {
      act();
      return () => {};
    }
    const { res } = this;
    const calledOff = this.#lifetime.onClose(act);
    res.once('close', act);
    return () => {
      calledOff();
      res.off('close', act);
    };
  }
}

/**
 * The two steps in which a server ends. A stopping server refuses new requests and finishes those under way. A closing
 * server also answers all waits, so that they do not delay the end.
 */
export class Lifetime {
  readonly #held = new Set<() => void>();
  readonly #onIdle = new Set<() => void>();
  #stopping = false;
  #closing = false;
  #underWay = 0;

  /** `true` once no new request is accepted. */
  get stopping(): boolean {
    return this.#stopping;
  }

  /** `true` once nothing more can come that a wait could return. */
  get closing(): boolean {
    return this.#closing;
  }

  /** Calls `act` when the server closes. The returned function cancels it. */
  onClose(act: () => void): () => void {
    this.#held.add(act);
    return () => this.#held.delete(act);
  }

  stop(): void {
    this.#stopping = true;
  }

  close(): void {
    this.#stopping = true;
    this.#closing = true;
    for (const act of this.#held) act();
    this.#held.clear();
  }

  /** Counts a request as under way until `act` has settled. */
  async during(act: () => Promise<void>): Promise<void> {
    this.#underWay++;
    try {
      await act();
    } finally {
      this.#underWay--;
      if (this.#underWay === 0) for (const tell of this.#onIdle) tell();
    }
  }

  /** Resolves when no request is under way. */
  idle(): Promise<void> {
    if (this.#underWay === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const tell = () => {
        this.#onIdle.delete(tell);
        resolve();
      };
      this.#onIdle.add(tell);
    });
  }
}

/** The `Retry-After` of a refusal while the server stops, in seconds. Another server may have started by then. */
export const RETRY_AFTER_S = 1;

/** Throws `shutting_down` if the server's end cut a wait short. Otherwise the time of the wait passed. */
export function checkTimePassed({ closing }: Exchange): void {
  if (closing) throw refuse('shutting_down', { retryAfter: RETRY_AFTER_S });
}

/**
 * Creates a generator of request ids. They are unique across servers and restarts: a random beginning, then a counter.
 */
export function createRequestIds(random: Random): () => string {
  const start = Buffer.from(random.bytes(9)).toString('base64url');
  let count = 0;
  return () => `${start}-${(++count).toString(36)}`;
}

// Only this file writes to a response. A route returns a value or throws.

const PAGE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'";

/** The `Retry-After` of a storage failure, in seconds. A person has to free space, or the disk has to come back. */
const STORAGE_RETRY_SECONDS = '10';
const JSON_TYPE = 'application/json; charset=utf-8';

/** The most bytes that a client may still send of an unread body after its answer. More bytes end the connection. */
const LEFTOVER_BYTES = 64 * 1024 * 1024;

// Two things may answer a request before its route or its webhook does: a server that stops, and a fault rule.

/** The path of the health check, which is answered until the server closes. */
const HEALTH_PATH = '/_mailcap/health';

/**
 * Serves a request and counts it as under way. A server that stops refuses new requests
 * (docs/guarantees.md#a-stop). Rejects if `serve` rejects.
 */
export function trackRequest(
  ctx: Context,
  exchange: Exchange,
  lifetime: Lifetime,
  serve: () => Promise<void>,
): Promise<void> {
  logRequest(ctx, exchange);
  if (!lifetime.stopping || exchange.path === HEALTH_PATH) return lifetime.during(serve);
  respondError(exchange, refuse('shutting_down', { retryAfter: RETRY_AFTER_S }), ctx.log);
  return Promise.resolve();
}

// Fault rules never apply to /_mailcap, because it must stay possible to remove a rule.
const CAN_FAIL = /^\/(?:v1|hooks|providers)(?:\/|$)/;
const MAILBOX = /^\/v1\/mailboxes\/([^/]+)/;

/**
 * Applies a matching fault rule (docs/faults.md). Resolves with true if the rule answered, else the request
 * goes on.
 */
export async function applyHttpFault(ctx: Context, exchange: Exchange): Promise<boolean> {
  const { req, path } = exchange;
  if (!CAN_FAIL.test(path)) return false;
  const mailboxId = parseUlid<MailboxId>(MAILBOX.exec(path)?.[1] ?? '');
  const texts = { clientAddress: req.socket.remoteAddress ?? null, method: req.method ?? null, path };
  const mailboxIds = mailboxId === null ? [] : [mailboxId];
  try {
    const action = await applyFault(ctx, { stage: 'http', texts, mailboxIds }, exchange);
    if (action?.drop) drop(exchange);
    else if (action?.reply) {
      const own = action.reply.body === '' ? (exchange.faultForm?.(action.reply.status, path) ?? null) : null;
      if (own === null) respondFault(exchange, action.reply);
      else await respond(exchange, { ...own, headers: { ...own.headers, ...action.reply.headers } });
    } else return false;
  } catch (error) {
    respondError(exchange, error, ctx.log);
  }
  return true;
}

/** Writes the result of a route. Settles when the answer is on its way; for a download, when its last byte is. */
export async function respond(exchange: Exchange, answer: Answer | Download | Page): Promise<void> {
  if (answer instanceof Download) return writeDownload(exchange, answer);
  if (answer instanceof Page) return writePage(exchange, answer);
  if (answer.headers !== undefined) addHeaders(exchange, answer.headers);
  writeText(exchange, answer.status, answer.body, answer.type);
}

/** Writes an error. A refusal shows its code; any other error becomes `internal_error` with only a request id. */
export function respondError(exchange: Exchange, error: unknown, log: Log): void {
  const { req, res, requestId, headers } = exchange;
  if (res.destroyed || (req.destroyed && !req.complete)) {
    // A client that hung up gets no answer. An error that it caused is no failure of the server.
    log.debug('a client hung up', { requestId, error });
    return;
  }
  if (res.headersSent) {
    // A partial answer can't be taken back. Cutting the connection is the only way to report the failure.
    log.error('an answer broke off', { requestId, error });
    res.destroy();
    return;
  }
  exchange.refusal = error instanceof ApiError ? error.code : 'internal_error';
  if (!(error instanceof ApiError) || error.code === 'internal_error') {
    log.error('a request failed', { requestId, path: loggable(exchange.path), error });
    writeText(exchange, 500, JSON.stringify({ error: 'internal_error', requestId }));
    return;
  }
  if (error.status === 401) {
    headers.push('WWW-Authenticate', 'Bearer');
    // A client that waits to be asked sends a password only then (RFC 9110 section 11.6.1).
    if (exchange.takesPassword) headers.push('WWW-Authenticate', 'Basic realm="mailcap", charset="UTF-8"');
  }
  if (error.code === 'disk_full' || error.code === 'storage_unavailable')
    headers.push('Retry-After', STORAGE_RETRY_SECONDS);
  else if (error.extra['retryAfter'] !== undefined) headers.push('Retry-After', String(error.extra['retryAfter']));
  if (error.code === 'upgrade_required') {
    // A refused version is answered with the one there is (RFC 6455 section 4.4).
    headers.push('Upgrade', 'websocket', 'Connection', 'Upgrade', 'Sec-WebSocket-Version', '13');
  }
  if (error.code === 'method_not_allowed') headers.push('Allow', String(error.extra['allow']));
  const foreign = exchange.errorForm?.(error, exchange.path) ?? null;
  if (foreign === null) writeText(exchange, error.status, errorBody(error));
  else writeText(exchange, foreign.status, foreign.body, foreign.type);
}

/** Writes the answer of a fault rule. */
export function respondFault(exchange: Exchange, { status, headers, body }: HttpReply): void {
  addHeaders(exchange, headers);
  if (body !== '') addHeaders(exchange, { 'X-Content-Type-Options': 'nosniff' });
  writeWhole(exchange, status, body);
}

/** Closes the connection without an answer. */
export function drop({ req }: Exchange): void {
  req.socket.destroy();
}

/** The statuses whose answer has no content (RFC 9110 sections 15.3.5, 15.3.6, 15.4.5). */
const NO_CONTENT: ReadonlySet<number> = new Set([204, 205, 304]);

/** Writes the answer of a webhook. */
export function respondCaptured(exchange: Exchange, response: Exclude<ScriptedResponse, { drop: true }>): void {
  const { requestId, headers } = exchange;
  const body = NO_CONTENT.has(response.status) ? '' : response.body;
  const given = new Set(Object.keys(response.headers).map((name) => name.toLowerCase()));
  const ours = Object.entries({ 'X-Request-Id': requestId, ...HARMLESS });
  headers.splice(0);
  addHeaders(exchange, Object.fromEntries(ours.filter(([name]) => !given.has(name.toLowerCase()))));
  addHeaders(exchange, response.headers);
  writeWhole(exchange, response.status, body);
}

/**
 * Answers a request that node could not parse. There is only a socket, no exchange. Returns the code of the error, or
 * null if the connection could take no answer.
 */
export function respondUnreadable(socket: Duplex, code: string | undefined, requestId: string): ErrorCode | null {
  // A connection in the middle of an answer can't get another one.
  const underWay: unknown = Reflect.get(socket, '_httpMessage');
  if (!socket.writable || (underWay instanceof ServerResponse && underWay.headersSent)) {
    socket.destroy();
    return null;
  }
  const error = refuse(UNREADABLE[code ?? ''] ?? 'bad_request');
  const body = errorBody(error);
  const fields = [...unreadableHeaders(requestId, body)].map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}\r\n${fields.join('')}\r\n`;
  socket.end(head + body, () => socket.destroy());
  return error.code;
}

/**
 * Answers a request that HTTP/1.1 forbids, or for which the routes could not be loaded. The connection ends, and the rest
 * of what it sent is ignored.
 */
export function respondUnrouted(res: ServerResponse, requestId: string, error: ApiError): void {
  const body = errorBody(error);
  res.writeHead(error.status, [...unreadableHeaders(requestId, body)].flat());
  res.end(body);
}

function unreadableHeaders(requestId: string, body: string): readonly [string, string][] {
  return [
    ['X-Request-Id', requestId],
    ['Content-Type', JSON_TYPE],
    ['X-Content-Type-Options', 'nosniff'],
    ['Content-Length', String(Buffer.byteLength(body))],
    ['Connection', 'close'],
  ];
}

const UNREADABLE: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

/** The fields of `extra` that become headers, not fields of the body. */
const IN_HEADERS: ReadonlySet<string> = new Set(['retryAfter', 'allow']);

/** Returns the body of a refusal: `{"error":"<code>"}` and the fields that the document names beside it. */
export function errorBody(error: ApiError): string {
  const extra = Object.entries(error.extra).filter(([name]) => !IN_HEADERS.has(name));
  return JSON.stringify({ error: error.code, ...Object.fromEntries(extra) });
}

function writeText(exchange: Exchange, status: number, body: string | null, type = JSON_TYPE): void {
  if (body !== null) exchange.headers.push('Content-Type', type, 'X-Content-Type-Options', 'nosniff');
  writeWhole(exchange, status, body);
}

/** Writes the head, with the length of the body if there is one, and the body. */
function writeWhole(exchange: Exchange, status: number, body: string | null): void {
  // A 204 and a 304 must not have a Content-Length (RFC 9110 section 8.6).
  if (body !== null && status !== 204 && status !== 304)
    exchange.headers.push('Content-Length', String(Buffer.byteLength(body)));
  writeHead(exchange, status).end(body);
  dropUnread(exchange);
}

function writePage(exchange: Exchange, page: Page): void {
  const policy = `${PAGE_POLICY}; form-action '${page.hasForm ? 'self' : 'none'}'`;
  addHeaders(exchange, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy':
      page.scriptHash === null ? policy : `${policy}; script-src '${page.scriptHash}'; connect-src 'self'`,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
  });
  writeWhole(exchange, 200, page.html);
}

async function writeDownload(exchange: Exchange, download: Download): Promise<void> {
  const { req, res, headers } = exchange;
  addHeaders(exchange, download.headers);
  if (download.sizeBytes !== null) headers.push('Content-Length', String(download.sizeBytes));
  if (req.method === 'HEAD') {
    writeHead(exchange, download.status).end();
    return;
  }
  const pieces = download.open()[Symbol.asyncIterator]();
  // The first piece is read before the head is written, so that a failure can still change the status.
  const first = await pieces.next();
  writeHead(exchange, download.status);
  try {
    await pipeline(chain(first, pieces), res);
  } catch (error) {
    // A client that hangs up in the middle is no failure of the server.
    if (req.destroyed || res.destroyed) return;
    throw error;
  }
}

async function* chain(
  first: IteratorResult<Uint8Array>,
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  try {
    for (let piece = first; !piece.done; piece = await rest.next()) yield piece.value;
  } finally {
    await rest.return?.();
  }
}

function writeHead({ res, headers, stopping }: Exchange, status: number): ServerResponse {
  if (stopping) headers.push('Connection', 'close');
  return res.writeHead(status, headers);
}

function addHeaders({ headers }: Exchange, more: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(more)) headers.push(name, value);
}

/** Reads and discards the rest of an unread body, up to a limit, so that the client gets to read its answer. */
function dropUnread({ req }: Exchange): void {
  if (req.complete || req.readableEnded) return;
  let left = LEFTOVER_BYTES;
  req.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) req.destroy();
  });
  req.resume();
}

/** The answer of a route before it is written. `body` is JSON text unless `type` differs, or null if there is none. */
export interface Answer {
  readonly status: number;
  readonly body: string | null;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An answer of bytes, with the headers that describe them. */
export class Download {
  readonly headers: Readonly<Record<string, string>>;
  /** Null if the size is not known before all bytes are written. */
  readonly sizeBytes: number | null;
  readonly open: () => AsyncIterable<Uint8Array>;
  readonly status: number;

  constructor(
    headers: Readonly<Record<string, string>>,
    sizeBytes: number | null,
    open: () => AsyncIterable<Uint8Array>,
    status = 200,
  ) {
    this.headers = headers;
    this.sizeBytes = sizeBytes;
    this.open = open;
    this.status = status;
  }

  /** Answers with bytes that are in memory. */
  static of(bytes: Uint8Array, headers: Readonly<Record<string, string>>, status = 200): Download {
    return new Download(headers, bytes.length, () => Readable.from(bytes.length === 0 ? [] : [bytes]), status);
  }
}

/** An HTML page for a person. */
export class Page {
  readonly html: string;
  /** The CSP hash of the page's one script, `sha256-...`; null if it has none. */
  readonly scriptHash: string | null;
  /** Tells whether the page has a form that goes to this server. */
  readonly hasForm: boolean;

  constructor(
    html: string,
    { scriptHash = null, hasForm = false }: { readonly scriptHash?: string | null; readonly hasForm?: boolean } = {},
  ) {
    this.html = html;
    this.scriptHash = scriptHash;
    this.hasForm = hasForm;
  }
}

/** The headers of foreign content, so that a browser never treats it as a page of ours. */
export const HARMLESS = { 'X-Content-Type-Options': 'nosniff', 'Content-Security-Policy': 'sandbox' } as const;

/** Returns the headers of foreign content that a browser saves as a file. */
export function fileHeaders(contentType: string | null, filename: string | null): Readonly<Record<string, string>> {
  return {
    ...HARMLESS,
    'Content-Type': mediaTypeOr(contentType, 'application/octet-stream'),
    'Content-Disposition': attachmentDisposition(filename),
  };
}

// With --log-level debug, the log has a line for each HTTP request, with the id that its answer has. At any other level
// a request costs one comparison.

type Logger = Pick<Context, 'config' | 'log' | 'clock'>;

/** The longest path in the log, in characters. A client may send one of 16 KB. */
const MAX_PATH = 500;

/** Logs a request once its answer has left, or once its client has. */
export function logRequest(ctx: Logger, exchange: Exchange): void {
  if (ctx.config.logLevel !== 'debug') return;
  const { res } = exchange;
  const beganAt = ctx.clock.steady();
  let isLogged = false;
  const log = () => {
    if (isLogged) return;
    isLogged = true;
    logAnswer(ctx, exchange, res.headersSent ? res.statusCode : null, ctx.clock.steady() - beganAt);
  };
  res.once('finish', log).once('close', log);
}

/** Logs a request that another connection than that of HTTP answers: a WebSocket that was opened. */
export function logUpgrade(ctx: Logger, exchange: Exchange): void {
  if (ctx.config.logLevel === 'debug') logAnswer(ctx, exchange, 101, 0);
}

function logAnswer({ log }: Logger, exchange: Exchange, status: number | null, ms: number): void {
  const { req, path, requestId, refusal } = exchange;
  log.debug(status === null ? 'a request got no answer' : 'a request was answered', {
    method: req.method,
    path: loggable(path),
    status,
    ...(refusal !== null && { error: refusal }),
    ms: Math.round(ms),
    requestId,
  });
}

/** Logs a request that has no exchange, because it could not be read or HTTP/1.1 forbids it. */
export function logUnreadable(ctx: Logger, error: ErrorCode, requestId: string, req?: IncomingMessage): void {
  if (ctx.config.logLevel !== 'debug') return;
  const what = req === undefined ? {} : { method: req.method, path: loggable((req.url ?? '').replace(/\?.*/s, '')) };
  ctx.log.debug('a request was refused as unreadable', { ...what, error, requestId });
}

/** Hides the secrets of a path for the log: the key of a webhook URL, and the token of an opened view. */
function loggable(path: string): string {
  const plain = path
    .replace(/^\/hooks\/[^/]*/, '/hooks/:key')
    .replace(/^\/_mailcap\/view\/[^/]*/, '/_mailcap/view/:token');
  return shorten(plain, MAX_PATH);
}
