import { X509Certificate } from 'node:crypto';
import { lstat, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { createSecureContext } from 'node:tls';
import type { Config } from '../config/options.ts';
import { ConfigError } from '../config/user-error.ts';
import type { Context } from '../context.ts';
import { otherWriter } from '../ownership.ts';
import type { Log } from '../ports/system.ts';
import { saidMissedTls } from '../text/said.ts';

export interface Certificate {
  readonly cert: string;
  readonly key: string;
  /** The absolute path of the file that clients can trust. Null if no file is kept. */
  readonly path: string | null;
}

const DAY_MS = 86_400_000;
const VALID_DAYS = 3_650;

/**
 * Reads the certificate of `--tls-cert` and `--tls-key`. Returns null if none is given. Throws {@link ConfigError},
 * which names the flag.
 */
export async function givenCertificate(config: Config): Promise<Certificate | null> {
  if (config.tlsCert === null && config.tlsKey === null) return null;
  if (config.tlsCert === null) throw new ConfigError('--tls-key needs --tls-cert too.');
  if (config.tlsKey === null) throw new ConfigError('--tls-cert needs --tls-key too.');
  const cert = await read('--tls-cert', config.tlsCert);
  const key = await read('--tls-key', config.tlsKey);
  check('--tls-cert', config.tlsCert, { cert });
  check('--tls-key', config.tlsKey, { cert, key });
  return { cert, key, path: config.tlsCert };
}

async function read(flag: string, path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new ConfigError(`${flag}: ${path} can't be read.`, { cause });
  }
}

function check(flag: string, path: string, pem: { readonly cert: string; readonly key?: string }): void {
  try {
    createSecureContext(pem);
  } catch (cause) {
    const what = flag === '--tls-key' ? 'the private key of the certificate' : 'a PEM certificate';
    throw new ConfigError(`${flag}: ${path} is not ${what}.`, { cause });
  }
}

/**
 * Returns a self-signed certificate: the stored one while it is valid, or a new one that is stored for the next start.
 */
export async function selfSignedCertificate(ctx: Context): Promise<Certificate> {
  const file = ctx.config.ephemeral ? null : join(ctx.config.dataDir, 'tls.pem');
  const names = namesOf(ctx.config);
  const kept = file === null ? null : await keptCertificate(file, names, realNow(ctx));
  if (kept !== null) return kept;
  const made = await makeCertificate(ctx, names);
  if (file === null) return { ...made, path: null };
  try {
    await mkdir(ctx.config.dataDir, { recursive: true });
    // Removes the old file first, because an existing file would keep its mode.
    await rm(file, { force: true });
    await writeFile(file, `${made.cert.trim()}\n${made.key.trim()}\n`, { mode: 0o600, flag: 'wx' });
    return { ...made, path: file };
  } catch (error) {
    ctx.log.warn('the TLS certificate could not be stored; the next start creates another', { error });
    return { ...made, path: null };
  }
}

/** Lists the names and addresses that clients use for the server. */
function namesOf(config: Config): readonly string[] {
  const names = new Set(['localhost', config.mailDomain, `*.${config.mailDomain}`, '127.0.0.1', '::1']);
  if (config.host !== '') names.add(config.host);
  return [...names];
}

async function keptCertificate(file: string, names: readonly string[], now: number): Promise<Certificate | null> {
  try {
    // Who wrote the file knows its private key.
    if (otherWriter(await lstat(file)) !== null) return null;
    const pem = await readFile(file, 'utf8');
    const certificate = new X509Certificate(pem);
    const covers = (name: string) => (isIP(name) === 0 ? certificate.checkHost(name) : certificate.checkIP(name));
    if (Date.parse(certificate.validTo) <= now || !names.every(covers)) return null;
    createSecureContext({ cert: pem, key: pem });
    return { cert: pem, key: pem, path: file };
  } catch {
    // The file is missing, damaged or unreadable. A new certificate replaces it.
    return null;
  }
}

/** The real time in milliseconds. The peer that checks the dates knows nothing of the clock offset. */
function realNow({ clock }: Context): number {
  return clock.now() - clock.offsetMs();
}

/** Loads what writes certificates only when one is made: a server makes one at most. */
async function makeCertificate(ctx: Context, names: readonly string[]): Promise<Pick<Certificate, 'cert' | 'key'>> {
  const { makeSelfSigned } = await import('./self-signed.ts');
  const now = realNow(ctx);
  return makeSelfSigned({
    commonName: ctx.config.mailDomain,
    names,
    notBefore: new Date(now - DAY_MS),
    notAfter: new Date(now + VALID_DAYS * DAY_MS),
  });
}

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
