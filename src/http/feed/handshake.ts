import { type IncomingHttpHeaders, type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ServerOptions, WebSocket, WebSocketServer } from 'ws';
import type { Context } from '../../context.ts';
import { refuse, there } from '../../domain/errors.ts';
import { lazily } from '../../lazily.ts';
import type { EventSink, Subscription } from '../../ports/events.ts';
import type { Clock } from '../../ports/system.ts';
import type { CompatSocket } from '../compat/events.ts';
import { compatSockets } from '../compat/routes.ts';
import { Exchange, type Lifetime, logRequest, logUpgrade, RETRY_AFTER_S, respondError } from '../exchange.ts';
import { FEED_PATH, feedQuery } from '../local/feed.ts';
import { checkLocal } from '../local/guard.ts';
import { readQuery } from '../route.ts';

const MAX_SUBSCRIBERS = 2_000;
/** The largest message from a subscriber, in bytes. A subscriber has nothing to send. */
const MAX_PAYLOAD_BYTES = 1_024;
const CLOSE_TIMEOUT_MS = 10_000;

/** A WebSocket that a client asks for: how it subscribes, and the path that the metrics count. */
interface AskedSocket {
  readonly path: string;
  /** The feed's own subscription has subprotocols and a query. Null means that it is the feed. */
  readonly compat: { readonly socket: CompatSocket; readonly param: string } | null;
}

/** Finds the WebSocket at a path: the feed, or one of another catcher. Null if there is none. */
function socketAt(sockets: readonly CompatSocket[], path: string): AskedSocket | null {
  if (path === FEED_PATH) return { path: FEED_PATH, compat: null };
  for (const socket of sockets) {
    const [stem = '', name] = socket.path.split(':');
    if (name === undefined ? path !== socket.path : !path.startsWith(stem)) continue;
    const param = path.slice(stem.length);
    if (param.includes('/') || (name !== undefined && param === '')) continue;
    try {
      return { path: socket.path, compat: { socket, param: decodeURIComponent(param) } };
    } catch {
      // A path that can't be decoded names nothing.
      return null;
    }
  }
  return null;
}

/** The WebSockets of a server. */
export interface Feed {
  /** Tells whether there is a WebSocket at a path. */
  hasSocket(path: string): boolean;
  /** Answers a handshake. Errors of the socket are the caller's. */
  openSocket(req: IncomingMessage, socket: Socket, head: Buffer): void;
}

/** Lets clients of a server subscribe to the feed. */
export function createFeed(ctx: Context, lifetime: Lifetime, nextId: () => string): Feed {
  const sockets = compatSockets(ctx.config.compat);
  let subscribers = 0;
  // The module is loaded at the first use, to keep the start of the server short.
  const opened = lazily(async () =>
    webSockets(await import('ws')).on('headers', (headers, asked) => {
      headers.push(`X-Request-Id: ${requestIds.get(asked) ?? nextId()}`);
    }),
  );
  const requestIds = new WeakMap<IncomingMessage, string>();

  const open = async (exchange: Exchange, socket: Socket, head: Buffer): Promise<void> => {
    const { req } = exchange;
    await checkLocal(ctx, exchange, { headers: withToken(req.headers) });
    const asked = there(socketAt(sockets, exchange.path));
    const { since, ...filter } = readQuery(feedQuery, asked.compat === null ? exchange.query : '');
    if (lifetime.stopping) throw refuse('shutting_down', { retryAfter: RETRY_AFTER_S });
    if (subscribers >= MAX_SUBSCRIBERS) throw refuse('too_many_subscribers', { limit: MAX_SUBSCRIBERS });
    subscribers++;
    socket.once('close', () => subscribers--);
    const handshake = await opened();
    // The position is read before the 101, so that the client gets every event that it causes after it.
    const after = since ?? (await ctx.store.read.events.lastId());
    if (lifetime.stopping) throw refuse('shutting_down', { retryAfter: RETRY_AFTER_S });
    requestIds.set(req, exchange.requestId);
    handshake.handleUpgrade(req, socket, head, (ws) => {
      const connection = new FeedConnection(ws, socket, ctx.clock);
      const feed = ws.protocol === LISTS_PROTOCOL ? ctx.feedOfLists : ctx.feed;
      const { compat } = asked;
      connection.attach(
        compat === null
          ? feed.subscribe(filter, after, connection)
          : compat.socket.subscribe(ctx, connection, after, compat.param),
      );
      ws.once(
        'close',
        lifetime.onClose(() => connection.shutDown()),
      );
      ctx.metrics.answered('GET', asked.path, 101);
      logUpgrade(ctx, exchange);
    });
  };

  const openSocket = (req: IncomingMessage, socket: Socket, head: Buffer): void => {
    if (socket.destroyed) return;
    const res = new ServerResponse(req);
    const exchange = new Exchange(req, res, nextId(), {}, lifetime);
    open(exchange, socket, head).catch((error: unknown) => {
      if (socket.destroyed) return;
      res.shouldKeepAlive = false;
      res.assignSocket(socket);
      res.once('finish', () => socket.destroySoon());
      logRequest(ctx, exchange);
      respondError(exchange, error, ctx.log);
      ctx.metrics.answered('GET', socketAt(sockets, exchange.path)?.path ?? 'unknown', res.statusCode);
    });
  };
  return { hasSocket: (path) => socketAt(sockets, path) !== null, openSocket };
}

