import { comparableAddress } from './address.ts';
import { parseAddress } from './address-list.ts';
import { refuse } from './errors.ts';
import type { SuppressionId, WorkspaceId } from './ids.ts';

/** An address that bounced or complained: outbound sends refuse it. */
export interface SuppressionEntry {
  readonly id: SuppressionId;
  readonly workspaceId: WorkspaceId;
  /** As addresses are compared: the domain in A-labels, all in lower case. */
  readonly recipient: string;
  readonly reason: 'bounce' | 'complaint';
  readonly addedAt: number;
}

/** An entry as the local API takes it. Throws `invalid_recipient`, `invalid_reason`. */
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
