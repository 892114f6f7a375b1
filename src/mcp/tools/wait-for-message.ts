import { z } from 'zod';
import { diagnose, filterFor } from '../diagnose.ts';
import { FILTER, MAILBOX, TIMEOUT } from '../fields.ts';
import { findMailboxMeant } from '../find-mailbox.ts';
import { EXTRACTS, MESSAGE_FIELDS, messageResult } from '../results/message.ts';
import { tool } from '../tool.ts';
import { LOOK_BACK_MS, serverNow, waitForNew } from '../wait.ts';

const { content, ...facts } = MESSAGE_FIELDS;

export const waitForMessage = tool('wait_for_message', {
  description:
    'Wait for the newest mail, from 2 minutes ago on, that no wait returned yet. Filters match parts in any case. On timeout, reason says why.',
  input: z.object({ mailbox: MAILBOX, ...FILTER, extract: z.enum(EXTRACTS).default('none'), timeout: TIMEOUT }),
  output: z.object({
    found: z.boolean(),
    reason: z.string().optional(),
    ...z.object(facts).partial().shape,
    content,
  }),
  run: async (call, { mailbox: named, extract, timeout, ...given }) => {
    const { desk, signal } = call;
    const client = await desk.client();
    const mailbox = await findMailboxMeant(client, named, { signal });
    const filter = filterFor(mailbox, given);
    const now = await serverNow(client, desk, signal);
    const summary = await waitForNew(call, now, timeout, (since, seconds) =>
      client.awaitMessage(mailbox.id, { ...filter, since, timeout: seconds }, { signal }),
    );
    if (summary === null)
      return {
        found: false,
        ...(await diagnose(call, client, mailbox, filter, new Date(now - LOOK_BACK_MS))),
      };
    const message = await client.getMessage(mailbox.id, summary.id, { signal });
    return { found: true, ...messageResult(message, { fenceId: desk.fenceId(), extract }) };
  },
});
