import { comparableAddress } from './address.ts';
import { parseAddress } from './address-list.ts';
import { refuse } from './errors.ts';
import type { SuppressionId, WorkspaceId } from './ids.ts';

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
