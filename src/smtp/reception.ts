import { Incoming } from '../actions/incoming.ts';
import { receiveMessage } from '../actions/receive-message.ts';
import type { Context } from '../context.ts';
import type { BlobRef } from '../domain/message.ts';
import { missingModules } from '../mail/libmime.ts';
import { createMailScanner } from '../mail/scan.ts';
import type { BlobWriter, Reader } from '../ports/store.ts';
import { applySmtpFault } from './faults.ts';
import { REPLIES, ReplyError, replyTo, type SmtpReplyText } from './reply.ts';
import type { Session } from './session.ts';
import { checkSignIn } from './sign-in.ts';
import type { Turn } from './turn.ts';

/** The reception of a message, from the 354 reply to the final one. */
export interface Reception {
  /** Takes a chunk. Returns undefined if the next may follow at once, or a promise to wait for. It never rejects. */
  write(chunk: Buffer): Promise<void> | undefined;
  /**
   * Completes the message and returns the reply. A 2xx reply means that it is durable and visible. It never rejects.
   */
  end(): Promise<SmtpReplyText>;
  /** Discards the message, because the client left before the end of data. */
  abort(): void;
}

/** The bytes that are scanned in one step, at most. A part of one step does not wait for its turn. */
const STEP_BYTES = 16 * 1024;

export function openReception(ctx: Context, session: Session, turn: Turn): Reception {
  return new StoredReception(ctx, session, turn);
}

class StoredReception implements Reception {
  readonly #ctx: Context;
  readonly #session: Session;
  readonly #turn: Turn;
  readonly #scanner = createMailScanner();
  readonly #incoming = new Incoming();
  #sizeBytes = 0;
  #writer: BlobWriter | null = null;
  #writing = false;
  #failure: { readonly error: unknown } | null = null;

  constructor(ctx: Context, session: Session, turn: Turn) {
    this.#ctx = ctx;
    this.#session = session;
    this.#turn = turn;
  }

  write(chunk: Buffer): Promise<void> | undefined {
    this.#sizeBytes += chunk.length;
    if (this.#failure !== null) return undefined;
    if (this.#sizeBytes > this.#ctx.config.smtpSize) {
      this.#giveUp(new ReplyError(REPLIES.too_large));
      return undefined;
    }
    return this.#incoming.push(chunk) ? this.#flush() : undefined;
  }

  async end(): Promise<SmtpReplyText> {
    try {
      const whole = this.#writer === null ? this.#incoming.takeWhole() : null;
      if (whole !== null) {
        const scanned = this.#scan(whole);
        if (scanned !== undefined) await scanned;
      } else if (!this.#incoming.isEmpty) await this.#flush();
      if (this.#failure !== null) throw this.#failure.error;
      const fault = applySmtpFault(this.#ctx, 'end', this.#session);
      if (fault !== undefined) await fault;
      const scanned = this.#scanner.finish();
      const raw = await this.#keep(whole);
      const facts = this.#session.facts();
      const { user } = this.#session;
      const into = user?.mailbox?.id ?? null;
      const admit = user === null ? {} : { admit: (reader: Reader) => checkSignIn(reader, user) };
      const [message] = await receiveMessage(this.#ctx, { facts, scanned, raw, into, ...admit });
      this.#ctx.metrics.mailTaken();
      return { code: 250, text: `2.0.0 Ok: ${message?.id ?? 'nothing to keep'}` };
    } catch (error) {
      this.#giveUp(error);
      return replyTo(error, this.#ctx.log);
    }
  }

  abort(): void {
    this.#giveUp(new Error('the client is gone'));
  }

  /** Scans a part, and loads what its header needs first. Returns undefined if it is scanned. */
  #scan(part: Buffer): Promise<void> | undefined {
    const missing = missingModules(part);
    if (part.length <= STEP_BYTES && missing.length === 0) {
      this.#scanner.write(part);
      return undefined;
    }
    const steps = [...missing];
    for (let at = 0; at < part.length; at += STEP_BYTES)
      steps.push(() => this.#scanner.write(part.subarray(at, at + STEP_BYTES)));
    return this.#take(steps);
  }

  /** Runs steps in their order. Those that this turn of the event loop has no time for run in later turns. */
  #take(steps: readonly (() => void)[]): Promise<void> | undefined {
    for (const [at, step] of steps.entries()) {
      const later = this.#turn.do(step);
      if (later !== undefined) return later.then(() => this.#take(steps.slice(at + 1)));
    }
    return undefined;
  }

  async #keep(whole: Buffer | null): Promise<BlobRef> {
    if (whole !== null) return this.#ctx.store.blobs.put(whole);
    if (this.#writer === null) throw new Error('the message has no writer');
    const raw = await this.#writer.finish();
    // From here on receiveMessage discards the bytes if it refuses the mail.
    this.#writer = null;
    return raw;
  }

  async #flush(): Promise<void> {
    const parts = this.#incoming.take();
    this.#writing = true;
    try {
      for (const part of parts) {
        const scanned = this.#scan(part);
        // A mail that costs nothing does not wait, even for a microtask.
        if (scanned !== undefined) await scanned;
      }
      this.#writer ??= this.#ctx.store.blobs.writer();
      for (const part of parts) await this.#writer.write(part);
    } catch (error) {
      this.#failure ??= { error };
    }
    this.#writing = false;
    if (this.#failure !== null) this.#abortWriter();
  }

  #giveUp(error: unknown): void {
    this.#failure ??= { error };
    this.#incoming.take();
    // A running write finishes first. #flush then discards the bytes.
    if (!this.#writing) this.#abortWriter();
  }

  #abortWriter(): void {
    this.#writer?.abort();
    this.#writer = null;
  }
}
