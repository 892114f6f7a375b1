import { z } from 'zod';
import { diagnose, filterFor } from '../diagnose.ts';
import { FILTER, MAILBOX } from '../fields.ts';
import { findMailboxMeant } from '../find-mailbox.ts';
import { tool } from '../tool.ts';

export const diagnoseMailbox = tool('diagnose', {
  description: 'Why no mail matched in the last 5 minutes: what came, went elsewhere, or was refused by SMTP.',
  input: z.object({ mailbox: MAILBOX, ...FILTER }),
  output: z.object({ reason: z.string(), content: z.string() }),
  isReading: true,
  run: async (call, { mailbox: named, ...given }) => {
    const client = await call.desk.client();
    const mailbox = await findMailboxMeant(client, named, { signal: call.signal });
    return { ...(await diagnose(call, client, mailbox, filterFor(mailbox, given))) };
  },
});
