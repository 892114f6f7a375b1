import { setImmediate } from 'node:timers/promises';
import { checkRoom, MailRefused, receiveMessage, takerOf } from '../actions/receive-message.ts';
import { ChunkBuffer } from '../actions/stored-bytes.ts';
import type { Context } from '../context.ts';
import type { BlobRef } from '../domain/message.ts';
import type { SmtpReply } from '../domain/smtp.ts';
import { missingModules } from '../mail/late-packages.ts';
import { createMailScanner } from '../mail/scan.ts';
import type { BlobWriter, Reader } from '../ports/store.ts';
import { type Clock, momentNow } from '../ports/system.ts';
import { checkSignIn } from './auth.ts';
import { applySmtpFault } from './faults.ts';
import type { Session } from './journal.ts';
import { REPLIES, ReplyError, replyTo } from './reply.ts';

/**
 * Checks a recipient of RCPT and adds it to the session. Throws if it is refused. The transaction that stores the mail
 * checks again.
 */
export async function takeRecipient(ctx: Context, session: Session, recipient: string): Promise<void> {
  session.ask(recipient);
  const { allowed, dropsOthers, most } = ctx.config.recipients;
  if (session.rcptTo.length >= most) throw new ReplyError(REPLIES.too_many_recipients);
  if (allowed !== null && !allowed.test(recipient)) {
    if (dropsOthers) return;
    throw new ReplyError(REPLIES.recipient_not_allowed);
  }
  const read = await ctx.store.readNow();
  const into = session.user?.mailbox?.id ?? null;
  const mailbox = into === null ? await takerOf(ctx, read, recipient) : await read.mailboxes.get(into);
  session.concern(mailbox);
  const fault = applySmtpFault(ctx, 'rcpt', session);
  if (fault !== undefined) await fault;
  if (mailbox === null) throw new MailRefused('no_such_mailbox');
  await checkRoom(ctx, read, mailbox, session.declaredBytes, momentNow(ctx.clock));
  session.accept(recipient, mailbox);
}

/** The bytes that are scanned in one step, at most. A part of one step does not wait for its turn. */
const STEP_BYTES = 16 * 1024;

/** Takes a message into the store, from the 354 reply to the final one. */
export class MessageIntake {
  readonly #ctx: Context;
  readonly #session: Session;
  readonly #budget: LoopBudget;
  readonly #scanner = createMailScanner();
  readonly #incoming = new ChunkBuffer();
  #sizeBytes = 0;
  #writer: BlobWriter | null = null;
  #writing = false;
  #failure: { readonly error: unknown } | null = null;

  constructor(ctx: Context, session: Session, budget: LoopBudget) {
    this.#ctx = ctx;
    this.#session = session;
    this.#budget = budget;
  }

  /** Takes a chunk. Returns undefined if the next may follow at once, or a promise to wait for. It never rejects. */
  write(chunk: Buffer): Promise<void> | undefined {
    this.#sizeBytes += chunk.length;
    if (this.#failure !== null) return undefined;
    if (this.#sizeBytes > this.#ctx.config.smtpSize) {
      this.#giveUp(new ReplyError(REPLIES.too_large));
      return undefined;
    }
    return this.#incoming.push(chunk) ? this.#flush() : undefined;
  }

  /**
   * Completes the message and returns the reply. A 2xx reply means that it is durable and visible. It never rejects.
   */
  async end(): Promise<SmtpReply> {
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
      const stored = await receiveMessage(this.#ctx, { facts, scanned, raw, into, ...admit });
      const [message] = stored;
      await this.#ctx.tagger?.tag(this.#ctx, stored, facts.user);
      this.#ctx.metrics.mailTaken(scanned.sizeBytes);
      return { code: 250, text: `2.0.0 Ok: ${message?.id ?? 'nothing to keep'}` };
    } catch (error) {
      this.#giveUp(error);
      return replyTo(error, this.#ctx.log);
    }
  }

  /** Discards the message, because the client left before the end of data. */
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
      const later = this.#budget.do(step);
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

/** The time in milliseconds that all SMTP clients together may take in one turn of the event loop. */
const MOST_MS = 10;

/**
 * Limits how long commands and the scan of incoming mail hold the event loop. Node reads up to 32 chunks of a fast
 * sender in one turn, a chunk holds thousands of commands, and a chunk of a hostile mail costs some milliseconds.
 */
export class LoopBudget {
  readonly #clock: Pick<Clock, 'steady'>;
  readonly #nextTurn: () => Promise<unknown>;
  #spentMs = 0;
  /** Settles with the next turn. Null if this turn has done no work yet. */
  #next: Promise<void> | null = null;

  /** @param nextTurn settles with the next turn of the event loop */
  constructor(clock: Pick<Clock, 'steady'>, nextTurn: () => Promise<unknown> = () => setImmediate()) {
    this.#clock = clock;
    this.#nextTurn = nextTurn;
  }

  /**
   * Does one step of work. Returns undefined if this turn had time left for it, otherwise a promise for a later turn.
   * A step that fails at once throws here.
   */
  do(step: () => void): Promise<void> | undefined {
    if (this.#isSpent) return this.#doLater(step);
    this.#do(step);
    return undefined;
  }

  get #isSpent(): boolean {
    return this.#next !== null && this.#spentMs >= MOST_MS;
  }

  async #doLater(step: () => void): Promise<void> {
    while (this.#isSpent) await this.#next;
    this.#do(step);
  }

  #do(step: () => void): void {
    const before = this.#clock.steady();
    this.#next ??= this.#nextTurn().then(() => {
      this.#spentMs = 0;
      this.#next = null;
    });
    step();
    this.#spentMs += this.#clock.steady() - before;
  }
}
