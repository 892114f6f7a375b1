import { createServer, type Socket } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { SMTPConnection, type SMTPConnectionOptions } from 'smtp-server/lib/smtp-connection.js';
import { SMTPStream } from 'smtp-server/lib/smtp-stream.js';
import type { Context } from '../context.ts';
import {
  type ConnectionRoom,
  type Idler,
  isCalm,
  lateMs,
  mayGoAsIdle,
  whoGivesWay,
  whoIsTooIdle,
} from '../domain/idle-connection.ts';
import type { SmtpReply, SmtpStage } from '../domain/smtp.ts';
import { applySmtpFault } from './faults.ts';
import { type LoopBudget, MessageIntake } from './intake.ts';
import { clientLine, type Session, SessionRecorder, serverLines } from './journal.ts';
import { argumentOf, asOneWord, DataDecoder, parseAddressCommand, stageOf } from './parse.ts';
import { REPLIES, type ReplyError, replyLines } from './reply.ts';
import { NO_AUTHORITIES, type ServerTls } from './tls.ts';

// All that is overridden of smtp-server. It has the dialogue and its special cases
// (docs/decisions.md#smtp-server-with-overrides), but
//   - it greets a client after 100 ms, and forgets a command that came before: FastConnection greets at once;
//   - it inspects a message byte by byte: DataStream looks for the end of data, and gives the message to its intake;
//   - it refuses valid addresses: FastConnection reads MAIL and RCPT by parse.ts;
//   - it has no fault rules, no journal and one port, and a silent client keeps its place: FastSmtpServer has them.
// Most of what is overridden is undocumented. test/smtp/pinned-internals.test.ts lists it, with the release that it was
// read in, which the product bundles.

/** The interval in milliseconds at which idle connections are checked while many are open. */
const LOOK_MS = 1_000;

