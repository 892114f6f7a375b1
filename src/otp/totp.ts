import { createGuardrails, generateSync } from 'otplib';
import type { TotpParameters } from './otpauth-uri.ts';

// TOTP codes (RFC 6238). Import this file only when a code is needed, because otplib takes long to load.

export interface TotpCode {
  readonly code: string;
  /** The end of the code's time step, in milliseconds since 1970. */
  readonly expiresAt: number;
  /** The remaining seconds, from 1 to the period. */
  readonly expiresInSeconds: number;
}

// otplib requires secrets of 128 bits. Real services often issue 80 bits.
const guardrails = createGuardrails({ MIN_SECRET_BYTES: 1, MAX_SECRET_BYTES: 1_024 });

/**
 * Computes the code that an authenticator app shows at `at`, in milliseconds since 1970. `secret` must come from
 * `parseSecret`.
 */
export function codeAt(authenticator: TotpParameters & { readonly secret: string }, at: number): TotpCode {
  const { secret, algorithm, digits, period } = authenticator;
  const epoch = Math.floor(at / 1_000);
  const code = generateSync({ secret, algorithm, digits, period, epoch, guardrails });
  const expiresAt = (Math.floor(epoch / period) + 1) * period * 1_000;
  return { code, expiresAt, expiresInSeconds: Math.ceil((expiresAt - at) / 1_000) };
}
