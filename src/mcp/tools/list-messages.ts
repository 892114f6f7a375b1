import { z } from 'zod';
import { MAILBOX } from '../fields.ts';
import { findMailboxMeant } from '../find-mailbox.ts';
import { listResult } from '../results/list.ts';
import { tool } from '../tool.ts';

const MOST = 50;

export const listMessages = tool('list_messages', {
  description: 'List mail, newest first. query: words and from: to: subject: has:code before: after:',
  input: z.object({
    mailbox: MAILBOX,
    query: z.string().optional(),
    limit: z.int().min(1).max(MOST).default(5),
  }),
  output: z.object({
    messages: z.array(z.object({ message_id: z.string(), received_at: z.string() })),
    more: z.boolean(),
    content: z.string(),
  }),
  isReading: true,
  run: async ({ desk, signal }, { mailbox: named, query = '', limit }) => {
    const client = await desk.client();
    const { id, to } = await findMailboxMeant(client, named, { signal });
    const words = [query, ...(to === null ? [] : [`addressed:"${to.replaceAll('"', '')}"`])].join(' ').trim();
    // One more than the limit tells whether there are more.
    const page = { limit: limit + 1 };
    const found =
      words === ''
        ? await client.listMessages(id, page, { signal })
        : (await client.local.searchMessages(id, { ...page, query: words }, { signal })).items;
    return listResult(found.slice(0, limit), found.length > limit, desk.fenceId());
  },
});