/** smtp-server with fast connections that give way to one another, and a second port for TLS from the first byte. */
export class FastSmtpServer extends SMTPServer {
  readonly deps: ConnectionDeps;
  readonly alive = new Set<FastConnection>();
  readonly tlsServer = createServer((socket) => this.#openWithTls(socket));
  readonly #room: ConnectionRoom;
  #isLooking = false;
  draining = false;

  constructor(options: SMTPServerOptions, deps: ConnectionDeps, room: ConnectionRoom) {
    super(options);
    this.deps = deps;
    this.#room = room;
    this.tlsServer.on('error', (error) => this._onError(error));
  }

  override connect(socket: Socket, options?: SMTPConnectionOptions | null): void {
    // `printf ... | nc` closes its half behind the last command, and still reads the replies.
    socket.allowHalfOpen = true;
    this.#open(new FastConnection(this, socket, options, false));
  }

  /** Makes the context of TLS of a certificate. The constructor asks for one of smtp-server's own, which nobody uses. */
  override updateSecureContext(pem?: Parameters<SMTPServer['updateSecureContext']>[0]): void {
    if (pem !== undefined) super.updateSecureContext({ ...pem, ...NO_AUTHORITIES });
  }

  /**
   * Makes room for `open` connections, including the newest, by closing an idle or slow one if needed. Returns false if
   * it cannot.
   */
  hasRoom(open = this.connections.size): boolean {
    if (open <= this.#room.connections) return true;
    const one = whoGivesWay(this.#idlers());
    if (one === null) return false;
    one.giveWay(mayGoAsIdle(one.idleMs, one.inTransaction) ? REPLIES.gives_way : REPLIES.too_slow);
    return true;
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
    if (this.draining || !this.hasRoom(this.connections.size + 1)) {
      socket.on('error', () => {});
      socket.destroy();
    } else this.#open(new FastConnection(this, socket, null, true));
  }

  #open(connection: FastConnection): void {
    this.connections.add(connection);
    this.alive.add(connection);
    connection.on('error', (error) => this._onError(error));
    connection.init();
    this.#lookLater();
  }

  #idlers(): FastConnection[] {
    // Connections that were told to close no longer count, even if their sockets still exist.
    return [...this.alive].filter((connection) => this.connections.has(connection));
  }

  #lookLater(): void {
    if (this.#isLooking || this.draining || isCalm(this.connections.size, this.#room)) return;
    this.#isLooking = true;
    this.deps.ctx.clock.after(LOOK_MS, () => {
      this.#isLooking = false;
      const tooIdle = whoIsTooIdle(this.#idlers(), this.connections.size, this.#room);
      for (const one of tooIdle) one.giveWay(REPLIES.gives_way);
      this.#lookLater();
    });
  }
}

/** What the connections of one server share. */
interface ConnectionDeps {
  readonly ctx: Context;
  readonly tls: ServerTls;
  /** The time of the event loop that all clients share. */
  readonly budget: LoopBudget;
  sessionOf(connection: SMTPConnection['session']): Session;
}

class FastConnection extends SMTPConnection implements Idler {
  readonly #server: FastSmtpServer;
  readonly #deps: ConnectionDeps;
  readonly #session: Session;
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
  constructor(
    server: FastSmtpServer,
    socket: Socket,
    options: SMTPConnectionOptions | null | undefined,
    opensWithTls: boolean,
  ) {
    super(server, socket, options);
    this.#server = server;
    this.#deps = server.deps;
    this.#busyAt = this.#deps.ctx.clock.steady();
    this.needsUpgrade = opensWithTls;
    this.session.remoteAddress = this.remoteAddress;
    this.session.remotePort = this.remotePort;
    this.#session = this.#deps.sessionOf(this.session);
    this.#session.closesWith(() => this._socket.destroy());
    this.#recorder = new SessionRecorder(this.#deps.ctx, this.#session);
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
    this._socket.on('end', () => this.#session.isHeld && this._socket.end());
    this._setListeners(() => {
      if (this.#server.draining) return this.retire();
      this.#recorder.expect('connect');
      if (!this.#server.hasRoom()) return this.#say(REPLIES.too_many_clients);
      this.connectionReady();
    });
  }

  override _createParser(): DataStream {
    const { maxCommandLength } = this._server.options;
    const parser = new DataStream({ maxCommandLength });
    parser.oncommand = (command, done) => this.#inItsTurn(command, done);
    parser.onpiece = (bytes) => {
      this.#clientActed();
      this.#messageBytes += bytes;
    };
    parser.onroom = () => this.#busy();
    parser.ontls = () => {
      this.#deps.tls.metInTheClear();
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
    const payload = replyLines(code, data ?? '', () => this._getEnhancedStatusCode(code, context));
    if (code >= 400) this.session.error = payload;
    this.#busy();
    const socket = this._socket;
    // During the handshake this is still the raw socket. A reply would go out in plaintext in the middle of it.
    if (!this._upgrading && !socket.destroyed && socket.writable) {
      socket.write(`${payload}\r\n`);
      for (const line of serverLines(payload)) this.#noted(line);
      this.#recorder.told(code, payload);
    } else if (this.#session.isRefusedByFault) this.#recorder.told(code, payload);
    if (code === 421) this.close();
    else this.#takeEarly();
  }

  override _parseAddressCommand(
    name: string,
    command: Buffer | string,
  ): ReturnType<SMTPConnection['_parseAddressCommand']> {
    const line = command.toString();
    const parsed = parseAddressCommand(name === 'mail from' ? 'MAIL FROM' : 'RCPT TO', line);
    if (name === 'rcpt to') this.#session.ask(parsed?.address ?? line.slice(line.indexOf(':') + 1).trim());
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
    if (!(parser instanceof DataStream) || this.session.envelope.rcptTo.length === 0) super.handler_DATA(command, done);
    else {
      this.#unlessFault('data', done, () => {
        this.send(354, 'End data with <CR><LF>.<CR><LF>');
        const { ctx, budget } = this.#deps;
        const intake = new MessageIntake(ctx, this.#session, budget);
        parser.receive(intake, (reply) => this.#endTransaction(reply));
        done();
      });
    }
  }

  override handler_EHLO(command: Buffer, done: () => void): void {
    const name = argumentOf(command);
    this.#session.greet(name);
    this.#unlessFault('helo', done, () => super.handler_EHLO(asOneWord('EHLO', name), done));
  }

  override handler_HELO(command: Buffer, done: () => void): void {
    const name = argumentOf(command);
    this.#session.greet(name);
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
    if (this.#deps.ctx.config.starttls === 'off') {
      this.#recorder.refusedTls();
      this.#say(REPLIES.tls_off);
      done();
      return;
    }
    this.#asksForTls('STARTTLS');
    this.#deps.tls.prepare().then(
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
    if (this.#session.askedForTls !== null) this.#session.failTls(error.code ?? error.message);
    super._onError(error);
  }

  override _onTimeout(): void {
    if (!this._closing && (this.#parser?.keepsClientWaiting || this.#session.isHeld)) this._armTimeout();
    else super._onTimeout();
  }

  override _onClose(): void {
    this.#parser?.abandon();
    if (!this._closed) this.#recorder.closed();
    if (this._upgrading && this._socket.bytesRead > 0) this.#session.failTls('closed in the handshake');
    this.#session.end();
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
  giveWay(why: SmtpReply): void {
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

  get #parser(): DataStream | null {
    return this._parser instanceof DataStream ? this._parser : null;
  }

  #noted(line: string): void {
    this.#session.transcript.push(line);
    this.#recorder.noted(line);
  }

  get #waitsForUs(): boolean {
    return this._handlerPending || this.#session.isHeld || this.#parser?.keepsClientWaiting === true;
  }

  get #sinceBusyMs(): number {
    return this.#deps.ctx.clock.steady() - this.#busyAt;
  }

  #busy(): void {
    this.#busyAt = this.#deps.ctx.clock.steady();
  }

  #clientActed(): void {
    const waitedMs = this.#sinceBusyMs;
    if (!mayGoAsIdle(waitedMs, this.inTransaction)) this.#takenMs += waitedMs;
    this.#busyAt += waitedMs;
  }

  /** Takes a command once this turn of the event loop has time. */
  #inItsTurn(command: Buffer, done?: () => void): void {
    const later = this.#deps.budget.do(() => {
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
    this.#session.askForTls(how);
    this.#recorder.askedForTls();
  }

  #destroyOnceSaid(): void {
    const socket = this._socket;
    if (socket.writableFinished) socket.destroy();
    else socket.once('finish', () => socket.destroy());
  }

  #endTransaction(reply: SmtpReply): void {
    this.#recorder.expect('end');
    this.#say(reply);
    this.#takenMs = 0;
    this.#messageBytes = 0;
    this._transactionCounter++;
    this._unrecognizedCommands = 0;
    this._resetSession();
    this.#session.transcript.clear();
    if (this.#server.draining) this.retire();
  }

  #unlessFault(stage: SmtpStage, done: () => void, go: () => void): void {
    const fault = applySmtpFault(this.#deps.ctx, stage, this.#session);
    if (fault === undefined) go();
    else {
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
  }

  #say(reply: SmtpReply): void {
    this.send(reply.code, reply.text);
  }
}

/** The content type of a TLS handshake record (RFC 8446 5.1). No SMTP command begins with this byte. */
const TLS_HANDSHAKE = 0x16;

type Done = (error?: Error | null) => void;

/** What takes a message: a {@link MessageIntake}, or what a test puts in its place. */
type Intake = Pick<MessageIntake, 'write' | 'end' | 'abort'>;

/** A message from DATA to its reply. */
interface Receiving {
  readonly intake: Intake;
  readonly decoder: DataDecoder;
  readonly reply: (reply: SmtpReply) => void;
}

/**
 * smtp-server's parser with a faster data mode. It searches for the end of data instead of inspecting every byte, and
 * passes the message straight to its intake. Commands after a message wait until its reply is sent.
 */
export class DataStream extends SMTPStream {
  #receiving: Receiving | null = null;
  #ending = false;
  #full = false;
  /** A callback for each chunk of a message, with its length in bytes. */
  onpiece: (bytes: number) => void = () => {};
  /** A callback for the end of a time in which the client had to wait for room. */
  onroom: () => void = () => {};
  /** A callback for a client that starts with a TLS handshake. Reading stops then. */
  ontls: () => void = () => {};
  #hasBegun = false;

  override _write(chunk: Buffer, encoding: BufferEncoding | 'buffer', done: Done): void {
    const isTls = !this.#hasBegun && chunk[0] === TLS_HANDSHAKE;
    this.#hasBegun = true;
    if (isTls) this.ontls();
    else super._write(chunk, encoding, done);
  }

  /** Passes all bytes up to the end of data to the intake. */
  receive(intake: Intake, reply: (reply: SmtpReply) => void): void {
    this.#receiving = { intake, decoder: new DataDecoder(), reply };
    this._dataMode = true;
  }

  /** Tells whether a message is being received. It lasts from DATA to the reply. */
  get isReceiving(): boolean {
    return this.#receiving !== null;
  }

  /** Tells whether the client waits for the server: for buffer space, or for the reply to a complete message. */
  get keepsClientWaiting(): boolean {
    return this.#ending || this.#full;
  }

  /** Aborts the intake because the client left. A complete message is not affected. */
  abandon(): void {
    if (this.#receiving === null || this.#ending) return;
    this.#receiving.intake.abort();
    this.#receiving = null;
  }

  override _feedDataStream(chunk: Buffer, done: Done): void {
    const receiving = this.#receiving;
    if (receiving === null) {
      done();
      return;
    }
    this.onpiece(chunk.length);
    const { content, rest } = receiving.decoder.decode(chunk);
    const room = content.length > 0 ? receiving.intake.write(content) : undefined;
    if (rest !== null) {
      this.#ending = true;
      this._dataMode = false;
      this._remainder = '';
      this.#end(receiving, room, rest, done).catch(done);
    } else if (room === undefined) done();
    else void this.#whenRoom(room, done);
  }

  async #whenRoom(room: Promise<void>, done: Done): Promise<void> {
    this.#full = true;
    await room;
    this.#full = false;
    this.onroom();
    done();
  }

  async #end({ intake, reply }: Receiving, room: Promise<void> | undefined, rest: Buffer, done: Done): Promise<void> {
    if (room !== undefined) await room;
    const answer = await intake.end();
    this.#receiving = null;
    this.#ending = false;
    reply(answer);
    if (rest.length === 0) done();
    else this._write(rest, 'buffer', done);
  }
}
