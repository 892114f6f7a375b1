import type { Webhook } from '../domain/webhook.ts';
import type { Tx } from '../ports/store.ts';
import { forgetAnswer } from './forget-answer.ts';

/** Deletes an interceptor with its captured requests. */
export async function deleteWebhook(tx: Tx, { id }: Webhook): Promise<void> {
  await forgetAnswer(tx, id);
  await tx.webhooks.remove(id);
}
