import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Context } from '../context.ts';
import { createApp } from './app.ts';
import { createCapture, isCapture } from './capture.ts';
import { messageClasses } from './express-messages.ts';
import { isFeedHandshake, serveFeed } from './feed/handshake.ts';
import { Lifetime } from './lifetime.ts';
import { toOriginForm } from './origin-form.ts';
import { createRequestIds } from './request-id.ts';
import { respondUnreadable, respondWithoutHost } from './respond.ts';

export interface HttpServer {
  listen(port: number, host: string): Promise<{ port: number }>;
  /** From now on what comes new is `shutting_down`, but for health; what is under way goes on. */
  stop(): void;
  /**
   * Stops, answers those who wait once `nothingComes`, and listens until the requests under way and `workIsDone` have
   * finished, so that whoever comes meanwhile is told why. Then it closes. After `graceMs` it cuts.
   */
  close(graceMs: number, nothingComes?: Promise<void>, workIsDone?: Promise<void>): Promise<void>;
}

// An await holds its connection for 60 s; nothing here may be shorter where it would count that.
const OPTIONS = {
  // Clients keep connections for reuse, and lose a race when the server is the first to let go.
  keepAliveTimeout: 75_000,
  headersTimeout: 30_000,
  requestTimeout: 300_000,
  connectionsCheckingInterval: 5_000,
  maxHeaderSize: 16 * 1024,
  requireHostHeader: false,
};

const IDLE_CHECK_MS = 50;

/** Ten thousand waiters may come at once. */
const BACKLOG = 4_096;

/** The HTTP side of a server: cloud API, local API and capture URLs on one port. */
export function createHttpServer(ctx: Context): HttpServer {
  const lifetime = new Lifetime();
  const nextId = createRequestIds(ctx.random);
  const app = createApp(ctx, lifetime);
  const capture = createCapture(ctx, lifetime);
  const serve: RequestListener = (req, res) => {
    toOriginForm(req);
    if (lacksHost(req)) respondWithoutHost(res, nextId());
    else if (isCapture(req)) capture(req, res);
    else app(req, res);
  };
  const server = createServer({ ...OPTIONS, ...messageClasses(app, isFeedHandshake) }, serve);
  // RFC 9110 10.1.1 allows a 417 for what else a client may expect, and node's own says nothing of us; a capture takes any header.
  server.on('checkExpectation', serve);
  // Their bytes are bounded; a count would drop what is over it in silence.
  server.maxHeadersCount = 0;
  serveFeed(ctx, server, lifetime, nextId);
  // Connections that never asked for anything, as browsers open ahead: nothing is under way on them.
  const silent = new Set<Socket>();
  server.on('connection', (socket) => {
    silent.add(socket);
    socket.once('data', () => silent.delete(socket));
    socket.once('close', () => silent.delete(socket));
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => respondUnreadable(socket, error.code, nextId()));
  return {
    listen: (port, host) =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen({ port, host, backlog: BACKLOG }, () => {
          server.off('error', reject);
          // Bound to a port, so the address is no pipe's name.
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
        // One that was answered before its body was in gets idle later, and then nobody else closes it.
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

/** RFC 9112 3.2: 400. Node's own answer to it would be empty. */
function lacksHost({ headers, httpVersion }: IncomingMessage): boolean {
  return headers.host === undefined && httpVersion === '1.1';
}
