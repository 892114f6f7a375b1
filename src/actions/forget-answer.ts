import { traceId, withoutDetails } from '../domain/idempotency.ts';
import type { MailboxId, WebhookId } from '../domain/ids.ts';
import type { Tx } from '../ports/store.ts';

/**
 * Empties the texts of the stored answer that tells of a created resource. Whoever deletes a resource calls this, so that
 * what a client wrote does not stay, and so that creating and deleting does not fill the memory.
 */
export async function forgetAnswer(tx: Tx, resourceId: MailboxId | WebhookId): Promise<void> {
  const trace = await tx.idempotency.get(traceId(resourceId));
  const record = trace?.body == null ? null : await tx.idempotency.get(trace.body);
  // After its 24 hours the same key may have created something else.
  if (record?.resourceId === resourceId) await tx.idempotency.put(withoutDetails(record));
}
