import { z } from 'zod';
import { addIdentity, addSuppression, draftEmail } from '../../actions/sends.ts';
import { offsetIn } from '../../actions/time.ts';
import type { Context } from '../../context.ts';
import { refuse } from '../../domain/errors.ts';
import { type MailboxId, type MessageId, parseUlid, type SendId, type WorkspaceId } from '../../domain/ids.ts';
import type { Message } from '../../domain/message.ts';
import { parseSuppression } from '../../domain/outbound.ts';
import type { MailFile } from '../../domain/provider.ts';
import type { Send } from '../../domain/send.ts';
import { writeTime } from '../../domain/time.ts';
import { momentNow } from '../../ports/system.ts';
import { base64In } from '../../providers/fields.ts';
import { type AnswerOf, answerWriter, anything, nullable, time } from '../answers.ts';
import {
  anyIdentity,
  anyMailbox,
  anySend,
  anySuppressionEntry,
  anyWorkspace,
  localRoute,
  ulid,
  whole,
} from '../route.ts';
import { SendRequest, SuppressionEntryResponse, toSuppressionEntryResponse } from '../schemas.ts';
import { LIFTING, SENDING } from '../sending.ts';

// The schemas of docs/api.md#workspaces-and-keys: verified sending domains, and the state of sends.

const MAX_FILES = 50;

export const SendFromRequest = SendRequest.extend({
  attachments: anything.meta({
    type: ['array', 'null'],
    maxItems: MAX_FILES,
    items: {
      type: 'object',
      properties: {
        filename: { type: 'string' },
        contentType: { type: ['string', 'null'], description: 'That of the ending of filename if left out' },
        content: { type: 'string', description: 'In base64' },
      },
      required: ['filename', 'content'],
    },
  }),
  inReplyTo: anything.meta({
    type: ['string', 'null'],
    description:
      'The id of the message that it answers, whose conversation it joins, and which says what is left out of from, to and subject',
  }),
});

const FILE = z.object({
  filename: z.string().min(1).max(255),
  contentType: z
    .string()
    .regex(/^[\w.+-]{1,60}\/[\w.+-]{1,100}$/)
    .nullish(),
  content: z.string(),
});

function requireFiles(given: unknown): MailFile[] {
  if (given === undefined || given === null) return [];
  const files = z.array(FILE).max(MAX_FILES).safeParse(given);
  if (!files.success) {
    const message = `attachments is no list of at most ${MAX_FILES} files with filename, contentType and content`;
    throw refuse('invalid_body', { message });
  }
  return files.data.map(({ filename, contentType = null, content }) => {
    const bytes = base64In(content);
    if (bytes === null) throw refuse('invalid_body', { message: `${filename} has a content that is no base64` });
    return { filename, contentType, content: bytes, contentId: null };
  });
}

async function answered(ctx: Context, given: unknown): Promise<Message | null> {
  if (given === undefined || given === null) return null;
  const id = typeof given === 'string' ? parseUlid<MessageId>(given) : null;
  const message = id === null ? null : await ctx.store.read.messages.get(id, momentNow(ctx.clock));
  if (message === null) throw refuse('invalid_body', { message: 'inReplyTo names no message of this server' });
  return message;
}

export const IdentityRequest = z.object({
  domain: anything.meta({ type: 'string', maxLength: 253, description: 'Its subdomains are included' }),
});

export const SuppressionRequest = z.object({
  recipient: anything.meta({ type: 'string', description: 'One address' }),
  reason: anything.meta({ type: 'string', enum: ['bounce', 'complaint'] }),
});

export const IdentityResponse = z.object({
  id: z.string(),
  workspaceId: z.string(),
  domain: z.string(),
  createdAt: time,
});

const State = z.enum(['queued', 'delivered', 'captured', 'bounced', 'complained', 'failed']);

export const SendStateResponse = z.object({
  id: z.string(),
  workspaceId: z.string(),
  mailboxId: z.string(),
  messageId: z.string(),
  subject: nullable.describe('The subject of the message; null if it was deleted or has none'),
  from: z.string(),
  state: State,
  recipients: z.array(
    z.object({
      address: z.string(),
      state: State,
      attempts: z.int(),
      nextAttemptAt: time.nullable(),
      lastReply: nullable,
    }),
  ),
  createdAt: time,
  updatedAt: time,
});

// This module implements docs/api.md#workspaces-and-keys: verified sending domains, the suppression list, and
// sends.

const toIdentityResponse = answerWriter(IdentityResponse);
const writeSend = answerWriter(SendStateResponse);

