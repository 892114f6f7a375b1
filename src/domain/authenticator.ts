import { OtpError } from '../otp/otp-error.ts';
import { type OtpauthUri, parseTotpSource as readTotpSource, type TotpSource } from '../otp/otpauth-uri.ts';
import { refuse } from './errors.ts';
import type { AuthenticatorId, WorkspaceId } from './ids.ts';
import { parseName } from './workspace.ts';

/** What an authenticator app stores for one account. The secret leaves the process in no answer and no log. */
export interface Authenticator extends OtpauthUri {
  readonly id: AuthenticatorId;
  readonly workspaceId: WorkspaceId;
  readonly name: string;
  readonly createdAt: number;
}

/** As it comes from outside: a secret with its parameters, or a URI that says it all. Null counts as omitted. */
export interface NewAuthenticator extends TotpSource {
  readonly name?: unknown;
}

/** Throws `invalid_name`, then `invalid_uri`, or `invalid_secret`, `invalid_algorithm`, `invalid_digits`, `invalid_period`. */
export function parseNewAuthenticator(given: NewAuthenticator): OtpauthUri & { readonly name: string } {
  const name = parseName(given.name);
  if (name === null) throw refuse('invalid_name');
  return { name, ...parseTotpSource(given) };
}

/** Reads a secret with its parameters, or a URI. Throws `invalid_uri`, or `invalid_secret`, `invalid_algorithm`, `invalid_digits`, `invalid_period`. */
export function parseTotpSource(given: TotpSource): OtpauthUri {
  try {
    return readTotpSource(given);
  } catch (error) {
    // Never with a cause, which might show the secret.
    throw error instanceof OtpError ? refuse(error.code) : error;
  }
}
