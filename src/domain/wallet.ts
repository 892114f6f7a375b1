import { refuse } from './errors.ts';

// The wallet counts in 1/1000 of a cent, which makes $0.50 per 1,000 emails exact (docs/api.md#outbound).

export const EMAIL_MILLICENTS = 50;

/**
 * Returns the balance after this many emails. Throws `insufficient_funds` with `balance_cents`, rounded down, and
 * `required_cents`, rounded up.
 */
export function debit(balanceMillicents: number, emails: number): number {
  const required = emails * EMAIL_MILLICENTS;
  if (required > balanceMillicents) {
    throw refuse('insufficient_funds', {
      balance_cents: Math.floor(balanceMillicents / 1_000),
      required_cents: Math.ceil(required / 1_000),
    });
  }
  return balanceMillicents - required;
}
