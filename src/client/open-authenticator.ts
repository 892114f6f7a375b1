import { type Authenticator, createAuthenticatorHandle } from './authenticator.ts';
import { CALL, checkOptions, count, filledText, oneOf, text } from './check-options.ts';
import type { Client } from './client.ts';
import type { CallOptions } from './deadline.ts';
import { OptionError } from './errors.ts';
import type { AuthenticatorFields } from './local-resources.ts';
import type { Settings } from './options.ts';
import { codeNow, parseOtpauth, plainSecret, type TimedCode, type TotpSecret } from './totp.ts';

/** One that the server has, or what an authenticator app is told: a secret or an `otpauth://totp/` URI. */
export type AuthenticatorOptions = CallOptions &
  (
    | { readonly id: string }
    | { readonly uri: string; readonly name?: string | undefined }
    | (TotpSecret & { readonly name?: string | undefined })
  );

const OPTIONS = {
  ...CALL,
  id: filledText,
  uri: text,
  secret: text,
  algorithm: oneOf('SHA1', 'SHA256', 'SHA512'),
  digits: oneOf(6, 8),
  period: count,
  name: text,
};
const EXAMPLE = 'An id, a secret or an otpauth:// URI, as text, or { secret: ... }.';

/** A ULID of these centuries begins with a digit that no base32 has. */
const ULID = /^0[0-9A-HJKMNP-TV-Z]{25}$/i;

/**
 * A handle of an authenticator. A local server is told the secret, so that codes follow its clock; in the cloud, which is told
 * secrets in its dashboard alone, the client computes them.
 */
export async function openAuthenticator(
  client: Client,
  settings: Settings,
  given: AuthenticatorOptions | string,
): Promise<Authenticator> {
  const options = typeof given === 'string' ? optionsOf(given) : given;
  checkOptions('What authenticator is given', options, OPTIONS, EXAMPLE);
  const { timeout, signal } = options;
  const call = { timeout, signal };
  if ('id' in options) {
    filledText('id', options.id);
    return ofServer(client, settings, options.id, `id ${options.id}`, async () => {});
  }
  if ('uri' in options) text('uri', options.uri);
  const secret = 'uri' in options ? parseOtpauth(options.uri) : options;
  if (secret.secret === undefined) throw new OptionError('authenticator needs an id, a secret or a uri.', EXAMPLE);
  const key = `secret ${plainSecret(secret.secret)}`;
  if (!(await client.hasLocalApi())) {
    const ask = () => codeNow(secret);
    return createAuthenticatorHandle({ id: null, key, signal: settings.signal, ask, remove: async () => {} });
  }
  const fields = fieldsOf(secret, options.name ?? 'test');
  const { id } = await client.local.createAuthenticator(await client.workspaceId(), fields, call);
  return ofServer(client, settings, id, key, (o) => client.local.deleteAuthenticator(id, o));
}

function optionsOf(text: string): AuthenticatorOptions {
  if (/^otpauth:/i.test(text)) return { uri: text };
  return ULID.test(text) ? { id: text } : { secret: text };
}

function fieldsOf({ secret, algorithm, digits, period }: TotpSecret, name: string): AuthenticatorFields {
  return { name, secret, algorithm, digits, period };
}

function ofServer(
  client: Client,
  settings: Settings,
  id: string,
  key: string,
  remove: (options?: CallOptions) => Promise<void>,
): Authenticator {
  const ask = async (options: CallOptions): Promise<TimedCode> => {
    const { code, expiresAt, expiresInSeconds } = await client.getTotpCode(id, options);
    // The seconds are rounded up.
    const leftAtMostMs = expiresInSeconds * 1_000;
    return { code, expiresAt: Date.parse(expiresAt), leftMs: leftAtMostMs - 1_000, leftAtMostMs };
  };
  return createAuthenticatorHandle({ id, key, signal: settings.signal, ask, remove });
}
