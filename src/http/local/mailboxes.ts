import { z } from 'zod';
import { claimInTurn } from '../../actions/claims.ts';
import { createMailbox, deleteMailbox, updateMailbox } from '../../actions/mailboxes.ts';
import { putMessage } from '../../actions/receive-message.ts';
import { timeIn } from '../../actions/time.ts';
import type { Context } from '../../context.ts';
import { refuse } from '../../domain/errors.ts';
import type { Mailbox } from '../../domain/mailbox.ts';
import type { Reader } from '../../ports/store.ts';
import { momentNow } from '../../ports/system.ts';
import type { AnswerOf } from '../answers.ts';
import { messageStream } from '../body.ts';
import { anyMailbox, anyWorkspace, localRoute, whole } from '../route.ts';
import { CreateMailboxRequest, MAILBOX_REFUSALS, toMailboxResponse } from '../schemas.ts';
import { MarkedSummaryResponse, toMarkedSummary } from './marks.ts';
import { AddressesRequest, MailboxOverview, MailboxRequest } from './schemas.ts';

// This module implements docs/api.md#messages-of-all-mailboxes: the settings of a mailbox, and messages put into
// it.

/** The longest time that a claim waits, in seconds. A test may take minutes. */
const MAX_CLAIM_WAIT = 600;

export const localMailboxes = [
  localRoute('GET', '/_mailcap/mailboxes', {
    id: 'listAllMailboxes',
    summary: 'List the mailboxes of all workspaces',
    returns: { 200: z.array(MailboxOverview) },
    handle: async ({ ctx }) => {
      const read = await ctx.store.readNow();
      const { workspaces, mailboxes } = read;
      const lists = await Promise.all((await workspaces.list()).map(({ id }) => mailboxes.list(id)));
      return Promise.all(lists.flat().map((mailbox) => overview(ctx, read, mailbox)));
    },
  }),

  localRoute('POST', '/_mailcap/workspaces/:id/mailboxes', {
    id: 'createMailboxIn',
    summary: 'Create a mailbox in a workspace',
    example: { name: 'Sign up' },
    resolve: anyWorkspace,
    body: CreateMailboxRequest,
    returns: { 201: MailboxOverview },
    fails: MAILBOX_REFUSALS,
    transact: async ({ ctx, tx, found, body }) => overview(ctx, tx, await createMailbox(ctx, tx, found, body)),
  }),

  localRoute('GET', '/_mailcap/mailboxes/:id', {
    id: 'getMailbox',
    summary: 'Get a mailbox with its settings and counts',
    resolve: anyMailbox,
    returns: { 200: MailboxOverview },
    handle: async ({ ctx, read, found }) => overview(ctx, read, found),
  }),

  localRoute('GET', '/_mailcap/mailboxes/:id/latest', {
    id: 'getLatestMessage',
    summary: 'Get the newest message; 204 if there is none',
    resolve: anyMailbox,
    returns: { 200: MarkedSummaryResponse, 204: null },
    handle: async ({ ctx, read, found }) => {
      const [newest] = await read.messages.page(found.id, { limit: 1, now: momentNow(ctx.clock) });
      return newest === undefined ? undefined : toMarkedSummary(newest);
    },
  }),

  localRoute('PATCH', '/_mailcap/mailboxes/:id', {
    id: 'updateMailbox',
    summary: 'Change name, retention, outbound or allowlist of a mailbox',
    example: { outboundEnabled: true, allowlist: ['*.mailcap.example.com'] },
    resolve: anyMailbox,
    body: MailboxRequest,
    returns: { 200: MailboxOverview },
    fails: ['invalid_name', 'invalid_retention', 'invalid_outbound_enabled', 'invalid_allowlist'],
    transact: async ({ ctx, tx, found, body }) => overview(ctx, tx, await updateMailbox(ctx, tx, found, body)),
  }),

  localRoute('PUT', '/_mailcap/mailboxes/:id/addresses', {
    id: 'claimAddresses',
    summary: 'Claim addresses of any domain',
    description:
      'Mail to them comes to this mailbox, whatever its subdomain. The list replaces the earlier claims. The most specific claim wins: the address, the address without its plus tag, its domain. With `timeout` the request waits while another mailbox claims one of them; those that wait get it in the order in which they came.',
    example: ['alice@email.com', '*@acme.test'],
    resolve: anyMailbox,
    query: {
      timeout: whole(0, MAX_CLAIM_WAIT, 0, 'invalid_timeout', 'Seconds to wait for an address that is taken'),
    },
    body: AddressesRequest,
    returns: { 200: MailboxOverview },
    fails: ['invalid_addresses', 'address_taken'],
    handle: ({ ctx, found, query: { timeout }, body, exchange }) =>
      claimInTurn(ctx, found, body, { timeoutMs: timeout * 1_000, cancelSignal: exchange }, (tx, mailbox) =>
        overview(ctx, tx, mailbox),
      ),
  }),

  localRoute('DELETE', '/_mailcap/mailboxes/:id', {
    id: 'deleteMailbox',
    summary: 'Delete a mailbox with its mail',
    resolve: anyMailbox,
    fails: ['seeded_mailbox'],
    transact: async ({ ctx, tx, found }) => deleteMailbox(ctx, tx, found),
  }),

  localRoute('POST', '/_mailcap/mailboxes/:id/messages', {
    id: 'putMessage',
    summary: 'Store a raw message as if it came by SMTP',
    example:
      'From: shop@shop.example\r\nTo: ada@inbox.mailcap.example.com\r\nSubject: Your code\r\n\r\nYour code is 481920.\r\n',
    // Some generated clients send bytes under no type but the general one.
    takes: ['message/rfc822', 'application/octet-stream'],
    resolve: anyMailbox,
    returns: { 201: MarkedSummaryResponse },
    fails: ['invalid_body', 'payload_too_large', 'daily_inbound_limit_reached', 'storage_limit_reached'],
    handle: async ({ ctx, found, exchange }) => {
      const raw = messageStream(exchange, ctx.config.smtpSize);
      return toMarkedSummary(await putMessage(ctx, found, { raw, ...exchange.client }));
    },
  }),
];

async function overview(
  ctx: Context,
  { workspaces, mailboxes, messages }: Reader,
  mailbox: Mailbox,
): Promise<AnswerOf<typeof MailboxOverview>> {
  return {
    ...toMailboxResponse(
      mailbox,
      await mailboxes.inboundUsed(mailbox.id, await timeIn(ctx, { workspaces }, mailbox.workspaceId)),
    ),
    allowlist: mailbox.allowlist,
    address: `*@${mailbox.subdomain}.${ctx.config.mailDomain}`,
    addresses: await mailboxes.addresses(mailbox.id),
    smtp: smtpOf(ctx, mailbox),
    messageCount: await messages.count(mailbox.id, momentNow(ctx.clock)),
    unreadCount: await messages.countUnread(mailbox.id, momentNow(ctx.clock)),
    seeded: mailbox.seeded,
  };
}

function smtpOf({ runtime, config }: Context, { subdomain }: Mailbox): z.infer<typeof MailboxOverview>['smtp'] {
  if (runtime.ready === null) throw refuse('starting');
  const { smtpUrl, smtpHost: host, smtpPort: port } = runtime.ready;
  const credentials = config.smtpAuth === 'any' ? `${subdomain}:any` : subdomain;
  return { url: smtpUrl.replace('//', `//${credentials}@`), host, port, user: subdomain };
}
