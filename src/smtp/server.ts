import type { AddressInfo, Server } from 'node:net';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server';
import { UserError } from '../config/user-error.ts';
import type { Context } from '../context.ts';
import type { ConnectionRoom } from '../domain/idle-connection.ts';
import type { SmtpStage } from '../domain/smtp.ts';
import { checkSignIn, signIn } from './auth.ts';
import { type ConnectionServices, missingFromSmtpServer, PromptServer } from './connection.ts';
import { applySmtpFault } from './faults.ts';
import { openReception, type Reception, Turn, takeRecipient } from './intake.ts';
import { missedTls, offersTls, SessionRecorder } from './journal.ts';
import { REPLIES, ReplyError, replyTo, type SmtpReplyText } from './reply.ts';
import { Session } from './session.ts';
import { type Certificate, givenCertificate, selfSignedCertificate, TlsHints } from './tls.ts';

/** The SMTP server that captures mail (docs/contract.md#smtp). */
export interface SmtpServer {
  readonly connections: number;
  /** Starts to listen. Rejects if the port is taken or a given TLS file is unusable. */
  listen(port: number, host: string): Promise<{ port: number }>;
  /** Listens on a second port with TLS from the first byte. Rejects as `listen` does. */
  listenWithTls(port: number, host: string): Promise<{ port: number }>;
  /**
   * Prepares the certificate, which otherwise happens with the first TLS client. Returns the path of its file, or null
   * if no file is kept. Rejects if it cannot be created.
   */
  prepareTls(): Promise<string | null>;
  /** Stops accepting connections. Running transactions get `graceMs` to finish; all other connections end at once. */
  close(graceMs: number): Promise<void>;
}

/** The limits for clients. The idle time is shorter if many are connected (domain/idle-connection.ts). */
export interface Bounds extends ConnectionRoom {
  readonly commandLength: number;
}

const BOUNDS: Bounds = { connections: 2_000, idleMs: 300_000, commandLength: 16 * 1024 };

export function createSmtpServer(
  ctx: Context,
  bounds: Bounds = BOUNDS,
  missing: readonly string[] = missingFromSmtpServer(),
): SmtpServer {
  const hooks = new Hooks(ctx);
  const isPrompt = missing.length === 0;
  if (!isPrompt) {
    ctx.log.warn(
      'this release of smtp-server differs from the expected one: greetings are late, large mail is slow, fault rules work at fewer stages, there is no TLS port, and refusals are not counted',
      { missing },
    );
  }
  const options = { ...baseOptions(ctx, bounds), ...hooks.options(), hideENHANCEDSTATUSCODES: !isPrompt };
  // The unpatched server cannot send our reply, so the command is disabled.
  if (!isPrompt && ctx.config.starttls === 'off') options.disabledCommands?.push('STARTTLS');
  const server = isPrompt ? new PromptServer(options, hooks, bounds) : new SMTPServer(options);
  hooks.setCertificate = (pem) => server.updateSecureContext(pem);
  // A socket error is a problem of that client alone.
  server.on('error', (error) => ctx.log.debug('SMTP connection', { error }));

  return {
    get connections() {
      return server.connections.size;
    },
    async listen(port, host) {
      await hooks.readCertificate();
      if (!isPrompt) await hooks.prepareTls();
      return listenOn(server.server, port, host);
    },
    async listenWithTls(port, host) {
      if (!(server instanceof PromptServer))
        throw new UserError('--smtps-port does not work with this release of smtp-server.');
      await hooks.prepareTls();
      return listenOn(server.tlsServer, port, host);
    },
    prepareTls: () => hooks.prepareTls(),
    close(graceMs) {
      return server instanceof PromptServer ? closePrompt(ctx, server, graceMs) : closeStock(server, graceMs);
    },
  };
}

function listenOn(listener: Server, port: number, host: string): Promise<{ port: number }> {
  return new Promise((resolve, reject) => {
    listener.once('error', reject);
    listener.listen(port, host, () => {
      listener.off('error', reject);
      resolve({ port: (listener.address() as AddressInfo).port }); // a TCP listener's address is never a string
    });
  });
}

