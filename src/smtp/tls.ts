import { createPrivateKey, X509Certificate } from 'node:crypto';
import { lstat, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createSecureContext, type SecureContext } from 'node:tls';
import type { Config } from '../config/options.ts';
import { ConfigError } from '../config/user-error.ts';
import type { Context } from '../context.ts';
import type { ReceiptMetadata } from '../domain/message.ts';
import { otherWriter } from '../ownership.ts';
import { type Log, realTime } from '../ports/system.ts';
import { fileText } from '../text/file-text.ts';
import { saidMissedTls } from '../text/why-not.ts';

interface Certificate {
  readonly cert: string;
  readonly key: string;
  /** The absolute path of the file that clients can trust. Null if no file is kept. */
  readonly path: string | null;
}

/** What a client did about TLS. */
export interface TlsClient {
  /** The HELO name. Null before it, and again after the handshake. */
  readonly helo: string | null;
  /** Tells whether the greeting was answered and the client has said nothing else about mail since. */
  readonly isAtHelo: boolean;
  readonly tls: ReceiptMetadata['tls'];
  /** The way in which the client started TLS, and its HELO name. Null if it did not start TLS. */
  readonly askedForTls: { readonly how: 'STARTTLS' | 'the TLS port'; readonly helo: string | null } | null;
  /** The error that broke TLS, as OpenSSL names it. */
  readonly tlsFailure: string | null;
  readonly wasRefusedTls: boolean;
}

const DAY_MS = 86_400_000;
const VALID_DAYS = 3_650;

/**
 * Options of a server that asks for no certificate of a client. Without them, Node would read the certificates of the
 * authorities that it knows, for 30 ms.
 */
export const NO_AUTHORITIES = { ca: [] };

/** The TLS of a server: its certificate, and the hints about the clients that can't use it (docs/tls.md). */
export class ServerTls {
  readonly #ctx: Context;
  readonly #use: (pem: Pick<Certificate, 'cert' | 'key'>) => void;
  readonly #hints: TlsHints;
  #given: Certificate | null = null;
  #ready: Promise<string | null> | null = null;
  #used: Pick<Certificate, 'cert' | 'key'> | null = null;

  /** @param use takes the certificate once there is one */
  constructor(ctx: Context, use: (pem: Pick<Certificate, 'cert' | 'key'>) => void) {
    this.#ctx = ctx;
    this.#use = use;
    this.#hints = new TlsHints(ctx.log);
  }

  /** Reads the certificate of the options. Throws {@link ConfigError}, which names the flag. */
  async readGiven(): Promise<void> {
    this.#given = await givenCertificate(this.#ctx.config);
  }

  /**
   * Prepares the certificate, which otherwise happens with the first client that begins TLS. Returns the path of its file,
   * or null if no file is kept. Rejects if it cannot be created.
   */
  prepare(): Promise<string | null> {
    this.#ready ??= this.#make();
    return this.#ready;
  }

  /** Reads the certificate of the options, or prepares another, and returns it with its key. Throws a ConfigError. */
  async given(): Promise<Pick<Certificate, 'cert' | 'key'>> {
    await this.readGiven();
    return this.#pem();
  }

