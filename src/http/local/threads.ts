import { z } from 'zod';
import { MOST_IN_THREAD, readThread } from '../../actions/read-thread.ts';
import { checkTimePassed } from '../exchange.ts';
import { anyMessage, localRoute } from '../route.ts';
import { FoundMessage, toFoundMessage } from './search.ts';

// This module implements docs/search.md#conversations.

export const ThreadResponse = z.object({
  threadId: z.string().describe('The search word thread: finds the same messages by it'),
  items: z
    .array(FoundMessage.extend({ parentId: z.string().nullable().describe('The message that this one answers') }))
    .describe(`The newest ${MOST_IN_THREAD} messages, the oldest of them first`),
  total: z.int().describe('The number of all messages of the conversation'),
  complete: z.boolean().describe('false: the search ended before it had read all mails without a prepared text'),
});

export const threads = [
  localRoute('GET', '/_mailcap/messages/:id/thread', {
    id: 'getThread',
    summary: 'The conversation of a message: the messages of its mailbox that answer one another',
    resolve: anyMessage,
    returns: { 200: ThreadResponse },
    handle: async ({ ctx, found, exchange }): Promise<z.infer<typeof ThreadResponse>> => {
      const { threadId, messages, total, complete } = await readThread(ctx, found, exchange);
      checkTimePassed(exchange);
      const items = messages.map(({ message, parentId }) => ({ ...toFoundMessage(message), parentId }));
      return { threadId, items, total, complete };
    },
  }),
];
