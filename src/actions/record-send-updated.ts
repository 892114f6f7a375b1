import type { Context } from '../context.ts';
import type { Send } from '../domain/send.ts';
import type { Tx } from '../ports/store.ts';
import { recordEvent } from './record-event.ts';

/** Records an event with the state of a send and of each recipient. */
export async function recordSendUpdated(ctx: Context, tx: Tx, send: Send): Promise<void> {
  const { id: sendId, mailboxId, messageId, state } = send;
  const recipients = send.recipients.map(({ address, state: reached }) => ({ address, state: reached }));
  await recordEvent(ctx, tx, 'send.updated', send.workspaceId, { sendId, mailboxId, messageId, state, recipients });
}
