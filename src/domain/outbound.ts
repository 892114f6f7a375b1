import { comparableAddress, isHostName, normalDomain, parseEnvelopeAddress } from './address.ts';
import { parseAddress } from './address-list.ts';
import { refuse } from './errors.ts';
import type { IdentityId, SuppressionId, WorkspaceId } from './ids.ts';

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

export const MAX_ALLOWLIST = 1_000;

/** The addresses that an entry allows: one, every address at a domain, or also those below the domain. */
type Allowed =
  | { readonly kind: 'address'; readonly address: string }
  | { readonly kind: 'at' | 'below'; readonly domain: string };

/**
 * Tells whether a text is an allowlist entry: an address, `*@domain` for every address at the domain, or `*.domain` for
 * those at its subdomains too (docs/contract.md#identities-and-allowlist). Every entry can match a recipient of a send.
 */
export function isAllowlistEntry(entry: string): boolean {
  return parseEntry(entry) !== null;
}

function parseEntry(entry: string): Allowed | null {
  if (entry.length > 320 || /[\s,<>()]/.test(entry)) return null;
  const wildcard = /^\*([@.])/.exec(entry)?.[1];
  // A pattern is parsed as an address, so that its domain follows the same rules and is converted to A-labels.
  const parsed = parseAddress(wildcard === undefined ? entry : `any@${entry.slice(2)}`);
  if (parsed === null) return null;
  const { address, domain } = parsed;
  if (wildcard !== undefined) return { kind: wildcard === '@' ? 'at' : 'below', domain };
  // Mail systems do not use a star in an address. The user probably meant a pattern that is not supported, such as
  // `ada*@x.test`.
  return address.includes('*') ? null : { kind: 'address', address: comparableAddress(address) };
}

/**
 * Returns a predicate that tells whether an address is on the allowlist. The simulator always is
 * (docs/contract.md#bounces-and-the-simulator).
 */
export function allowlistMatcher(allowlist: readonly string[], mailDomain: string): (address: string) => boolean {
  const addresses = new Set<string>();
  const domains = { at: new Set<string>(), below: new Set<string>() };
  for (const entry of allowlist) {
    const allowed = parseEntry(entry);
    if (allowed?.kind === 'address') addresses.add(allowed.address);
    else if (allowed !== null) domains[allowed.kind].add(allowed.domain);
  }
  return (address) => {
    const domain = parseEnvelopeAddress(address)?.domain ?? '';
    return (
      isSimulator(address, mailDomain) ||
      addresses.has(comparableAddress(address)) ||
      domains.at.has(domain) ||
      enclosing(domain).some((one) => domains.below.has(one))
    );
  };
}

/** Lists the domain and all its parent domains. */
function enclosing(domain: string): string[] {
  const labels = domain.split('.');
  return labels.map((_label, at) => labels.slice(at).join('.'));
}

/** An address that bounced or complained. Sends to it are refused. */
export interface SuppressionEntry {
  readonly id: SuppressionId;
  readonly workspaceId: WorkspaceId;
  /** The address in the form in which addresses are compared: lower case, with the domain in A-labels. */
  readonly recipient: string;
  readonly reason: 'bounce' | 'complaint';
  readonly addedAt: number;
}

/** Parses an entry of the local API. Throws `invalid_recipient` and `invalid_reason`. */
export function parseSuppression(given: {
  readonly recipient?: unknown;
  readonly reason?: unknown;
}): Pick<SuppressionEntry, 'recipient' | 'reason'> {
  const listed = typeof given.recipient === 'string' ? parseAddress(given.recipient) : null;
  if (listed === null) throw refuse('invalid_recipient');
  const { reason } = given;
  if (reason !== 'bounce' && reason !== 'complaint') throw refuse('invalid_reason');
  return { recipient: comparableAddress(listed.address), reason };
}

/**
 * The outcomes that the simulator's addresses cause: `bounce@simulator.{mail_domain}`, also with a tag such as
 * `bounce+42@...`.
 */
export type SimulatedOutcome = 'bounce' | 'complaint' | 'success';

export function isSimulator(address: string, mailDomain: string): boolean {
  return parseEnvelopeAddress(address)?.domain === `simulator.${mailDomain}`;
}

/** Returns the outcome of a simulator address. Null for any other address or name. */
export function simulated(address: string, mailDomain: string): SimulatedOutcome | null {
  if (!isSimulator(address, mailDomain)) return null;
  const [name] = (parseEnvelopeAddress(address)?.localPart ?? '').toLowerCase().split('+');
  return name === 'bounce' || name === 'complaint' || name === 'success' ? name : null;
}
