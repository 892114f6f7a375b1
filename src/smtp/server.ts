import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import type { Context } from '../context.ts';
import { Hooks } from './hooks.ts';
import { missingFromSmtpServer } from './leans-on.ts';
import { PromptServer } from './prompt-server.ts';

/** Captures mail over SMTP (contract 6). */
export interface SmtpServer {
  readonly connections: number;
  /** Rejects where the port is taken, or where a TLS file that was given is of no use. */
  listen(port: number, host: string): Promise<{ port: number }>;
  /** Stops accepting; transactions under way have this long to finish, everything else ends at once. */
  close(graceMs: number): Promise<void>;
}

/** What bounds a peer that does nothing, or too much. */
export interface Bounds {
  readonly connections: number;
  /** RFC 5321 4.5.3.2.7: five minutes at least. */
  readonly idleMs: number;
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
      'smtp-server is not as expected: it greets late, takes large mail slowly, fails on purpose at fewer stages and counts no refusals',
      { missing },
    );
  }
  const options = { ...baseOptions(ctx, bounds), ...hooks.options(), hideENHANCEDSTATUSCODES: !isPrompt };
  const server = isPrompt ? new PromptServer(options, hooks) : new SMTPServer(options);
  hooks.setCertificate = (certificate) => server.updateSecureContext(certificate);
  // A socket's error is its client's trouble.
  server.on('error', (error) => ctx.log.debug('SMTP connection', { error }));

  return {
    get connections() {
      return server.connections.size;
    },
    async listen(port, host) {
      await hooks.readCertificate();
      if (!isPrompt) await hooks.prepareTls();
      await new Promise<void>((resolve, reject) => {
        server.server.once('error', reject);
        server.listen(port, host, () => {
          server.server.off('error', reject);
          resolve();
        });
      });
      return { port: (server.server.address() as AddressInfo).port }; // a TCP listener's address is never a string
    },
    close(graceMs) {
      return server instanceof PromptServer ? closePrompt(ctx, server, graceMs) : closeStock(server, graceMs);
    },
  };
}

function closePrompt(ctx: Context, server: PromptServer, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const stop = ctx.clock.after(graceMs, () => {
      server.cut();
      resolve();
    });
    server.server.close(() => {
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
    authOptional: true,
    allowInsecureAuth: true,
    disabledCommands: [
      'XCLIENT',
      'XFORWARD',
      'WIZ',
      'SHELL',
      'KILL',
      ...(config.starttls === 'off' ? ['STARTTLS'] : []),
    ],
    disableReverseLookup: true,
    lenientAddressParsing: true,
    logger: false,
  };
}
