import { isUrl } from '../text/url.ts';

// The key URI in the QR code of an authenticator app: `otpauth://totp/<issuer>:<account>?secret=<base32>&issuer=...`.

export interface OtpauthUri extends TotpParameters {
  readonly secret: string;
  /** The decoded path. Null if it is empty. */
  readonly label: string | null;
  /** The `issuer` parameter, or else the part of the label before the colon. */
  readonly issuer: string | null;
}

const MAX_URI = 4_096;

/** Parses an otpauth URI. Throws `invalid_uri` for any error, and without a cause, which would reveal the secret. */
export function parseOtpauthUri(value: unknown): OtpauthUri {
  const uri = typeof value === 'string' ? value.trim() : '';
  if (uri.length > MAX_URI || !isUrl(uri)) throw new OtpError('invalid_uri');
  const { protocol, host, pathname, searchParams } = new URL(uri);
  // The URL parser does not lower-case the host of an unknown scheme, so the type is lower-cased here.
  if (protocol !== 'otpauth:' || host.toLowerCase() !== 'totp') throw new OtpError('invalid_uri');
  try {
    const label = text(decodedLabel(pathname.replace(/^\//, '')));
    const issuer = text(searchParams.get('issuer') ?? '');
    return {
      secret: parseSecret(searchParams.get('secret')),
      ...parseTotpParameters({
        algorithm: searchParams.get('algorithm') || null,
        digits: number(searchParams.get('digits')),
        period: number(searchParams.get('period')),
      }),
      label,
      issuer: issuer ?? issuerOf(label),
    };
  } catch {
    throw new OtpError('invalid_uri');
  }
}

/** The source of a TOTP key: a secret with parameters, or a URI that holds both. Null counts as omitted. */
export interface TotpSource extends GivenParameters {
  readonly secret?: unknown;
  readonly uri?: unknown;
}

/**
 * Reads either form. Throws `invalid_uri`, `invalid_secret`, `invalid_algorithm`, `invalid_digits` or `invalid_period`.
 */
export function parseTotpSource(given: TotpSource): OtpauthUri {
  const uri = given.uri ?? null;
  if (uri === null) {
    const secret = parseSecret(given.secret);
    return { secret, ...parseTotpParameters(given), label: null, issuer: null };
  }
  // Both a secret and a URI were given, so it is unclear which one counts.
  if ((given.secret ?? null) !== null) throw new OtpError('invalid_uri');
  return parseOtpauthUri(uri);
}

/** Decodes a label. A `%` that encodes nothing, as in `Shop 100%`, stays. */
function decodedLabel(label: string): string {
  return label.replace(/(?:%[\da-f]{2})+/gi, (codes) => {
    try {
      return decodeURIComponent(codes);
    } catch {
      return codes;
    }
  });
}

function issuerOf(label: string | null): string | null {
  const end = label?.indexOf(':') ?? -1;
  return label === null || end < 0 ? null : text(label.slice(0, end));
}

function text(value: string): string | null {
  const trimmed = value.trim();
  if (/\p{Cc}/u.test(trimmed)) throw new OtpError('invalid_uri');
  return trimmed === '' ? null : trimmed;
}

function number(value: string | null): number | null {
  if (value === null || value === '') return null;
  return /^\d+$/.test(value) ? Number(value) : Number.NaN;
}

export type TotpAlgorithm = 'sha1' | 'sha256' | 'sha512';

export interface TotpParameters {
  readonly algorithm: TotpAlgorithm;
  readonly digits: 6 | 8;
  /** The time step of RFC 6238, in seconds. */
  readonly period: number;
}

/** The parameters as a client gives them, not yet checked. Null counts as omitted. */
interface GivenParameters {
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

/** The kind of error in a secret, a parameter or a URI. The API uses the same error codes. */
type OtpErrorCode = 'invalid_secret' | 'invalid_uri' | 'invalid_algorithm' | 'invalid_digits' | 'invalid_period';

/** The error for an unreadable secret, parameter or URI. It never carries the input, which would reveal the secret. */
export class OtpError extends Error {
  override readonly name = 'OtpError';
  readonly code: OtpErrorCode;

  constructor(code: OtpErrorCode) {
    super(code);
    this.code = code;
  }
}
