import { refuse } from './errors.ts';
import type { AuthenticatorId, WorkspaceId } from './ids.ts';
import { type OtpauthUri, parseOtpauthUri } from './otpauth-uri.ts';
import { type GivenParameters, parseSecret, parseTotpParameters } from './totp.ts';
import { parseName } from './workspace.ts';

/** What an authenticator app stores for one account. The secret leaves the process in no answer and no log. */
export interface Authenticator extends OtpauthUri {
  readonly id: AuthenticatorId;
  readonly workspaceId: WorkspaceId;
  readonly name: string;
  readonly createdAt: number;
}

/** As it comes from outside: a secret with its parameters, or a URI that says it all. Null counts as omitted. */
export interface NewAuthenticator extends GivenParameters {
  readonly name?: unknown;
  readonly secret?: unknown;
  readonly uri?: unknown;
}

/** Throws `invalid_name`, then `invalid_uri`, or `invalid_secret`, `invalid_algorithm`, `invalid_digits`, `invalid_period`. */
export function parseNewAuthenticator(given: NewAuthenticator): OtpauthUri & { readonly name: string } {
  const name = parseName(given.name);
  if (name === null) throw refuse('invalid_name');
  return { name, ...parseTotpSource(given) };
}

/** A secret with its parameters, or a URI. Throws `invalid_uri`, or `invalid_secret`, `invalid_algorithm`, `invalid_digits`, `invalid_period`. */
export function parseTotpSource(given: Omit<NewAuthenticator, 'name'>): OtpauthUri {
  const uri = given.uri ?? null;
  if (uri === null) {
    const secret = parseSecret(given.secret);
    return { secret, ...parseTotpParameters(given), label: null, issuer: null };
  }
  // Two secrets: which one is meant can't be told.
  if ((given.secret ?? null) !== null) throw refuse('invalid_uri');
  return parseOtpauthUri(uri);
}
