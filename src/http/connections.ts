import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { mayStart } from '../domain/pipelining.ts';

/** The most connections at once. Ten thousand clients may wait at the same time, each on its own connection. */
const MOST_CONNECTIONS = 16_384;

/** How long in milliseconds a client may take none of the bytes that the server has for it. */
const UNREAD_MS = 60_000;

/**
 * Bounds what the clients of a server can make it hold: the number of connections, the requests under way in them, and
 * the time for which an answer stays unread. Returns the listener that passes on the requests within these bounds.
 */
export function boundConnections(serve: RequestListener): { serve: RequestListener; attach(server: Server): void } {
  const underWay = new Map<Socket, Set<ServerResponse>>();
  let behind = 0;
  const end = (socket: Socket) => {
    const answers = underWay.get(socket);
    if (answers === undefined) return;
    underWay.delete(socket);
    behind -= Math.max(0, answers.size - 1);
    // Node tells only the first answer in the queue that the connection has closed. A wait behind it would go on.
    for (const res of answers) {
      if (res.socket !== null || res.destroyed) continue;
      res.on('error', () => {});
      res.destroy();
      res.emit('close');
    }
  };
  const start = (req: IncomingMessage, res: ServerResponse): boolean => {
    const { socket } = req;
    // The parser goes on to the end of its buffer after the connection was closed.
    if (socket.destroyed) return false;
    let answers = underWay.get(socket);
    if (!mayStart(answers?.size ?? 0, behind)) {
      socket.destroy();
      return false;
    }
    if (answers === undefined) {
      answers = new Set();
      underWay.set(socket, answers);
      socket.once('close', () => end(socket));
    }
    const own = answers;
    if (own.size > 0) behind++;
    own.add(res);
    res.once('close', () => {
      if (underWay.get(socket) !== own || !own.delete(res)) return;
      if (own.size > 0) behind--;
    });
    return true;
  };
  return {
    serve: (req, res) => {
      if (start(req, res)) serve(req, res);
    },
    attach: (server) => {
      server.maxConnections = MOST_CONNECTIONS;
      // With this listener, node leaves it to us to close a connection that was kept for reuse, too.
      server.timeout = UNREAD_MS;
      server.on('timeout', (socket: Socket) => {
        const isIdle = (underWay.get(socket)?.size ?? 0) === 0;
        if (isIdle || socket.writableLength > 0) socket.destroy();
      });
    },
  };
}
