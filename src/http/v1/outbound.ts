import { z } from 'zod';
import { discardDraft, draftEmail, sendEmail } from '../../actions/send-email.ts';
import { mailboxInScope, suppressionEntryOfKey, workspaceWithOutbound } from '../find.ts';
import { route } from '../route.ts';
import {
  SEND_LIMIT,
  SEND_REFUSALS,
  SendRequest,
  SendResponse,
  SuppressionEntryResponse,
  toSendResponse,
  toSuppressionEntryResponse,
} from '../schemas.ts';

// docs/api.md#outbound

export const outbound = [
  route('POST', '/v1/mailboxes/:mailboxId/send', {
    find: mailboxInScope,
    body: SendRequest,
    bodyLimit: SEND_LIMIT,
    returns: { 202: SendResponse },
    fails: SEND_REFUSALS,
    prepare: ({ ctx, body }) => draftEmail(ctx, body),
    discard: discardDraft,
    transact: async ({ ctx, tx, found, prepared }) => toSendResponse(await sendEmail(ctx, tx, found, prepared)),
  }),

  route('GET', '/v1/workspaces/:workspaceId/suppression', {
    find: workspaceWithOutbound,
    returns: { 200: z.array(SuppressionEntryResponse) },
    fails: ['outbound_disabled'],
    handle: async ({ ctx, found }) => (await ctx.store.read.suppression.list(found.id)).map(toSuppressionEntryResponse),
  }),

  route('DELETE', '/v1/workspaces/:workspaceId/suppression/:id', {
    find: suppressionEntryOfKey,
    returns: { 204: null },
    fails: ['outbound_disabled'],
    transact: async ({ tx, found }) => {
      await tx.suppression.remove(found.id);
      return undefined;
    },
  }),
];
