import { OtpError } from './otp-error.ts';

export type TotpAlgorithm = 'sha1' | 'sha256' | 'sha512';

export interface TotpParameters {
  readonly algorithm: TotpAlgorithm;
  readonly digits: 6 | 8;
  /** The time step of RFC 6238, in seconds. */
  readonly period: number;
}

/** The parameters as a client gives them, not yet checked. Null counts as omitted. */
export interface GivenParameters {
  readonly algorithm?: unknown;
  readonly digits?: unknown;
  readonly period?: unknown;
}

/**
 * Reads the parameters. The defaults are SHA-1, 6 digits and 30 seconds. Throws `invalid_algorithm`, `invalid_digits`,
 * `invalid_period`.
 */
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
      throw new OtpError('invalid_algorithm');
  }
}

function parseDigits(value: unknown): 6 | 8 {
  if (value !== 6 && value !== 8) throw new OtpError('invalid_digits');
  return value;
}

function parsePeriod(value: unknown): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 15 || value > 120)
    throw new OtpError('invalid_period');
  return value;
}
