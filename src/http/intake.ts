import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { mayHold } from '../domain/pipelining.ts';
import { endOf, hasOneHead, pieceLength } from '../domain/request-pieces.ts';
import type { Turns } from './turns.ts';

const NONE = Buffer.alloc(0);

/** What the connections of a server share. */
export interface Shared {
  readonly turns: Turns;
  /** The bytes that are held back in all. */
  heldBytes: number;
}

/**
 * Gives Node's parser the bytes of one connection piece by piece, each with one request at most. While it holds bytes
 * back, nothing more is read from the network, so that the client has to wait.
 */
export class Intake {
  readonly #socket: Socket;
  readonly #shared: Shared;
  readonly #mayStart: () => boolean;
  readonly #pass: (chunk: Buffer | null) => boolean;
  readonly #read: (size: number) => void;
  #held: Buffer = NONE;
  /** The bytes that `heldBytes` has of this connection. */
  #counted = 0;
  /** Tells whether the client has sent its last byte, of which the parser was not told yet. */
  #hasEnded = false;
  #before = '';
  #bodyLeft = 0;
  /** The newest request. */
  #request: IncomingMessage | null = null;
  /** Tells whether the connection has left HTTP. */
  #isOver = false;

  /** @param mayStart tells whether the connection may start one more request */
  constructor(socket: Socket, shared: Shared, mayStart: () => boolean) {
    this.#socket = socket;
    this.#shared = shared;
    this.#mayStart = mayStart;
    // The socket hands over each chunk from the network with `push`, and asks for the next with `_read`.
    this.#pass = socket.push.bind(socket);
    this.#read = socket._read.bind(socket);
    socket.push = (chunk: Buffer | null) => this.#arrived(chunk);
    socket._read = (size) => (this.#held.length > 0 ? this.goOn() : this.#read(size));
    // The parser pauses the socket while nobody takes the body that it has read.
    socket.on('resume', () => this.goOn());
    socket.once('close', () => {
      shared.turns.forget(this.#take);
      this.#held = NONE;
      this.#count(0);
    });
    // After a listener for data was added, Node's parser no longer reads from the network itself.
    socket.once('data', () => {});
  }

  /** Tells that a request began. */
  began(req: IncomingMessage): void {
    this.#request = req;
  }

  /** Gives up HTTP on this connection: whoever takes it over gets all further bytes as they come. */
  leave(): void {
    this.#isOver = true;
  }

  /** Takes more of the bytes that were held back, if there are any and it may. */
  goOn(): void {
    if (this.#held.length > 0 && this.#may) this.#shared.turns.later(this.#take, false);
  }

  get #may(): boolean {
    return !this.#socket.isPaused() && (this.#isInBody || this.#mayStart());
  }

  get #isInBody(): boolean {
    return this.#request?.complete === false;
  }

  #arrived(chunk: Buffer | null): boolean {
    if (this.#isOver) return this.#pass(chunk);
    if (chunk === null) {
      this.#hasEnded = true;
      return this.#held.length > 0 ? false : this.#pass(null);
    }
    const isFirst = this.#held.length === 0;
    const bytes = isFirst ? chunk : Buffer.concat([this.#held, chunk]);
    this.#held = bytes;
    // A body begins no request, so it does not wait for its turn.
    if (isFirst && this.#may && (this.#isInBody || this.#shared.turns.hasTime)) this.#take();
    else if (this.#may) this.#shared.turns.later(this.#take, isFirst && hasOneHead(bytes));
    this.#count(this.#held.length === 0 ? 0 : bytes.length);
    return this.#held.length === 0;
  }

  readonly #take = (): boolean => {
    if (this.#held.length === 0 || !this.#may) return false;
    const bytes = this.#held;
    const length = pieceLength(this.#before, bytes, this.#bodyLeft);
    const piece = bytes.subarray(0, length);
    this.#held = bytes.subarray(length);
    const newest = this.#request;
    this.#pass(piece);
    const hasBegun = this.#request !== newest;
    if (this.#bodyLeft > 0) this.#bodyLeft -= length;
    else if (hasBegun) this.#headEnded();
    else this.#before = endOf(this.#before, piece);
    if (this.#socket.destroyed) this.#held = NONE;
    else if (this.#isOver) this.#release();
    else if (this.#held.length > 0) this.goOn();
    else {
      this.#count(0);
      if (this.#hasEnded) this.#pass(null);
      else this.#read(0);
    }
    return hasBegun;
  };

  /** Counts the buffer in which bytes are held. A connection that holds more than there is room for is closed. */
  #count(bytes: number): void {
    this.#shared.heldBytes += bytes - this.#counted;
    this.#counted = bytes;
    if (bytes > 0 && !mayHold(bytes, this.#shared.heldBytes)) this.#socket.destroy();
  }

  /** A piece that begins a request ends with its head. */
  #headEnded(): void {
    this.#before = '';
    const { complete, headers } = this.#request ?? { complete: true, headers: {} };
    this.#bodyLeft = complete ? 0 : Number(headers['content-length'] ?? 0);
  }

  #release(): void {
    const held = this.#held;
    this.#held = NONE;
    if (held.length > 0) this.#pass(held);
    if (this.#hasEnded) this.#pass(null);
  }
}
