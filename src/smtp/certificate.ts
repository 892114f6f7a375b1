import { generateKeyPairSync, randomBytes, sign, X509Certificate } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { createSecureContext } from 'node:tls';
import type forgeTypes from 'node-forge';
import type { Config } from '../config/options.ts';
import { ConfigError } from '../config/user-error.ts';
import type { Context } from '../context.ts';

export interface Certificate {
  readonly cert: string;
  readonly key: string;
  /** The absolute path of the file that clients can trust. Null if no file is kept. */
  readonly path: string | null;
}

const YEAR_MS = 365 * 86_400_000;
const VALID_YEARS = 10;

/**
 * Reads the certificate of `--tls-cert` and `--tls-key`. Returns null if none is given. Throws {@link ConfigError},
 * which names the flag.
 */
export async function givenCertificate(config: Config): Promise<Certificate | null> {
  if (config.tlsCert === null && config.tlsKey === null) return null;
  if (config.tlsCert === null) throw new ConfigError('--tls-key needs --tls-cert beside it');
  if (config.tlsKey === null) throw new ConfigError('--tls-cert needs --tls-key beside it');
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
    throw new ConfigError(`${flag}: ${path} cannot be read`, { cause });
  }
}

function check(flag: string, path: string, pem: { readonly cert: string; readonly key?: string }): void {
  try {
    createSecureContext(pem);
  } catch (cause) {
    const what = flag === '--tls-key' ? 'the private key of the certificate' : 'a PEM certificate';
    throw new ConfigError(`${flag}: ${path} is not ${what}`, { cause });
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
    await writeFile(file, `${made.cert.trim()}\n${made.key.trim()}\n`, { mode: 0o600 });
    return { ...made, path: file };
  } catch (error) {
    ctx.log.warn('the TLS certificate could not be kept; the next start makes another', { error });
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

const ECDSA_WITH_SHA256 = '1.2.840.10045.4.3.2';

/**
 * Creates a certificate with an ECDSA key, because an RSA key takes a second on a small machine. node-forge cannot
 * handle ECDSA, so key and signature are inserted into its output.
 */
async function makeCertificate(ctx: Context, names: readonly string[]): Promise<Pick<Certificate, 'cert' | 'key'>> {
  const { default: forge } = await import('node-forge');
  const { asn1, pki } = forge;
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const now = realNow(ctx);
  const made = pki.createCertificate();
  const { BigInteger } = forge.jsbn;
  // A placeholder. The real key replaces it below.
  made.publicKey = pki.setRsaPublicKey(new BigInteger('3'), new BigInteger('3'));
  made.siginfo.algorithmOid = ECDSA_WITH_SHA256;
  made.signatureOid = ECDSA_WITH_SHA256;
  made.serialNumber = serialNumber();
  made.validity.notBefore = new Date(now - 86_400_000);
  made.validity.notAfter = new Date(now + VALID_YEARS * YEAR_MS);
  const subject = [{ name: 'commonName', value: ctx.config.mailDomain }];
  made.setSubject(subject);
  made.setIssuer(subject);
  made.setExtensions([
    { name: 'basicConstraints', cA: false },
    { name: 'keyUsage', digitalSignature: true },
    { name: 'extKeyUsage', serverAuth: true },
    {
      name: 'subjectAltName',
      altNames: names.map((name) => (isIP(name) === 0 ? { type: 2, value: name } : { type: 7, ip: name })),
    },
  ]);
  made.signature = '';
  // A certificate has three elements (RFC 5280 4.1): the signed content, the algorithm and the signature.
  const whole = childrenOf(pki.certificateToAsn1(made));
  const [toSign] = whole;
  if (toSign === undefined) throw new Error('node-forge wrote no certificate');
  const { SEQUENCE, OID, BITSTRING } = asn1.Type;
  const element = (type: forgeTypes.asn1.Type, constructed: boolean, value: string | forgeTypes.asn1.Asn1[]) =>
    asn1.create(asn1.Class.UNIVERSAL, type, constructed, value);
  const algorithm = element(SEQUENCE, true, [element(OID, false, asn1.oidToDer(ECDSA_WITH_SHA256).getBytes())]);
  // The order is version, serialNumber, signature, issuer, validity, subject, subjectPublicKeyInfo, ...
  const fields = childrenOf(toSign);
  fields[2] = algorithm;
  fields[6] = asn1.fromDer(pair.publicKey.export({ type: 'spki', format: 'der' }).toString('binary'));
  const signature = sign('sha256', Buffer.from(asn1.toDer(toSign).getBytes(), 'binary'), pair.privateKey);
  const signed = element(SEQUENCE, true, [
    toSign,
    algorithm,
    element(BITSTRING, false, `\0${signature.toString('binary')}`),
  ]);
  return {
    cert: forge.pem.encode({ type: 'CERTIFICATE', body: asn1.toDer(signed).getBytes() }).replaceAll('\r', ''),
    key: pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

function childrenOf({ value }: forgeTypes.asn1.Asn1): forgeTypes.asn1.Asn1[] {
  if (typeof value === 'string') throw new Error('no sequence');
  return value;
}

/** Returns a positive random serial number, unique among all certificates a client may remember (RFC 5280 4.1.2.2). */
function serialNumber(): string {
  return `01${randomBytes(15).toString('hex')}`;
}
