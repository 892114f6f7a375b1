import { createServer, type Socket } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import type { SMTPConnectionOptions } from 'smtp-server/lib/smtp-connection.js';
import { type ConnectionRoom, idleAllowanceMs, isCalm, mayGoAsIdle, whoGivesWay } from '../domain/idle-connection.ts';
import { type ConnectionServices, type House, PromptConnection } from './prompt-connection.ts';
import { REPLIES } from './reply.ts';

/** The interval in milliseconds at which idle connections are checked while many are open. */
const LOOK_MS = 1_000;

/**
 * smtp-server with fast connections that give way to one another, and with a second port for TLS from the first byte.
 */
export class PromptServer extends SMTPServer implements House {
  readonly desk: ConnectionServices;
  readonly alive = new Set<PromptConnection>();
  readonly tlsServer = createServer((socket) => this.#openWithTls(socket));
  readonly #room: ConnectionRoom;
  #isLooking = false;
  draining = false;

  constructor(options: SMTPServerOptions, desk: ConnectionServices, room: ConnectionRoom) {
    super(options);
    this.desk = desk;
    this.#room = room;
    this.tlsServer.on('error', (error) => this._onError(error));
  }

  override connect(socket: Socket, options?: SMTPConnectionOptions | null): void {
    // `printf ... | nc` closes its half behind the last command, and still reads the replies.
    socket.allowHalfOpen = true;
    this.#open(new PromptConnection(this, socket, options, false));
  }

  hasRoom(): boolean {
    return this.#makeRoom(this.connections.size);
  }

  /** Accepts no more connections. Those without a transaction end now, the others after it. */
  drain(): void {
    this.draining = true;
    for (const connection of this.alive) connection.retire();
  }

  cut(): void {
    for (const connection of this.alive) connection.cut();
  }

  #openWithTls(socket: Socket): void {
    // No reply is possible before the handshake, and a handshake would cost more than accepting the client.
    if (this.draining || !this.#makeRoom(this.connections.size + 1)) {
      socket.on('error', () => {});
      socket.destroy();
    } else this.#open(new PromptConnection(this, socket, null, true));
  }

  #open(connection: PromptConnection): void {
    this.connections.add(connection);
    this.alive.add(connection);
    connection.on('error', (error) => this._onError(error));
    connection.init();
    this.#lookLater();
  }

  #makeRoom(wanted: number): boolean {
    if (wanted <= this.#room.connections) return true;
    const one = whoGivesWay(this.#idlers());
    if (one === null) return false;
    one.giveWay(mayGoAsIdle(one.idleMs, one.inTransaction) ? REPLIES.gives_way : REPLIES.too_slow);
    return true;
  }

  #idlers(): PromptConnection[] {
    // Connections that were told to close no longer count, even if their sockets still exist.
    return [...this.alive].filter((connection) => this.connections.has(connection));
  }

  #lookLater(): void {
    if (this.#isLooking || this.draining || isCalm(this.connections.size, this.#room)) return;
    this.#isLooking = true;
    this.desk.clock.after(LOOK_MS, () => {
      this.#isLooking = false;
      this.#hurryIdlers();
      this.#lookLater();
    });
  }

  /**
   * Closes connections that exceed their idle time. The most idle goes first, because each that closes gives the others
   * more time.
   */
  #hurryIdlers(): void {
    const idlers = this.#idlers().map((connection) => ({ connection, idleMs: connection.idleMs }));
    idlers.sort((a, b) => b.idleMs - a.idleMs);
    for (const { connection, idleMs } of idlers) {
      const allowed = idleAllowanceMs(this.connections.size, this.#room, connection.inTransaction);
      if (idleMs >= allowed) connection.giveWay(REPLIES.gives_way);
    }
  }
}
