import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { endOf, hasOneHead, mayHold, mayStart, pieceLength } from '../domain/pipelining.ts';
import type { Clock } from '../ports/system.ts';

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
  readonly #shared: IntakeState;
  /** The requests of all connections that are under way behind an earlier one of the same connection. */
  #behind = 0;

  constructor(clock: Pick<Clock, 'steady'>) {
    this.#shared = { turns: new Turns(clock), heldBytes: 0 };
  }

  /** @param opened the event of the server for a connection that can be read */
  attach(server: Server, opened: 'connection' | 'secureConnection' = 'connection'): void {
    server.maxConnections = MOST_CONNECTIONS;
    server.on(opened, (socket: Socket) => this.#opened(socket));
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

const NONE = Buffer.alloc(0);

/** What the connections of a server share. */
export interface IntakeState {
  readonly turns: Turns;
  /** The bytes that are held back in all. */
  heldBytes: number;
}

/**
 * Gives Node's parser the bytes of one connection piece by piece, each with one request at most. While it holds bytes
 * back, nothing more is read from the network, so that the client has to wait.
 */
class Intake {
  readonly #socket: Socket;
  readonly #shared: IntakeState;
  readonly #mayStart: () => boolean;
  readonly #pass: (chunk: Buffer | null) => boolean;
  readonly #read: (size: number) => void;
  #held: Buffer = NONE;
  /** The bytes that `heldBytes` has of this connection. */
  #counted = 0;
  /** Tells whether the client has sent its last byte, while the parser does not know it yet. */
  #hasEnded = false;
  #before = '';
  #bodyLeft = 0;
  /** The newest request. */
  #request: IncomingMessage | null = null;
  /** Tells whether the connection has left HTTP. */
  #isOver = false;

  /** @param mayStart tells whether the connection may start one more request */
  constructor(socket: Socket, shared: IntakeState, mayStart: () => boolean) {
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

  /** Gives up HTTP on this connection: the caller gets all further bytes as they come. */
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

/** The time in milliseconds after which a turn of the event loop starts no more requests. */
const MOST_MS = 10;
/**
 * The most requests that are started in a row, because the work of most of them only begins when the event loop goes
 * on.
 */
const IN_A_ROW = 8;

/** Takes one piece of what a connection has sent. Returns whether a request began. */
export type Take = () => boolean;

/**
 * Shares the time of the event loop among connections. A connection that has sent one request goes before those that
 * have sent many at once, and these take turns, one request each.
 */
export class Turns {
  readonly #clock: Pick<Clock, 'steady'>;
  readonly #first = new Set<Take>();
  readonly #more = new Set<Take>();
  /** The last time when a turn is known to have begun. */
  #beganAt = Number.NEGATIVE_INFINITY;
  #isDue = false;

  constructor(clock: Pick<Clock, 'steady'>) {
    this.#clock = clock;
  }

  /**
   * Tells whether a first piece may be taken at once. Without work that waits, nothing tells when a turn begins, so this
   * is false now and then although there would be time. That costs less than to be called in each turn.
   */
  get hasTime(): boolean {
    return this.#first.size === 0 && !this.#isOver;
  }

  /** Calls `take` in a later turn. */
  later(take: Take, isFirst: boolean): void {
    (isFirst ? this.#first : this.#more).add(take);
    if (this.#isDue) return;
    this.#isDue = true;
    setImmediate(() => this.#next());
  }

  forget(take: Take): void {
    this.#first.delete(take);
    this.#more.delete(take);
  }

  get #isOver(): boolean {
    return this.#clock.steady() - this.#beganAt >= MOST_MS;
  }

  #next(): void {
    this.#isDue = this.#first.size + this.#more.size > 0;
    if (!this.#isDue) return;
    setImmediate(() => this.#next());
    this.#beganAt = this.#clock.steady();
    this.#takeFrom(this.#first);
    this.#takeFrom(this.#more);
  }

  /** Takes at least one piece, so that neither kind of connection starves the other. */
  #takeFrom(queue: Set<Take>): void {
    let begun = 0;
    for (const take of queue) {
      queue.delete(take);
      if (take()) begun++;
      if (begun >= IN_A_ROW || this.#isOver) return;
    }
  }
}
