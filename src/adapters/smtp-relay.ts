import { Readable } from 'node:stream';
import type { Relay, RelayMessage, RelayOutcome } from '../ports/outbound.ts';

export interface RelayTimeouts {
  readonly connectMs: number;
  readonly greetingMs: number;
  /** The longest silence in any other state, in milliseconds. */
  readonly silenceMs: number;
  /** The time limit of a whole transaction, in milliseconds. */
  readonly transactionMs: number;
}

// RFC 5321 4.5.3.2 asks for five minutes for most replies. Its ten minutes for the last one would block other mail too
// long.
const TIMEOUTS: RelayTimeouts = {
  connectMs: 30_000,
  greetingMs: 60_000,
  silenceMs: 5 * 60_000,
  transactionMs: 30 * 60_000,
};

const PLACES = 5;

/** The largest reply of a relay in bytes. RFC 5321 4.5.3.1.5 has 512 for a line. */
const REPLY_BYTES = 64 * 1024;

type Pool = import('nodemailer/lib/smtp-pool').default;

/** Creates a relay with a pool of SMTP connections. The URL decides on TLS and sign-in. */
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
      maxResponseSize: REPLY_BYTES,
      // The delivery worker repeats attempts, because only it knows whether the message was handed over.
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
        return outcomesOf(message.recipients, { kind: 'accepted', reply }, transaction.rejected);
      } catch (error) {
        // The cast is safe: an error of another origin lacks these optional fields.
        return outcomesOf(message.recipients, outcomeOf(error as Failure, transaction.ended), transaction.rejected);
      }
    },
    close() {
      void pool?.then((opened) => opened.close({ force: true }));
    },
  };
}

/** One message that the pool sends. */
class Transaction {
  /** Tells whether the end of data was sent, or may be sent at any moment. */
  ended = false;
  readonly #message: RelayMessage;
  // nodemailer stores the accepted and refused recipients in this object. Nothing else reveals them before the last
  // reply.
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

  /**
   * The recipients that the relay refused. If it refused the sender, the pipelined RCPT commands got 503, which is no
   * refusal of a recipient.
   */
  get rejected(): readonly Failure[] {
    if (this.#envelope.mailError !== undefined) return [];
    return this.#envelope.rejectedErrors ?? [];
  }

  /** Sends the message and returns the relay's last reply. Rejects with a {@link Failure}. */
  async run(pool: Pool, signal: AbortSignal): Promise<string> {
    try {
      return await new Promise((resolve, reject) => {
        const message = {
          getEnvelope: () => this.#envelope,
          messageId: () => '',
          getHeader: () => '',
          createReadStream: () => this.#open(),
        };
        // The parts of a MailMessage that the pool uses. A complete one would be read before the relay is ready for it.
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

  /** Yields the bytes of the message. Their end completes the message, so it waits until the hand-over is recorded. */
  async *#bytes(): AsyncGenerator<Uint8Array> {
    if (this.ended) throw new Error('the message was handed over before');
    yield* this.#message.raw();
    if (this.#over) throw new Error('the transaction is over');
    await this.#message.handOver(this.#envelope.accepted ?? this.#message.recipients);
    // If the transaction failed in the meantime, the end of data was not sent.
    if (this.#over) throw new Error('the transaction is over');
    this.ended = true;
  }
}

/** The error of nodemailer. */
interface Failure extends Error {
  readonly code?: string;
  /** The relay's reply, unchanged. */
  readonly response?: string;
  readonly responseCode?: number;
  readonly recipient?: string;
  readonly rejectedErrors?: readonly Failure[];
}

/** Returns the outcome of each recipient. Those that the relay refused individually do not depend on the others. */
function outcomesOf(
  recipients: readonly string[],
  outcome: RelayOutcome,
  rejected: readonly Failure[],
): ReadonlyMap<string, RelayOutcome> {
  const outcomes = new Map(recipients.map((address) => [address, outcome]));
  for (const failure of rejected) {
    if (failure.recipient !== undefined) outcomes.set(failure.recipient, outcomeOf(failure, false));
  }
  return outcomes;
}

/** Returns the outcome of a failed transaction. `ended` means that the relay may have the whole message. */
function outcomeOf(failure: Failure, ended: boolean): RelayOutcome {
  const { code, response, responseCode = 0 } = failure;
  const reply = (response ?? failure.message).replace(/\s+/g, (run) => (run.includes('\n') ? ' ' : run)).trim();
  // All other codes concern the connection, such as a failed greeting, sign-in or TLS handshake. They say nothing about
  // a recipient.
  const ofMessage = code === 'EENVELOPE' || code === 'EMESSAGE';
  if (ofMessage && responseCode >= 500) return { kind: 'refused', reply };
  if (ofMessage && responseCode >= 400) return { kind: 'deferred', reply };
  if (ofMessage && response === undefined && !ended) return { kind: 'impossible', reply };
  return ended ? { kind: 'unknown', reply } : { kind: 'deferred', reply };
}
