import type { Context } from '../context.ts';
import type { SmtpReply, SmtpStage } from '../domain/smtp.ts';
import type { SmtpConnection } from '../ports/storage.ts';
import { realTime } from '../ports/system.ts';
import { shorten } from '../text/shorten.ts';
import { refusalName } from './reply.ts';
import type { Session } from './session.ts';

/** The reply code that continues an AUTH exchange (RFC 4954). It is no outcome yet. */
const CHALLENGE = 334;

/** The longest text of a client that is kept, in characters. */
const MAX_TEXT = 320;

/** Records one connection in the metrics and the journal: the stages it passed and the commands that were refused. */
export class SessionRecorder {
  readonly #ctx: Context;
  readonly #session: Session;
  readonly #connection: SmtpConnection;
  readonly #lines = new SessionLines();
  #stage: SmtpStage | null = null;

  constructor(ctx: Context, session: Session) {
    this.#ctx = ctx;
    this.#session = session;
    this.#connection = {
      openedAt: realTime(ctx.clock),
      clientAddress: session.clientAddress,
      clientPort: session.clientPort,
      closedAt: null,
      helo: null,
      user: null,
      tls: 'unused',
      reached: null,
      accepted: 0,
      lastRefusal: null,
      concerns: null,
      transcript: this.#lines,
    };
    ctx.journal.opened(this.#connection);
  }

  /**
   * Names the stage that the next reply answers, or null if that reply does not concern mail. Later replies belong to
   * no stage until the next call.
   */
  expect(stage: SmtpStage | null): void {
    this.#stage = stage;
  }

  /** Records a reply line that was sent to the client, such as `250 2.1.5 Accepted`. */
  told(code: number, line: string): void {
    const stage = this.#stage;
    if (code >= 400 && stage === null) this.#log({ stage, reply: cut(line), reason: refusalName(replyOf(code, line)) });
    if (stage === null || code === CHALLENGE) return;
    this.#stage = null;
    if (code >= 400) this.#refused(stage, replyOf(code, line));
    else this.#reached(stage);
  }

  /** Adds a line that either side wrote to the transcript. The caller has already masked secrets. */
  noted(line: string): void {
    this.#lines.push(line);
  }

  askedForTls(): void {
    this.#connection.tls = 'asked';
  }

  refusedTls(): void {
    this.#connection.tls = 'refused';
    this.#session.wasRefusedTls = true;
  }

  closed(): void {
    if (this.#connection.tls === 'unused' && missedTls(this.#ctx, this.#session)) this.#connection.tls = 'missed';
    this.#connection.closedAt = realTime(this.#ctx.clock);
    this.#ctx.journal.closed(this.#connection);
  }

  #reached(stage: SmtpStage): void {
    const connection = this.#connection;
    const { helo, user, tls, concerns } = this.#session;
    connection.reached = stage;
    this.#session.isAtHelo = stage === 'helo' && connection.lastRefusal === null && connection.accepted === 0;
    if (stage === 'rcpt') connection.concerns = concerns;
    else if (stage === 'end') connection.accepted++;
    else if (stage === 'auth') {
      connection.user = cut(user?.name ?? null);
      connection.concerns = concerns;
    } else if (stage === 'helo') {
      connection.helo = cut(helo);
      if (tls !== null) connection.tls = 'up';
    }
  }

  #refused(stage: SmtpStage, reply: SmtpReply): void {
    const session = this.#session;
    const { asked, mailFrom, concerns } = session;
    const rcptTo = stage === 'data' || stage === 'end' ? session.rcptTo : [];
    const reason = session.faulted ? 'fault' : refusalName(reply);
    session.faulted = false;
    const text = cut(`${reply.code} ${reply.text}`) ?? '';
    this.#connection.lastRefusal = text;
    session.isAtHelo = false;
    this.#connection.concerns = concerns ?? this.#connection.concerns;
    this.#ctx.metrics.mailRefused(stage === 'end' ? 'data' : stage, reason);
    const refusal = {
      stage,
      reply: text,
      reason,
      // The sender is known only after smtp-server has accepted MAIL. A fault rule is the exception.
      mailFrom: KNOWS_SENDER.has(stage) || (stage === 'mail' && reason === 'fault') ? cut(mailFrom) : null,
      recipient: cut(stage === 'rcpt' ? asked : (rcptTo[0] ?? null)),
      recipientCount: stage === 'rcpt' ? 1 : rcptTo.length,
      clientAddress: session.clientAddress,
    };
    this.#log(refusal);
    this.#ctx.journal.refused({ at: realTime(this.#ctx.clock), ...refusal, concerns });
    const about = concerns === null ? {} : { mailboxId: concerns.id };
    this.#ctx.notes.tell('smtp.refused', concerns?.workspaceId ?? null, { ...about, ...refusal });
  }

  /** Logs a refusal, with --log-level debug. */
  #log(refusal: Readonly<Record<string, unknown>>): void {
    const { config, log } = this.#ctx;
    if (config.logLevel !== 'debug') return;
    const { clientAddress, clientPort } = this.#session;
    log.debug('SMTP refused', { ...refusal, clientAddress, clientPort });
  }
}

function replyOf(code: number, line: string): SmtpReply {
  return { code, text: line.slice(4) };
}

/** Tells whether the server offers STARTTLS in its answer to EHLO (docs/tls.md). */
export function offersTls(config: Context['config']): boolean {
  return config.starttls === 'on' || (config.starttls === 'auto' && config.tlsCert !== null);
}

/** Tells whether a client left right after EHLO, or after a refused STARTTLS, as it does if it requires TLS. */
export function missedTls(ctx: Context, session: Session): boolean {
  return session.isAtHelo && session.tls === null && session.askedForTls === null && !offersTls(ctx.config);
}

const KNOWS_SENDER: ReadonlySet<SmtpStage> = new Set(['rcpt', 'data', 'end']);

function cut(text: string | null): string | null {
  return text === null ? null : cutCopy(text, MAX_TEXT);
}

const MAX_HEAD = 30;
const MAX_TAIL = 50;
const MAX_LINE = 240;

/** The dialogue of a whole connection. It keeps the first and the last lines, each cut, so that its size is bounded. */
class SessionLines {
  readonly #head: string[] = [];
  readonly #tail: string[] = [];
  /** The index that the next line overwrites once the tail is full. */
  #next = 0;
  #leftOut = 0;

  push(line: string): void {
    const kept = cutCopy(line, MAX_LINE);
    if (this.#head.length < MAX_HEAD) this.#head.push(kept);
    else if (this.#tail.length < MAX_TAIL) this.#tail.push(kept);
    else {
      this.#tail[this.#next] = kept;
      this.#next = (this.#next + 1) % MAX_TAIL;
      this.#leftOut++;
    }
  }

  lines(): readonly string[] {
    const tail = [...this.#tail.slice(this.#next), ...this.#tail.slice(0, this.#next)];
    const gap = this.#leftOut === 0 ? [] : [`(${this.#leftOut} more lines)`];
    return [...this.#head, ...gap, ...tail];
  }
}

/** Cuts a text, and makes a copy if it does, because a substring keeps the whole string in memory. */
function cutCopy(text: string, length: number): string {
  return text.length <= length ? text : Buffer.from(shorten(text, length)).toString();
}
