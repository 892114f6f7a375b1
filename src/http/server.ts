import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Context } from '../context.ts';
import { createApp } from './app.ts';
import { createCapture, isCapture } from './capture.ts';
import { messageClasses } from './express-messages.ts';
import { isFeedHandshake, serveFeed } from './feed/handshake.ts';
import { Lifetime } from './lifetime.ts';
import { toOriginForm } from './origin-form.ts';
import { createRequestIds } from './request-id.ts';
import { respondUnreadable } from './respond.ts';

export interface HttpServer {
  listen(port: number, host: string): Promise<{ port: number }>;
  /** Stops accepting, answers those who wait once `nothingComes`, lets the requests under way finish within `graceMs`, then cuts. */
  close(graceMs: number, nothingComes?: Promise<void>): Promise<void>;
}

// An await holds its connection for 60 s; nothing here may be shorter where it would count that.
const OPTIONS = {
  // Clients keep connections for reuse, and lose a race when the server is the first to let go.
  keepAliveTimeout: 75_000,
  headersTimeout: 30_000,
  requestTimeout: 300_000,
  connectionsCheckingInterval: 5_000,
  maxHeaderSize: 16 * 1024,
};

const IDLE_CHECK_MS = 50;

/** Ten thousand waiters may come at once. */
const BACKLOG = 4_096;

/** The HTTP side of a server: cloud API, local API and capture URLs on one port. */
export function createHttpServer(ctx: Context): HttpServer {
  const lifetime = new Lifetime();
  const app = createApp(ctx, lifetime);
  const capture = createCapture(ctx, lifetime);
  const serve: RequestListener = (req, res) => {
    toOriginForm(req);
    if (isCapture(req)) capture(req, res);
    else app(req, res);
  };
  const server = createServer({ ...OPTIONS, ...messageClasses(app, isFeedHandshake) }, serve);
  // RFC 9110 10.1.1 allows a 417 for what else a client may expect, and node's own says nothing of us; a capture takes any header.
  server.on('checkExpectation', serve);
  // Their bytes are bounded; a count would drop what is over it in silence.
  server.maxHeadersCount = 0;
  const nextId = createRequestIds(ctx.random);
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
    close: (graceMs, nothingComes = Promise.resolve()) =>
      new Promise((resolve) => {
        if (!server.listening) return resolve();
        const cancel = ctx.clock.after(graceMs, () => server.closeAllConnections());
        // One that was answered before its body was in gets idle later, and then nobody else closes it.
        let again = () => {};
        const closeIdle = () => {
          server.closeIdleConnections();
          again = ctx.clock.after(IDLE_CHECK_MS, closeIdle);
        };
        server.close(() => {
          cancel();
          again();
          resolve();
        });
        closeIdle();
        for (const socket of silent) socket.destroy();
        void nothingComes.finally(() => {
          lifetime.close();
          server.closeIdleConnections();
        });
      }),
  };
}