function closePrompt(ctx: Context, server: PromptServer, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const stop = ctx.clock.after(graceMs, () => {
      server.cut();
      resolve();
    });
    const listeners = [server.server, server.tlsServer].filter(
      (listener) => listener === server.server || listener.listening,
    );
    void Promise.all(listeners.map((listener) => new Promise((ended) => listener.close(ended)))).then(() => {
      stop();
      resolve();
    });
    server.drain();
  });
}

function closeStock(server: SMTPServer, graceMs: number): Promise<void> {
  server.options.closeTimeout = Math.max(1, graceMs);
  return new Promise((resolve) => server.close(resolve));
}

function baseOptions({ config }: Context, bounds: Bounds): SMTPServerOptions {
  return {
    name: config.mailDomain,
    banner: 'mailcap',
    heloResponse: '%s',
    size: config.smtpSize,
    maxClients: bounds.connections,
    maxCommandLength: bounds.commandLength,
    socketTimeout: bounds.idleMs,
    authMethods: ['PLAIN', 'LOGIN'],
    authOptional: config.smtpAuth !== 'strict',
    authRequiredMessage: REPLIES.sign_in_required.text,
    // A client without sign-in gets a reply that says so. It is not disconnected after some commands.
    maxAllowedUnauthenticatedCommands: Number.MAX_SAFE_INTEGER,
    allowInsecureAuth: true,
    // Most clients fail with their defaults if a self-signed certificate is offered (docs/tls.md).
    hideSTARTTLS: !offersTls(config),
    // OpenSSL refuses the signatures of older versions. A client that asks for one is told that the version is the reason.
    minVersion: 'TLSv1.2',
    disabledCommands: ['XCLIENT', 'XFORWARD', 'WIZ', 'SHELL', 'KILL'],
    disableReverseLookup: true,
    lenientAddressParsing: true,
    logger: false,
  };
}

/** The hooks of smtp-server. They translate its calls into those of the product. */
export class Hooks implements ConnectionServices {
  readonly #ctx: Context;
  readonly #sessions = new WeakMap<SMTPServerSession, Session>();
  #given: Certificate | null = null;
  #tlsReady: Promise<string | null> | null = null;
  readonly #hints: TlsHints;
  readonly #turn: Turn;
  setCertificate: (pem: Pick<Certificate, 'cert' | 'key'>) => void = () => {};

  constructor(ctx: Context) {
    this.#ctx = ctx;
    this.#hints = new TlsHints(ctx.log);
    this.#turn = new Turn(ctx.clock);
  }

  get clock(): Context['clock'] {
    return this.#ctx.clock;
  }

  get refusesTls(): boolean {
    return this.#ctx.config.starttls === 'off';
  }

  metTlsInTheClear(): void {
    this.#hints.inTheClear(this.#ctx.config.smtpsPort);
  }

