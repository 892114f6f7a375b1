import { OtpError } from '../../otp/otp-error.ts';
import { type OtpauthUri, parseTotpSource } from '../../otp/otpauth-uri.ts';
import type { Api } from '../connection/api.ts';
import type { TotpFields } from '../connection/local-resources.ts';
import type { TotpCodeResponse } from '../connection/resources.ts';
import { now } from '../environment.ts';
import { OptionError } from '../errors.ts';
import { checkOptions, count, filledText, oneOf, text } from '../options/check-options.ts';
import type { Settings } from '../options/options.ts';
import type { CallOptions } from '../transport/deadline.ts';
import { ownWorkspace } from '../workspace-clock.ts';
import { type Authenticator, createAuthenticatorHandle, type TimedCode } from './authenticator.ts';

/** The secret of a second factor and its parameters, as an authenticator app gets them from a QR code. */
export interface TotpSecret {
  /** The secret in base32 (RFC 4648), in either case. Spaces and hyphens are allowed between its characters. */
  readonly secret: string;
  /** The hash function; `'SHA1'` if left out. */
  readonly algorithm?: 'SHA1' | 'SHA256' | 'SHA512' | undefined;
  /** The number of digits of a code; 6 if left out. */
  readonly digits?: 6 | 8 | undefined;
  /** The length of a time step in seconds, from 15 to 120; 30 if left out. */
  readonly period?: number | undefined;
}

/**
 * The source of the codes: the id of an authenticator on the server, an `otpauth://totp/` URI, or a secret.
 *
 * @example client.authenticator({ secret: 'JBSWY3DPEHPK3PXP', digits: 8 });
 */
export type AuthenticatorOptions = { readonly id: string } | { readonly uri: string } | TotpSecret;

const OPTIONS = {
  id: filledText,
  uri: text,
  secret: text,
  algorithm: oneOf('SHA1', 'SHA256', 'SHA512'),
  digits: oneOf(6, 8),
  period: count,
};
const EXAMPLE = 'An id, a secret or an otpauth:// URI, as text, or { secret: ... }.';

/**
 * Every ULID until the year 3084 begins with `0`, which is not a base32 character. So no id is mistaken for a secret.
 */
const ULID = /^0[0-9A-HJKMNP-TV-Z]{25}$/i;

/**
 * Creates the handle of an authenticator without a request. A local server computes the codes, so that they follow the
 * clock of the client's workspace, and stores nothing. Without a local server the client computes them. Throws an OptionError for an invalid
 * option; its message never shows the secret.
 */
export function openAuthenticator(api: Api, settings: Settings, given: AuthenticatorOptions | string): Authenticator {
  const options = typeof given === 'string' ? optionsOf(given) : given;
  checkOptions('The argument of authenticator()', options, OPTIONS, EXAMPLE);
  if ('id' in options) {
    filledText('id', options.id);
    const { id } = options;
    const ask = async (o: CallOptions) => timed(await api.getTotpCode(id, o));
    return createAuthenticatorHandle({ id, key: `id ${id}`, signal: settings.signal, ask });
  }
  const source = sourceOf(options);
  const ask = async (o: CallOptions) =>
    (await api.hasLocalApi()) ? timed(await ofServer(api, source, o)) : computed(source);
  return createAuthenticatorHandle({ id: null, key: `secret ${source.secret}`, signal: settings.signal, ask });
}

function optionsOf(text: string): AuthenticatorOptions {
  if (/^\s*otpauth:/i.test(text)) return { uri: text };
  return ULID.test(text) ? { id: text } : { secret: text };
}

const WRONG = {
  invalid_secret: 'The secret of the authenticator is not base32.',
  invalid_uri: 'The URI is not an otpauth://totp/ URI, or a part of it is wrong.',
  invalid_algorithm: 'algorithm must be SHA1, SHA256 or SHA512.',
  invalid_digits: 'digits must be 6 or 8.',
  invalid_period: 'period must be 15 to 120 seconds.',
};

function sourceOf(options: AuthenticatorOptions): OtpauthUri {
  if (!('uri' in options) && !('secret' in options))
    throw new OptionError('authenticator needs an id, a secret or a uri.', EXAMPLE);
  try {
    return parseTotpSource(options);
  } catch (error) {
    throw error instanceof OtpError ? new OptionError(WRONG[error.code]) : error;
  }
}

function fieldsOf({ secret, algorithm, digits, period }: OtpauthUri): TotpFields {
  const ALGORITHMS = { sha1: 'SHA1', sha256: 'SHA256', sha512: 'SHA512' } as const;
  return { secret, algorithm: ALGORITHMS[algorithm], digits, period };
}

/** Lets the server compute the code, by the clock of the client's workspace. */
async function ofServer(api: Api, source: OtpauthUri, options: CallOptions): Promise<TotpCodeResponse> {
  const workspaceId = await ownWorkspace(api);
  return api.local.computeTotpCode({ ...fieldsOf(source), ...(workspaceId !== null && { workspaceId }) }, options);
}

function timed({ code, expiresAt, expiresInSeconds }: TotpCodeResponse): TimedCode {
  // The server rounds the seconds up.
  const leftAtMostMs = expiresInSeconds * 1_000;
  return { code, expiresAt: Date.parse(expiresAt), leftMs: leftAtMostMs - 1_000, leftAtMostMs };
}

/** Computes the code by this machine's clock. */
async function computed(source: OtpauthUri): Promise<TimedCode> {
  // The module is loaded only when no server computes the codes.
  const { codeAt } = await import('../../otp/totp.ts');
  const at = now();
  const { code, expiresAt } = codeAt(source, at);
  return { code, expiresAt, leftMs: expiresAt - at, leftAtMostMs: expiresAt - at };
}
