import type { Socket } from 'node:net';
import { type SecureContext, TLSSocket } from 'node:tls';
import { type Idler, lateMs } from '../domain/idle-connection.ts';
import type { Clock } from '../ports/system.ts';
import type { CancelSignal } from '../ports/waiting.ts';

/** A line that is longer than its reader takes. The rest of it was skipped. */
export const TOO_LONG = Symbol('a line that is too long');

/** The bytes that are read ahead of their reader. After these the client has to wait. */
const MOST_AHEAD = 64 * 1024;
/** The bytes of a line that is too long which are kept. */
const BEGIN_BYTES = 300;
const LF = 0x0a;
const CR = 0x0d;
const NOTHING = Buffer.alloc(0);
/** The time in milliseconds that a TLS handshake may take. */
const HANDSHAKE_MS = 10_000;
/** The lines that are taken at once, and the milliseconds that they may take. Then other connections have their turn. */
const LINES_PER_TURN = 64;
const TURN_MS = 5;

/**
 * A client's connection for a protocol of lines. The protocol asks for the next line or the next bytes; nothing is read
 * ahead beyond a bound, so commands that a client sends at once wait in its own memory.
 */
export class LineConnection implements Idler, CancelSignal {
  readonly clientAddress: string;
  readonly #clock: Clock;
  readonly #onEnd = new Set<() => void>();
  readonly #openedAt: number;
  #socket: Socket;
  #read: Buffer = NOTHING;
  /** The bytes of `#read` that hold no line end. */
  #searched = 0;
  #isEnded = false;
  #isRetired = false;
  #isReading = false;
  #wake: (() => void) | null = null;
  #busyAt: number;
  #lines = 0;
  #turnAt = 0;
  /** The last words to the client, if the server ends the connection. */
  #lastWords: string;
  isSignedIn = false;
  /** The begin of the last line that was too long, for the tag of its answer. */
  tooLong = '';

  constructor(socket: Socket, clock: Clock, lastWords: string) {
    this.#socket = socket;
    this.#clock = clock;
    this.#lastWords = lastWords;
    this.#openedAt = this.#busyAt = clock.steady();
    this.clientAddress = socket.remoteAddress ?? '';
    // `printf ... | nc` closes its half behind the last command, and still reads the answers.
    socket.allowHalfOpen = true;
    socket.setNoDelay(true);
    this.#listen();
  }

  get isEncrypted(): boolean {
    return this.#socket instanceof TLSSocket;
  }

  get isCancelled(): boolean {
    return this.#socket.destroyed;
  }

  /** The milliseconds since the client or the server last got on. 0 while the client waits for the server. */
  get idleMs(): number {
    return this.#isReading || this.#socket.writableNeedDrain ? this.#clock.steady() - this.#busyAt : 0;
  }

  readonly inTransaction = false;

  get lateMs(): number {
    return lateMs(this.idleMs, 0);
  }

  /** The milliseconds for which the client has been connected without signing in. */
  get unknownForMs(): number {
    return this.isSignedIn ? 0 : this.#clock.steady() - this.#openedAt;
  }

  onCancel(act: () => void): () => void {
    if (this.isCancelled) act();
    else this.#onEnd.add(act);
    return () => void this.#onEnd.delete(act);
  }

