import { connect, type Socket } from 'node:net';
import type { Clock } from '../ports/system.ts';

export interface DaemonAddress {
  readonly host: string;
  readonly port: number;
}

/** Calls a daemon on a connection of its own for each call. */
export class DaemonCalls {
  readonly #address: DaemonAddress;
  readonly #clock: Clock;
  readonly #sockets = new Set<Socket>();

  constructor({ host, port }: DaemonAddress, clock: Clock) {
    this.#address = { host, port };
    this.#clock = clock;
  }

  /**
   * Opens a connection for `talk` and closes it afterwards. Rejects with an error with the message `late` if it has not
   * ended by `endsAt`, a reading of {@link Clock.steady}.
   */
  async run<T>(endsAt: number, late: string, talk: (socket: Socket) => Promise<T>): Promise<T> {
    const socket = connect({ ...this.#address, noDelay: true });
    this.#sockets.add(socket);
    const leftMs = Math.max(0, endsAt - this.#clock.steady());
    const stop = this.#clock.after(leftMs, () => socket.destroy(new Error(late)));
    try {
      return await talk(socket);
    } finally {
      stop();
      socket.destroy();
      this.#sockets.delete(socket);
    }
  }

  /** Cuts off the running calls. */
  close(): void {
    for (const socket of this.#sockets) socket.destroy(new Error('was given up: the server is stopping'));
  }
}
