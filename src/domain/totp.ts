import { refuse } from './errors.ts';

// RFC 6238: the code is a truncated HMAC of how many periods have gone by since 1970.

/** As otplib names them. */
export type TotpAlgorithm = 'sha1' | 'sha256' | 'sha512';

export interface TotpParameters {
  readonly algorithm: TotpAlgorithm;
  readonly digits: 6 | 8;
  /** Seconds. */
  readonly period: number;
}

export interface TotpCode {
  readonly code: string;
  /** The period's end. */
  readonly expiresAt: number;
  /** 1 to the period. */
  readonly expiresInSeconds: number;
}

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const MAX_SECRET = 1_024;

/** A secret in base32, as it is kept: upper case, nothing between, no padding. Throws `invalid_secret`. */
export function parseSecret(value: unknown): string {
  if (typeof value !== 'string' || value.length > MAX_SECRET) throw refuse('invalid_secret');
  const match = /^([a-z2-7]+)={0,6}$/i.exec(value.replace(/[\s\p{Pd}\u200b]/gu, ''));
  const secret = match?.[1]?.toUpperCase() ?? '';
  // RFC 4648 6: bytes never come out at these lengths, so characters are missing.
  if (secret === '' || [1, 3, 6].includes(secret.length % 8)) throw refuse('invalid_secret');
  // Bits beyond the last byte mean nothing. Secrets drawn as letters have them set, which otplib refuses and apps ignore.
  const excessBits = (secret.length * 5) % 8;
  const last = BASE32.indexOf(secret.slice(-1));
  return secret.slice(0, -1) + BASE32.charAt((last >> excessBits) << excessBits);
}

/** As they come from outside. Null counts as omitted. */
export interface GivenParameters {
  readonly algorithm?: unknown;
  readonly digits?: unknown;
  readonly period?: unknown;
}

/** SHA-1, 6 digits and 30 s where not given. Throws `invalid_algorithm`, `invalid_digits`, `invalid_period`. */
export function parseTotpParameters(given: GivenParameters): TotpParameters {
  return {
    algorithm: parseAlgorithm(given.algorithm ?? 'SHA1'),
    digits: parseDigits(given.digits ?? 6),
    period: parsePeriod(given.period ?? 30),
  };
}

function parseAlgorithm(value: unknown): TotpAlgorithm {
  const bits = typeof value === 'string' ? /^sha-?(1|256|512)$/i.exec(value)?.[1] : undefined;
  switch (bits) {
    case '1':
      return 'sha1';
    case '256':
      return 'sha256';
    case '512':
      return 'sha512';
    default:
      throw refuse('invalid_algorithm');
  }
}

function parseDigits(value: unknown): 6 | 8 {
  if (value !== 6 && value !== 8) throw refuse('invalid_digits');
  return value;
}

function parsePeriod(value: unknown): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 15 || value > 120)
    throw refuse('invalid_period');
  return value;
}

/** The code an authenticator app would show at that moment. */
export async function codeAt(
  authenticator: TotpParameters & { readonly secret: string },
  at: number,
): Promise<TotpCode> {
  // Loaded by the first code: a server that is asked for none starts sooner.
  const { createGuardrails, generate } = await import('otplib');
  const { secret, algorithm, digits, period } = authenticator;
  // otplib wants 128 bits of a secret; the services whose codes these are often gave 80.
  const guardrails = createGuardrails({ MIN_SECRET_BYTES: 1, MAX_SECRET_BYTES: MAX_SECRET });
  const epoch = Math.floor(at / 1_000);
  const code = await generate({ secret, algorithm, digits, period, epoch, guardrails });
  const expiresAt = (Math.floor(epoch / period) + 1) * period * 1_000;
  return { code, expiresAt, expiresInSeconds: Math.ceil((expiresAt - at) / 1_000) };
}
