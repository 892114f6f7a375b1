import { generateKeyPair, randomBytes, X509Certificate } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { createSecureContext } from 'node:tls';
import { promisify } from 'node:util';
import type { Config } from '../config/options.ts';
import { ConfigError } from '../config/user-error.ts';
import type { Context } from '../context.ts';

export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

const YEAR_MS = 365 * 86_400_000;
const VALID_YEARS = 10;

/** The certificate of `--tls-cert` and `--tls-key`, null when none was given. Throws an error that names the flag. */
export async function givenCertificate(config: Config): Promise<Certificate | null> {
  if (config.tlsCert === null && config.tlsKey === null) return null;
  if (config.tlsCert === null) throw new ConfigError('--tls-key needs --tls-cert beside it');
  if (config.tlsKey === null) throw new ConfigError('--tls-cert needs --tls-key beside it');
  const cert = await read('--tls-cert', config.tlsCert);
  const key = await read('--tls-key', config.tlsKey);
  check('--tls-cert', config.tlsCert, { cert });
  check('--tls-key', config.tlsKey, { cert, key });
  return { cert, key };
}

async function read(flag: string, path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new ConfigError(`${flag}: ${path} cannot be read`, { cause });
  }
}

function check(flag: string, path: string, pem: Partial<Certificate>): void {
  try {
    createSecureContext(pem);
  } catch (cause) {
    const what = flag === '--tls-key' ? 'the private key of the certificate' : 'a PEM certificate';
    throw new ConfigError(`${flag}: ${path} is not ${what}`, { cause });
  }
}

/** A certificate of our own: the one kept beside the state while it is good, else a new one, kept for the next start. */
export async function selfSignedCertificate(ctx: Context): Promise<Certificate> {
  const file = ctx.config.ephemeral ? null : join(ctx.config.dataDir, 'tls.pem');
  const kept = file === null ? null : await keptCertificate(file, realNow(ctx));
  if (kept !== null) return kept;
  const made = await makeCertificate(ctx);
  if (file !== null) {
    try {
      await mkdir(ctx.config.dataDir, { recursive: true });
      // Anew, for a file that stands there keeps its mode.
      await rm(file, { force: true });
      await writeFile(file, `${made.cert.trim()}\n${made.key.trim()}\n`, { mode: 0o600 });
    } catch (error) {
      ctx.log.warn('the TLS certificate could not be kept; the next start makes another', { error });
    }
  }
  return made;
}

async function keptCertificate(file: string, now: number): Promise<Certificate | null> {
  try {
    const pem = await readFile(file, 'utf8');
    if (Date.parse(new X509Certificate(pem).validTo) <= now) return null;
    const certificate = { cert: pem, key: pem };
    createSecureContext(certificate);
    return certificate;
  } catch {
    // Missing, torn or not ours to read: a new one takes its place.
    return null;
  }
}

/** The peer that checks the dates knows nothing of our offset. */
function realNow({ clock }: Context): number {
  return clock.now() - clock.offsetMs();
}

async function makeCertificate(ctx: Context): Promise<Certificate> {
  const { config } = ctx;
  const { default: forge } = await import('node-forge');
  const pem = await promisify(generateKeyPair)('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const names = new Set(['localhost', config.mailDomain, `*.${config.mailDomain}`, '127.0.0.1', '::1']);
  if (config.host !== '') names.add(config.host);
  const now = realNow(ctx);
  const made = forge.pki.createCertificate();
  made.publicKey = forge.pki.publicKeyFromPem(pem.publicKey);
  made.serialNumber = serialNumber();
  made.validity.notBefore = new Date(now - 86_400_000);
  made.validity.notAfter = new Date(now + VALID_YEARS * YEAR_MS);
  const subject = [{ name: 'commonName', value: config.mailDomain }];
  made.setSubject(subject);
  made.setIssuer(subject);
  made.setExtensions([
    { name: 'basicConstraints', cA: false },
    { name: 'keyUsage', digitalSignature: true, keyEncipherment: true },
    { name: 'extKeyUsage', serverAuth: true },
    {
      name: 'subjectAltName',
      altNames: [...names].map((name) => (isIP(name) === 0 ? { type: 2, value: name } : { type: 7, ip: name })),
    },
  ]);
  made.sign(forge.pki.privateKeyFromPem(pem.privateKey), forge.md.sha256.create());
  return { cert: forge.pki.certificateToPem(made), key: pem.privateKey };
}

/** Positive, and another than that of any certificate that a client may have kept (RFC 5280 4.1.2.2). */
function serialNumber(): string {
  return `01${randomBytes(15).toString('hex')}`;
}
