import { z } from 'zod';
import { MESSAGE_ID } from '../fields.ts';
import { findMessage } from '../find-message.ts';
import { MESSAGE_FIELDS, MESSAGE_PARTS, messageResult } from '../results/message.ts';
import { tool } from '../tool.ts';

const MOST_CHARACTERS = 100_000;

export const readMessage = tool('read_message', {
  description: 'Read a mail. visible is what a person sees.',
  input: z.object({
    message_id: MESSAGE_ID,
    part: z.enum(MESSAGE_PARTS).default('visible'),
    max_chars: z.int().min(1).max(MOST_CHARACTERS).optional(),
  }),
  output: z.object(MESSAGE_FIELDS),
  isReading: true,
  run: async ({ desk, signal }, { message_id: id, part, max_chars: maxChars }) => {
    const message = await findMessage(await desk.client(), id, { signal });
    return messageResult(message, { fenceId: desk.fenceId(), part, maxChars });
  },
});
