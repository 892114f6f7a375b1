import { createServer, type Socket } from 'node:net';
import type { Context } from '../context.ts';
import { type ConnectionRoom, whoGivesWay, whoIsTooIdle } from '../domain/idle-connection.ts';
import { closeWithin, listenOn, type MailServer } from '../smtp/listening.ts';
import type { ServerTls } from '../smtp/tls.ts';
import { HandshakeFailed, LineConnection } from './line-connection.ts';

/** A protocol in which clients read mailboxes line by line. */
export interface ReadingProtocol {
  readonly name: 'POP3' | 'IMAP';
  /** Writes the last words to a client, with the reason. */
  farewell(reason: string): string;
  /** Talks to a client until it leaves. */
  serve(connection: LineConnection): Promise<void>;
}

/** The limits for clients. */
export interface ReadingRoom extends ConnectionRoom {
  /** The time in milliseconds in which a client has to sign in. */
  readonly signInMs: number;
}

/** The longest time in milliseconds between two looks for idle connections. */
const LOOK_MS = 1_000;

export function createReadingServer(
  ctx: Context,
  tls: ServerTls,
  protocol: ReadingProtocol,
  room: ReadingRoom,
): MailServer {
  const crowd = new Crowd(ctx, tls, protocol, room);
  const plain = createServer((socket) => crowd.open(socket, false));
  const secure = createServer((socket) => crowd.open(socket, true));
  for (const server of [plain, secure])
    server.on('error', (error) => ctx.log.debug(`${protocol.name} listener`, { error }));
  return {
    get connections() {
      return crowd.size;
    },
    listen: (port, host) => listenOn(plain, port, host),
    async listenWithTls(port, host) {
      await tls.prepare();
      return listenOn(secure, port, host);
    },
    close: (graceMs) => closeWithin(graceMs, ctx, [plain, secure], crowd),
  };
}

/** The connections of a server, which give way to one another. */
class Crowd {
  readonly #ctx: Context;
  readonly #tls: ServerTls;
  readonly #protocol: ReadingProtocol;
  readonly #room: ReadingRoom;
  readonly #connections = new Set<LineConnection>();
  #isLooking = false;
  #isDraining = false;

  constructor(ctx: Context, tls: ServerTls, protocol: ReadingProtocol, room: ReadingRoom) {
    this.#ctx = ctx;
    this.#tls = tls;
    this.#protocol = protocol;
    this.#room = room;
  }

  get size(): number {
    return this.#connections.size;
  }

  open(socket: Socket, opensWithTls: boolean): void {
    socket.on('error', () => {});
    const { farewell } = this.#protocol;
    if (this.#isDraining || !this.#hasRoom()) {
      // No answer is possible before a handshake, and a handshake would cost more than the client.
      const why = this.#isDraining ? 'the server is shutting down' : 'too many connections';
      if (opensWithTls) socket.destroy();
      else socket.end(farewell(why), () => socket.destroy());
      return;
    }
    const connection = new LineConnection(socket, this.#ctx.clock, farewell('the server is shutting down'));
    this.#connections.add(connection);
    connection.onCancel(() => this.#connections.delete(connection));
    this.#lookLater();
    void this.#serve(connection, opensWithTls);
  }

  drain(): void {
    this.#isDraining = true;
    for (const connection of this.#connections) connection.retire();
  }

  cut(): void {
    for (const connection of this.#connections) connection.cut();
  }

  async #serve(connection: LineConnection, opensWithTls: boolean): Promise<void> {
    try {
      if (opensWithTls) await connection.startTls(await this.#tls.context());
      await this.#protocol.serve(connection);
      connection.end(connection.isRetired ? connection.lastWords : undefined);
    } catch (error) {
      if (!(error instanceof HandshakeFailed))
        this.#ctx.log.error(`a connection of ${this.#protocol.name} failed`, { error });
      connection.end();
    }
  }

  #hasRoom(): boolean {
    if (this.#connections.size < this.#room.connections) return true;
    const one = whoGivesWay([...this.#connections].filter(({ isRetired }) => !isRetired));
    if (one === null) return false;
    this.#giveWay(one, 'idle for too long while many clients are connected');
    return true;
  }

  #giveWay(one: LineConnection, reason: string): void {
    this.#connections.delete(one);
    one.retire(this.#protocol.farewell(reason));
    // One that cannot be told, because it reads nothing, goes without a word.
    if (!one.isCancelled) one.end();
  }

  #lookLater(): void {
    if (this.#isLooking || this.#isDraining || this.#connections.size === 0) return;
    this.#isLooking = true;
    const { idleMs, signInMs } = this.#room;
    this.#ctx.clock.after(Math.min(LOOK_MS, idleMs / 4, signInMs / 4), () => {
      this.#isLooking = false;
      for (const one of [...this.#connections])
        if (one.unknownForMs > signInMs) this.#giveWay(one, 'no sign-in for too long');
      for (const one of whoIsTooIdle(this.#connections, this.#connections.size, this.#room))
        this.#giveWay(one, 'idle for too long');
      this.#lookLater();
    });
  }
}
