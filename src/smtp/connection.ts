import { createRequire } from 'node:module';
import { createServer, type Socket } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { SMTPConnection, type SMTPConnectionOptions } from 'smtp-server/lib/smtp-connection.js';
import { SMTPStream } from 'smtp-server/lib/smtp-stream.js';
import {
  type ConnectionRoom,
  type Idler,
  idleAllowanceMs,
  isCalm,
  lateMs,
  mayGoAsIdle,
  whoGivesWay,
} from '../domain/idle-connection.ts';
import type { SmtpStage } from '../domain/smtp.ts';
import type { Clock } from '../ports/system.ts';
import type { Reception } from './intake.ts';
import type { SessionRecorder } from './journal.ts';
import { argumentOf, LineStream, parseAddressCommand, stageOf } from './parse.ts';
import { REPLIES, type ReplyError, type SmtpReplyText } from './reply.ts';
import { clientLine, type Session, serverLines } from './session.ts';

/** The interval in milliseconds at which idle connections are checked while many are open. */
const LOOK_MS = 1_000;

/**
 * smtp-server with fast connections that give way to one another, and with a second port for TLS from the first byte.
 */
export class PromptServer extends SMTPServer implements House {
  readonly desk: ConnectionServices;
  readonly alive = new Set<PromptConnection>();
  readonly tlsServer = createServer((socket) => this.#openWithTls(socket));
  readonly #room: ConnectionRoom;
  #isLooking = false;
  draining = false;

  constructor(options: SMTPServerOptions, desk: ConnectionServices, room: ConnectionRoom) {
    super(options);
    this.desk = desk;
    this.#room = room;
    this.tlsServer.on('error', (error) => this._onError(error));
  }

  override connect(socket: Socket, options?: SMTPConnectionOptions | null): void {
    // `printf ... | nc` closes its half behind the last command, and still reads the replies.
    socket.allowHalfOpen = true;
    this.#open(new PromptConnection(this, socket, options, false));
  }

  hasRoom(): boolean {
    return this.#makeRoom(this.connections.size);
  }

  /** Accepts no more connections. Those without a transaction end now, the others after it. */
  drain(): void {
    this.draining = true;
    for (const connection of this.alive) connection.retire();
  }

  cut(): void {
    for (const connection of this.alive) connection.cut();
  }

  #openWithTls(socket: Socket): void {
    // No reply is possible before the handshake, and a handshake would cost more than accepting the client.
    if (this.draining || !this.#makeRoom(this.connections.size + 1)) {
      socket.on('error', () => {});
      socket.destroy();
    } else this.#open(new PromptConnection(this, socket, null, true));
  }

  #open(connection: PromptConnection): void {
    this.connections.add(connection);
    this.alive.add(connection);
    connection.on('error', (error) => this._onError(error));
    connection.init();
    this.#lookLater();
  }

  #makeRoom(wanted: number): boolean {
    if (wanted <= this.#room.connections) return true;
    const one = whoGivesWay(this.#idlers());
    if (one === null) return false;
    one.giveWay(mayGoAsIdle(one.idleMs, one.inTransaction) ? REPLIES.gives_way : REPLIES.too_slow);
    return true;
  }

  #idlers(): PromptConnection[] {
    // Connections that were told to close no longer count, even if their sockets still exist.
    return [...this.alive].filter((connection) => this.connections.has(connection));
  }

  #lookLater(): void {
    if (this.#isLooking || this.draining || isCalm(this.connections.size, this.#room)) return;
    this.#isLooking = true;
    this.desk.clock.after(LOOK_MS, () => {
      this.#isLooking = false;
      this.#hurryIdlers();
      this.#lookLater();
    });
  }

  /**
   * Closes connections that exceed their idle time. The most idle goes first, because each that closes gives the others
   * more time.
   */
  #hurryIdlers(): void {
    const idlers = this.#idlers().map((connection) => ({ connection, idleMs: connection.idleMs }));
    idlers.sort((a, b) => b.idleMs - a.idleMs);
    for (const { connection, idleMs } of idlers) {
      const allowed = idleAllowanceMs(this.connections.size, this.#room, connection.inTransaction);
      if (idleMs >= allowed) connection.giveWay(REPLIES.gives_way);
    }
  }
}

