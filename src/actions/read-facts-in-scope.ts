import type { Context } from '../context.ts';
import { type ApiKey, canReadMailbox } from '../domain/api-key.ts';
import type { Facts, Message } from '../domain/message.ts';
import { readFacts } from './read-message.ts';
import { MailRefused, routeRecipient } from './receive-message.ts';

/**
 * Reads the facts of a message and hides what the key may not know. One mail can reach mailboxes of several workspaces;
 * recipients outside the key's scope, such as blind copies, are left out.
 */
export async function readFactsInScope(ctx: Context, key: ApiKey, message: Message): Promise<Facts> {
  const facts = await readFacts(ctx, message);
  const { mailFrom, rcptTo } = facts.envelope;
  const own = new Set(message.rcptTo);
  // All at once: a store on a database answers the reads of one turn with one question.
  const isKnown = await Promise.all(
    rcptTo.map((recipient) => own.has(recipient) || isForReadable(ctx, key, recipient)),
  );
  const known = rcptTo.filter((_, at) => isKnown[at]);
  return { ...facts, envelope: { mailFrom, rcptTo: known } };
}

async function isForReadable(ctx: Context, key: ApiKey, recipient: string): Promise<boolean> {
  try {
    return canReadMailbox(key, await routeRecipient(ctx, ctx.store.read, recipient));
  } catch (error) {
    if (error instanceof MailRefused) return false;
    throw error;
  }
}
