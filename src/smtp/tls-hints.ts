import type { Log } from '../ports/log.ts';

/** Client names come from outside: no more hints than this, however many there are. */
const MAX_HINTS = 10;

/** Says what is wrong between a client and TLS, once for each kind of client: what it calls itself, how it came to TLS, and how it left. */
export class TlsHints {
  readonly #log: Log;
  readonly #told = new Set<string>();

  constructor(log: Log) {
    this.#log = log;
  }

  /** A client left in the handshake, or right after it. */
  left(how: 'STARTTLS' | 'the TLS port', helo: string | null, reason: string | null): void {
    const advice =
      how === 'STARTTLS'
        ? 'let it trust the certificate (MAILCAP_SMTP_CA), tell it to stay without TLS (nodemailer: ignoreTLS: true), ' +
          'or start with --starttls off or --tls-cert'
        : 'let it trust the certificate (MAILCAP_SMTP_CA), or start with --tls-cert';
    this.#tell(
      [how, helo, reason].join('\n'),
      `an SMTP client left right after ${how === 'STARTTLS' ? how : 'it came to the TLS port'}, as one does that does not ` +
        `trust a self-signed certificate: ${advice}`,
      { client: helo, reason },
    );
  }

  /** A client opened with TLS on the port where mail comes in the clear. */
  inTheClear(smtpsPort: number | null): void {
    const advice =
      smtpsPort === null ? 'start with --smtps-port, which has TLS from the first byte' : `its port is ${smtpsPort}`;
    this.#tell(
      'in the clear',
      `an SMTP client opened with TLS on the port that begins in the clear: tell it to do without (nodemailer: secure: false), or ${advice}`,
      {},
    );
  }

  #tell(kind: string, message: string, fields: Readonly<Record<string, unknown>>): void {
    if (this.#told.has(kind) || this.#told.size >= MAX_HINTS) return;
    this.#told.add(kind);
    this.#log.warn(message, fields);
  }
}
