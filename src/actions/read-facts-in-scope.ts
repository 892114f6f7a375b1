import type { Context } from '../context.ts';
import { type ApiKey, canReadMailbox } from '../domain/api-key.ts';
import type { Facts, Message } from '../domain/message.ts';
import type { Reader } from '../ports/store.ts';
import { readFacts } from './read-message.ts';
import { MailRefused, routeRecipient } from './receive-message.ts';

/**
 * Reads the facts of a message and removes those that the key may not know. One mail can reach mailboxes of several
 * workspaces; recipients outside the key's scope, such as blind copies, are left out.
 */
export async function readFactsInScope(ctx: Context, key: ApiKey, message: Message): Promise<Facts> {
  const facts = await readFacts(ctx, message);
  const { mailFrom, rcptTo } = facts.envelope;
  const own = new Set(message.rcptTo);
  if (rcptTo.every((recipient) => own.has(recipient))) return facts;
  const reader = await ctx.store.readNow();
  const known: string[] = [];
  for (const recipient of rcptTo)
    if (own.has(recipient) || (await isForReadable(ctx, reader, key, recipient))) known.push(recipient);
  return { ...facts, envelope: { mailFrom, rcptTo: known } };
}

async function isForReadable(ctx: Context, reader: Reader, key: ApiKey, recipient: string): Promise<boolean> {
  try {
    return canReadMailbox(key, await routeRecipient(ctx, reader, recipient));
  } catch (error) {
    if (error instanceof MailRefused) return false;
    throw error;
  }
}
