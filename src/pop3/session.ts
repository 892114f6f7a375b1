import { deleteOfWorkspace } from '../actions/delete-messages.ts';
import { readRaw } from '../actions/read-message.ts';
import type { Context } from '../context.ts';
import { ApiError } from '../domain/errors.ts';
import type { MessageId } from '../domain/ids.ts';
import type { Mailbox } from '../domain/mailbox.ts';
import type { Message } from '../domain/message.ts';
import { momentNow } from '../ports/system.ts';
import { type LineConnection, TOO_LONG } from '../reading/line-connection.ts';
import { visitMessages } from '../reading/listed-messages.ts';
import type { ReadingTls } from '../reading/listener.ts';
import { isOfBrowser, readPlain, SignInRefused, SignIns } from '../reading/sign-in.ts';
import { VERSION } from '../version.ts';
import { MailLines } from './mail-lines.ts';

/** The longest line of a client, in bytes. RFC 2449 asks for 255; a response of SASL may be longer. */
const MOST_LINE_BYTES = 4_096;
/** The commands in a row that make no sense, after which the connection ends. */
const MOST_BAD = 20;

/** A message as the session began, with its number at its place in the list. */
interface Listed {
  readonly id: MessageId;
  readonly sizeBytes: number;
  isDeleted: boolean;
}

/** A refused command. The text goes behind `-ERR`. */
class Refused extends Error {
  override readonly name = 'Refused';
}

type Command = (session: Pop3Session, argument: string) => Promise<void>;

/** A POP3 connection (RFC 1939): its client signs in, reads the messages that are there then, and deletes at its end. */
export class Pop3Session {
  readonly #ctx: Context;
  readonly #connection: LineConnection;
  readonly #tls: ReadingTls;
  readonly #signIns: SignIns;
  #name: string | null = null;
  #mailbox: Mailbox | null = null;
  #messages: Listed[] = [];
  #isLeaving = false;

  constructor(ctx: Context, connection: LineConnection, tls: ReadingTls) {
    this.#ctx = ctx;
    this.#connection = connection;
    this.#tls = tls;
    this.#signIns = new SignIns(ctx, connection, 'pop3');
  }

