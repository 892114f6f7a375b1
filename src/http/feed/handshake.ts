import { type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ServerOptions, WebSocketServer } from 'ws';
import type { Context } from '../../context.ts';
import { refuse } from '../../domain/errors.ts';
import { RETRY_AFTER_S } from '../admit.ts';
import { Exchange } from '../exchange.ts';
import type { Lifetime } from '../lifetime.ts';
import { FEED_PATH, feedQuery } from '../local/feed.ts';
import { checkLocal } from '../local/guard.ts';
import { readQuery } from '../query.ts';
import { logRequest, logUpgrade } from '../request-log.ts';
import { respondError } from '../respond.ts';
import { FeedConnection } from './connection.ts';
import { FEED_PROTOCOL, LISTS_PROTOCOL, withToken } from './token.ts';

const MAX_SUBSCRIBERS = 2_000;
/** The largest message from a subscriber, in bytes. A subscriber has nothing to send. */
const MAX_PAYLOAD_BYTES = 1_024;
const CLOSE_TIMEOUT_MS = 10_000;

/** Tells whether a request opens a WebSocket to the feed (RFC 6455 section 4.2.1). No other upgrade is supported. */
export function isFeedHandshake({ url = '', headers }: IncomingMessage): boolean {
  return (
    (url === FEED_PATH || url.startsWith(`${FEED_PATH}?`)) &&
    headers.upgrade?.toLowerCase() === 'websocket' &&
    headers['sec-websocket-version'] === '13' &&
    /^[+/0-9a-z]{22}==$/i.test(headers['sec-websocket-key'] ?? '')
  );
}

/** Lets clients of a server subscribe to the feed. */
export function serveFeed(ctx: Context, server: Server, lifetime: Lifetime, nextId: () => string): void {
  let subscribers = 0;
  let opened: Promise<WebSocketServer> | null = null;
  const requestIds = new WeakMap<IncomingMessage, string>();

  const open = async (exchange: Exchange, socket: Socket, head: Buffer): Promise<void> => {
    const { req } = exchange;
    await checkLocal(ctx, exchange, { headers: withToken(req.headers) });
    const { since, ...filter } = readQuery(feedQuery, exchange.query);
    if (lifetime.stopping) throw refuse('shutting_down', { retryAfter: RETRY_AFTER_S });
    if (subscribers >= MAX_SUBSCRIBERS) throw refuse('too_many_subscribers', { limit: MAX_SUBSCRIBERS });
    subscribers++;
    socket.once('close', () => subscribers--);
    // The module is loaded at the first use, to keep the start of the server short.
    opened ??= import('ws').then((ws) =>
      webSockets(ws).on('headers', (headers, asked) => {
        headers.push(`X-Request-Id: ${requestIds.get(asked) ?? nextId()}`);
      }),
    );
    const handshake = await opened;
    // The position is read before the 101, so that the client gets every event that it causes after it.
    const after = since ?? (await ctx.store.read.events.lastId());
    if (lifetime.stopping) throw refuse('shutting_down', { retryAfter: RETRY_AFTER_S });
    requestIds.set(req, exchange.requestId);
    handshake.handleUpgrade(req, socket, head, (ws) => {
      const connection = new FeedConnection(ws, socket, ctx.clock);
      const feed = ws.protocol === LISTS_PROTOCOL ? ctx.feedOfLists : ctx.feed;
      connection.attach(feed.subscribe(filter, after, connection));
      ws.once(
        'close',
        lifetime.onClose(() => connection.shutDown()),
      );
      ctx.metrics.answered('GET', FEED_PATH, 101);
      logUpgrade(ctx, exchange);
    });
  };

  server.on('upgrade', (req: IncomingMessage, socket: Socket, head: Buffer) => {
    // Without a listener, an error before the end of the handshake would end the process.
    socket.on('error', () => {});
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
      ctx.metrics.answered('GET', FEED_PATH, res.statusCode);
    });
  });
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
