import { z } from 'zod';
import { deleteMailbox } from '../../actions/delete-mailbox.ts';
import { putMessage } from '../../actions/put-message.ts';
import { updateMailbox } from '../../actions/update-mailbox.ts';
import type { Context } from '../../context.ts';
import type { Mailbox } from '../../domain/mailbox.ts';
import { messageStream } from '../body.ts';
import { anyMailbox } from '../find.ts';
import { localRoute } from '../route.ts';
import { MessageSummaryResponse, toMessageSummaryResponse } from '../schemas.ts';
import { MailboxOverview, MailboxRequest, MailboxSettingsResponse, toMailboxSettingsResponse } from './schemas.ts';

// Contract 5: a mailbox's settings, and what is put in it.

export const localMailboxes = [
  localRoute('GET', '/_mailcap/mailboxes', {
    returns: { 200: z.array(MailboxOverview) },
    handle: async ({ ctx }) => {
      const { workspaces, mailboxes } = ctx.store.read;
      const lists = await Promise.all((await workspaces.list()).map(({ id }) => mailboxes.list(id)));
      return Promise.all(lists.flat().map((mailbox) => overview(ctx, mailbox)));
    },
  }),

  localRoute('GET', '/_mailcap/mailboxes/:id', {
    find: anyMailbox,
    returns: { 200: MailboxOverview },
    handle: async ({ ctx, found }) => overview(ctx, found),
  }),

  localRoute('GET', '/_mailcap/mailboxes/:id/latest', {
    find: anyMailbox,
    returns: { 200: MessageSummaryResponse, 204: null },
    handle: async ({ ctx, found }) => {
      const [newest] = await ctx.store.read.messages.page(found.id, { limit: 1, now: ctx.clock.now() });
      return newest === undefined ? undefined : toMessageSummaryResponse(newest);
    },
  }),

  localRoute('PATCH', '/_mailcap/mailboxes/:id', {
    find: anyMailbox,
    body: MailboxRequest,
    returns: { 200: MailboxSettingsResponse },
    fails: ['invalid_name', 'invalid_retention', 'invalid_outbound_enabled', 'invalid_allowlist'],
    transact: async ({ ctx, tx, found, body }) => {
      const mailbox = await updateMailbox(ctx, tx, found, body);
      return toMailboxSettingsResponse(mailbox, await tx.mailboxes.inboundUsed(mailbox.id, ctx.clock.now()));
    },
  }),

  localRoute('DELETE', '/_mailcap/mailboxes/:id', {
    find: anyMailbox,
    returns: { 204: null },
    fails: ['seeded_mailbox'],
    transact: async ({ ctx, tx, found }) => {
      await deleteMailbox(ctx, tx, found);
      return undefined;
    },
  }),

  localRoute('POST', '/_mailcap/mailboxes/:id/messages', {
    find: anyMailbox,
    returns: { 201: MessageSummaryResponse },
    fails: ['invalid_body', 'payload_too_large', 'daily_inbound_limit_reached', 'storage_limit_reached'],
    handle: async ({ ctx, found, exchange }) => {
      const { remoteAddress, remotePort } = exchange.req.socket;
      const message = await putMessage(ctx, found, {
        raw: messageStream(exchange, ctx.config.smtpSize),
        clientAddress: remoteAddress ?? null,
        clientPort: remotePort ?? null,
      });
      return toMessageSummaryResponse(message);
    },
  }),
];

async function overview(ctx: Context, mailbox: Mailbox): Promise<z.infer<typeof MailboxOverview>> {
  const { mailboxes, messages } = ctx.store.read;
  const used = await mailboxes.inboundUsed(mailbox.id, ctx.clock.now());
  return {
    ...toMailboxSettingsResponse(mailbox, used),
    address: `*@${mailbox.subdomain}.${ctx.config.mailDomain}`,
    messageCount: await messages.count(mailbox.id),
    seeded: mailbox.seeded,
  };
}
