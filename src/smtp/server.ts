import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';
import type { SMTPServerOptions, SMTPServerSession } from 'smtp-server';
import type { Context } from '../context.ts';
import type { ConnectionRoom } from '../domain/idle-connection.ts';
import { checkSignIn, signIn } from './auth.ts';
import { FastSmtpServer } from './connection.ts';
import { applySmtpFault } from './faults.ts';
import { LoopBudget, takeRecipient } from './intake.ts';
import { openSession, type Session } from './journal.ts';
import { REPLIES, ReplyError, replyTo } from './reply.ts';
import { offersTls, ServerTls } from './tls.ts';

/** The SMTP server that captures mail (docs/contract.md#smtp). */
export interface SmtpServer {
  readonly connections: number;
  /** The certificate, which the other protocols of the server use too. */
  readonly tls: ServerTls;
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

export function createSmtpServer(ctx: Context, bounds: Bounds = BOUNDS): SmtpServer {
  const tls = new ServerTls(ctx, (pem) => server.updateSecureContext(pem));
  const budget = new LoopBudget(ctx.clock);
  const handlers = new SmtpHandlers(ctx, tls);
  const options = { ...baseOptions(ctx, bounds), ...handlers.options() };
  const deps = { ctx, tls, budget, sessionOf: handlers.sessionOf };
  const server = new FastSmtpServer(options, deps, bounds);
  // A socket error is a problem of that client alone.
  server.on('error', (error) => ctx.log.debug('SMTP connection', { error }));

  return {
    tls,
    get connections() {
      return server.connections.size;
    },
    async listen(port, host) {
      await tls.readGiven();
      return listenOn(server.server, port, host);
    },
    async listenWithTls(port, host) {
      await tls.readGiven();
      await tls.prepare();
      return listenOn(server.tlsServer, port, host);
    },
    prepareTls: () => tls.prepare(),
    close: (graceMs) => close(ctx, server, graceMs),
  };
}

async function listenOn(listener: Server, port: number, host: string): Promise<{ port: number }> {
  await once(listener.listen(port, host), 'listening');
  return { port: (listener.address() as AddressInfo).port }; // a TCP listener's address is never a string
}

function close(ctx: Context, server: FastSmtpServer, graceMs: number): Promise<void> {
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
    authOptional: config.smtpAuth !== 'strict' && config.smtpUsers === null,
    authRequiredMessage: REPLIES.sign_in_required.text,
    // A client without sign-in gets a reply that says so. It is not disconnected after some commands.
    maxAllowedUnauthenticatedCommands: Number.MAX_SAFE_INTEGER,
    allowInsecureAuth: true,
    // Most clients fail with their defaults if a self-signed certificate is offered (docs/tls.md).
    hideSTARTTLS: !offersTls(config),
    hideENHANCEDSTATUSCODES: false,
    // OpenSSL refuses the signatures of older versions. With this, such a client learns that its version is the reason.
    minVersion: 'TLSv1.2',
    disabledCommands: ['XCLIENT', 'XFORWARD', 'WIZ', 'SHELL', 'KILL'],
    disableReverseLookup: true,
    lenientAddressParsing: true,
    logger: false,
  };
}

/** The handlers that smtp-server calls. They translate its calls into those of the product. */
class SmtpHandlers {
  readonly #ctx: Context;
  readonly #tls: ServerTls;
  readonly #sessions = new WeakMap<SMTPServerSession, Session>();

  constructor(ctx: Context, tls: ServerTls) {
    this.#ctx = ctx;
    this.#tls = tls;
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
        if (this.#mustSecure(session)) return done(new ReplyError(REPLIES.tls_required));
        signIn(ctx, ours, auth.username ?? '', auth.password ?? '').then(
          (user) => {
            ours.signIn(user);
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
    };
  }

  readonly sessionOf = (session: SMTPServerSession): Session => {
    let ours = this.#sessions.get(session);
    if (ours === undefined) {
      ours = openSession(session.remoteAddress, session.remotePort);
      this.#sessions.set(session, ours);
    }
    return ours;
  };

  #left(session: SMTPServerSession): void {
    const ours = this.#sessions.get(session);
    if (ours === undefined) return;
    ours.end();
    this.#tls.left(ours, Boolean(session.openingCommand));
  }

  /** Tells whether the client has to begin TLS first (RFC 3207 section 4). */
  #mustSecure(session: SMTPServerSession): boolean {
    return this.#ctx.config.smtpTls === 'required' && !session.secure;
  }

  #mayMail(ours: Session, session: SMTPServerSession): Promise<void> | undefined {
    if (this.#mustSecure(session)) return Promise.reject(new ReplyError(REPLIES.tls_required));
    const { user } = ours;
    if (user === null || user.key === null) return applySmtpFault(this.#ctx, 'mail', ours);
    return checkSignIn(this.#ctx.store.read, user).then(
      () => applySmtpFault(this.#ctx, 'mail', ours),
      (error: unknown) => {
        // The client may sign in again.
        ours.signIn(null);
        session.user = false;
        throw new ReplyError(replyTo(error, this.#ctx.log));
      },
    );
  }
}

type Done = (error?: Error | null) => void;

/** Calls `done` after the fault rule, or at once if there is none. */
function settle(fault: Promise<void> | undefined, done: Done): void {
  if (fault === undefined) done();
  else fault.then(() => done(), done);
}
