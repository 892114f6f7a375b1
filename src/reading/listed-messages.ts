import { setImmediate } from 'node:timers/promises';
import type { Context } from '../context.ts';
import type { MailboxId, MessageId } from '../domain/ids.ts';
import type { Message } from '../domain/message.ts';
import { momentNow } from '../ports/system.ts';
import type { CancelSignal } from '../ports/waiting.ts';

/** The rows of one step. A step takes some milliseconds. */
const ROWS = 2_000;

/**
 * Shows every message of a mailbox to `visit`, the newest first, without making an object for each. The row that it
 * gets may change after the call, so it must not keep it.
 */
export async function visitMessages(
  ctx: Context,
  mailboxId: MailboxId,
  visit: (row: Message) => void,
  cancelSignal: CancelSignal,
): Promise<void> {
  const wanted = (row: Message): false => {
    visit(row);
    return false;
  };
  for (let before: MessageId | undefined; !cancelSignal.isCancelled; ) {
    const now = momentNow(ctx.clock);
    const { next } = await ctx.store.read.messages.walk({ mailboxId, before, rows: ROWS, now, wanted });
    if (next === null) return;
    before = next;
    await setImmediate();
  }
}
