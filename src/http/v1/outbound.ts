import { z } from 'zod';
import { mailboxInScope, suppressionEntryOfKey, workspaceWithOutbound } from '../find.ts';
import { route } from '../route.ts';
import { SuppressionEntryResponse, toSuppressionEntryResponse } from '../schemas.ts';
import { LIFTING, SENDING } from '../sending.ts';

// docs/api.md#outbound

export const outbound = [
  route('POST', '/v1/mailboxes/:mailboxId/send', {
    id: 'sendEmail',
    summary: 'Send an email',
    description:
      'It answers once the mail is queued; the delivery follows. Bounces and complaints arrive as mail in the same mailbox. A refused send costs, counts and stores nothing.',
    example: {
      from: 'app@mailcap.example.com',
      to: 'ada@inbox.mailcap.example.com',
      subject: 'Hello',
      textBody: 'Hello, Ada.',
    },
    find: mailboxInScope,
    ...SENDING,
  }),

  route('GET', '/v1/workspaces/:workspaceId/suppression', {
    id: 'listSuppression',
    summary: 'List the suppressed addresses',
    find: workspaceWithOutbound,
    returns: { 200: z.array(SuppressionEntryResponse) },
    fails: ['outbound_disabled'],
    handle: async ({ read, found }) => (await read.suppression.list(found.id)).map(toSuppressionEntryResponse),
  }),

  route('DELETE', '/v1/workspaces/:workspaceId/suppression/:id', {
    id: 'deleteSuppression',
    summary: 'Remove an address from the suppression list',
    find: suppressionEntryOfKey,
    ...LIFTING,
    fails: ['outbound_disabled'],
  }),
];
