import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import type { Clock } from '../../ports/clock.ts';
import type { Outlet, Subscription } from '../../ports/feed.ts';

/** The interval of pings, in milliseconds. A peer that does not answer a ping before the next one is dead. */
const PING_MS = 30_000;
/**
 * The most bytes that may be sent but not yet read by the peer, system buffers included. A ping after every
 * `MARK_BYTES` bytes, and its pong, tell how far the peer has read.
 */
const WINDOW_BYTES = 1024 * 1024;
const MARK_BYTES = 512 * 1024;
/** The time after which a peer that reads nothing while events wait is disconnected, in milliseconds. */
const STALL_MS = 5_000;
const LAST_WORDS_MS = 1_000;

const GOING_AWAY = 1001;
const TRY_AGAIN_LATER = 1013;

/**
 * The WebSocket of one subscriber. Events are written to its socket as whole frames; `ws` handles the rest of the
 * protocol.
 */
export class FeedConnection implements Outlet {
  readonly #ws: WebSocket;
  readonly #socket: Socket;
  readonly #clock: Clock;
  #subscription: Subscription | null = null;
  #sentBytes = 0;
  #markedBytes = 0;
  #readBytes = 0;
  #alive = true;
  #cancelStall: (() => void) | null = null;
  #cancelPing: () => void = () => {};

  constructor(ws: WebSocket, socket: Socket, clock: Clock) {
    this.#ws = ws;
    this.#socket = socket;
    this.#clock = clock;
    socket.setNoDelay(true);
    socket.on('drain', () => this.#resume());
    ws.on('error', () => {});
    ws.on('ping', (data) => {
      // Pongs for a peer that does not read would fill the memory.
      if (!this.#isFull()) ws.pong(data);
    });
    ws.on('pong', (data) => this.#answered(Number(data.toString('latin1'))));
    ws.on('close', () => this.#end());
    this.#pingLater();
  }

  /** Sets the subscription that feeds this connection. */
  attach(subscription: Subscription): void {
    this.#subscription = subscription;
  }

  write(events: Buffer): boolean {
    if (this.#ws.readyState !== this.#ws.OPEN) return false;
    this.#socket.write(events);
    this.#sentBytes += events.length;
    if (this.#sentBytes - this.#markedBytes >= MARK_BYTES) {
      this.#markedBytes = this.#sentBytes;
      this.#ws.ping(String(this.#sentBytes));
    }
    if (!this.#isFull()) return true;
    this.#cancelStall = this.#clock.after(STALL_MS, () => this.#close(TRY_AGAIN_LATER, 'too slow'));
    return false;
  }

  /** Closes the connection because the server stops. It does not wait for the peer's close frame. */
  shutDown(): void {
    this.#close(GOING_AWAY, 'the server stops');
    this.#socket.destroySoon();
    const cancel = this.#clock.after(LAST_WORDS_MS, () => this.#ws.terminate());
    this.#socket.once('close', cancel);
  }

  #isFull(): boolean {
    const { writableLength, writableHighWaterMark } = this.#socket;
    return writableLength >= writableHighWaterMark || this.#sentBytes - this.#readBytes >= WINDOW_BYTES;
  }

  #answered(bytes: number): void {
    this.#alive = true;
    // A peer may claim to have read more than it was sent.
    if (bytes > this.#readBytes) this.#readBytes = Math.min(bytes, this.#sentBytes);
    this.#resume();
  }

  #resume(): void {
    if (this.#cancelStall === null || this.#isFull()) return;
    this.#cancelStall();
    this.#cancelStall = null;
    this.#subscription?.resume();
  }

  #pingLater(): void {
    this.#cancelPing = this.#clock.after(PING_MS, () => {
      if (!this.#alive) return this.#ws.terminate();
      this.#alive = false;
      this.#ws.ping();
      this.#pingLater();
    });
  }

  #close(code: number, reason: string): void {
    this.#end();
    this.#ws.close(code, reason);
  }

  #end(): void {
    this.#subscription?.end();
    this.#cancelStall?.();
    this.#cancelStall = null;
    this.#cancelPing();
  }
}
