import type { Socket } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { SMTPConnection, type SMTPConnectionOptions } from 'smtp-server/lib/smtp-connection.js';
import type { SmtpStage } from '../domain/smtp-stage.ts';
import type { Account } from './account.ts';
import { parseAddressCommand } from './address-command.ts';
import { argumentOf, stageOf } from './command-line.ts';
import { LineStream } from './line-stream.ts';
import type { Reception } from './reception.ts';
import { REPLIES, type Refusal, type Reply } from './reply.ts';
import type { Session } from './session.ts';

// smtp-server greets 100 ms after a connection opens, looks at a message byte by byte, and refuses addresses that exist.
// This file and line-stream.ts override what it does there. Both lean on methods it does not promise: leans-on.ts
// lists them, and where one is missing server.ts runs smtp-server as it comes.

/** What a connection asks of the product. */
export interface Desk {
  sessionOf(connection: SMTPConnection['session']): Session;
  openAccount(session: Session): Account;
  openReception(session: Session): Reception;
  /** Undefined where no fault rule is of the stage; rejects with the {@link Refusal} one says. */
  meetFault(stage: SmtpStage, session: Session): Promise<void> | undefined;
  /** Settles once the server has its certificate. */
  prepareTls(): Promise<void>;
}

export class PromptServer extends SMTPServer {
  readonly desk: Desk;
  readonly alive = new Set<PromptConnection>();
  draining = false;

  constructor(options: SMTPServerOptions, desk: Desk) {
    super(options);
    this.desk = desk;
  }

  override connect(socket: Socket, options?: SMTPConnectionOptions | null): void {
    const connection = new PromptConnection(this, socket, options);
    this.connections.add(connection);
    this.alive.add(connection);
    connection.on('error', (error) => this._onError(error));
    connection.init();
  }

  /** No more connections; those without a transaction end now, the others after it. */
  drain(): void {
    this.draining = true;
    for (const connection of this.alive) connection.retire();
  }

  cut(): void {
    for (const connection of this.alive) connection.cut();
  }
}

export class PromptConnection extends SMTPConnection {
  readonly #server: PromptServer;
  readonly #talk: Session;
  readonly #account: Account;

  constructor(server: PromptServer, socket: Socket, options?: SMTPConnectionOptions | null) {
    super(server, socket, options);
    this.#server = server;
    this.session.remoteAddress = this.remoteAddress;
    this.session.remotePort = this.remotePort;
    this.#talk = server.desk.sessionOf(this.session);
    this.#talk.drop = () => this._socket.destroy();
    this.#account = server.desk.openAccount(this.#talk);
  }

  override init(): void {
    this._setListeners(() => {
      if (this.#server.draining) return this.retire();
      this.#account.expect('connect');
      const { maxClients } = this.#server.options;
      if (maxClients !== undefined && this.#server.connections.size > maxClients) {
        return this.#say(REPLIES.too_many_clients);
      }
      // One turn of the event loop reads what came with the connection: whoever talks before the greeting is refused.
      setImmediate(() => {
        if (this._closing || this._closed) return;
        if (this._socket.bytesRead > 0) return this.#say(REPLIES.talks_too_soon);
        this.connectionReady();
      });
    });
  }

  override _createParser(): LineStream {
    const { maxCommandLength } = this._server.options;
    const parser = new LineStream({ maxCommandLength });
    parser.oncommand = (command, done) => this._onCommand(command, done);
    parser.on('error', (error) => this.send(421, `4.5.2 ${error.message}`));
    return parser;
  }

  override _onCommand(command: Buffer, done?: () => void): void {
    if (!this._upgrading) this.#talk.transcript.said(command.toString(), this._nextHandler !== false);
    this.#account.expect(this._nextHandler === false ? stageOf(command) : 'auth');
    if (this.#server.draining && !this.#inTransaction) this.retire();
    else super._onCommand(command, done);
  }

  override send(code: number, data?: string | string[] | null, context?: string | false): void {
    const payload = this.#payload(code, data ?? '', context);
    if (code >= 400) this.session.error = payload;
    const socket = this._socket;
    // During the handshake the socket is still the raw one: a reply would go out in the clear, in the middle of it.
    if (!this._upgrading && !socket.destroyed && socket.writable) {
      socket.write(`${payload}\r\n`);
      this.#talk.transcript.replied(payload);
      this.#account.told(code, payload);
    } else if (this.#talk.faulted) this.#account.told(code, payload);
    if (code === 421) this.close();
  }

  override _parseAddressCommand(
    name: string,
    command: Buffer | string,
  ): ReturnType<SMTPConnection['_parseAddressCommand']> {
    const line = command.toString();
    const parsed = parseAddressCommand(name === 'mail from' ? 'MAIL FROM' : 'RCPT TO', line);
    if (name === 'rcpt to') this.#talk.ask(parsed?.address ?? line.slice(line.indexOf(':') + 1).trim());
    if (parsed === null) return false;
    const { address, parameters, repeated } = parsed;
    const args = parameters.size === 0 ? false : Object.fromEntries(parameters);
    return repeated === null ? { address, args } : { address, args, duplicate: repeated };
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
    this.#talk.helo = argumentOf(command);
    this.#unlessFault('helo', done, () => super.handler_EHLO(command, done));
  }

  override handler_HELO(command: Buffer, done: () => void): void {
    this.#talk.helo = argumentOf(command);
    this.#unlessFault('helo', done, () => super.handler_HELO(command, done));
  }

  override handler_STARTTLS(command: Buffer, done: () => void): void {
    this.#talk.askedForTls = true;
    this.#account.askedForTls();
    this.#server.desk.prepareTls().then(
      // The client may have gone while the certificate was made.
      () => this._closing || this._closed || super.handler_STARTTLS(command, done),
      () => {
        this.#say(REPLIES.tls_unavailable);
        done();
      },
    );
  }

  override _onTimeout(): void {
    if (!this._closing && (this.#parser?.keepsClientWaiting || this.#talk.isHeld)) this._armTimeout();
    else super._onTimeout();
  }

  override _onClose(): void {
    this.#parser?.abandon();
    if (!this._closed) this.#account.closed();
    this.#talk.end();
    this.#server.alive.delete(this);
    super._onClose();
  }

  /** Ends the connection once no transaction is under way. */
  retire(): void {
    if (this.#inTransaction) return;
    if (!this._closing) this.#say(REPLIES.shutting_down);
    if (this._upgrading) return;
    const socket = this._socket;
    if (socket.writableFinished) socket.destroy();
    else socket.once('finish', () => socket.destroy());
  }

  cut(): void {
    // Destroying what a TLS handshake runs on would take the ground from under it: such a socket only stops counting.
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

  get #inTransaction(): boolean {
    return (
      !this._closing && this._ready && (this.session.envelope.mailFrom !== false || this.#parser?.isReceiving === true)
    );
  }

  #endTransaction(reply: Reply): void {
    this.#account.expect('end');
    this.#say(reply);
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
      (refusal: Refusal) => {
        this.send(refusal.responseCode, refusal.message, stage === 'helo' ? false : undefined);
        done();
      },
    );
  }

  #say(reply: Reply): void {
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