  async serve(): Promise<void> {
    await this.#say('+OK mailcap');
    for (let bad = 0; bad < MOST_BAD && !this.#isLeaving; ) {
      const line = await this.#connection.readLine(MOST_LINE_BYTES);
      if (line === null) return;
      const text = line === TOO_LONG ? '' : line.toString();
      if (this.#mailbox === null && isOfBrowser(text)) return;
      bad = (await this.#take(line === TOO_LONG ? null : text)) ? 0 : bad + 1;
    }
    if (!this.#isLeaving) await this.#say('-ERR too many wrong commands');
  }

  /** Runs a command. Returns false if it makes no sense. */
  async #take(line: string | null): Promise<boolean> {
    const [, verb = '', argument = ''] = /^(\S+)(?: (.*))?$/s.exec(line ?? '') ?? [];
    const name = verb.toUpperCase();
    const table = this.#mailbox === null ? BEFORE : AFTER;
    const command = Object.hasOwn(table, name) ? table[name] : undefined;
    if (command === undefined) {
      const isKnown = Object.hasOwn(BEFORE, name) || Object.hasOwn(AFTER, name);
      if (line === null) await this.#say('-ERR the line is too long');
      else if (isKnown)
        await this.#say(`-ERR ${this.#mailbox === null ? 'sign in first' : 'you are signed in already'}`);
      else await this.#say('-ERR unknown command: CAPA lists them');
      return false;
    }
    try {
      await command(this, argument.trimEnd());
      return true;
    } catch (error) {
      await this.#say(`-ERR ${this.#reasonOf(error)}`);
      return false;
    }
  }

  #reasonOf(error: unknown): string {
    if (error instanceof Refused) return error.message;
    if (error instanceof SignInRefused) {
      this.#isLeaving ||= error.isLast;
      return `[AUTH] ${error.message}`;
    }
    if (error instanceof ApiError && error.code === 'not_found') return 'the message is gone';
    if (!(error instanceof ApiError)) this.#ctx.log.error('a command of POP3 failed', { error });
    return '[SYS/TEMP] the mailbox is not available now';
  }

  async capabilities(): Promise<void> {
    const lines = ['+OK', 'TOP', 'UIDL', 'USER', 'SASL PLAIN', 'PIPELINING', 'RESP-CODES', 'AUTH-RESP-CODE'];
    if (this.#tls.isOffered && !this.#connection.isEncrypted && this.#mailbox === null) lines.push('STLS');
    lines.push(`IMPLEMENTATION mailcap-${VERSION}`, '.');
    await this.#say(lines.join('\r\n'));
  }

  async startTls(): Promise<void> {
    if (this.#connection.isEncrypted) throw new Refused('TLS is active already');
    if (this.#ctx.config.starttls === 'off') throw new Refused('TLS is turned off');
    const context = await this.#tls.context().catch(() => null);
    if (context === null) throw new Refused('[SYS/TEMP] TLS is not available');
    await this.#say('+OK begin TLS');
    await this.#connection.startTls(context);
    this.#name = null;
  }

  async user(name: string): Promise<void> {
    if (name === '') throw new Refused('USER needs the name of a mailbox');
    this.#name = name;
    await this.#say('+OK');
  }

  async password(password: string): Promise<void> {
    const name = this.#name;
    if (name === null) throw new Refused('USER comes before PASS');
    this.#name = null;
    await this.#signIn(name, password);
  }

  async authenticate(argument: string): Promise<void> {
    const [mechanism = '', initial] = argument.split(' ');
    if (mechanism === '') return this.#say('+OK\r\nPLAIN\r\n.');
    if (mechanism.toUpperCase() !== 'PLAIN') throw new Refused('the mechanism is PLAIN');
    let response = initial;
    if (response === undefined) {
      await this.#say('+ ');
      const line = await this.#connection.readLine(MOST_LINE_BYTES);
      response = line === null || line === TOO_LONG ? '*' : line.toString();
    }
    const plain = readPlain(response);
    if (plain === null) throw new Refused('the response is no PLAIN of base64');
    await this.#signIn(plain.name, plain.password);
  }

  async leave(): Promise<void> {
    this.#isLeaving = true;
    const ids = this.#messages.filter(({ isDeleted }) => isDeleted).map(({ id }) => id);
    if (this.#mailbox !== null && ids.length > 0) await deleteOfWorkspace(this.#ctx, this.#mailbox.workspaceId, ids);
    await this.#say('+OK bye');
  }

  async count(): Promise<void> {
    const left = this.#messages.filter(({ isDeleted }) => !isDeleted);
    await this.#say(`+OK ${left.length} ${left.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)}`);
  }

  async list(argument: string, show: (message: Listed) => string | number): Promise<void> {
    if (argument !== '') {
      const [number, listed] = this.#numbered(argument);
      return this.#say(`+OK ${number} ${show(listed)}`);
    }
    await this.#say('+OK');
    let lines = '';
    for (const [index, listed] of this.#messages.entries()) {
      if (listed.isDeleted) continue;
      lines += `${index + 1} ${show(listed)}\r\n`;
      if (lines.length < 64 * 1024) continue;
      await this.#connection.write(lines);
      lines = '';
    }
    await this.#say(`${lines}.`);
  }

  async retrieve(argument: string): Promise<void> {
    const [, listed] = this.#numbered(argument);
    await this.#send(await this.#messageOf(listed), new MailLines());
  }

  async top(argument: string): Promise<void> {
    const [, number = '', lines = ''] = /^(\S+) +(\d{1,9})$/.exec(argument) ?? [];
    if (number === '') throw new Refused('TOP needs a message and a number of lines');
    const [, listed] = this.#numbered(number);
    await this.#send(await this.#messageOf(listed), new MailLines(Number(lines)));
  }

  async mark(argument: string): Promise<void> {
    const [number, listed] = this.#numbered(argument);
    listed.isDeleted = true;
    await this.#say(`+OK message ${number} goes with QUIT`);
  }

  async unmark(): Promise<void> {
    for (const listed of this.#messages) listed.isDeleted = false;
    await this.#say('+OK');
  }

  async rest(): Promise<void> {
    await this.#say('+OK');
  }

  async #signIn(name: string, password: string): Promise<void> {
    const mailbox = await this.#signIns.signIn(name, password);
    const messages: Listed[] = [];
    const visit = ({ id, sizeBytes }: Message) => messages.push({ id, sizeBytes, isDeleted: false });
    await visitMessages(this.#ctx, mailbox.id, visit, this.#connection);
    this.#messages = messages.reverse();
    this.#mailbox = mailbox;
    await this.#say(`+OK ${messages.length} messages`);
  }

  #numbered(text: string): [number: number, listed: Listed] {
    const number = /^\d{1,10}$/.test(text) ? Number(text) : 0;
    const listed = this.#messages[number - 1];
    if (listed === undefined || listed.isDeleted) throw new Refused('no such message');
    return [number, listed];
  }

  async #messageOf({ id }: Listed): Promise<Message> {
    const message = await this.#ctx.store.read.messages.get(id, momentNow(this.#ctx.clock));
    if (message === null) throw new Refused('the message is gone');
    return message;
  }

  async #send(message: Message, lines: MailLines): Promise<void> {
    const chunks = readRaw(this.#ctx, message)[Symbol.asyncIterator]();
    // The first chunk shows whether the message is still there.
    let chunk = await chunks.next();
    await this.#say(`+OK ${message.sizeBytes} octets`);
    while (chunk.done !== true && !lines.isComplete && !this.#connection.isCancelled) {
      await this.#connection.write(lines.next(chunk.value));
      chunk = await chunks.next();
    }
    await chunks.return?.();
    await this.#connection.write(lines.end());
  }

  #say(text: string): Promise<void> {
    return this.#connection.write(`${text}\r\n`);
  }
}

const ANYWHERE: Readonly<Record<string, Command>> = {
  CAPA: (session) => session.capabilities(),
  QUIT: (session) => session.leave(),
};

/** The commands before the sign-in (RFC 1939 4, RFC 2595 4, RFC 5034). */
const BEFORE: Readonly<Record<string, Command>> = {
  ...ANYWHERE,
  STLS: (session) => session.startTls(),
  USER: (session, name) => session.user(name),
  PASS: (session, password) => session.password(password),
  AUTH: (session, argument) => session.authenticate(argument),
};

/** The commands after it (RFC 1939 5 and 7). */
const AFTER: Readonly<Record<string, Command>> = {
  ...ANYWHERE,
  STAT: (session) => session.count(),
  LIST: (session, argument) => session.list(argument, ({ sizeBytes }) => sizeBytes),
  UIDL: (session, argument) => session.list(argument, ({ id }) => id),
  RETR: (session, argument) => session.retrieve(argument),
  TOP: (session, argument) => session.top(argument),
  DELE: (session, argument) => session.mark(argument),
  RSET: (session) => session.unmark(),
  NOOP: (session) => session.rest(),
};
