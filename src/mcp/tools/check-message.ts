import { z } from 'zod';
import { MESSAGE_ID } from '../fields.ts';
import { findMessage } from '../find-message.ts';
import { checksResult } from '../results/checks.ts';
import { tool } from '../tool.ts';

export const checkMessage = tool('check_message', {
  description: 'Check a mail: client support, links, placeholders, unsubscribe, accessibility, size, authentication.',
  input: z.object({ message_id: MESSAGE_ID }),
  output: z.object({
    passed: z.boolean(),
    errors: z.int(),
    warnings: z.int(),
    rules: z.array(z.string()),
    content: z.string(),
  }),
  isReading: true,
  run: async ({ desk, signal }, { message_id }) => {
    const client = await desk.client();
    const { id } = await findMessage(client, message_id, { signal });
    return checksResult(await client.local.checkMessage(id, {}, { signal }), desk.fenceId());
  },
});
