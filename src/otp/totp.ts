import { createGuardrails, generateSync } from 'otplib';
import type { TotpParameters } from './parameters.ts';

// RFC 6238. Import this file where a code is asked for, not before: otplib takes longer to load than most of the rest.

export interface TotpCode {
  readonly code: string;
  /** The period's end, milliseconds since 1970. */
  readonly expiresAt: number;
  /** 1 to the period. */
  readonly expiresInSeconds: number;
}

// otplib asks for 128 bits of a secret; the services whose secrets these are often gave 80.
const guardrails = createGuardrails({ MIN_SECRET_BYTES: 1, MAX_SECRET_BYTES: 1_024 });

/** The code an authenticator app would show at that moment, milliseconds since 1970. `secret` is what `parseSecret` returns. */
export function codeAt(authenticator: TotpParameters & { readonly secret: string }, at: number): TotpCode {
  const { secret, algorithm, digits, period } = authenticator;
  const epoch = Math.floor(at / 1_000);
  const code = generateSync({ secret, algorithm, digits, period, epoch, guardrails });
  const expiresAt = (Math.floor(epoch / period) + 1) * period * 1_000;
  return { code, expiresAt, expiresInSeconds: Math.ceil((expiresAt - at) / 1_000) };
}
