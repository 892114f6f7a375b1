import { type OtpauthUri, OtpError, parseTotpSource as readTotpSource, type TotpSource } from '../otp/otpauth-uri.ts';
import { refuse } from './errors.ts';
import type { AuthenticatorId, WorkspaceId } from './ids.ts';
import { requireName } from './workspace.ts';

/** The TOTP key of one account, as an authenticator app stores it. The secret never appears in an answer or a log. */
export interface Authenticator extends OtpauthUri {
  readonly id: AuthenticatorId;
  readonly workspaceId: WorkspaceId;
  readonly name: string;
  readonly createdAt: number;
}

/** The request for a new authenticator: a secret with parameters, or a URI that holds both. Null counts as omitted. */
export interface NewAuthenticator extends TotpSource {
  readonly name?: unknown;
}

/**
 * Parses a new authenticator. Throws `invalid_name`, `invalid_uri`, `invalid_secret`, `invalid_algorithm`,
 * `invalid_digits` or `invalid_period`.
 */
export function parseNewAuthenticator(given: NewAuthenticator): OtpauthUri & { readonly name: string } {
  return { name: requireName(given.name), ...validTotpSource(given) };
}

/**
 * Reads a secret with its parameters, or a URI. Throws `invalid_uri`, `invalid_secret`, `invalid_algorithm`,
 * `invalid_digits` or `invalid_period`.
 */
export function validTotpSource(given: TotpSource): OtpauthUri {
  try {
    return readTotpSource(given);
  } catch (error) {
    // The error has no cause, because a cause might reveal the secret.
    throw error instanceof OtpError ? refuse(error.code) : error;
  }
}
