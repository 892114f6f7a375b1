import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { mayStart } from '../domain/pipelining.ts';
import type { Clock } from '../ports/clock.ts';
import { Intake, type Shared } from './intake.ts';
import { Turns } from './turns.ts';

/** The most connections at once. Ten thousand clients may wait at the same time, each on its own connection. */
const MOST_CONNECTIONS = 16_384;

/** How long in milliseconds a client may take none of the bytes that the server has for it. */
const UNREAD_MS = 60_000;

/** A connection and the answers that have not left it yet. */
interface Connection {
  readonly intake: Intake;
  readonly answers: Set<ServerResponse>;
}

/**
 * Bounds what the clients of a server can make it hold: the number of connections, the requests under way in them, and
 * the time for which an answer stays unread. A client that sends more requests waits.
 */
export class Connections {
  readonly #open = new Map<Socket, Connection>();
  readonly #shared: Shared;
  /** The requests of all connections that are under way behind an earlier one of the same connection. */
  #behind = 0;

  constructor(clock: Pick<Clock, 'steady'>) {
    this.#shared = { turns: new Turns(clock), heldBytes: 0 };
  }

  attach(server: Server): void {
    server.maxConnections = MOST_CONNECTIONS;
    server.on('connection', (socket) => this.#opened(socket));
    // Whoever takes over the connection reads it.
    for (const event of ['upgrade', 'connect'])
      server.on(event, (_, socket: Socket) => this.#open.get(socket)?.intake.leave());
    // With this listener, node leaves it to us to close a connection that was kept for reuse, too.
    server.timeout = UNREAD_MS;
    server.on('timeout', (socket: Socket) => {
      const isIdle = (this.#open.get(socket)?.answers.size ?? 0) === 0;
      if (isIdle || socket.writableLength > 0) socket.destroy();
    });
  }

  /** Counts a request as under way until its answer has left. */
  began(req: IncomingMessage, res: ServerResponse): void {
    const connection = this.#open.get(req.socket);
    if (connection === undefined) return;
    const { answers, intake } = connection;
    if (answers.size > 0) this.#behind++;
    answers.add(res);
    intake.began(req);
    res.once('close', () => {
      if (!answers.delete(res)) return;
      if (answers.size > 0) this.#behind--;
      intake.goOn();
    });
  }

  #opened(socket: Socket): void {
    const answers = new Set<ServerResponse>();
    const intake = new Intake(socket, this.#shared, () => mayStart(answers.size, this.#behind, socket.writableLength));
    this.#open.set(socket, { intake, answers });
    socket.once('close', () => this.#closed(socket, answers));
  }

  #closed(socket: Socket, answers: Set<ServerResponse>): void {
    this.#open.delete(socket);
    this.#behind -= Math.max(0, answers.size - 1);
    const left = [...answers];
    answers.clear();
    // Node tells only the first answer in the queue that the connection has closed. A wait behind it would go on.
    for (const res of left) {
      if (res.socket !== null || res.destroyed) continue;
      res.on('error', () => {});
      res.destroy();
      res.emit('close');
    }
  }
}
