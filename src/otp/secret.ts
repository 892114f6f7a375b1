import { OtpError } from './otp-error.ts';

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const MAX_SECRET = 1_024;

/** Returns a base32 secret in canonical form: upper case, without separators and padding. Throws `invalid_secret`. */
export function parseSecret(value: unknown): string {
  if (typeof value !== 'string' || value.length > MAX_SECRET) throw new OtpError('invalid_secret');
  const match = /^([a-z2-7]+)={0,6}$/i.exec(value.replace(/[\s\p{Pd}\u200b]/gu, ''));
  const secret = match?.[1]?.toUpperCase() ?? '';
  // No number of bytes encodes to these lengths (RFC 4648 6), so characters are missing.
  if (secret === '' || [1, 3, 6].includes(secret.length % 8)) throw new OtpError('invalid_secret');
  // Clears the bits beyond the last whole byte. Secrets generated as random letters have them set; strict decoders
  // reject them and apps ignore them.
  const excessBits = (secret.length * 5) % 8;
  const last = BASE32.indexOf(secret.slice(-1));
  return secret.slice(0, -1) + BASE32.charAt((last >> excessBits) << excessBits);
}
