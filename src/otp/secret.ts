import { OtpError } from './otp-error.ts';

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const MAX_SECRET = 1_024;

/**
 * Returns a base32 secret in canonical form: upper case, without separators and padding. As in authenticator apps, bits
 * beyond the last whole byte count for nothing, so a secret may have any length of two characters and more. Throws
 * `invalid_secret`.
 */
export function parseSecret(value: unknown): string {
  if (typeof value !== 'string' || value.length > MAX_SECRET) throw new OtpError('invalid_secret');
  const match = /^([a-z2-7]+)={0,6}$/i.exec(value.replace(/[\s\p{Pd}\u200b]/gu, ''));
  const secret = match?.[1]?.toUpperCase() ?? '';
  const bytes = Math.floor((secret.length * 5) / 8);
  if (bytes === 0) throw new OtpError('invalid_secret');
  // Secrets generated as random letters have more bits than whole bytes. Strict decoders reject them.
  const kept = Math.ceil((bytes * 8) / 5);
  const excessBits = kept * 5 - bytes * 8;
  const last = BASE32.indexOf(secret.charAt(kept - 1));
  return secret.slice(0, kept - 1) + BASE32.charAt((last >> excessBits) << excessBits);
}
