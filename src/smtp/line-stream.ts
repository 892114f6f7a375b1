import { SMTPStream } from 'smtp-server/lib/smtp-stream.js';
import { DataDecoder } from './data-decoder.ts';
import type { Reception } from './reception.ts';
import type { SmtpReplyText } from './reply.ts';

/** The content type of a TLS handshake record (RFC 8446 5.1). No SMTP command begins with this byte. */
const TLS_HANDSHAKE = 0x16;

type Done = (error?: Error | null) => void;

/**
 * smtp-server's parser with a faster data mode. It searches for the end of data instead of inspecting every byte, and
 * passes the message straight to its reception. Commands after a message wait until its reply is sent.
 */
export class LineStream extends SMTPStream {
  #receiving: {
    readonly reception: Reception;
    readonly decoder: DataDecoder;
    readonly reply: (reply: SmtpReplyText) => void;
  } | null = null;
  #ending = false;
  #full = false;
  /** A callback for each chunk of a message, with its length in bytes. */
  onpiece: (bytes: number) => void = () => {};
  /** A callback for the end of a time in which the client had to wait for room. */
  onroom: () => void = () => {};

  /** A callback for a client that starts with a TLS handshake. Reading stops then. */
  ontls: () => void = () => {};
  #hasBegun = false;

  override _write(chunk: Buffer, encoding: BufferEncoding | 'buffer', done: Done): void {
    const isTls = !this.#hasBegun && chunk[0] === TLS_HANDSHAKE;
    this.#hasBegun = true;
    if (isTls) this.ontls();
    else super._write(chunk, encoding, done);
  }

  /** Passes all bytes up to the end of data to the reception. */
  receive(reception: Reception, reply: (reply: SmtpReplyText) => void): void {
    this.#receiving = { reception, decoder: new DataDecoder(), reply };
    this._dataMode = true;
  }

  /** Tells whether a message is being received. It lasts from DATA to the reply. */
  get isReceiving(): boolean {
    return this.#receiving !== null;
  }

  /** Tells whether the client waits for the server: for buffer space, or for the reply to a complete message. */
  get keepsClientWaiting(): boolean {
    return this.#ending || this.#full;
  }

  /** Aborts the reception because the client left. A complete message is not affected. */
  abandon(): void {
    if (this.#receiving === null || this.#ending) return;
    this.#receiving.reception.abort();
    this.#receiving = null;
  }

  override _feedDataStream(chunk: Buffer, done: Done): void {
    const receiving = this.#receiving;
    if (receiving === null) {
      done();
      return;
    }
    this.onpiece(chunk.length);
    const { content, rest } = receiving.decoder.decode(chunk);
    const room = content.length > 0 ? receiving.reception.write(content) : undefined;
    if (rest !== null) {
      this.#ending = true;
      this._dataMode = false;
      this._remainder = '';
      this.#end(receiving, room, rest, done).catch(done);
    } else if (room === undefined) done();
    else void this.#whenRoom(room, done);
  }

  async #whenRoom(room: Promise<void>, done: Done): Promise<void> {
    this.#full = true;
    await room;
    this.#full = false;
    this.onroom();
    done();
  }

  async #end(
    receiving: { readonly reception: Reception; readonly reply: (reply: SmtpReplyText) => void },
    room: Promise<void> | undefined,
    rest: Buffer,
    done: Done,
  ): Promise<void> {
    if (room !== undefined) await room;
    const reply = await receiving.reception.end();
    this.#receiving = null;
    this.#ending = false;
    receiving.reply(reply);
    if (rest.length === 0) done();
    else this._write(rest, 'buffer', done);
  }
}
