import { setImmediate } from 'node:timers/promises';
import { deleteOfWorkspace } from '../actions/delete-messages.ts';
import { readRaw } from '../actions/read-message.ts';
import type { Context } from '../context.ts';
import { ApiError } from '../domain/errors.ts';
import type { Mailbox } from '../domain/mailbox.ts';
import type { Message } from '../domain/message.ts';
import { momentNow } from '../ports/system.ts';
import { HandshakeFailed, type LineConnection, TOO_LONG } from '../reading/line-connection.ts';
import { type ListRoom, ListsAreFull } from '../reading/list-room.ts';
import { MailboxListing } from '../reading/mailbox-listing.ts';
import { isOfBrowser, readPlain, type SignIn, SignInRefused, signInOf } from '../reading/sign-in.ts';
import type { ServerTls } from '../smtp/tls.ts';
import { VERSION } from '../version.ts';
import { MailLines } from './mail-lines.ts';
import type { AddedSizes, SentSizes } from './sent-sizes.ts';

/** The longest line of a client, in bytes. RFC 2449 asks for 255; a response of SASL may be longer. */
const MOST_LINE_BYTES = 4_096;
/** The commands in a row that make no sense, after which the connection ends. */
const MOST_BAD = 20;

/** A refused command. The text goes behind `-ERR`. */
class Refused extends Error {
  override readonly name: string = 'Refused';
}

/** A well-formed command about a message that is not there: a client whose mailbox was emptied sends many of these. */
class NoMessage extends Refused {
  override readonly name = 'NoMessage';
}

/** The sessions of a server share this: the room for their lists, and the sizes that were found. */
interface Shared {
  readonly lists: ListRoom;
  readonly sizes: SentSizes;
}

type Command = (session: Pop3Session, argument: string) => Promise<void>;

/** A POP3 connection (RFC 1939): its client signs in, reads the messages that are there then, and deletes at its end. */
export class Pop3Session {
  readonly #ctx: Context;
  readonly #connection: LineConnection;
  readonly #tls: ServerTls;
  readonly #openMailbox: SignIn;
  readonly #shared: Shared;
  #name: string | null = null;
  #mailbox: Mailbox | null = null;
  /** The messages as the session began. A message's number is its index + 1. */
  #messages: MailboxListing | null = null;
  /** The sizes of the mails as they are sent. Null until a client asks for their sizes. */
  #added: AddedSizes | null = null;
  readonly #deleted = new Set<number>();
  #isLeaving = false;

  constructor(ctx: Context, connection: LineConnection, tls: ServerTls, shared: Shared) {
    this.#shared = shared;
    this.#ctx = ctx;
    this.#connection = connection;
    this.#tls = tls;
    this.#openMailbox = signInOf(ctx, connection, 'pop3');
  }

  async serve(): Promise<void> {
    try {
      await this.#talk();
    } finally {
      this.#messages?.end();
    }
  }

