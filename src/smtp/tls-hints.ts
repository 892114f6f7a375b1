import type { Log } from '../ports/log.ts';
import { saidMissedTls } from '../text/said-missed-tls.ts';

/** The number of hints. It bounds them because clients choose their names. */
const MAX_HINTS = 10;

/** Logs hints about TLS problems. It gives one hint for each combination of client name, way to TLS, and reason. */
export class TlsHints {
  readonly #log: Log;
  readonly #told = new Set<string>();

  constructor(log: Log) {
    this.#log = log;
  }

  /** Reports a client that left during the handshake or right after it. */
  left(how: 'STARTTLS' | 'the TLS port', helo: string | null, reason: string | null): void {
    if (reason === 'ERR_SSL_UNSUPPORTED_PROTOCOL') {
      this.#tell(reason, 'an SMTP client speaks only TLS 1.1 or older: mailcap takes TLS 1.2 and newer', {
        client: helo,
      });
      return;
    }
    const advice =
      how === 'STARTTLS'
        ? 'let it trust the certificate (MAILCAP_SMTP_CA), turn its TLS off (nodemailer: ignoreTLS: true), ' +
          'or start mailcap with --starttls off or --tls-cert'
        : 'let it trust the certificate (MAILCAP_SMTP_CA), or start mailcap with --tls-cert';
    this.#tell(
      [how, helo, reason].join('\n'),
      `an SMTP client left right after ${how === 'STARTTLS' ? how : 'it came to the TLS port'}; it probably does not ` +
        `trust the self-signed certificate: ${advice}`,
      { client: helo, reason },
    );
  }

  /** Reports a client that left without a mail, maybe because it did not get STARTTLS. A check of the port does so too. */
  missed(helo: string | null, wasRefused: boolean): void {
    const why = saidMissedTls({ tls: wasRefused ? 'refused' : 'missed', accepted: 0 });
    this.#tell(
      ['missed', helo, wasRefused].join('\n'),
      `an SMTP client sent no mail: ${why}`,
      { client: helo },
      'info',
    );
  }

  /** Reports a client that started with TLS on the plaintext port. */
  inTheClear(smtpsPort: number | null): void {
    const advice =
      smtpsPort === null
        ? 'start mailcap with --smtps-port, which has TLS from the first byte'
        : `use port ${smtpsPort}, which has TLS from the first byte`;
    this.#tell(
      'in the clear',
      `an SMTP client began with TLS on the plaintext port: turn that off (nodemailer: secure: false), or ${advice}`,
      {},
    );
  }

  #tell(
    kind: string,
    message: string,
    fields: Readonly<Record<string, unknown>>,
    level: 'info' | 'warn' = 'warn',
  ): void {
    if (this.#told.has(kind) || this.#told.size >= MAX_HINTS) return;
    this.#told.add(kind);
    this.#log[level](message, fields);
  }
}
