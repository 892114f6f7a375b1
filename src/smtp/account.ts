import type { Context } from '../context.ts';
import type { SmtpReply, SmtpStage } from '../domain/smtp-stage.ts';
import type { SmtpConnection } from '../ports/smtp-journal.ts';
import { reasonOf } from './reply.ts';
import type { Session } from './session.ts';
import { SessionLines } from './session-lines.ts';

/** What AUTH goes on with. */
const CHALLENGE = 334;

/** What is kept of a text that a client wrote. */
const MAX_TEXT = 320;

/** Keeps the metrics and the journal of one connection: what went well, and what was refused. */
export class Account {
  readonly #ctx: Context;
  readonly #session: Session;
  readonly #connection: SmtpConnection;
  readonly #lines = new SessionLines();
  #stage: SmtpStage | null = null;

  constructor(ctx: Context, session: Session) {
    this.#ctx = ctx;
    this.#session = session;
    this.#connection = {
      openedAt: ctx.clock.now(),
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

  /** What the next reply is about, null where that is none of the mail's. What is said after it is about nothing. */
  expect(stage: SmtpStage | null): void {
    this.#stage = stage;
  }

  /** What was said to the client, `250 2.1.5 Accepted`. */
  told(code: number, line: string): void {
    const stage = this.#stage;
    if (stage === null || code === CHALLENGE) return;
    this.#stage = null;
    if (code >= 400) this.#refused(stage, { code, text: line.slice(4) });
    else this.#reached(stage);
  }

  /** A line of either side, secrets left out. */
  noted(line: string): void {
    this.#lines.push(line);
  }

  askedForTls(): void {
    this.#connection.tls = 'asked';
  }

  closed(): void {
    this.#connection.closedAt = this.#ctx.clock.now();
  }

  #reached(stage: SmtpStage): void {
    const connection = this.#connection;
    const { helo, user, tls, concerns } = this.#session;
    connection.reached = stage;
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
    const reason = session.faulted ? 'fault' : reasonOf(reply);
    session.faulted = false;
    const text = cut(`${reply.code} ${reply.text}`) ?? '';
    this.#connection.lastRefusal = text;
    this.#connection.concerns = concerns ?? this.#connection.concerns;
    this.#ctx.metrics.mailRefused(stage === 'end' ? 'data' : stage, reason);
    const refusal = {
      stage,
      reply: text,
      reason,
      // At MAIL it is known only once smtp-server has let the command pass.
      mailFrom: KNOWS_SENDER.has(stage) || (stage === 'mail' && reason === 'fault') ? cut(mailFrom) : null,
      recipient: cut(stage === 'rcpt' ? asked : (rcptTo[0] ?? null)),
      recipientCount: stage === 'rcpt' ? 1 : rcptTo.length,
      clientAddress: session.clientAddress,
    };
    this.#ctx.journal.refused({ at: this.#ctx.clock.now(), ...refusal, concerns });
    const about = concerns === null ? {} : { mailboxId: concerns.id };
    this.#ctx.notes.tell('smtp.refused', concerns?.workspaceId ?? null, { ...about, ...refusal });
  }
}

const KNOWS_SENDER: ReadonlySet<SmtpStage> = new Set(['rcpt', 'data', 'end']);

/** A copy of its own: a part of a string keeps the whole in memory. */
function cut(text: string | null): string | null {
  if (text === null || text.length <= MAX_TEXT) return text;
  return Buffer.from(`${text.slice(0, MAX_TEXT)}…`).toString();
}
