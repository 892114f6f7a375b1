import { generateKeyPairSync, randomBytes, sign, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';

/** The names in a certificate, and the times between which it is valid. */
export interface CertificateFields {
  readonly commonName: string;
  /** Host names and IP addresses. */
  readonly names: readonly string[];
  readonly notBefore: Date;
  readonly notAfter: Date;
}

/**
 * Makes a key and a certificate that the key itself signs (RFC 5280 4.1). The key is an ECDSA key, because an RSA key
 * takes a second on a small machine. node:crypto makes and uses the key; it cannot write a certificate. The certificate
 * is written here, because a library for it takes a fifth of the time of a first start.
 */
export function makeSelfSigned(fields: CertificateFields): { readonly cert: string; readonly key: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = sequence(element(SET, sequence(oid(COMMON_NAME), element(UTF8_STRING, Buffer.from(fields.commonName)))));
  const extensions = sequence(
    // It is no authority, and signs the handshakes of a server.
    extension(BASIC_CONSTRAINTS, sequence()),
    extension(KEY_USAGE, bitString(Buffer.of(DIGITAL_SIGNATURE), 7)),
    extension(EXTENDED_KEY_USAGE, sequence(oid(SERVER_AUTH))),
    extension(ALTERNATIVE_NAMES, sequence(...fields.names.map(generalName))),
  );
  const toSign = sequence(
    element(EXPLICIT_0, integer(Buffer.of(VERSION_3))),
    integer(serialNumber()),
    sequence(oid(ECDSA_WITH_SHA256)),
    name,
    sequence(time(fields.notBefore), time(fields.notAfter)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    element(EXPLICIT_3, extensions),
  );
  const certificate = sequence(
    toSign,
    sequence(oid(ECDSA_WITH_SHA256)),
    bitString(sign('sha256', toSign, privateKey), 0),
  );
  return {
    cert: new X509Certificate(certificate).toString(),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

const ECDSA_WITH_SHA256 = '1.2.840.10045.4.3.2';
const COMMON_NAME = '2.5.4.3';
const BASIC_CONSTRAINTS = '2.5.29.19';
const KEY_USAGE = '2.5.29.15';
const EXTENDED_KEY_USAGE = '2.5.29.37';
const ALTERNATIVE_NAMES = '2.5.29.17';
const SERVER_AUTH = '1.3.6.1.5.5.7.3.1';
const VERSION_3 = 2;
/** The first of the bits of a key usage. */
const DIGITAL_SIGNATURE = 0x80;

function extension(id: string, value: Buffer): Buffer {
  return sequence(oid(id), element(OCTET_STRING, value));
}

function generalName(name: string): Buffer {
  return isIP(name) === 0 ? element(DNS_NAME, Buffer.from(name, 'latin1')) : element(IP_ADDRESS, bytesOf(name));
}

/** Returns the bytes of an IP address: four, or sixteen. */
function bytesOf(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number));
  const [bare = ''] = address.split('%');
  // The last 32 bits may be written as an IPv4 address.
  const hex = bare.replace(/[\d.]+$/, (end) =>
    isIP(end) === 4 ? bytesOf(end).toString('hex').replace(/^.{4}/, '$&:') : end,
  );
  const [front = [], back] = hex.split('::').map((part) => part.split(':').filter((group) => group !== ''));
  const zeros = back === undefined ? 0 : 8 - front.length - back.length;
  const groups = [...front, ...Array<string>(zeros).fill('0'), ...(back ?? [])];
  return Buffer.from(groups.map((group) => group.padStart(4, '0')).join(''), 'hex');
}

/** Returns a positive random serial number, unique among all certificates a client may remember (RFC 5280 4.1.2.2). */
function serialNumber(): Buffer {
  return Buffer.from([1, ...randomBytes(15)]);
}

// The rest writes values in DER (X.690): a tag, a length, the content.

const INTEGER = 0x02;
const BIT_STRING = 0x03;
const OCTET_STRING = 0x04;
const OBJECT_IDENTIFIER = 0x06;
const UTF8_STRING = 0x0c;
const UTC_TIME = 0x17;
const GENERALIZED_TIME = 0x18;
const SEQUENCE = 0x30;
const SET = 0x31;
const DNS_NAME = 0x82;
const IP_ADDRESS = 0x87;
const EXPLICIT_0 = 0xa0;
const EXPLICIT_3 = 0xa3;

function element(tag: number, content: Buffer): Buffer {
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.of(tag, length), content]);
  const bytes = Buffer.from(length.toString(16).padStart(length < 0x100 ? 2 : length < 0x10000 ? 4 : 6, '0'), 'hex');
  return Buffer.concat([Buffer.of(tag, 0x80 | bytes.length), bytes, content]);
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return element(SEQUENCE, Buffer.concat(parts));
}

/** Writes a positive number whose first bit is 0. */
function integer(bytes: Buffer): Buffer {
  return element(INTEGER, bytes);
}

function bitString(bytes: Buffer, unused: number): Buffer {
  return element(BIT_STRING, Buffer.concat([Buffer.of(unused), bytes]));
}

function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...others] = dotted.split('.').map(Number);
  return element(OBJECT_IDENTIFIER, Buffer.from([first * 40 + second, ...others.flatMap(inBase128)]));
}

/** All bytes but the last have the first bit. */
function inBase128(value: number): number[] {
  const digits = [value & 0x7f];
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) digits.unshift((rest & 0x7f) | 0x80);
  return digits;
}

/** Writes a time in seconds, with two digits of the year until 2049 (RFC 5280 4.1.2.5). */
function time(date: Date): Buffer {
  const digits = `${date.toISOString().replace(/\.\d+|[-:T]/g, '')}`;
  const isShort = date.getUTCFullYear() < 2050;
  return element(isShort ? UTC_TIME : GENERALIZED_TIME, Buffer.from(isShort ? digits.slice(2) : digits));
}