  options(): SMTPServerOptions {
    const ctx = this.#ctx;
    return {
      onConnect: (session, done) => settle(applySmtpFault(ctx, 'connect', this.sessionOf(session)), done),
      onSecure: (socket, session, done) => {
        const protocol = 'getProtocol' in socket ? socket.getProtocol() : null;
        const cipher = 'getCipher' in socket ? socket.getCipher().standardName : '';
        this.sessionOf(session).secured({ protocol: protocol ?? 'unknown', cipher });
        done();
      },
      onClose: (session) => this.#left(session),
      onAuth: (auth, session, done) => {
        const ours = this.sessionOf(session);
        ours.helo ??= session.hostNameAppearsAs;
        signIn(ctx, ours, auth.username ?? '', auth.password ?? '').then(
          (user) => {
            ours.user = user;
            ours.ask(null);
            done(null, { user });
          },
          (error: unknown) => {
            if (error instanceof ReplyError) return done(error);
            ctx.log.error('a sign-in could not be checked', { error });
            done(new ReplyError(REPLIES.sign_in_unavailable));
          },
        );
      },
      onMailFrom: (sender, session, done) => {
        const ours = this.sessionOf(session);
        ours.helo ??= session.hostNameAppearsAs;
        const size = sender.args === false ? undefined : sender.args['SIZE'];
        ours.beginTransaction(sender.address, typeof size === 'string' ? Number(size) : 0);
        settle(this.#mayMail(ours, session), done);
      },
      onRcptTo: (recipient, session, done) => {
        takeRecipient(ctx, this.sessionOf(session), recipient.address).then(
          () => done(),
          (error: unknown) => done(new ReplyError(replyTo(error, ctx.log))),
        );
      },
      onData: (stream, session, done) => this.#feed(stream, this.openReception(this.sessionOf(session)), done),
    };
  }

  sessionOf(session: SMTPServerSession): Session {
    let ours = this.#sessions.get(session);
    if (ours === undefined) {
      ours = new Session(session.remoteAddress, session.remotePort);
      this.#sessions.set(session, ours);
    }
    return ours;
  }

  openRecorder(session: Session): SessionRecorder {
    return new SessionRecorder(this.#ctx, session);
  }

  inTurn(step: () => void): Promise<void> | undefined {
    return this.#turn.do(step);
  }

  openReception(session: Session): Reception {
    return openReception(this.#ctx, session, this.#turn);
  }

  meetFault(stage: SmtpStage, session: Session): Promise<void> | undefined {
    return applySmtpFault(this.#ctx, stage, session);
  }

  async readCertificate(): Promise<void> {
    this.#given = await givenCertificate(this.#ctx.config);
  }

  /** Prepares the certificate. Settles with the path of its file, or null if no file is kept. */
  prepareTls(): Promise<string | null> {
    this.#tlsReady ??= this.#makeTls();
    return this.#tlsReady;
  }

  async #makeTls(): Promise<string | null> {
    try {
      const { path, cert, key } = this.#given ?? (await selfSignedCertificate(this.#ctx));
      this.setCertificate({ cert, key });
      return path;
    } catch (error) {
      this.#ctx.log.error('no TLS certificate could be created', { error });
      this.#tlsReady = null;
      throw error;
    }
  }

  #left(session: SMTPServerSession): void {
    const ours = this.#sessions.get(session);
    ours?.end();
    if (ours !== undefined && missedTls(this.#ctx, ours)) this.#hints.missed(ours.helo, ours.wasRefusedTls);
    if (!ours?.askedForTls || this.#given !== null) return;
    const { how, helo } = ours.askedForTls;
    const saidNothing = ours.tls === null || !session.openingCommand;
    // A port check also connects and leaves, but without a handshake.
    const shookHands = how === 'STARTTLS' || ours.tls !== null || ours.tlsFailure !== null;
    if (saidNothing && shookHands) this.#hints.left(how, helo, ours.tlsFailure);
  }

  #mayMail(ours: Session, session: SMTPServerSession): Promise<void> | undefined {
    const { user } = ours;
    if (user === null || user.key === null) return applySmtpFault(this.#ctx, 'mail', ours);
    return checkSignIn(this.#ctx.store.read, user).then(
      () => applySmtpFault(this.#ctx, 'mail', ours),
      (error: unknown) => {
        // The client may sign in again.
        ours.user = null;
        ours.ask(null);
        session.user = false;
        throw new ReplyError(replyTo(error, this.#ctx.log));
      },
    );
  }

  /** Reads the message from smtp-server's stream. Only an unpatched smtp-server provides one. */
  #feed(stream: SMTPServerDataStream, reception: Reception, done: (error?: Error | null, text?: string) => void): void {
    read(stream, reception).then(
      (reply) => (reply.code === 250 ? done(null, reply.text) : done(new ReplyError(reply))),
      (error: Error) => done(error),
    );
  }
}

type Done = (error?: Error | null) => void;

/** Calls `done` after the fault rule, or at once if there is none. */
function settle(fault: Promise<void> | undefined, done: Done): void {
  if (fault === undefined) done();
  else fault.then(() => done(), done);
}

async function read(stream: SMTPServerDataStream, reception: Reception): Promise<SmtpReplyText> {
  try {
    for await (const chunk of stream) await reception.write(chunk);
  } catch (error) {
    reception.abort();
    throw error;
  }
  return reception.end();
}