  /**
   * Reads a line without its end, which is CRLF or LF. Returns null once the client has sent its last one, or the
   * server ends the connection.
   */
  async readLine(mostBytes: number): Promise<Buffer | typeof TOO_LONG | null> {
    let isTooLong = false;
    if (++this.#lines % LINES_PER_TURN === 0 || this.#clock.steady() - this.#turnAt > TURN_MS) {
      await new Promise<void>((resume) => setImmediate(resume));
      this.#turnAt = this.#clock.steady();
    }
    for (;;) {
      // What a client that is gone had sent ahead would be work for nobody.
      if (this.#isRetired || this.isCancelled) return null;
      const end = this.#read.indexOf(LF, this.#searched);
      if (end >= 0) {
        const line = this.#take(end + 1);
        this.#busy();
        if (!isTooLong && end > mostBytes) this.tooLong = line.toString('latin1', 0, BEGIN_BYTES);
        if (isTooLong || end > mostBytes) return TOO_LONG;
        return line.subarray(0, line[end - 1] === CR ? end - 1 : end);
      }
      this.#searched = this.#read.length;
      if (this.#read.length > mostBytes) {
        if (!isTooLong) this.tooLong = this.#read.toString('latin1', 0, BEGIN_BYTES);
        isTooLong = true;
        this.#take(this.#read.length);
      }
      if (!(await this.#more())) return null;
    }
  }

  /** Reads exactly this many bytes, in chunks. It ends early if the client leaves. */
  async *readBytes(count: number): AsyncGenerator<Buffer, void, void> {
    for (let left = count; left > 0; ) {
      if (this.#read.length === 0 && !(await this.#more())) return;
      const chunk = this.#take(Math.min(left, this.#read.length));
      left -= chunk.length;
      this.#busy();
      if (chunk.length > 0) yield chunk;
    }
  }

  /** Writes to the client. It settles once the next answer may follow, so that a slow reader holds little memory. */
  async write(bytes: string | Uint8Array): Promise<void> {
    const socket = this.#socket;
    if (socket.destroyed || !socket.writable) return;
    if (socket.write(bytes)) return;
    await new Promise<void>((resolve) => {
      const done = () => {
        socket.off('drain', done);
        socket.off('close', done);
        resolve();
      };
      socket.once('drain', done);
      socket.once('close', done);
    });
    this.#busy();
  }

  /**
   * Begins TLS. What the client sent before is dropped: somebody between could have put commands there. Rejects if the
   * handshake fails.
   */
  async startTls(secureContext: SecureContext): Promise<void> {
    const raw = this.#socket;
    raw.removeAllListeners('data').removeAllListeners('end').removeAllListeners('close');
    raw.allowHalfOpen = false;
    this.#read = NOTHING;
    this.#searched = 0;
    const secured = new TLSSocket(raw, { isServer: true, secureContext });
    this.#socket = secured;
    await new Promise<void>((resolve, reject) => {
      const cancel = this.#clock.after(HANDSHAKE_MS, () => secured.destroy());
      secured.once('secure', () => {
        cancel();
        resolve();
      });
      const fail = (): void => {
        cancel();
        raw.destroy();
        this.#over();
        reject(new HandshakeFailed());
      };
      secured.once('close', fail).once('_tlsError', fail).on('error', fail);
    });
    this.#listen();
  }

  /** Ends the connection once everything is written. */
  end(lastWords?: string): void {
    const socket = this.#socket;
    if (lastWords !== undefined && socket.writable) socket.write(lastWords);
    this.#isRetired = true;
    this.#wakeUp();
    socket.end(() => socket.destroy());
    // A client that never reads must not keep the connection.
    this.#clock.after(HANDSHAKE_MS, () => socket.destroy());
  }

  /** Ends the connection after the running command. */
  retire(lastWords = this.#lastWords): void {
    if (this.#isRetired) return;
    this.#isRetired = true;
    this.#lastWords = lastWords;
    if (this.#isReading) this.end(lastWords);
    this.#wakeUp();
  }

  /** Tells whether the server ends the connection. */
  get isRetired(): boolean {
    return this.#isRetired;
  }

  get lastWords(): string {
    return this.#lastWords;
  }

  cut(): void {
    this.#socket.destroy();
  }

  #listen(): void {
    const socket = this.#socket;
    socket.on('data', (chunk) => {
      this.#read = this.#read.length === 0 ? chunk : Buffer.concat([this.#read, chunk]);
      if (this.#read.length >= MOST_AHEAD) socket.pause();
      this.#wakeUp();
    });
    socket.on('end', () => {
      this.#isEnded = true;
      this.#wakeUp();
    });
    socket.on('error', () => {});
    socket.on('close', () => this.#over());
    socket.resume();
  }

  #over(): void {
    this.#isEnded = true;
    this.#wakeUp();
    for (const act of [...this.#onEnd]) act();
    this.#onEnd.clear();
  }

  #wakeUp(): void {
    const wake = this.#wake;
    this.#wake = null;
    wake?.();
  }

  #take(bytes: number): Buffer {
    const taken = this.#read.subarray(0, bytes);
    this.#read = this.#read.subarray(bytes);
    this.#searched = 0;
    if (this.#read.length < MOST_AHEAD) this.#socket.resume();
    return taken;
  }

  /** Waits for more bytes. Returns false if none will come. */
  async #more(): Promise<boolean> {
    if (this.#isEnded || this.#isRetired) return false;
    this.#isReading = true;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    this.#isReading = false;
    return this.#read.length > this.#searched || (!this.#isEnded && !this.#isRetired);
  }

  #busy(): void {
    this.#busyAt = this.#clock.steady();
  }
}

export class HandshakeFailed extends Error {
  override readonly name = 'HandshakeFailed';
}
