import type { Context } from '../context.ts';
import type { KeyId, MailboxId } from '../domain/ids.ts';
import type { Mailbox } from '../domain/mailbox.ts';
import type { ReceiptMetadata } from '../domain/message.ts';
import type { SmtpReply, SmtpStage } from '../domain/smtp.ts';
import type { SmtpConnection } from '../ports/storage.ts';
import { realTime } from '../ports/system.ts';
import type { CancelSignal } from '../ports/waiting.ts';
import { saidCount } from '../text/said.ts';
import { shorten } from '../text/shorten.ts';
import { refusalName } from './reply.ts';
import { missedTls, type TlsClient } from './tls.ts';

/** A client's sign-in. */
export interface SignedIn {
  readonly name: string;
  /** The mailbox that gets all mail of the connection. Null means that the recipients decide. */
  readonly mailbox: Mailbox | null;
  /** The API key used as password. Null if any password is accepted. */
  readonly key: KeyId | null;
}

/** One SMTP connection with its current transaction, as everything but its own methods sees it. */
export type Session = Readonly<SmtpSession>;

/** Opens the session of a connection. It ends when either side closes the connection. */
export function openSession(clientAddress: string, clientPort: number): Session {
  return new SmtpSession(clientAddress, clientPort);
}

/** What is known of a connection. Only the methods change it, so that all its changes stand here. */
class SmtpSession implements CancelSignal, TlsClient {
  readonly transcript = new Transcript();
  readonly clientAddress: string;
  readonly clientPort: number;
  helo: string | null = null;
  user: SignedIn | null = null;
  tls: ReceiptMetadata['tls'] = null;
  askedForTls: TlsClient['askedForTls'] = null;
  tlsFailure: string | null = null;
  wasRefusedTls = false;
  isAtHelo = false;
  mailFrom = '';
  /** The SIZE parameter of MAIL (RFC 1870), in bytes. 0 if it was not given. */
  declaredBytes = 0;
  /** The recipient of the last RCPT command, as written. */
  asked: string | null = null;
  /** The mailbox of that recipient if known. Before any RCPT it is the mailbox of the sign-in. */
  concerns: Mailbox | null = null;
  #rcptTo: string[] = [];
  readonly #mailboxIds = new Set<MailboxId>();
  #failedSignIns = 0;
  #isRefusedByFault = false;
  #drop: () => void = () => {};
  #ended = false;
  readonly #onEnd = new Set<() => void>();

  constructor(clientAddress: string, clientPort: number) {
    this.clientAddress = clientAddress;
    this.clientPort = clientPort;
  }

  /** The accepted recipients as written, in the order of RCPT. */
  get rcptTo(): readonly string[] {
    return this.#rcptTo;
  }

  /** The mailboxes of the accepted recipients. */
  get mailboxIds(): ReadonlySet<MailboxId> {
    return this.#mailboxIds;
  }

  /** Tells whether a fault rule keeps the client waiting. */
  get isHeld(): boolean {
    return this.#onEnd.size > 0;
  }

  /** Tells whether the next refusal comes from a fault rule. */
  get isRefusedByFault(): boolean {
    return this.#isRefusedByFault;
  }

  get isCancelled(): boolean {
    return this.#ended;
  }