/** Converts a send to its answer. Attempts follow real time, so their times are moved to that of the workspace. */
async function toSendStateResponse(ctx: Context, send: Send): Promise<AnswerOf<typeof SendStateResponse>> {
  const offsetMs = await offsetIn(ctx, ctx.store.read, send.workspaceId);
  return writeSend({
    ...send,
    subject: (await ctx.store.read.messages.get(send.messageId, momentNow(ctx.clock)))?.subject ?? null,
    recipients: send.recipients.map(({ address, state, attempts, nextAttemptAt, reply }) => ({
      address,
      state,
      attempts,
      nextAttemptAt: nextAttemptAt === null ? null : writeTime(nextAttemptAt + offsetMs),
      lastReply: reply,
    })),
  });
}

export const localOutbound = [
  localRoute('GET', '/_mailcap/workspaces/:id/identities', {
    id: 'listIdentities',
    summary: 'List the verified sending domains',
    resolve: anyWorkspace,
    returns: { 200: z.array(IdentityResponse) },
    handle: async ({ ctx, found }) => (await ctx.store.read.identities.list(found.id)).map(toIdentityResponse),
  }),

  localRoute('POST', '/_mailcap/workspaces/:id/identities', {
    id: 'createIdentity',
    summary: 'Verify a sending domain',
    example: { domain: 'shop.example' },
    resolve: anyWorkspace,
    body: IdentityRequest,
    returns: { 201: IdentityResponse },
    fails: ['invalid_domain'],
    transact: async ({ ctx, tx, found, body }) => toIdentityResponse(await addIdentity(ctx, tx, found.id, body)),
  }),

  localRoute('DELETE', '/_mailcap/identities/:id', {
    id: 'deleteIdentity',
    summary: 'Remove a sending domain',
    resolve: anyIdentity,
    transact: async ({ tx, found }) => tx.identities.remove(found.id),
  }),

  localRoute('GET', '/_mailcap/workspaces/:id/suppression', {
    id: 'listSuppressionOf',
    summary: 'List the suppressed addresses',
    resolve: anyWorkspace,
    returns: { 200: z.array(SuppressionEntryResponse) },
    handle: async ({ ctx, found }) => (await ctx.store.read.suppression.list(found.id)).map(toSuppressionEntryResponse),
  }),

  localRoute('POST', '/_mailcap/workspaces/:id/suppression', {
    id: 'addSuppression',
    summary: 'Add an address to the suppression list',
    example: { recipient: 'ada@elsewhere.example', reason: 'bounce' },
    resolve: anyWorkspace,
    body: SuppressionRequest,
    returns: { 201: SuppressionEntryResponse },
    fails: ['invalid_recipient', 'invalid_reason'],
    transact: async ({ ctx, tx, found, body }) =>
      toSuppressionEntryResponse(await addSuppression(ctx, tx, found.id, parseSuppression(body))),
  }),

  localRoute('DELETE', '/_mailcap/suppression/:id', {
    id: 'removeSuppression',
    summary: 'Remove an address from the suppression list',
    resolve: anySuppressionEntry,
    ...LIFTING,
  }),

  localRoute('POST', '/_mailcap/mailboxes/:id/send', {
    id: 'sendFrom',
    summary: 'Send from a mailbox',
    description:
      'It has the same rules, costs and refusals as the send of the cloud API. Files and the message that it answers are its own.',
    example: {
      from: 'shop@mailcap.example.com',
      to: 'ada@inbox.mailcap.example.com',
      subject: 'Hello',
      textBody: 'Hello Ada',
    },
    resolve: anyMailbox,
    ...SENDING,
    body: SendFromRequest,
    prepare: async ({ ctx, found, body }) =>
      draftEmail(ctx, found.workspaceId, body, {
        attachments: requireFiles(body.attachments),
        inReplyTo: await answered(ctx, body.inReplyTo),
      }),
  }),

  localRoute('GET', '/_mailcap/sends', {
    id: 'listSends',
    summary: 'List the sends, newest first',
    query: {
      workspaceId: ulid<WorkspaceId>('invalid_workspace_id', 'Only sends of this workspace'),
      mailboxId: ulid<MailboxId>('invalid_mailbox_id', 'Only sends of this mailbox'),
      limit: whole(1, 200, 50, 'invalid_limit', 'The most sends to return'),
      before: ulid<SendId>('invalid_before', 'Only sends older than this one'),
    },
    returns: { 200: z.array(SendStateResponse) },
    handle: async ({ ctx, query }) =>
      Promise.all((await ctx.store.read.sends.list(query)).map((send) => toSendStateResponse(ctx, send))),
  }),

  localRoute('GET', '/_mailcap/sends/:id', {
    id: 'getSend',
    summary: 'Get a send with the state of each recipient',
    resolve: anySend,
    returns: { 200: SendStateResponse },
    handle: async ({ ctx, found }) => toSendStateResponse(ctx, found),
  }),
];
