import type { Context } from '../context.ts';
import type { MessageId } from '../domain/ids.ts';
import type { Message } from '../domain/message.ts';
import { parentsIn, threadIdOf } from '../domain/thread.ts';
import type { CancelSignal } from '../ports/waiting.ts';
import { readParsed, unlessGone } from './read-message.ts';
import { searchMessages } from './search-messages.ts';

/** A conversation: the messages of one mailbox that answer one another. */
export interface Thread {
  readonly threadId: string;
  /** The newest messages of the conversation, the oldest of them first. */
  readonly messages: readonly { readonly message: Message; readonly parentId: MessageId | null }[];
  /** The number of all its messages. */
  readonly total: number;
  /** Tells whether all messages of the mailbox were searched. */
  readonly complete: boolean;
}

/** The number of messages of a conversation that are listed. */
export const MOST_IN_THREAD = 100;

/** Finds the conversation of a message, in its mailbox. */
export async function readThread(ctx: Context, message: Message, cancelSignal: CancelSignal): Promise<Thread> {
  const threadId = threadIdOf((await readParsed(ctx, message)).headers, message.id);
  const found = await searchMessages(ctx, {
    scope: { mailboxId: message.mailboxId },
    query: [{ kind: 'text', field: 'thread', not: false, text: threadId }],
    limit: MOST_IN_THREAD,
    cancelSignal,
  });
  const read = await Promise.all(
    found.items.map((one) =>
      unlessGone(ctx, one, async () => ({ message: one, headers: (await readParsed(ctx, one)).headers })),
    ),
  );
  const mails = read.filter((one) => one !== null).reverse();
  const parents = parentsIn(mails.map(({ message: { id }, headers }) => ({ id, headers })));
  const messages = mails.map((one) => ({ message: one.message, parentId: parents.get(one.message.id) ?? null }));
  return { threadId, messages, total: found.total, complete: found.complete };
}
