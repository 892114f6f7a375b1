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
  /** Absolute path of the file that clients can be told to trust; null where none is kept. */
  readonly path: string | null;
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

/** A certificate of our own: the one kept beside the state while it is good, else a new one, kept for the next start. */
export async function selfSignedCertificate(ctx: Context): Promise<Certificate> {
  const file = ctx.config.ephemeral ? null : join(ctx.config.dataDir, 'tls.pem');
  const names = namesOf(ctx.config);
  const kept = file === null ? null : await keptCertificate(file, names, realNow(ctx));
  if (kept !== null) return kept;
  const made = await makeCertificate(ctx, names);
  if (file === null) return { ...made, path: null };
  try {
    await mkdir(ctx.config.dataDir, { recursive: true });
    // Anew, for a file that stands there keeps its mode.
    await rm(file, { force: true });
    await writeFile(file, `${made.cert.trim()}\n${made.key.trim()}\n`, { mode: 0o600 });
    return { ...made, path: file };
  } catch (error) {
    ctx.log.warn('the TLS certificate could not be kept; the next start makes another', { error });
    return { ...made, path: null };
  }
}

/** What clients call the server by. */
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
    // Missing, torn or not ours to read: a new one takes its place.
    return null;
  }
}

/** The peer that checks the dates knows nothing of our offset. */
function realNow({ clock }: Context): number {
  return clock.now() - clock.offsetMs();
}

const ECDSA_WITH_SHA256 = '1.2.840.10045.4.3.2';

/** On an elliptic curve: its key is there at once, one of RSA takes a second of a small machine. node-forge writes all but the key and the signature, which it can't. */
async function makeCertificate(ctx: Context, names: readonly string[]): Promise<Pick<Certificate, 'cert' | 'key'>> {
  const { default: forge } = await import('node-forge');
  const { asn1, pki } = forge;
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const now = realNow(ctx);
  const made = pki.createCertificate();
  const { BigInteger } = forge.jsbn;
  // It gives place to the real one below.
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
  // RFC 5280 4.1: what is signed, the algorithm, the signature.
  const whole = childrenOf(pki.certificateToAsn1(made));
  const [toSign] = whole;
  if (toSign === undefined) throw new Error('node-forge wrote no certificate');
  const { SEQUENCE, OID, BITSTRING } = asn1.Type;
  const element = (type: forgeTypes.asn1.Type, constructed: boolean, value: string | forgeTypes.asn1.Asn1[]) =>
    asn1.create(asn1.Class.UNIVERSAL, type, constructed, value);
  const algorithm = element(SEQUENCE, true, [element(OID, false, asn1.oidToDer(ECDSA_WITH_SHA256).getBytes())]);
  // version, serialNumber, signature, issuer, validity, subject, subjectPublicKeyInfo, ...
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

/** Positive, and another than that of any certificate that a client may have kept (RFC 5280 4.1.2.2). */
function serialNumber(): string {
  return `01${randomBytes(15).toString('hex')}`;
}
