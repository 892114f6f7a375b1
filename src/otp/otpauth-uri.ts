import { OtpError } from './otp-error.ts';
import { type GivenParameters, parseTotpParameters, type TotpParameters } from './parameters.ts';
import { parseSecret } from './secret.ts';

// A QR code for an authenticator app holds it: `otpauth://totp/<issuer>:<account>?secret=<base32>&issuer=...`.

export interface OtpauthUri extends TotpParameters {
  readonly secret: string;
  /** The path, decoded; null where it is empty. */
  readonly label: string | null;
  /** The parameter, else the label's first half. */
  readonly issuer: string | null;
}

const MAX_URI = 4_096;

/** Throws `invalid_uri`, whatever part of it is wrong; never with a cause, which would show the secret. */
export function parseOtpauthUri(value: unknown): OtpauthUri {
  const uri = typeof value === 'string' ? value.trim() : '';
  if (uri.length > MAX_URI || !URL.canParse(uri)) throw new OtpError('invalid_uri');
  const { protocol, host, pathname, searchParams } = new URL(uri);
  // The case of the type is not the parser's to fold: it knows no host in a scheme of others.
  if (protocol !== 'otpauth:' || host.toLowerCase() !== 'totp') throw new OtpError('invalid_uri');
  try {
    const label = text(decodeURIComponent(pathname.replace(/^\//, '')));
    const issuer = text(searchParams.get('issuer') ?? '');
    return {
      secret: parseSecret(searchParams.get('secret')),
      ...parseTotpParameters({
        algorithm: searchParams.get('algorithm'),
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

/** A secret with its parameters, or a URI that says it all. Null counts as omitted. */
export interface TotpSource extends GivenParameters {
  readonly secret?: unknown;
  readonly uri?: unknown;
}

/** Reads either. Throws `invalid_uri`, or `invalid_secret`, `invalid_algorithm`, `invalid_digits`, `invalid_period`. */
export function parseTotpSource(given: TotpSource): OtpauthUri {
  const uri = given.uri ?? null;
  if (uri === null) {
    const secret = parseSecret(given.secret);
    return { secret, ...parseTotpParameters(given), label: null, issuer: null };
  }
  // Two secrets: which one is meant can't be told.
  if ((given.secret ?? null) !== null) throw new OtpError('invalid_uri');
  return parseOtpauthUri(uri);
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
  if (value === null) return null;
  return /^\d+$/.test(value) ? Number(value) : Number.NaN;
}