  async #talk(): Promise<void> {
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
      // The spaces of a password belong to it (RFC 1939, section 7).
      await command(this, name === 'PASS' ? argument : argument.trimEnd());
      return true;
    } catch (error) {
      if (error instanceof HandshakeFailed) throw error;
      await this.#say(`-ERR ${this.#reasonOf(error)}`);
      return error instanceof NoMessage;
    }
  }

  #reasonOf(error: unknown): string {
    if (error instanceof Refused) return error.message;
    if (error instanceof ListsAreFull) return `[SYS/TEMP] ${error.message}`;
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
    if (plain === null) throw new Refused('the response is no PLAIN of base64 for the user alone');
    await this.#signIn(plain.name, plain.password);
  }

  async leave(): Promise<void> {
    this.#isLeaving = true;
    const ids = [...this.#deleted].map((index) => this.#listed.id(index));
    if (this.#mailbox !== null && ids.length > 0) await deleteOfWorkspace(this.#ctx, this.#mailbox.workspaceId, ids);
    await this.#say('+OK bye');
  }

  async count(): Promise<void> {
    const list = this.#listed;
    const added = await this.#learnSizes();
    let bytes = list.sumBytes();
    for (const [id, octets] of added) if (list.indexOf(id) >= 0) bytes += octets;
    for (const index of this.#deleted) bytes -= this.#sizeOf(index, added);
    await this.#say(`+OK ${list.length - this.#deleted.size} ${bytes}`);
  }

  async sizes(argument: string): Promise<void> {
    const added = await this.#learnSizes();
    await this.#list(argument, (_, index) => this.#sizeOf(index, added));
  }

  async ids(argument: string): Promise<void> {
    await this.#list(argument, (list, index) => list.id(index));
  }

  async #list(argument: string, show: (list: MailboxListing, index: number) => string | number): Promise<void> {
    const list = this.#listed;
    if (argument !== '') {
      const index = this.#numbered(argument);
      return this.#say(`+OK ${index + 1} ${show(list, index)}`);
    }
    await this.#say('+OK');
    let lines = '';
    for (let index = 0; index < list.length; index++) {
      if (this.#deleted.has(index)) continue;
      lines += `${index + 1} ${show(list, index)}\r\n`;
      if (lines.length < 64 * 1024) continue;
      await this.#connection.write(lines);
      if (this.#connection.isCancelled) return;
      await setImmediate();
      lines = '';
    }
    await this.#say(`${lines}.`);
  }

  async retrieve(argument: string): Promise<void> {
    const index = this.#numbered(argument);
    const message = await this.#messageAt(index);
    // RETR need not tell the size, so no client waits for it.
    const size = this.#added === null ? '' : ` ${this.#sizeOf(index, this.#added)} octets`;
    await this.#send(message, `+OK${size}`, new MailLines());
  }

  async top(argument: string): Promise<void> {
    const [, number = '', lines = ''] = /^(\S+) +(\d+)$/.exec(argument) ?? [];
    if (number === '') throw new Refused('TOP needs a message and a number of lines');
    const index = this.#numbered(number);
    await this.#send(await this.#messageAt(index), '+OK', new MailLines(Number(lines)));
  }

  async mark(argument: string): Promise<void> {
    const index = this.#numbered(argument);
    this.#deleted.add(index);
    await this.#say(`+OK message ${index + 1} goes with QUIT`);
  }

  async unmark(): Promise<void> {
    this.#deleted.clear();
    await this.#say('+OK');
  }

  async rest(): Promise<void> {
    await this.#say('+OK');
  }

  async #signIn(name: string, password: string): Promise<void> {
    const mailbox = await this.#openMailbox(name, password);
    this.#messages = await MailboxListing.read(this.#ctx, mailbox.id, this.#connection, this.#shared.lists);
    this.#mailbox = mailbox;
    await this.#say(`+OK ${this.#messages.length} messages`);
  }

  async #learnSizes(): Promise<AddedSizes> {
    const mailbox = this.#mailbox;
    if (mailbox === null) throw new Refused('sign in first');
    this.#added ??= await this.#shared.sizes.of(mailbox.id, this.#listed, this.#connection);
    return this.#added;
  }

  #sizeOf(index: number, added: AddedSizes): number {
    const octets = added.size === 0 ? 0 : (added.get(this.#listed.id(index)) ?? 0);
    return this.#listed.sizeBytes(index) + octets;
  }

  get #listed(): MailboxListing {
    if (this.#messages === null) throw new Refused('sign in first');
    return this.#messages;
  }

  /** Returns the index of the message with a number. */
  #numbered(text: string): number {
    const index = /^\d{1,10}$/.test(text) ? Number(text) - 1 : -1;
    if (index < 0 || index >= this.#listed.length || this.#deleted.has(index)) throw new NoMessage('no such message');
    return index;
  }

  async #messageAt(index: number): Promise<Message> {
    const message = await this.#ctx.store.read.messages.get(this.#listed.id(index), momentNow(this.#ctx.clock));
    if (message === null) throw new NoMessage('the message is gone');
    return message;
  }

  async #send(message: Message, answer: string, lines: MailLines): Promise<void> {
    const chunks = readRaw(this.#ctx, message)[Symbol.asyncIterator]();
    // The first chunk shows whether the message is still there.
    let chunk = await chunks.next();
    await this.#say(answer);
    try {
      while (chunk.done !== true && !lines.isComplete && !this.#connection.isCancelled) {
        await this.#connection.write(lines.next(chunk.value));
        chunk = await chunks.next();
      }
      await chunks.return?.();
    } catch (error) {
      // The client would read an answer as the next line of the mail.
      this.#connection.cut();
      throw error;
    }
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
  LIST: (session, argument) => session.sizes(argument),
  UIDL: (session, argument) => session.ids(argument),
  RETR: (session, argument) => session.retrieve(argument),
  TOP: (session, argument) => session.top(argument),
  DELE: (session, argument) => session.mark(argument),
  RSET: (session) => session.unmark(),
  NOOP: (session) => session.rest(),
};
