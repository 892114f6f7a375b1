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

/** The facts that decide which domains a workspace may send from. */
interface SendingFacts {
  readonly workspaceId: WorkspaceId;
  readonly mailDomain: string;
  /** The domains that were added for the workspace or for all. */
  readonly added: readonly string[];
  /** The workspace whose mailbox has the subdomain that the domain is under. Null if none has it. */
  readonly owner: WorkspaceId | null;
}

/**
 * Tells whether a workspace may send from a domain: exactly an added domain, the mail domain, or a subdomain of it that
 * no other workspace owns (docs/contract.md#identities-and-allowlist).
 */
export function isVerified(domain: string, { workspaceId, mailDomain, added, owner }: SendingFacts): boolean {
  if (added.includes(domain) || domain === mailDomain) return true;
  return domain.endsWith(`.${mailDomain}`) && (owner === null || owner === workspaceId);
}

/** Parses a domain of the local API into its stored form. Throws `invalid_domain`. */
export function parseIdentityDomain(given: unknown): string {
  const domain = typeof given === 'string' ? normalDomain(given.trim()) : null;
  if (domain === null || !isHostName(domain)) throw refuse('invalid_domain');
  return domain;
}
