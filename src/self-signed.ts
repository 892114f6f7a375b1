import { generateKeyPair, randomBytes, sign } from 'node:crypto';
import { promisify } from 'node:util';

// RFC 5280 describes certificates, and X.690 the encoding. A library for both takes 80 ms to load and run, a quarter of a
// server's first start.

/** The names in a certificate, and the times between which it is valid. */
export interface CertificateFields {
  readonly commonName: string;
  /** Host names and IP addresses. Empty for a certificate of no server. */
  readonly names: readonly string[];
  readonly notBefore: Date;
  readonly notAfter: Date;
}

/** The algorithms of a signature, by the kind of the key. RSA's has a parameter that is null (RFC 4055 section 5). */
const SIGNS = {
  ec: () => sequence(oid('1.2.840.10045.4.3.2')),
  rsa: () => sequence(oid('1.2.840.113549.1.1.11'), der(TAG.null)),
} as const;

/**
 * Makes a key and a certificate that the key itself signs (RFC 5280 4.1). A server's is an ECDSA key, because an RSA key
 * takes a second on a small machine. node:crypto makes and uses the key; it cannot write a certificate.
 */
export async function makeSelfSigned(
  fields: CertificateFields,
  kind: keyof typeof SIGNS = 'ec',
): Promise<{ readonly cert: string; readonly key: string }> {
  const make = promisify(generateKeyPair);
  const { publicKey, privateKey } = await (kind === 'ec'
    ? make('ec', { namedCurve: 'P-256' })
    : make('rsa', { modulusLength: 2_048 }));
  const algorithm = SIGNS[kind]();
  const name = sequence(der(TAG.set, sequence(oid('2.5.4.3'), der(TAG.utf8String, Buffer.from(fields.commonName)))));
  const signed = sequence(
    der(TAG.field0, integer(2)), // version 3
    serialNumber(),
    algorithm,
    name,
    sequence(time(fields.notBefore), time(fields.notAfter)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(TAG.field3, sequence(...extensionsOf(fields.names))),
  );
  const certificate = sequence(signed, algorithm, bits(sign('sha256', signed, privateKey)));
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${certificate.toString('base64').replace(/.{1,64}/g, '$&\n')}-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

/** Returns the extensions: no authority, for signatures alone, and of a server its names (RFC 5280 4.2.1). */
function extensionsOf(names: readonly string[]): Buffer[] {
  const basic = [extension('2.5.29.19', sequence()), extension('2.5.29.15', bits(Buffer.from([0x80]), 7))];
  if (names.length === 0) return basic;
  return [
    ...basic,
    extension('2.5.29.37', sequence(oid('1.3.6.1.5.5.7.3.1'))),
    extension('2.5.29.17', sequence(...names.map(generalName))),
  ];
}

function extension(id: string, value: Buffer): Buffer {
  return sequence(oid(id), der(TAG.octetString, value));
}

function generalName(name: string): Buffer {
  const ip = bytesOfIp(name);
  return ip === null ? der(TAG.dnsName, Buffer.from(name)) : der(TAG.ipAddress, ip);
}

/** Returns the bytes of an IP address, or null for a host name. */
function bytesOfIp(name: string): Buffer | null {
  if (/^\d+(\.\d+){3}$/.test(name)) return Buffer.from(name.split('.').map(Number));
  if (!name.includes(':')) return null;
  // A URL has the address in hexadecimal groups alone, with at most one gap, and knows no zone.
  const { hostname } = new URL(`http://[${name.split('%')[0]}]`);
  const [head = [], tail = []] = hostname
    .slice(1, -1)
    .split('::')
    .map((part) => (part === '' ? [] : part.split(':')));
  const gap = new Array<string>(8 - head.length - tail.length).fill('0');
  return Buffer.from([...head, ...gap, ...tail].map((group) => group.padStart(4, '0')).join(''), 'hex');
}

/** Returns a positive random serial number, unique among all certificates a client may remember (RFC 5280 4.1.2.2). */
function serialNumber(): Buffer {
  return der(TAG.integer, Buffer.from([1, ...randomBytes(15)]));
}

const TAG = {
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  oid: 0x06,
  utf8String: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
  field0: 0xa0,
  field3: 0xa3,
  dnsName: 0x82,
  ipAddress: 0x87,
};

/** Writes a value of DER: its tag, the length of its content in as few bytes as it takes, and its content. */
function der(tag: number, ...content: readonly Uint8Array[]): Buffer {
  const bytes = Buffer.concat(content);
  const length = Buffer.from(evenHex(bytes.length), 'hex');
  const head = bytes.length < 0x80 ? [tag, bytes.length] : [tag, 0x80 | length.length, ...length];
  return Buffer.concat([Buffer.from(head), bytes]);
}

function evenHex(number: number): string {
  const hex = number.toString(16);
  return hex.padStart(hex.length + (hex.length % 2), '0');
}

function sequence(...parts: readonly Uint8Array[]): Buffer {
  return der(TAG.sequence, ...parts);
}

function integer(value: number): Buffer {
  return der(TAG.integer, Buffer.from([value]));
}

/** Writes a string of bits, of which the last ones may be unused. */
function bits(bytes: Uint8Array, unused = 0): Buffer {
  return der(TAG.bitString, Buffer.from([unused]), bytes);
}

/** Writes an object identifier: its first two numbers share a byte, and each takes seven bits of a byte. */
function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...others] = dotted.split('.').map(Number);
  return der(TAG.oid, Buffer.from([first * 40 + second, ...others.flatMap(inSevens)]));
}

function inSevens(value: number): number[] {
  const bytes = [value & 0x7f];
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) bytes.unshift((rest & 0x7f) | 0x80);
  return bytes;
}

/** Writes a time, of years until 2049 with two digits (RFC 5280 4.1.2.5). */
function time(date: Date): Buffer {
  const digits = date.toISOString().replace(/\.\d+|\D/g, '');
  const isShort = date.getUTCFullYear() >= 1950 && date.getUTCFullYear() < 2050;
  return der(isShort ? TAG.utcTime : TAG.generalizedTime, Buffer.from(`${isShort ? digits.slice(2) : digits}Z`));
}