// smtp-server greets 100 ms after a connection opens, inspects a message byte by byte, and refuses valid addresses.
// This file and parse.ts override that. Both use undocumented methods, which the end of this file lists. If one is missing,
// server.ts runs smtp-server unpatched.

/** The services of the product that a connection uses. */
export interface ConnectionServices {
  readonly clock: Pick<Clock, 'steady' | 'after'>;
  sessionOf(connection: SMTPConnection['session']): Session;
  openRecorder(session: Session): SessionRecorder;
  openReception(session: Session): Reception;
  /**
   * Applies a fault rule. Returns undefined if none exists for the stage, and rejects with the {@link ReplyError} of a
   * rule.
   */
  meetFault(stage: SmtpStage, session: Session): Promise<void> | undefined;
  /** Tells whether `--starttls off` is set. */
  readonly refusesTls: boolean;
  /** Settles once the server has its certificate. */
  prepareTls(): Promise<unknown>;
  /** Reports a client that started with TLS on the plaintext port. */
  metTlsInTheClear(): void;
  /**
   * Does one step of work, now or in a later turn of the event loop, for which it returns a promise. All clients share
   * the time of a turn.
   */
  inTurn(step: () => void): Promise<void> | undefined;
}

/** The server, as its connections use it. */
interface House extends SMTPServer {
  readonly desk: ConnectionServices;
  readonly alive: Set<PromptConnection>;
  readonly draining: boolean;
  /**
   * Makes room for all open connections, including the newest, by closing an idle or slow one if needed. Returns false
   * if it cannot.
   */
  hasRoom(): boolean;
}

class PromptConnection extends SMTPConnection implements Idler {
  readonly #server: House;
  readonly #talk: Session;
  readonly #recorder: SessionRecorder;
  #busyAt: number;
  /** The milliseconds that the client took since its last message, except those in which it could be sent away as idle. */
  #takenMs = 0;
  /** The bytes of the message so far. */
  #messageBytes = 0;
  /** The command that came before the greeting, as of `printf | nc`. It is taken once the greeting is said. */
  #early: (() => void) | null = null;
  /** Tells whether the last MAIL or RCPT had a parameter that the server does not know. */
  #hasUnknown = false;
  /** The socket of a running TLS handshake. */
  #handshake: Socket | null = null;

  /** `opensWithTls` means that the TLS handshake comes before the greeting. */
  constructor(server: House, socket: Socket, options: SMTPConnectionOptions | null | undefined, opensWithTls: boolean) {
    super(server, socket, options);
    this.#server = server;
    this.#busyAt = server.desk.clock.steady();
    this.needsUpgrade = opensWithTls;
    this.session.remoteAddress = this.remoteAddress;
    this.session.remotePort = this.remotePort;
    this.#talk = server.desk.sessionOf(this.session);
    this.#talk.drop = () => this._socket.destroy();
    this.#recorder = server.desk.openRecorder(this.#talk);
    if (opensWithTls) this.#asksForTls('the TLS port');
  }

  /** The milliseconds since either side last wrote. 0 while the client waits for the server. */
  get idleMs(): number {
    return this.#waitsForUs ? 0 : this.#sinceBusyMs;
  }

