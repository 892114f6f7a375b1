import { now } from './environment.ts';
import { OptionError } from './errors.ts';

/** A code, and how long it is good for. */
export interface TimedCode {
  readonly code: string;
  /** The end of its step, milliseconds since 1970 by the clock that made it. */
  readonly expiresAt: number;
  /** No less than so many milliseconds from now. */
  readonly leftMs: number;
  /** No more than so many. */
  readonly leftAtMostMs: number;
}

/** What an authenticator app is told when it is set up. */
export interface TotpSecret {
  /** Base32. */
  readonly secret: string;
  readonly algorithm?: 'SHA1' | 'SHA256' | 'SHA512' | undefined;
  readonly digits?: 6 | 8 | undefined;
  /** Seconds. */
  readonly period?: number | undefined;
}

const HASHES = { SHA1: 'SHA-1', SHA256: 'SHA-256', SHA512: 'SHA-512' } as const;
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** What an `otpauth://totp/` URI holds. Throws an OptionError that does not show it. */
export function parseOtpauth(uri: string): TotpSecret {
  const params = URL.canParse(uri) ? new URL(uri).searchParams : new URLSearchParams();
  const secret = params.get('secret');
  const algorithm = (params.get('algorithm') ?? 'SHA1').toUpperCase().replace('-', '');
  const digits = Number(params.get('digits') ?? 6);
  const period = Number(params.get('period') ?? 30);
  const isUri = /^otpauth:\/\/totp\//i.test(uri) && secret !== null && period > 0;
  if (!isUri || (digits !== 6 && digits !== 8) || !isAlgorithm(algorithm))
    throw new OptionError('The URI is no otpauth://totp/ URI, or a part of it is wrong.');
  return { secret, algorithm, digits, period };
}

/** As it is compared: without what people put in between. Throws an OptionError that does not show it. */
export function plainSecret(secret: string): string {
  const plain = secret.replace(/[\s\p{Pd}=]/gu, '').toUpperCase();
  if (/^[A-Z2-7]+$/.test(plain)) return plain;
  throw new OptionError('The secret of the authenticator is no base32.');
}

/** The code of this moment by this machine's clock (RFC 6238). */
export async function codeNow({ secret, algorithm = 'SHA1', digits = 6, period = 30 }: TotpSecret): Promise<TimedCode> {
  const stepMs = period * 1_000;
  const at = now();
  const step = Math.floor(at / stepMs);
  const hash = { name: 'HMAC', hash: HASHES[algorithm] };
  const key = await crypto.subtle.importKey('raw', bytesOf(plainSecret(secret)), hash, false, ['sign']);
  const counter = new DataView(new ArrayBuffer(8));
  counter.setBigUint64(0, BigInt(step));
  const mac = new DataView(await crypto.subtle.sign('HMAC', key, counter));
  // RFC 4226 5.3: the last half byte says where to read.
  const place = mac.getUint8(mac.byteLength - 1) & 0xf;
  const number = (mac.getUint32(place) & 0x7fffffff) % 10 ** digits;
  const expiresAt = (step + 1) * stepMs;
  const leftMs = expiresAt - at;
  return { code: String(number).padStart(digits, '0'), expiresAt, leftMs, leftAtMostMs: leftMs };
}

function isAlgorithm(name: string): name is keyof typeof HASHES {
  return Object.hasOwn(HASHES, name);
}

function bytesOf(base32: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(Math.floor((base32.length * 5) / 8));
  let buffer = 0;
  let bits = 0;
  let at = 0;
  for (const character of base32) {
    buffer = ((buffer << 5) | ALPHABET.indexOf(character)) & 0xfff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes[at++] = (buffer >> bits) & 0xff;
  }
  return bytes;
}
