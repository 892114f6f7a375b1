import { connect, type Socket } from 'node:net';
import type { Clock } from '../ports/system.ts';

export interface DaemonAddress {
  readonly host: string;
  readonly port: number;
}

/** The limits of one call. */
export interface DaemonBounds {
  /** The time limit, in milliseconds. */
  readonly ms: number;
  /** The largest content, in bytes. */
  readonly bytes: number;
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

/**
 * Reads the answer of a daemon. `parse` gets all bytes so far. It returns the answer or how many bytes there have to be,
 * and throws if they are no answer. `what` names the answer for the case that the daemon hangs up.
 */
export function readAnswer<Answer extends object | string>(
  socket: Socket,
  what: string,
  parse: (received: Buffer) => Answer | number,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let received = 0;
    let needed = 0;
    socket.on('data', (bytes) => {
      chunks.push(bytes);
      received += bytes.length;
      // An answer that comes byte by byte must not be parsed again for each byte.
      if (received < needed) return;
      try {
        const answer = parse(Buffer.concat(chunks));
        if (typeof answer === 'number') needed = answer;
        else resolve(answer);
      } catch (error) {
        reject(error);
      }
    });
    const hungUp = () => reject(new Error(`hung up without a ${what}`));
    socket.on('error', reject);
    socket.on('end', hungUp);
    socket.on('close', hungUp);
  });
}