  onCancel(act: () => void): () => void {
    if (this.#ended) act();
    else this.#onEnd.add(act);
    return () => this.#onEnd.delete(act);
  }

  end(): void {
    this.#ended = true;
    for (const act of this.#onEnd) act();
    this.#onEnd.clear();
  }

  /** Takes what closes the connection without a reply. */
  closesWith(drop: () => void): void {
    this.#drop = drop;
  }

  /** Closes the connection without a reply, if the connection can. */
  drop(): void {
    this.#drop();
  }

  greet(helo: string): void {
    this.helo = helo;
  }

  /** Ends the time in which the client has only greeted, or begins it. */
  answerGreeting(isAtHelo: boolean): void {
    this.isAtHelo = isAtHelo;
  }

  askForTls(how: 'STARTTLS' | 'the TLS port'): void {
    this.askedForTls = { how, helo: this.helo };
  }

  refuseTls(): void {
    this.wasRefusedTls = true;
  }

  /** Keeps the first error of TLS. Those after it only follow from it. */
  failTls(error: string): void {
    this.tlsFailure ??= error;
  }

  /** Starts TLS. Everything the client said in plaintext is forgotten (RFC 3207 4.2). */
  secured(tls: ReceiptMetadata['tls']): void {
    this.tls = tls;
    this.helo = null;
    this.user = null;
    this.beginTransaction('', 0);
  }

  /** Signs the client in, or out with null. */
  signIn(user: SignedIn | null): void {
    this.user = user;
    this.ask(null);
  }

  /** Counts a failed sign-in, and returns how many there were. */
  failSignIn(): number {
    this.#failedSignIns++;
    return this.#failedSignIns;
  }

  beginTransaction(mailFrom: string, declaredBytes: number): void {
    this.mailFrom = mailFrom;
    this.declaredBytes = declaredBytes;
    this.#rcptTo = [];
    this.#mailboxIds.clear();
    this.ask(null);
  }

  /** Begins a RCPT command. Null means that none is under way. */
  ask(recipient: string | null): void {
    this.asked = recipient;
    this.concerns = this.user?.mailbox ?? null;
  }

  /** Tells which mailbox the command under way concerns. */
  concern(mailbox: Mailbox | null): void {
    this.concerns = mailbox;
  }

  accept(recipient: string, mailbox: Mailbox): void {
    this.#rcptTo.push(recipient);
    this.#mailboxIds.add(mailbox.id);
  }

  /** Marks the next refusal as one of a fault rule, or as one of the server. */
  refuseByFault(isNext: boolean): void {
    this.#isRefusedByFault = isNext;
  }

  facts(): ReceiptMetadata {
    return {
      source: 'smtp',
      envelope: { mailFrom: this.mailFrom, rcptTo: this.#rcptTo },
      helo: this.helo,
      user: this.user?.name ?? null,
      tls: this.tls,
      clientAddress: this.clientAddress,
      clientPort: this.clientPort,
      transcript: this.transcript.lines(),
    };
  }
}

const MAX_LINES = 100;
const MAX_LENGTH = 8 * 1024;

/** The dialogue since the last message, without secrets and of bounded length. */
class Transcript {
  #lines: string[] = [];
  #length = 0;

  /** Adds a line from {@link clientLine} or {@link serverLines}. */
  push(line: string): void {
    if (this.#isFull || this.#length + line.length > MAX_LENGTH) {
      this.#length = MAX_LENGTH;
      return;
    }
    this.#lines.push(line);
    this.#length += line.length;
  }

  lines(): readonly string[] {
    return this.#lines;
  }

  clear(): void {
    this.#lines = [];
    this.#length = 0;
  }

  get #isFull(): boolean {
    return this.#lines.length >= MAX_LINES || this.#length >= MAX_LENGTH;
  }
}

/** Formats a client's line. `secret` marks the answer to an AUTH challenge, which is masked. */
export function clientLine(line: string, secret: boolean): string {
  return secret ? 'C: ***' : `C: ${withoutSecret(line)}`;
}

/** Formats the lines of a reply. `text` has no final line end. */
export function serverLines(text: string): readonly string[] {
  return text.includes('\r\n') ? text.split('\r\n').map((line) => `S: ${line}`) : [`S: ${text}`];
}

const AUTH_WITH_ARGUMENT = /^(\s*auth\s+\S+\s+)\S.*$/i;

function withoutSecret(line: string): string {
  const first = line.charCodeAt(0) | 0x20;
  return first === 0x61 || first <= 0x20 ? line.replace(AUTH_WITH_ARGUMENT, '$1***') : line;
}

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
    this.#session.refuseTls();
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
    const isFirst = connection.lastRefusal === null && connection.accepted === 0;
    this.#session.answerGreeting(stage === 'helo' && isFirst);
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
    const reason = session.isRefusedByFault ? 'fault' : refusalName(reply);
    session.refuseByFault(false);
    const text = cut(`${reply.code} ${reply.text}`) ?? '';
    this.#connection.lastRefusal = text;
    session.answerGreeting(false);
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
    const gap = this.#leftOut === 0 ? [] : [`(${saidCount(this.#leftOut, 'more line')})`];
    return [...this.#head, ...gap, ...tail];
  }
}

/** Cuts a text, and makes a copy if it does, because a substring keeps the whole string in memory. */
function cutCopy(text: string, length: number): string {
  return text.length <= length ? text : Buffer.from(shorten(text, length)).toString();
}