  /** Prepares a context for the protocols that read mailboxes. Rejects if there is no certificate. */
  async context(): Promise<SecureContext> {
    return createSecureContext({ ...(await this.#pem()), ...NO_AUTHORITIES, minVersion: 'TLSv1.2' });
  }

  async #pem(): Promise<Pick<Certificate, 'cert' | 'key'>> {
    await this.prepare();
    if (this.#used === null) throw new Error('the certificate was prepared, but there is none');
    return this.#used;
  }

  /** Tells whether clients are offered to begin TLS within a connection. */
  get isOffered(): boolean {
    return offersTls(this.#ctx.config);
  }

  async #make(): Promise<string | null> {
    try {
      const { path, cert, key } = this.#given ?? (await selfSignedCertificate(this.#ctx));
      this.#used = { cert, key };
      this.#use({ cert, key });
      return path;
    } catch (error) {
      this.#ctx.log.error('no TLS certificate could be created', { error });
      this.#ready = null;
      throw error;
    }
  }

  /** Reports a client that started with TLS on the plaintext port. */
  metInTheClear(): void {
    this.#hints.inTheClear(this.#ctx.config.smtpsPort);
  }

  /** Reports a client that left, if TLS was the reason. `hasGreeted` tells of a greeting after the handshake. */
  left(client: TlsClient, hasGreeted: boolean): void {
    if (missedTls(this.#ctx, client)) this.#hints.missed(client.helo, client.wasRefusedTls);
    if (client.askedForTls === null || this.#given !== null) return;
    const { how, helo } = client.askedForTls;
    const saidNothing = client.tls === null || !hasGreeted;
    // A port check also connects and leaves, but without a handshake.
    const shookHands = how === 'STARTTLS' || client.tls !== null || client.tlsFailure !== null;
    if (saidNothing && shookHands) this.#hints.left(how, helo, client.tlsFailure);
  }
}

/** Tells whether the server offers STARTTLS in its answer to EHLO (docs/tls.md). */
export function offersTls(config: Config): boolean {
  if (config.smtpTls === 'required') return true;
  return config.starttls === 'on' || (config.starttls === 'auto' && config.tlsCert !== null);
}

/** Tells whether a client left right after EHLO, or after a refused STARTTLS, as it does if it requires TLS. */
export function missedTls({ config }: Context, { isAtHelo, tls, askedForTls }: TlsClient): boolean {
  return isAtHelo && tls === null && askedForTls === null && !offersTls(config);
}

/**
 * Reads the certificate of `--tls-cert` and `--tls-key`. Returns null if none is given. Throws {@link ConfigError},
 * which names the flag.
 */
async function givenCertificate(config: Config): Promise<Certificate | null> {
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
    return fileText(await readFile(path));
  } catch (cause) {
    throw new ConfigError(`${flag}: ${path} can't be read.`, { cause });
  }
}

function check(flag: string, path: string, pem: { readonly cert: string; readonly key?: string }): void {
  try {
    createSecureContext({ ...pem, ...NO_AUTHORITIES });
  } catch (cause) {
    const what = flag === '--tls-key' ? 'the private key of the certificate' : 'a PEM certificate';
    throw new ConfigError(`${flag}: ${path} is not ${what}.`, { cause });
  }
}

/**
 * Returns a self-signed certificate: the stored one while it is valid, or a new one that is stored for the next start.
 */
async function selfSignedCertificate(ctx: Context): Promise<Certificate> {
  const file = ctx.config.ephemeral ? null : join(ctx.config.dataDir, 'tls.pem');
  const names = namesOf(ctx.config);
  const kept = file === null ? null : await keptCertificate(file, names, realTime(ctx.clock));
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
  for (const name of [config.host, ...config.tlsNames]) if (name !== '') names.add(name);
  return [...names];
}

async function keptCertificate(file: string, names: readonly string[], now: number): Promise<Certificate | null> {
  try {
    // Who wrote the file knows its private key.
    if (otherWriter(await lstat(file)) !== null) return null;
    const pem = await readFile(file, 'utf8');
    const certificate = new X509Certificate(pem);
    const covers = (name: string) => (isAddress(name) ? certificate.checkIP(name) : certificate.checkHost(name));
    if (Date.parse(certificate.validTo) <= now || !names.every(covers)) return null;
    if (!certificate.checkPrivateKey(createPrivateKey(pem))) return null;
    return { cert: pem, key: pem, path: file };
  } catch {
    // The file is missing, damaged or unreadable. A new certificate replaces it.
    return null;
  }
}

/** Tells an IP address from a host name. Node's own test compiles an expression for 6 ms. */
function isAddress(name: string): boolean {
  return /:|^[\d.]+$/.test(name);
}

/** Loads what writes certificates only when one is made: a server makes one at most. */
async function makeCertificate(ctx: Context, names: readonly string[]): Promise<Pick<Certificate, 'cert' | 'key'>> {
  const { makeSelfSigned } = await import('../self-signed.ts');
  // The peer that checks the dates knows nothing of the clock's offset.
  const now = realTime(ctx.clock);
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
class TlsHints {
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
