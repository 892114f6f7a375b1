import { hmac } from '@noble/hashes/hmac.js';
import { sha1 } from '@noble/hashes/legacy.js';
import { sha256, sha512 } from '@noble/hashes/sha2.js';
import { base32nopad } from '@scure/base';
import type { TotpParameters } from './parameters.ts';

// RFC 6238: the code is a truncated HMAC of how many periods have gone by since 1970. Whoever needs it loads it by then: the
// hashes take longer to load than most of the rest.

export interface TotpCode {
  readonly code: string;
  /** The period's end, milliseconds since 1970. */
  readonly expiresAt: number;
  /** 1 to the period. */
  readonly expiresInSeconds: number;
}

const HASHES = { sha1, sha256, sha512 };

/** The code an authenticator app would show at that moment, milliseconds since 1970. `secret` is what `parseSecret` returns. */
export function codeAt(authenticator: TotpParameters & { readonly secret: string }, at: number): TotpCode {
  const { secret, algorithm, digits, period } = authenticator;
  const step = Math.floor(at / 1_000 / period);
  const counter = new DataView(new ArrayBuffer(8));
  counter.setBigUint64(0, BigInt(step));
  const mac = hmac(HASHES[algorithm], base32nopad.decode(secret), new Uint8Array(counter.buffer));
  const bytes = new DataView(mac.buffer, mac.byteOffset, mac.byteLength);
  // RFC 4226 5.3: the last half byte says where to read.
  const number = (bytes.getUint32(bytes.getUint8(bytes.byteLength - 1) & 0xf) & 0x7fffffff) % 10 ** digits;
  const expiresAt = (step + 1) * period * 1_000;
  return {
    code: String(number).padStart(digits, '0'),
    expiresAt,
    expiresInSeconds: Math.ceil((expiresAt - at) / 1_000),
  };
}