  get lateMs(): number {
    if (this.#waitsForUs) return 0;
    return lateMs(this.#takenMs + (this.inTransaction ? this.#sinceBusyMs : 0), this.#messageBytes);
  }

  get inTransaction(): boolean {
    return (
      !this._closing && this._ready && (this.session.envelope.mailFrom !== false || this.#parser?.isReceiving === true)
    );
  }

  override init(): void {
    // A client that leaves a fault's delay has given up: nothing of its message is stored.
    this._socket.on('end', () => this.#talk.isHeld && this._socket.end());
    this._setListeners(() => {
      if (this.#server.draining) return this.retire();
      this.#recorder.expect('connect');
      if (!this.#server.hasRoom()) return this.#say(REPLIES.too_many_clients);
      this.connectionReady();
    });
  }

  override _createParser(): LineStream {
    const { maxCommandLength } = this._server.options;
    const parser = new LineStream({ maxCommandLength });
    parser.oncommand = (command, done) => this.#inItsTurn(command, done);
    parser.onpiece = (bytes) => {
      this.#clientActed();
      this.#messageBytes += bytes;
    };
    parser.onroom = () => this.#busy();
    parser.ontls = () => {
      this.#server.desk.metTlsInTheClear();
      this._socket.destroy();
    };
    parser.on('error', (error) => this.send(421, `4.5.2 ${error.message}`));
    // A client may close its half of the connection behind its last command. It still gets the replies.
    parser.once('finish', () => this._socket.end());
    return parser;
  }

  override _onCommand(command: Buffer, done?: () => void): void {
    this.#clientActed();
    if (!this._upgrading) this.#noted(clientLine(command.toString(), this._nextHandler !== false));
    this.#recorder.expect(this._nextHandler === false ? stageOf(command) : 'auth');
    if (this.#server.draining && !this.inTransaction) this.retire();
    else super._onCommand(command, done);
  }

  override send(code: number, data?: string | string[] | null, context?: string | false): void {
    const payload = this.#payload(code, data ?? '', context);
    if (code >= 400) this.session.error = payload;
    this.#busy();
    const socket = this._socket;
    // During the handshake this is still the raw socket. A reply would go out in plaintext in the middle of it.
    if (!this._upgrading && !socket.destroyed && socket.writable) {
      socket.write(`${payload}\r\n`);
      for (const line of serverLines(payload)) this.#noted(line);
      this.#recorder.told(code, payload);
    } else if (this.#talk.faulted) this.#recorder.told(code, payload);
    if (code === 421) this.close();
    else this.#takeEarly();
  }

  override _parseAddressCommand(
    name: string,
    command: Buffer | string,
  ): ReturnType<SMTPConnection['_parseAddressCommand']> {
    const line = command.toString();
    const parsed = parseAddressCommand(name === 'mail from' ? 'MAIL FROM' : 'RCPT TO', line);
    if (name === 'rcpt to') this.#talk.ask(parsed?.address ?? line.slice(line.indexOf(':') + 1).trim());
    if (parsed === null) return false;
    const { address, parameters, repeated, unknown } = parsed;
    this.#hasUnknown = unknown !== null;
    const args = parameters.size === 0 ? false : Object.fromEntries(parameters);
    return repeated === null ? { address, args } : { address, args, duplicate: repeated };
  }

  override _rejectInvalidParams(...given: Parameters<SMTPConnection['_rejectInvalidParams']>): boolean {
    if (!this.#hasUnknown) return super._rejectInvalidParams(...given);
    this.#say(REPLIES.unknown_parameter);
    given[2]();
    return true;
  }

  override handler_DATA(command: Buffer, done: () => void): void {
    const parser = this._parser;
    if (!(parser instanceof LineStream) || this.session.envelope.rcptTo.length === 0) {
      super.handler_DATA(command, done);
      return;
    }
    this.#unlessFault('data', done, () => {
      this.send(354, 'End data with <CR><LF>.<CR><LF>');
      parser.receive(this.#server.desk.openReception(this.#talk), (reply) => this.#endTransaction(reply));
      done();
    });
  }

  override handler_EHLO(command: Buffer, done: () => void): void {
    const name = argumentOf(command);
    this.#talk.helo = name;
    this.#unlessFault('helo', done, () => super.handler_EHLO(asOneWord('EHLO', name), done));
  }

  override handler_HELO(command: Buffer, done: () => void): void {
    const name = argumentOf(command);
    this.#talk.helo = name;
    this.#unlessFault('helo', done, () => super.handler_HELO(asOneWord('HELO', name), done));
  }

  override handler_AUTH(command: Buffer, done: () => void): void {
    if (this.session.envelope.mailFrom === false) super.handler_AUTH(command, done);
    else {
      this.#say(REPLIES.sign_in_too_late);
      done();
    }
  }

  /** Refuses EXPN as known but not done (RFC 5321 section 4.2.4). */
  handler_EXPN(_command: Buffer, done: () => void): void {
    this.#say(REPLIES.not_expanded);
    done();
  }

  override handler_STARTTLS(command: Buffer, done: () => void): void {
    if (this.#server.desk.refusesTls) {
      this.#recorder.refusedTls();
      this.#say(REPLIES.tls_off);
      done();
      return;
    }
    this.#asksForTls('STARTTLS');
    this.#server.desk.prepareTls().then(
      // The client may have left while the certificate was prepared.
      () => this._closing || this._closed || super.handler_STARTTLS(command, done),
      () => {
        this.#say(REPLIES.tls_unavailable);
        done();
      },
    );
  }

  override _armTimeout(socket?: Socket): void {
    if (socket !== undefined && this._upgrading) {
      this.#handshake = socket;
      // TLS ends both halves at once.
      socket.allowHalfOpen = false;
    }
    super._armTimeout(socket);
  }

  override _onError(error: Error & { code?: string | undefined }): void {
    if (this.#talk.askedForTls !== null) this.#talk.tlsFailure ??= error.code ?? error.message;
    super._onError(error);
  }

  override _onTimeout(): void {
    if (!this._closing && (this.#parser?.keepsClientWaiting || this.#talk.isHeld)) this._armTimeout();
    else super._onTimeout();
  }

  override _onClose(): void {
    this.#parser?.abandon();
    if (!this._closed) this.#recorder.closed();
    if (this._upgrading && this._socket.bytesRead > 0) this.#talk.tlsFailure ??= 'closed in the handshake';
    this.#talk.end();
    this.#server.alive.delete(this);
    super._onClose();
  }

  /** Ends the connection once no transaction is under way. */
  retire(): void {
    if (this.inTransaction) return;
    if (!this._closing) this.#say(REPLIES.shutting_down);
    if (!this._upgrading) this.#destroyOnceSaid();
  }

  /** Ends the connection now to make room for others, and tells the client why. */
  giveWay(why: SmtpReplyText): void {
    if (this._closing || this._closed) return;
    this.#parser?.abandon();
    this.#say(why);
    if (this._upgrading) this.#handshake?.destroy();
    else this.#destroyOnceSaid();
  }

  cut(): void {
    // The raw socket must not be destroyed under a running TLS handshake. It only stops keeping the process alive.
    if (this._upgrading) {
      this._socket.unref();
      return;
    }
    if (!this._closing) this.#say(REPLIES.shutting_down);
    this._socket.destroy();
  }

  get #parser(): LineStream | null {
    return this._parser instanceof LineStream ? this._parser : null;
  }

  #noted(line: string): void {
    this.#talk.transcript.push(line);
    this.#recorder.noted(line);
  }

  get #waitsForUs(): boolean {
    return this._handlerPending || this.#talk.isHeld || this.#parser?.keepsClientWaiting === true;
  }

  get #sinceBusyMs(): number {
    return this.#server.desk.clock.steady() - this.#busyAt;
  }

  #busy(): void {
    this.#busyAt = this.#server.desk.clock.steady();
  }

  #clientActed(): void {
    const waitedMs = this.#sinceBusyMs;
    if (!mayGoAsIdle(waitedMs, this.inTransaction)) this.#takenMs += waitedMs;
    this.#busyAt += waitedMs;
  }

  /** Takes a command once this turn of the event loop has time. */
  #inItsTurn(command: Buffer, done?: () => void): void {
    const later = this.#server.desk.inTurn(() => {
      if (!this._ready && !this._closing) this.#early = () => this.#inItsTurn(command, done);
      else if (this._closed) done?.();
      else this._onCommand(command, done);
    });
    later?.catch((error: Error) => this._onError(error));
  }

  #takeEarly(): void {
    const early = this.#early;
    this.#early = null;
    early?.();
  }

