import { isHostName, normalDomain } from './address.ts';
import { refuse } from './errors.ts';
import type { IdentityId, WorkspaceId } from './ids.ts';

/** A domain that a workspace may send from. */
export interface Identity {
  readonly id: IdentityId;
  readonly workspaceId: WorkspaceId;
  /** The domain in lower-case A-labels. */
  readonly domain: string;
  readonly createdAt: number;
}

/**
 * Tells whether a workspace may send from a domain: the mail domain and its subdomains, or exactly an added domain
 * (docs/contract.md#identities-and-allowlist).
 */
export function isVerified(domain: string, mailDomain: string, added: readonly string[]): boolean {
  return domain === mailDomain || domain.endsWith(`.${mailDomain}`) || added.includes(domain);
}

/** Parses a domain of the local API into its stored form. Throws `invalid_domain`. */
export function parseIdentityDomain(given: unknown): string {
  const domain = typeof given === 'string' ? normalDomain(given.trim()) : null;
  if (domain === null || !isHostName(domain)) throw refuse('invalid_domain');
  return domain;
}
