import { isUrl } from '../text/is-url.ts';
import { OtpError } from './otp-error.ts';
import { type GivenParameters, parseTotpParameters, type TotpParameters } from './parameters.ts';
import { parseSecret } from './secret.ts';

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