function webSockets(ws: typeof import('ws')): WebSocketServer {
  const options: ServerOptions & { readonly closeTimeout: number } = {
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: MAX_PAYLOAD_BYTES,
    closeTimeout: CLOSE_TIMEOUT_MS,
    autoPong: false,
    handleProtocols: (offered) => [LISTS_PROTOCOL, FEED_PROTOCOL].find((name) => offered.has(name)) ?? false,
  };
  return new ws.WebSocketServer(options);
}

// A browser can set no header of a WebSocket except its subprotocols. One of them carries the admin token, because a
// query would appear in logs and in the history. The server never selects that subprotocol, so it never sends the token
// back.

/** The subprotocol in which each frame is one event. A client that names subprotocols must name this or the other. */
const FEED_PROTOCOL = 'mailcap.feed';
/** The subprotocol in which each frame is a list of events. The server selects it if the client names it. */
const LISTS_PROTOCOL = 'mailcap.feed.lists';
/** The beginning of the subprotocol with the token. The token follows as base64url, which is valid in a header. */
const TOKEN_PROTOCOL = 'mailcap.token.';

/** Returns the headers of a handshake. A token among the subprotocols becomes a bearer token. */
function withToken(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  if (headers.authorization !== undefined) return headers;
  const offered = (headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
  const named = offered.find((name) => name.startsWith(TOKEN_PROTOCOL));
  if (named === undefined) return headers;
  const token = Buffer.from(named.slice(TOKEN_PROTOCOL.length), 'base64url').toString();
  return { ...headers, authorization: `Bearer ${token}` };
}

/** The interval of pings, in milliseconds. A peer that does not answer a ping before the next one is dead. */
const PING_MS = 30_000;
/**
 * The most bytes that may be sent but not yet read by the peer, system buffers included. A ping after every
 * `MARK_BYTES` bytes, and its pong, tell how far the peer has read.
 */
const WINDOW_BYTES = 1024 * 1024;
const MARK_BYTES = 512 * 1024;
/** The time after which a peer that reads nothing while events wait is disconnected, in milliseconds. */
const STALL_MS = 5_000;
const LAST_WORDS_MS = 1_000;

const GOING_AWAY = 1001;
const TRY_AGAIN_LATER = 1013;

/**
 * The WebSocket of one subscriber. Events are written to its socket as whole frames; `ws` handles the rest of the
 * protocol.
 */
class FeedConnection implements EventSink {
  readonly #ws: WebSocket;
  readonly #socket: Socket;
  readonly #clock: Clock;
  #subscription: Subscription | null = null;
  #sentBytes = 0;
  #markedBytes = 0;
  #readBytes = 0;
  #alive = true;
  #cancelStall: (() => void) | null = null;
  #cancelPing: () => void = () => {};

  constructor(ws: WebSocket, socket: Socket, clock: Clock) {
    this.#ws = ws;
    this.#socket = socket;
    this.#clock = clock;
    socket.setNoDelay(true);
    socket.on('drain', () => this.#resume());
    ws.on('error', () => {});
    ws.on('ping', (data) => {
      // Pongs for a peer that does not read would fill the memory.
      if (!this.#isFull()) ws.pong(data);
    });
    ws.on('pong', (data) => this.#answered(Number(data.toString('latin1'))));
    ws.on('close', () => this.#end());
    this.#pingLater();
  }

  /** Sets the subscription that feeds this connection. */
  attach(subscription: Subscription): void {
    this.#subscription = subscription;
  }

  write(events: Buffer): boolean {
    if (this.#ws.readyState !== this.#ws.OPEN) return false;
    this.#socket.write(events);
    this.#sentBytes += events.length;
    if (this.#sentBytes - this.#markedBytes >= MARK_BYTES) {
      this.#markedBytes = this.#sentBytes;
      this.#ws.ping(String(this.#sentBytes));
    }
    if (!this.#isFull()) return true;
    this.#cancelStall = this.#clock.after(STALL_MS, () => this.#close(TRY_AGAIN_LATER, 'too slow'));
    return false;
  }

  /** Closes the connection because the server stops. It does not wait for the peer's close frame. */
  shutDown(): void {
    this.#close(GOING_AWAY, 'the server stops');
    this.#socket.destroySoon();
    const cancel = this.#clock.after(LAST_WORDS_MS, () => this.#ws.terminate());
    this.#socket.once('close', cancel);
  }

  #isFull(): boolean {
    const { writableLength, writableHighWaterMark } = this.#socket;
    return writableLength >= writableHighWaterMark || this.#sentBytes - this.#readBytes >= WINDOW_BYTES;
  }

  #answered(bytes: number): void {
    this.#alive = true;
    // A peer may claim to have read more than it was sent.
    if (bytes > this.#readBytes) this.#readBytes = Math.min(bytes, this.#sentBytes);
    this.#resume();
  }

  #resume(): void {
    if (this.#cancelStall === null || this.#isFull()) return;
    this.#cancelStall();
    this.#cancelStall = null;
    this.#subscription?.resume();
  }

  #pingLater(): void {
    this.#cancelPing = this.#clock.after(PING_MS, () => {
      if (!this.#alive) return this.#ws.terminate();
      this.#alive = false;
      this.#ws.ping();
      this.#pingLater();
    });
  }

  #close(code: number, reason: string): void {
    this.#end();
    this.#ws.close(code, reason);
  }

  #end(): void {
    this.#subscription?.end();
    this.#cancelStall?.();
    this.#cancelStall = null;
    this.#cancelPing();
  }
}
