import { Readable } from 'node:stream';
import type { Relay, RelayMessage } from '../ports/relay.ts';
import { type Failure, outcomesOfFailure, outcomesOfSuccess } from './relay-outcomes.ts';

export interface RelayTimeouts {
  readonly connectMs: number;
  readonly greetingMs: number;
  /** Of silence, in any other state. */
  readonly silenceMs: number;
  /** Of one transaction as a whole. */
  readonly transactionMs: number;
}

// RFC 5321 4.5.3.2: five minutes for most replies. Ten for the last would hold others up longer than it helps here.
const TIMEOUTS: RelayTimeouts = {
  connectMs: 30_000,
  greetingMs: 60_000,
  silenceMs: 5 * 60_000,
  transactionMs: 30 * 60_000,
};

const PLACES = 5;

type Pool = import('nodemailer/lib/smtp-pool').default;

/** A relay spoken to over a pool of SMTP connections; TLS and sign-in are for the URL to say. */
export function smtpRelay(url: string, timeouts: RelayTimeouts = TIMEOUTS): Relay {
  let pool: Promise<Pool> | null = null;
  const open = async (): Promise<Pool> => {
    const { default: SMTPPool } = await import('nodemailer/lib/smtp-pool');
    return new SMTPPool({
      url,
      connectionTimeout: timeouts.connectMs,
      greetingTimeout: timeouts.greetingMs,
      socketTimeout: timeouts.silenceMs,
      maxConnections: PLACES,
      // Attempts are repeated by who knows whether the message was given over.
      maxRequeues: 0,
    });
  };
  return {
    name: new URL(url).hostname.replace(/^\[|\]$/g, ''),
    places: PLACES,
    async send(message, signal) {
      const transaction = new Transaction(message);
      try {
        pool ??= open();
        const limit = AbortSignal.any([signal, AbortSignal.timeout(timeouts.transactionMs)]);
        const reply = await transaction.run(await pool, limit);
        return outcomesOfSuccess(message.recipients, reply, transaction.rejected);
      } catch (error) {
        // Whatever was thrown is an error of nodemailer's, or one without the fields of such.
        return outcomesOfFailure(message.recipients, error as Failure, transaction.rejected, transaction.ended);
      }
    },
    close() {
      void pool?.then((opened) => opened.close({ force: true }));
    },
  };
}

/** One message on its way through the pool. */
class Transaction {
  /** The end of the message was told, or may be at any moment. */
  ended = false;
  readonly #message: RelayMessage;
  // The connection notes here who was accepted and who refused, which is told in no other way before the last reply.
  readonly #envelope: {
    readonly from: string;
    readonly to: readonly string[];
    readonly accepted?: readonly string[];
    readonly rejectedErrors?: readonly Failure[];
    readonly mailError?: Failure;
  };
  #streams: Readable[] = [];
  #over = false;

  constructor(message: RelayMessage) {
    this.#message = message;
    this.#envelope = { from: message.from, to: [...message.recipients] };
  }

  /** Where the sender was refused, what a pipelined recipient was told is of no transaction: a 503, however soon the sender is welcome. */
  get rejected(): readonly Failure[] {
    if (this.#envelope.mailError !== undefined) return [];
    return this.#envelope.rejectedErrors ?? [];
  }

  /** The relay's last reply. Rejects with a {@link Failure}. */
  async run(pool: Pool, signal: AbortSignal): Promise<string> {
    try {
      return await new Promise((resolve, reject) => {
        const message = {
          getEnvelope: () => this.#envelope,
          messageId: () => '',
          getHeader: () => '',
          createReadStream: () => this.#open(),
        };
        // All that the pool uses of a MailMessage: a composed one would be read before the relay wants it.
        const mail = { data: { signal }, message } as unknown as Parameters<Pool['send']>[0];
        pool.send(mail, (error, info) => (error ? reject(error) : resolve(info?.response ?? '')));
      });
    } finally {
      this.#over = true;
      for (const stream of this.#streams) stream.destroy();
    }
  }

  #open(): Readable {
    const stream = Readable.from(this.#bytes(), { objectMode: false, highWaterMark: 64 * 1024 });
    this.#streams.push(stream);
    return stream;
  }

  /** The end of these is the end of the message, so it is held back until the handing over is on record. */
  async *#bytes(): AsyncGenerator<Uint8Array> {
    if (this.ended) throw new Error('the message was given over before');
    yield* this.#message.raw();
    if (this.#over) throw new Error('the transaction is over');
    await this.#message.handOver(this.#envelope.accepted ?? this.#message.recipients);
    // What broke meanwhile broke before the end was told.
    if (this.#over) throw new Error('the transaction is over');
    this.ended = true;
  }
}
