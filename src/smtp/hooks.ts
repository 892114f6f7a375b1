import type { SMTPServerDataStream, SMTPServerOptions, SMTPServerSession } from 'smtp-server';
import type { Context } from '../context.ts';
import type { SmtpStage } from '../domain/smtp-stage.ts';
import { type Certificate, givenCertificate, selfSignedCertificate } from './certificate.ts';
import { applySmtpFault } from './faults.ts';
import type { ConnectionServices } from './prompt-connection.ts';
import { openReception, type Reception } from './reception.ts';
import { takeRecipient } from './recipient.ts';
import { REPLIES, ReplyError, replyTo, type SmtpReplyText } from './reply.ts';
import { Session } from './session.ts';
import { missedTls, SessionRecorder } from './session-recorder.ts';
import { checkSignIn, signIn } from './sign-in.ts';
import { TlsHints } from './tls-hints.ts';
import { Turn } from './turn.ts';

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
