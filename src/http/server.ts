import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Context } from '../context.ts';
import { createApp } from './app.ts';
import { CAPTURES, createCapture, isCapture } from './capture.ts';
import { Connections } from './connections.ts';
import { messageClasses } from './express-messages.ts';
import { isFeedHandshake, serveFeed } from './feed/handshake.ts';
import { isMalformed, toNormalPath, toOriginForm } from './framing.ts';
import { Lifetime } from './lifetime.ts';
import { createRequestIds } from './request-id.ts';
import { logUnreadable } from './request-log.ts';
import { respondMalformed, respondUnreadable } from './respond.ts';

export interface HttpServer {
  listen(port: number, host: string): Promise<{ port: number }>;
  /** Stops the server: it refuses new requests with `shutting_down`, except for health. Requests under way go on. */
  stop(): void;
  /**
   * Stops, answers the waits once `nothingComes` resolves, and listens until the requests under way and `workIsDone`
   * have finished, so that new requests get a reason. Then it closes. After `graceMs` milliseconds it cuts all
   * connections.
   */
  close(graceMs: number, nothingComes?: Promise<void>, workIsDone?: Promise<void>): Promise<void>;
}

// An await holds its connection for 60 s, so no timeout that counts this may be shorter.
const OPTIONS = {
  // Clients keep connections for reuse. If the server closed them first, a request could get lost.
  keepAliveTimeout: 75_000,
  headersTimeout: 30_000,
  requestTimeout: 300_000,
  connectionsCheckingInterval: 5_000,
  maxHeaderSize: 16 * 1024,
  requireHostHeader: false,
};

const IDLE_CHECK_MS = 50;

/** The most connections that wait to be accepted. Ten thousand clients may come at once. */
const BACKLOG = 4_096;

/** Creates the HTTP server: cloud API, local API and capture URLs on one port. */
export function createHttpServer(ctx: Context): HttpServer {
  const lifetime = new Lifetime();
  const nextId = createRequestIds(ctx.random);
  const app = createApp(ctx, lifetime);
  const capture = createCapture(ctx, lifetime);
  const connections = new Connections(ctx.clock);
  const serve: RequestListener = (req, res) => {
    connections.began(req, res);
    toOriginForm(req);
    toNormalPath(req, CAPTURES);
    if (isMalformed(req)) {
      const requestId = nextId();
      respondMalformed(res, requestId);
      logUnreadable(ctx, 'bad_request', requestId, req);
    } else if (isCapture(req)) capture(req, res);
    else app(req, res);
  };
  const mayUpgrade = (req: IncomingMessage) => isFeedHandshake(req) && !isMalformed(req);
  const server = createServer({ ...OPTIONS, ...messageClasses(app, mayUpgrade) }, serve);
  // RFC 9110 section 10.1.1 allows a 417 for an unknown expectation, but node's 417 has none of our headers. A capture
  // takes any header.
  server.on('checkExpectation', serve);
  // The header bytes are limited. A limit of their number would silently drop headers.
  server.maxHeadersCount = 0;
  connections.attach(server);
  serveFeed(ctx, server, lifetime, nextId);
  // The connections that sent nothing yet, as browsers open them in advance. No request is under way on them.
  const silent = new Set<Socket>();
  server.on('connection', (socket) => {
    silent.add(socket);
    socket.once('data', () => silent.delete(socket));
    socket.once('close', () => silent.delete(socket));
  });
  const unreadable = (socket: Duplex, code: string | undefined) => {
    const requestId = nextId();
    const refusal = respondUnreadable(socket, code, requestId);
    if (refusal !== null) logUnreadable(ctx, refusal, requestId);
  };
  // CONNECT asks for a tunnel. Node passes its socket on without a listener for errors, and just closes it if nobody
  // listens for `connect`.
  server.on('connect', (_req, socket) => {
    socket.on('error', () => socket.destroy());
    unreadable(socket, undefined);
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => unreadable(socket, error.code));
  return {
    listen: (port, host) =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen({ port, host, backlog: BACKLOG }, () => {
          server.off('error', reject);
          // The server listens on a port, so its address is no pipe name.
          resolve({ port: (server.address() as AddressInfo).port });
        });
      }),
    stop: () => lifetime.stop(),
    close: async (graceMs, nothingComes = Promise.resolve(), workIsDone = Promise.resolve()) => {
      if (!server.listening) return;
      lifetime.stop();
      let cancel = () => {};
      const graceIsOver = new Promise<void>((resolve) => {
        cancel = ctx.clock.after(graceMs, resolve);
      });
      const waitsAreOver = nothingComes.finally(() => lifetime.close());
      const isDone = Promise.allSettled([workIsDone, waitsAreOver.then(() => lifetime.idle())]);
      await Promise.race([isDone, graceIsOver]);
      const closed = new Promise<void>((resolve) => {
        // A connection that was answered before its body was complete becomes idle later, and only this check closes
        // it.
        let again = () => {};
        const closeIdle = () => {
          server.closeIdleConnections();
          again = ctx.clock.after(IDLE_CHECK_MS, closeIdle);
        };
        server.close(() => {
          again();
          resolve();
        });
        closeIdle();
        for (const socket of silent) socket.destroy();
      });
      await Promise.race([closed, graceIsOver]);
      cancel();
      server.closeAllConnections();
      await closed;
    },
  };
}
