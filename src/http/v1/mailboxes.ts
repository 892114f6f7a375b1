import { z } from 'zod';
import { createMailbox } from '../../actions/create-mailbox.ts';
import { timeIn } from '../../actions/workspace-time.ts';
import { canReadMailbox } from '../../domain/api-key.ts';
import { workspaceOfKey } from '../find.ts';
import { route } from '../route.ts';
import { CreateMailboxRequest, MAILBOX_REFUSALS, MailboxResponse, toMailboxResponse } from '../schemas.ts';

// docs/api.md#mailboxes

export const mailboxes = [
  route('GET', '/v1/mailboxes', {
    id: 'listMailboxes',
    summary: 'List the mailboxes the key can read',
    returns: { 200: z.array(MailboxResponse) },
    handle: async ({ ctx, key }) => {
      const read = await ctx.store.readNow();
      const now = await timeIn(ctx, read, key.workspaceId);
      const readable = (await read.mailboxes.list(key.workspaceId)).filter((mailbox) => canReadMailbox(key, mailbox));
      return Promise.all(
        readable.map(async (mailbox) => toMailboxResponse(mailbox, await read.mailboxes.inboundUsed(mailbox.id, now))),
      );
    },
  }),

  route('POST', '/v1/workspaces/:workspaceId/mailboxes', {
    id: 'createMailbox',
    summary: 'Create a mailbox',
    description: 'Its subdomain takes mail as soon as the request is answered.',
    example: { name: 'Sign up' },
    find: workspaceOfKey,
    body: CreateMailboxRequest,
    returns: { 201: MailboxResponse },
    fails: MAILBOX_REFUSALS,
    transact: async ({ ctx, tx, found, body }) => toMailboxResponse(await createMailbox(ctx, tx, found, body), 0),
  }),
];
