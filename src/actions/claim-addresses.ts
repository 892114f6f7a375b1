import { claimKey, MAX_CLAIMED, parseClaim } from '../domain/claimed-address.ts';
import { ApiError, refuse } from '../domain/errors.ts';
import { type MailboxId, parseUlid } from '../domain/ids.ts';
import type { Mailbox } from '../domain/mailbox.ts';
import type { Tx } from '../ports/store.ts';

/**
 * Routes mail to these addresses into the mailbox. They replace the addresses it claimed before
 * (docs/contract.md#claimed-addresses). Throws `invalid_addresses` with the index of the first invalid entry, and
 * `address_taken` with the mailbox that already claims one of them.
 */
export async function claimAddresses(tx: Tx, mailbox: Mailbox, given: unknown): Promise<void> {
  const addresses = requireAddresses(given);
  try {
    await tx.mailboxes.setAddresses(mailbox.id, addresses);
  } catch (error) {
    throw error instanceof ApiError && error.code === 'address_taken' ? await withHolder(tx, error) : error;
  }
}

function requireAddresses(given: unknown): string[] {
  if (!Array.isArray(given) || given.length > MAX_CLAIMED) throw refuse('invalid_addresses');
  const byKey = new Map<string, string>();
  for (const [index, entry] of given.entries()) {
    const claim = typeof entry === 'string' ? parseClaim(entry) : null;
    if (claim === null) throw refuse('invalid_addresses', { index });
    const key = claimKey(claim);
    if (!byKey.has(key)) byKey.set(key, claim);
  }
  return [...byKey.values()];
}

/**
 * Adds the names of the mailbox and workspace that claim the address to the error. It tells two tests that claim the
 * same address about each other.
 */
async function withHolder(tx: Tx, { code, extra }: ApiError): Promise<ApiError> {
  const id = parseUlid<MailboxId>(String(extra['mailboxId']));
  const holder = id === null ? null : await tx.mailboxes.get(id);
  const workspace = holder === null ? null : await tx.workspaces.get(holder.workspaceId);
  return refuse(code, {
    ...extra,
    mailboxName: holder?.name ?? '',
    workspaceId: workspace?.id ?? '',
    workspaceName: workspace?.name ?? '',
  });
}