  #asksForTls(how: 'STARTTLS' | 'the TLS port'): void {
    this.#talk.askedForTls = { how, helo: this.#talk.helo };
    this.#recorder.askedForTls();
  }

  #destroyOnceSaid(): void {
    const socket = this._socket;
    if (socket.writableFinished) socket.destroy();
    else socket.once('finish', () => socket.destroy());
  }

  #endTransaction(reply: SmtpReplyText): void {
    this.#recorder.expect('end');
    this.#say(reply);
    this.#takenMs = 0;
    this.#messageBytes = 0;
    this._transactionCounter++;
    this._unrecognizedCommands = 0;
    this._resetSession();
    this.#talk.transcript.clear();
    if (this.#server.draining) this.retire();
  }

  #unlessFault(stage: SmtpStage, done: () => void, go: () => void): void {
    const fault = this.#server.desk.meetFault(stage, this.#talk);
    if (fault === undefined) {
      go();
      return;
    }
    fault.then(
      () => {
        if (!this._closing && !this._closed) go();
      },
      (refusal: ReplyError) => {
        this.send(refusal.responseCode, refusal.message, stage === 'helo' ? false : undefined);
        done();
      },
    );
  }

  #say(reply: SmtpReplyText): void {
    this.send(reply.code, reply.text);
  }

  #payload(code: number, data: string | string[], context: string | false | undefined): string {
    if (typeof data !== 'string') {
      const last = data.length - 1;
      return data.map((line, at) => `${code}${at < last ? '-' : ' '}${printable(line)}`).join('\r\n');
    }
    const status = ENHANCED.test(data) ? '' : this._getEnhancedStatusCode(code, context);
    return `${code} ${status === '' ? '' : `${status} `}${printable(data)}`;
  }
}

