import { once } from 'node:events';
import { createServer, IncomingMessage, type RequestListener, type Server, ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Express } from 'express';
import type { Context } from '../context.ts';
import { refuse } from '../domain/errors.ts';
import { lazily } from '../lazily.ts';
import { CAPTURES, createCapture, isCapture } from './capture.ts';
import { Connections } from './connections.ts';
import { createRequestIds, Lifetime, logUnreadable, respondUnreadable, respondUnrouted } from './exchange.ts';
import type { Feed } from './feed/handshake.ts';

/** A certificate with its key. */
interface Pem {
  readonly cert: string;
  readonly key: string;
}

/** The routes and the feed, which answer the requests. */
interface Answering extends Feed {
  readonly app: Express;
}

interface HttpServer {
  /** Starts to listen. With a certificate, which `--https on` needs, it speaks HTTPS alone. */
  listen(port: number, host: string, pem: Pem | null): Promise<{ port: number }>;
  /** Begins to load what answers requests, which the first request would else do. */
  warm(): void;
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
/** The time in milliseconds that a client has for the handshake of TLS. */
const HANDSHAKE_MS = 30_000;

/** The most connections that wait to be accepted. Ten thousand clients may come at once. */
const BACKLOG = 4_096;

/** Creates the HTTP server: cloud API, local API and webhook URLs on one port. */
export function createHttpServer(ctx: Context): HttpServer {
  const lifetime = new Lifetime();
  const nextId = createRequestIds(ctx.random);
  // The routes and their schemas are a third of a start, and a port can listen without them.
  let answering: Answering | null = null;
  const load = lazily(() =>
    Promise.all([import('./app.ts'), import('./feed/handshake.ts')]).then(([routes, feed]): Answering => {
      const app = routes.createApp(ctx, lifetime);
      giveClasses(classes, app);
      answering = { app, ...feed.createFeed(ctx, lifetime, nextId) };
      return answering;
    }),
  );
  const logUnloaded = (error: unknown): string => {
    const requestId = nextId();
    ctx.log.error('the routes could not be loaded', { requestId, error });
    return requestId;
  };
  const capture = createCapture(ctx, lifetime);
  const connections = new Connections(ctx.clock);
  const serve: RequestListener = (req, res) => {
    connections.began(req, res);
    toOriginForm(req);
    belowRoot(req, ctx.config.webroot);
    toNormalPath(req, CAPTURES);
    if (isMalformed(req)) {
      const requestId = nextId();
      respondUnrouted(res, requestId, refuse('bad_request'));
      logUnreadable(ctx, 'bad_request', requestId, req);
    } else if (isCapture(req)) capture(req, res);
    else if (answering !== null) answering.app(req, res);
    // A client that left meanwhile gets no answer.
    else
      load().then(
        ({ app }) => res.destroyed || app(req, res),
        (error) => {
          const requestId = logUnloaded(error);
          respondUnrouted(res, requestId, refuse('internal_error', { requestId }));
        },
      );
  };
  const mayUpgrade = (req: IncomingMessage) => {
    const { url = '' } = belowRoot(req, ctx.config.webroot);
    const isThere = answering === null || answering.hasSocket(url.split('?', 1)[0] ?? '');
    return isThere && isWebSocketHandshake(req) && !isMalformed(req);
  };
  const classes = messageClasses(mayUpgrade);
  const isSecure = ctx.config.https === 'on';
  const options = { ...OPTIONS, ...classes };
  // Node types the two apart, but the second is the first with TLS below it.
  const server: Server & { setSecureContext?(pem: Pem): void } = isSecure
    ? createSecureServer({ ...options, handshakeTimeout: HANDSHAKE_MS, minVersion: 'TLSv1.2' }, serve)
    : createServer(options, serve);
  // RFC 9110 section 10.1.1 allows a 417 for an unknown expectation, but node's 417 has none of our headers. A capture
  // takes any header.
  server.on('checkExpectation', serve);
  // The header bytes are limited. A limit of their number would silently drop headers.
  server.maxHeadersCount = 0;
  // With TLS, what the server reads is the socket of the secure connection, not that of the network.
  const opened = isSecure ? 'secureConnection' : 'connection';
  connections.attach(server, opened);
  server.on('upgrade', (req: IncomingMessage, socket: Socket, head: Buffer) => {
    // Without a listener, an error before the end of the handshake would end the process.
    socket.on('error', () => {});
    if (answering !== null) answering.openSocket(req, socket, head);
    else
      load().then(
        (loaded) => loaded.openSocket(req, socket, head),
        (error) => {
          logUnloaded(error);
          socket.destroy();
        },
      );
  });
  // The connections that sent nothing yet, as browsers open them in advance. No request is under way on them.
  const silent = new Set<Socket>();
  server.on(opened, (socket: Socket) => {
    silent.add(socket);
    socket.once('data', () => silent.delete(socket));
    socket.once('close', () => silent.delete(socket));
  });
  // The connections whose handshake is not over, which no request can end.
  const shaking = new Map<string, Socket>();
  if (isSecure) {
    const peerOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`;
    server.on('connection', (socket: Socket) => {
      const peer = peerOf(socket);
      shaking.set(peer, socket);
      socket.once('close', () => shaking.delete(peer));
    });
    server.on(opened, (socket: Socket) => shaking.delete(peerOf(socket)));
  }
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
    listen: async (port, host, pem) => {
      if (pem !== null) server.setSecureContext?.(pem);
      await once(server.listen({ port, host, backlog: BACKLOG }), 'listening');
      // The server listens on a port, so its address is no pipe name.
      return { port: (server.address() as AddressInfo).port };
    },
    // A request that comes before the routes are there says why they are not.
    warm: () => void load().catch(() => {}),
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
        for (const socket of [...silent, ...shaking.values()]) socket.destroy();
      });
      await Promise.race([closed, graceIsOver]);
      cancel();
      server.closeAllConnections();
      await closed;
    },
  };
}

// What RFC 9112 asks of a request beyond what Node's parser checks. Two programs that read such a request differently,
// a balancer and this server, could be played against each other.

/** A host of RFC 3986 section 3.2.2, possibly empty, and a port. A zone as in `127.0.0.1%eth0` is none. */
const HOST = /^(?:\[[0-9a-f:.]+\]|(?:[\w.~!$&'()*+,;=-]|%[0-9a-f]{2})*)(?::\d*)?$/i;

/**
 * Tells whether a request must be refused with a 400: Host is missing in HTTP/1.1, repeated or no host (RFC 9112 section
 * 3.2), or the body has another transfer coding than `chunked`, which would be read as if it had none (section 6.1).
 */
function isMalformed({ headers, rawHeaders, httpVersion }: IncomingMessage): boolean {
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && coding.trim().toLowerCase() !== 'chunked') return true;
  if (headers.host === undefined) return httpVersion === '1.1';
  // `headers` has only the first of several.
  const hosts = rawHeaders.filter((name, i) => i % 2 === 0 && name.toLowerCase() === 'host').length;
  return hosts > 1 || !HOST.test(headers.host);
}

const SCHEME_AND_AUTHORITY = /^https?:\/\/([^/?]*)/i;

/**
 * Reduces a target in absolute form to its path and query. Clients of a proxy send it, and every server must accept it.
 * The host of the target replaces that of the header Host (RFC 9112 section 3.2.2).
 */
function toOriginForm(req: IncomingMessage): void {
  const target = req.url ?? '/';
  const [start, authority] = SCHEME_AND_AUTHORITY.exec(target) ?? [];
  if (start === undefined || authority === undefined) return;
  const rest = target.slice(start.length);
  req.url = rest.startsWith('/') ? rest : `/${rest}`;
  // Without a Host, HTTP/1.1 stays malformed.
  if (req.headers.host !== undefined || req.httpVersion !== '1.1') req.headers.host = authority;
}

const rooted = Symbol('had the path of --webroot removed');

/** Removes the path of `--webroot` from the start of the target, once for each request. */
function belowRoot(req: IncomingMessage & { [rooted]?: boolean }, webroot: string | null): IncomingMessage {
  if (webroot === null || req[rooted] === true) return req;
  req[rooted] = true;
  const { url = '/' } = req;
  const [, rest] = url.startsWith(webroot) ? [webroot, url.slice(webroot.length)] : [];
  // `/mailbox` is not below `/mail`.
  if (rest !== undefined && /^(?:$|[/?])/.test(rest)) req.url = rest.startsWith('/') ? rest : `/${rest}`;
  return req;
}

/** A percent-encoded character that needs no encoding (RFC 3986 section 2.3). */
const UNRESERVED = /%(?:2[de]|3\d|[46][1-9a-f]|[57][\da]|5f|7e)/gi;

/**
 * Decodes the characters of a path that need no encoding, so that `/v1/%6dailboxes` is `/v1/mailboxes` (RFC 3986 section
 * 6.2.2.2). Below `keptBelow` the path stays as it was sent.
 */
function toNormalPath(req: IncomingMessage, keptBelow: string): void {
  const url = req.url ?? '/';
  const mark = url.indexOf('?');
  const end = mark < 0 ? url.length : mark;
  if (!url.slice(0, end).includes('%')) return;
  const decoded = (from: number, to: number) =>
    url.slice(from, to).replace(UNRESERVED, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)));
  const slash = url.indexOf('/', 1);
  const first = slash < 0 || slash > end ? end : slash + 1;
  const root = decoded(0, first);
  req.url = root + (root === keptBelow ? url.slice(first, end) : decoded(first, end)) + url.slice(end);
}

const asked = Symbol('asked for an upgrade');

/** The request and response classes of a server. */
interface MessageClasses {
  readonly IncomingMessage: typeof IncomingMessage;
  readonly ServerResponse: typeof ServerResponse;
}

/** Tells whether a request opens a WebSocket (RFC 6455 section 4.2.1). No other upgrade is supported. */
function isWebSocketHandshake({ headers }: IncomingMessage): boolean {
  return (
    headers.upgrade?.toLowerCase() === 'websocket' &&
    headers['sec-websocket-version'] === '13' &&
    /^[+/0-9a-z]{22}==$/i.test(headers['sec-websocket-key'] ?? '')
  );
}

/** Creates the request and response classes of the server. {@link giveClasses} gives them to an app. */
export function messageClasses(mayUpgrade: (req: IncomingMessage) => boolean): MessageClasses {
  class AppRequest extends IncomingMessage {
    [asked]?: boolean;

    // With an upgrade listener, node treats every request that offers an upgrade as one and leaves the answer to the
    // listener. Some clients offer h2c with every request. A server may ignore that (RFC 9110 section 7.8), so these
    // requests are served as usual.
    get upgrade(): boolean {
      return this[asked] === true && (this.method === 'CONNECT' || mayUpgrade(this));
    }

    set upgrade(value: boolean) {
      this[asked] = value;
    }
  }
  class AppResponse<Request extends IncomingMessage> extends ServerResponse<Request> {}
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse };
}

/**
 * Gives the classes the prototypes that Express would set on each object. Changing an object's prototype makes V8 give it
 * a hidden class of its own, which costs 2.4 KB for each open request and is slower.
 */
export function giveClasses({ IncomingMessage, ServerResponse }: MessageClasses, app: Express): void {
  Object.setPrototypeOf(IncomingMessage.prototype, app.request);
  Object.setPrototypeOf(ServerResponse.prototype, app.response);
  // Express sets these prototypes only if they differ.
  Object.assign(app, { request: IncomingMessage.prototype, response: ServerResponse.prototype });
}
