import type { SMTPServerOptions, SMTPServerSession } from 'smtp-server';
import type { Context } from '../context.ts';
import type { ConnectionRoom } from '../domain/idle-connection.ts';
import { checkSignIn, signIn } from './auth.ts';
import { FastSmtpServer } from './connection.ts';
import { applySmtpFault } from './faults.ts';
import { LoopBudget, takeRecipient } from './intake.ts';
import { openSession, type Session } from './journal.ts';
import { closeWithin, listenOn, type MailServer } from './listening.ts';
import { REPLIES, ReplyError, replyTo } from './reply.ts';
import { offersTls, ServerTls } from './tls.ts';

/** The SMTP server that captures mail (docs/contract.md#smtp). */
export interface SmtpServer extends MailServer {
  /** The certificate, which the other protocols of the server use too. */
  readonly tls: ServerTls;
}

/** The limits for clients. The idle time is shorter if many are connected (domain/idle-connection.ts). */
export interface Bounds extends ConnectionRoom {
  readonly commandLength: number;
}

const BOUNDS: Bounds = { connections: 2_000, idleMs: 300_000, commandLength: 16 * 1024 };

export function createSmtpServer(ctx: Context, bounds: Bounds = BOUNDS): SmtpServer {
  const tls = new ServerTls(ctx, (pem) => server.updateSecureContext(pem));
  const budget = new LoopBudget(ctx.clock);
  const { options, sessionOf } = smtpHandlers(ctx, tls);
  const deps = { ctx, tls, budget, sessionOf };
  const server = new FastSmtpServer({ ...baseOptions(ctx, bounds), ...options }, deps, bounds);
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
    close: (graceMs) => closeWithin(graceMs, ctx, [server.server, server.tlsServer], server),
  };
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

/** Makes the handlers that smtp-server calls. They translate its calls into those of the product. */
function smtpHandlers(ctx: Context, tls: ServerTls) {
  const sessions = new WeakMap<SMTPServerSession, Session>();
  const sessionOf = (session: SMTPServerSession): Session => {
    let ours = sessions.get(session);
    if (ours === undefined) {
      ours = openSession(session.remoteAddress, session.remotePort);
      sessions.set(session, ours);
    }
    return ours;
  };
  /** Tells whether the client has to begin TLS first (RFC 3207 section 4). */
  const mustSecure = ({ secure }: SMTPServerSession) => ctx.config.smtpTls === 'required' && !secure;
  const mayMail = (ours: Session, session: SMTPServerSession): Promise<void> | undefined => {
    if (mustSecure(session)) return Promise.reject(new ReplyError(REPLIES.tls_required));
    const { user } = ours;
    if (user === null || user.key === null) return applySmtpFault(ctx, 'mail', ours);
    return checkSignIn(ctx.store.read, user).then(
      () => applySmtpFault(ctx, 'mail', ours),
      (error: unknown) => {
        // The client may sign in again.
        ours.signIn(null);
        session.user = false;
        throw new ReplyError(replyTo(error, ctx.log));
      },
    );
  };
  const options: SMTPServerOptions = {
    onConnect: (session, done) => settle(applySmtpFault(ctx, 'connect', sessionOf(session)), done),
    onSecure: (socket, session, done) => {
      const protocol = 'getProtocol' in socket ? socket.getProtocol() : null;
      const cipher = 'getCipher' in socket ? socket.getCipher().standardName : '';
      sessionOf(session).secured({ protocol: protocol ?? 'unknown', cipher });
      done();
    },
    onClose: (session) => {
      const ours = sessions.get(session);
      if (ours === undefined) return;
      ours.end();
      tls.left(ours, Boolean(session.openingCommand));
    },
    onAuth: (auth, session, done) => {
      const ours = sessionOf(session);
      if (mustSecure(session)) return done(new ReplyError(REPLIES.tls_required));
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
      const ours = sessionOf(session);
      const size = sender.args === false ? undefined : sender.args['SIZE'];
      ours.beginTransaction(sender.address, typeof size === 'string' ? Number(size) : 0);
      settle(mayMail(ours, session), done);
    },
    onRcptTo: (recipient, session, done) => {
      takeRecipient(ctx, sessionOf(session), recipient.address).then(
        () => done(),
        (error: unknown) => done(new ReplyError(replyTo(error, ctx.log))),
      );
    },
  };
  return { options, sessionOf };
}

type Done = (error?: Error | null) => void;

/** Calls `done` after the fault rule, or at once if there is none. */
function settle(fault: Promise<void> | undefined, done: Done): void {
  if (fault === undefined) done();
  else fault.then(() => done(), done);
}