const ENHANCED = /^[245]\.\d{1,3}\.\d{1,3} /;
// biome-ignore lint/suspicious/noControlCharactersInRegex: a reply that held one could be split in two
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/g;

function printable(text: string): string {
  return text.replace(CONTROL, ' ');
}

/** Returns an EHLO or HELO of one word. Some clients send the name of a computer with spaces. */
function asOneWord(verb: string, name: string): Buffer {
  return Buffer.from(`${verb} ${name.replace(/\s+/g, '-')}`);
}

/** The release of smtp-server that this file and parse.ts were written for. Review them before raising it. */
export const WRITTEN_FOR = '3.21.6';

/** The undocumented methods of smtp-server that these files override or call, each with its number of parameters. */
const METHODS = [
  [SMTPServer.prototype, { connect: 2, _onError: 1, updateSecureContext: 1 }],
  [
    SMTPConnection.prototype,
    {
      init: 0,
      connectionReady: 1,
      send: 3,
      close: 0,
      _createParser: 0,
      _setListeners: 1,
      _onClose: 0,
      _onTimeout: 0,
      _armTimeout: 0,
      _onError: 1,
      upgrade: 2,
      _onCommand: 2,
      _getEnhancedStatusCode: 2,
      _parseAddressCommand: 2,
      _rejectInvalidParams: 3,
      _resetSession: 0,
      handler_EHLO: 2,
      handler_HELO: 2,
      handler_AUTH: 2,
      handler_DATA: 2,
      handler_STARTTLS: 2,
    },
  ],
  [SMTPStream.prototype, { _write: 3, _feedDataStream: 2 }],
] as const satisfies readonly (readonly [object, Readonly<Record<string, number>>])[];

/** Lists the differences between the installed smtp-server and the expected one. It is empty if all is as expected. */
export function missingFromSmtpServer(): string[] {
  const missing: string[] = [];
  const version = installedVersion();
  if (version !== WRITTEN_FOR) missing.push(`version ${version} instead of ${WRITTEN_FOR}`);
  for (const [prototype, methods] of METHODS) {
    for (const [name, parameters] of Object.entries(methods)) {
      const method: unknown = Reflect.get(prototype, name);
      if (typeof method !== 'function' || method.length !== parameters) {
        missing.push(`${prototype.constructor.name}.${name}`);
      }
    }
  }
  return missing;
}

function installedVersion(): string {
  const manifest: unknown = createRequire(import.meta.url)('smtp-server/package.json');
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest
    ? String(manifest.version)
    : 'unknown';
}
