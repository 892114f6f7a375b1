import { z } from 'zod';
import { tool } from '../tool.ts';

export const createMailbox = tool('create_mailbox', {
  description: 'Make a mailbox of your own. All mail to its subdomain comes there.',
  input: z.object({ name: z.string().min(1).max(60).default('agent') }),
  output: z.object({ mailbox_id: z.string(), address: z.string() }),
  run: async ({ desk, signal }, { name }) => {
    const { id, address } = await (await desk.client()).mailbox({ name, signal });
    return { mailbox_id: id, address };
  },
});
