import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';

/** The maximum number of bytes of all interim (1xx) heads before an answer. */
const INTERIM_BYTES = 16 * 1024;
/**
 * The most bytes that are parsed at once. undici parses a chunk to its end, also after it has found a bound of its own
 * exceeded and closed the connection.
 */
const PARSED_BYTES = 4 * 1024;
const NONE = Buffer.alloc(0);
const HEAD_END = '\r\n\r\n';
/** The length of the beginning of a status line up to its status. */
const STATUS_BYTES = 'HTTP/1.1 100'.length;
/** 101 is left to undici, which refuses it: mailcap never asks for another protocol. */
const INTERIM = /^HTTP\/1\.\d 1(?!01)\d\d/;

/** The error for an answer that is longer than its bound. */
export class AnswerTooLong extends Error {
  override readonly name = 'AnswerTooLong';

  constructor(mostBytes: number) {
    super(`the answer is longer than ${mostBytes / 1024} KiB`);
  }
}

/** What an agent is about to ask, as undici tells it. */
export interface AskedOnWire {
  readonly method: string;
  readonly path: string;
}

/**
 * Wraps a connector of undici so that an answer is bounded as it comes from the network: heads, the framing of chunks
 * and trailers count as well, for which undici has no bound. The connection ends at the first byte past the bound,
 * before the bytes are parsed. Interim answers (1xx) are dropped, also ones that nobody asked for (RFC 9110 15.2).
 *
 * @param mostBytes the bound of the answer to a request, in bytes
 */
export function boundedAnswers(
  connect: buildConnector.connector,
  mostBytes: (asked: AskedOnWire) => number,
): buildConnector.connector {
  return (options, callback) => {
    connect(options, (...[error, socket]) => {
      if (error !== null) return callback(error, null);
      bounded.set(socket, new BoundedAnswer(socket, mostBytes));
      callback(null, socket);
    });
  };
}

const bounded = new WeakMap<object, BoundedAnswer>();

// undici sends one request at a time on a connection, and tells so just before it writes the head.
subscribe('undici:client:sendHeaders', (message) => {
  const { request, socket } = message as { request: AskedOnWire; socket: object }; // undici documents this shape
  bounded.get(socket)?.begin(request);
});

/** The bytes of the answer on one connection. */
class BoundedAnswer {
  readonly #socket: Socket;
  readonly #mostBytes: (asked: AskedOnWire) => number;
  readonly #pass: (chunk: Uint8Array | null) => boolean;
  #most = INTERIM_BYTES;
  #bytes = 0;
  #interimBytes = 0;
  /** Bytes of a head of which it is open whether it is interim. Null once the final head has begun. */
  #held: Buffer | null = NONE;

  constructor(socket: Socket, mostBytes: (asked: AskedOnWire) => number) {
    this.#socket = socket;
    this.#mostBytes = mostBytes;
    this.#pass = socket.push.bind(socket);
    // The socket hands over each chunk from the network with `push`. No later place sees it before the parser does.
    socket.push = (chunk: Buffer | null) => this.#take(chunk);
    const read = socket.read.bind(socket);
    socket.read = (size?: number) => {
      if (size !== undefined) return read(size);
      if (socket.destroyed) return null;
      return socket.readableLength > PARSED_BYTES ? read(PARSED_BYTES) : read();
    };
  }

  begin(asked: AskedOnWire): void {
    this.#most = this.#mostBytes(asked);
    this.#bytes = 0;
    this.#interimBytes = 0;
    this.#held = NONE;
  }

  #take(chunk: Buffer | null): boolean {
    if (chunk === null) {
      const held = this.#held ?? NONE;
      this.#held = null;
      if (held.length > 0) this.#pass(held);
      return this.#pass(null);
    }
    if (this.#socket.destroyed) return false;
    if (this.#held === null) return this.#forward(chunk);
    const final = this.#withoutInterim(Buffer.concat([this.#held, chunk]));
    if (this.#interimBytes + (this.#held?.length ?? 0) > INTERIM_BYTES) return this.#end(INTERIM_BYTES);
    return final.length === 0 || this.#forward(final);
  }

  /** Drops the interim heads that bytes begin with. Returns the bytes of the final answer, or none if it is open. */
  #withoutInterim(bytes: Buffer): Buffer {
    let at = 0;
    while (bytes.length - at >= STATUS_BYTES) {
      const isInterim = INTERIM.test(bytes.toString('latin1', at, at + STATUS_BYTES));
      if (!isInterim) {
        this.#held = null;
        return bytes.subarray(at);
      }
      const end = bytes.indexOf(HEAD_END, at);
      if (end < 0) break;
      this.#interimBytes += end + HEAD_END.length - at;
      at = end + HEAD_END.length;
    }
    this.#held = bytes.subarray(at);
    return NONE;
  }

  #forward(chunk: Buffer): boolean {
    this.#bytes += chunk.length;
    return this.#bytes > this.#most ? this.#end(this.#most) : this.#pass(chunk);
  }

  #end(mostBytes: number): boolean {
    this.#socket.destroy(new AnswerTooLong(mostBytes));
    return false;
  }
}
