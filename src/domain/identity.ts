import { normalDomain } from './address.ts';
import { refuse } from './errors.ts';
import { isHostName } from './host-name.ts';
import type { IdentityId, WorkspaceId } from './ids.ts';

/** A domain that a workspace may send from. */
export interface Identity {
  readonly id: IdentityId;
  readonly workspaceId: WorkspaceId;
  /** In A-labels and lower case. */
  readonly domain: string;
  readonly createdAt: number;
}

/** The mail domain and everything under it, and the domains added, those alone (docs/contract.md#identities-and-allowlist). */
export function isVerified(domain: string, mailDomain: string, added: readonly string[]): boolean {
  return domain === mailDomain || domain.endsWith(`.${mailDomain}`) || added.includes(domain);
}

/** A domain as the local API takes it, in the form it is kept in. Throws `invalid_domain`. */
export function parseIdentityDomain(given: unknown): string {
  const domain = typeof given === 'string' ? normalDomain(given.trim()) : null;
  if (domain === null || !isHostName(domain)) throw refuse('invalid_domain');
  return domain;
}
