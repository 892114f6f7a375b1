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
    id: 'sendEmail',
    summary: 'Send an email',
    description:
      'Answers once the mail is queued; delivery follows. Bounces and complaints arrive as mail in the same mailbox. A refused send costs, counts and stores nothing.',
    example: { from: 'app@mailcap.test', to: 'ada@inbox.mailcap.test', subject: 'Hello', textBody: 'Hello, Ada.' },
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
    id: 'listSuppression',
    summary: 'List the addresses that sends refuse',
    find: workspaceWithOutbound,
    returns: { 200: z.array(SuppressionEntryResponse) },
    fails: ['outbound_disabled'],
    handle: async ({ read, found }) => (await read.suppression.list(found.id)).map(toSuppressionEntryResponse),
  }),

  route('DELETE', '/v1/workspaces/:workspaceId/suppression/:id', {
    id: 'deleteSuppression',
    summary: 'Let an address receive outbound mail again',
    find: suppressionEntryOfKey,
    returns: { 204: null },
    fails: ['outbound_disabled'],
    transact: async ({ tx, found }) => {
      await tx.suppression.remove(found.id);
      return undefined;
    },
  }),
];
