import type { AddressInfo, Server } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { UserError } from '../config/user-error.ts';
import type { Context } from '../context.ts';
import type { ConnectionRoom } from '../domain/idle-connection.ts';
import { Hooks } from './hooks.ts';
import { missingFromSmtpServer } from './leans-on.ts';
import { PromptServer } from './prompt-server.ts';
import { REPLIES } from './reply.ts';
import { offersTls } from './session-recorder.ts';

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
