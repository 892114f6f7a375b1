import { z } from 'zod';
import { deleteMessage } from '../../actions/delete-messages.ts';
import {
  getMessagePreviews,
  readAttachedMail,
  readAttachment,
  readCodesAndLinks,
  readFacts,
  readParsed,
  readRaw,
  readVerdicts,
} from '../../actions/read-message.ts';
import { releaseMessage } from '../../actions/sends.ts';
import { type MessageId, nestedAttachmentId } from '../../domain/ids.ts';
import { kindOf, type Message, type ReceiptMetadata } from '../../domain/message.ts';
import type { ParsedMail } from '../../domain/parsed-mail.ts';
import { smsSize } from '../../domain/phone.ts';
import { INTERACTIONS, PROVIDER_NAMES } from '../../domain/provider.ts';
import { threadIdOf } from '../../domain/thread.ts';
import type { FoundCodesAndLinks } from '../../extract/find.ts';
import { REMOTE_KINDS } from '../../extract/remote-hosts.ts';
import { whyCode, whyLink } from '../../extract/why.ts';
import { type AnswerOf, answerWriter, anything, nullable, time } from '../answers.ts';
import { Download, fileHeaders, HARMLESS } from '../exchange.ts';
import { inPieces } from '../large-json.ts';
import { anyMessage, localRoute, someIds } from '../route.ts';
import { AttachmentResponse, MAIL_CONTENT, MessageDetailResponse, toMessageDetailResponse } from '../schemas.ts';
import { KIND_FIELD, MARKS, toMarks } from './marks.ts';

// The schemas of docs/api.md#messages-of-all-mailboxes: the stored facts of a message.

const CodeResponse = z.object({
  code: z.string(),
  written: z.string(),
  reason: z.string(),
  confidence: z.enum(['high', 'medium', 'low']),
  rank: z.int(),
  ambiguous: z.boolean(),
});

const LinkResponse = z.object({
  url: z.string(),
  text: z.string(),
  kind: z.enum(['verify', 'magic', 'reset', 'invite', 'unsubscribe', 'other']),
  reason: z.string(),
  rank: z.int().describe('1: the link that the mail asks its reader to follow, or all that are equally likely'),
  ambiguous: z.boolean().describe('true if it shares the first rank'),
  part: z.enum(['html', 'text', 'both']),
  form: z
    .enum(['app', 'relative'])
    .nullable()
    .describe('app: the scheme belongs to an app. relative: it has no host, so no mail program can follow it'),
  tracker: nullable,
});

const WhyResponse = z.object({
  candidates: z.array(
    z.object({
      value: z.string().describe('The code as the mail writes it, or the URL of the link'),
      kind: nullable.describe('The kind of a link; null for a code'),
      verdict: z
        .enum(['chosen', 'unsure', 'further', 'no'])
        .describe('unsure: another is equally likely. further: another is likelier. no: it is no code'),
      reason: z.string(),
    }),
  ),
  hint: nullable.describe('What a test can write if none or several are likely; null if one was chosen'),
});

/** The codes and links of a mail, with what was decided about every candidate. */
const EXPLAINED = {
  codes: z.array(CodeResponse).describe('The texts that a reader would take for a code, the likeliest first'),
  links: z.array(LinkResponse),
  findError: nullable.describe(
    'The reason why a part of the mail was not searched for codes and links; null if all of it was',
  ),
  why: z.object({ code: WhyResponse, link: WhyResponse }).describe('All candidates, also texts that are no code'),
};

export const FactsResponse = z.object({
  id: z.string(),
  mailboxId: z.string(),
  workspaceId: z.string(),
  ...KIND_FIELD,
  segments: z.int().nullable().describe('The number of messages that the networks carry a text in; null for an email'),
  encoding: z.enum(['GSM-7', 'UCS-2']).nullable().describe('How the networks carry a text; null for an email'),
  source: z.enum(['smtp', 'api', 'send', 'notification', 'provider']),
  provider: z
    .object({
      name: z.enum(PROVIDER_NAMES),
      id: z.string().describe('The id that its API answered with'),
      interactions: z.array(z.enum(INTERACTIONS)).describe('What a reader does that its webhooks can tell the app'),
    })
    .nullable()
    .describe('The mail provider whose API took the mail; null if the mail came in another way'),
  envelope: z.object({ mailFrom: z.string(), rcptTo: z.array(z.string()) }),
  helo: nullable,
  user: nullable,
  tls: z.object({ protocol: z.string(), cipher: z.string() }).nullable(),
  clientAddress: nullable,
  clientPort: z.int().nullable(),
  transcript: z.array(z.string()),
  receivedAt: time,
  sizeBytes: z.int(),
  threadId: z.string().describe('The conversation that the message belongs to'),
  parseError: nullable,
  ...MARKS,
  ...EXPLAINED,
});

/** The content of a message, with its marks. */
export const MessageContentResponse = MessageDetailResponse.extend({ id: z.string(), ...KIND_FIELD, ...MARKS });

/** A message with everything that a test may need: content, envelope, codes and links. */
export const WholeMessageResponse = MessageContentResponse.extend({
  mailboxId: z.string(),
  workspaceId: z.string(),
  codes: z.array(CodeResponse).describe('The texts that a reader would take for a code, the likeliest first'),
  links: z.array(LinkResponse),
  findError: nullable,
});

export function toFoundResponse({ codes, links, findError }: FoundCodesAndLinks) {
  return {
    codes,
    links: links.map(({ tracker = null, form = null, ...link }) => ({ ...link, form, tracker })),
    findError,
  };
}

function toExplainedResponse(found: FoundCodesAndLinks) {
  return { ...toFoundResponse(found), why: { code: whyCode(found), link: whyLink(found.links) } };
}

async function toProvider({ provider }: ReceiptMetadata): Promise<AnswerOf<typeof FactsResponse>['provider']> {
  if (provider === undefined) return null;
  const { name, id } = provider;
  const { interactionsOf } = await import('../../providers/interactions.ts');
  return { name, id, interactions: interactionsOf(name) };
}

const writeFacts = answerWriter(FactsResponse);

async function toFactsResponse(
  message: Message,
  facts: ReceiptMetadata,
  parsed: ParsedMail,
  found: FoundCodesAndLinks,
): Promise<AnswerOf<typeof FactsResponse>> {
  return writeFacts({
    ...message,
    ...facts,
    kind: kindOf(message),
    ...sizeOf(message, parsed),
    provider: await toProvider(facts),
    threadId: threadIdOf(parsed.headers, message.id),
    parseError: parsed.parseError,
    ...toMarks(message),
    ...toExplainedResponse(found),
  });
}

function sizeOf(message: Message, { textBody }: ParsedMail) {
  if (kindOf(message) === 'email') return { segments: null, encoding: null };
  return smsSize(textBody ?? '');
}

const Kinds = z.array(z.enum(REMOTE_KINDS));
const hosts = { type: 'array', items: { type: 'string' } };

export const ViewRequest = z.object({
  allow: anything.meta({
    type: ['object', 'null'],
    properties: Object.fromEntries(REMOTE_KINDS.map((kind) => [kind, hosts])),
    description: 'The hosts that the mail may load from, by kind of resource; none if left out',
  }),
});

export const ViewResponse = z.object({
  url: z.string().describe('Relative to the URL of the server'),
  expiresAt: time,
  remote: z
    .array(z.object({ host: z.string(), kinds: Kinds, allowed: Kinds }))
    .describe('The hosts that the mail would load from, by kind of resource'),
});

/** The details that a list shows in addition to the summary of a message. */
export const MessagePreviewResponse = z.object({
  id: z.string(),
  snippet: z.string().describe('The first words of its text'),
  codes: z.array(z.string()).describe('The likeliest code, or all that are equally likely'),
});

export const InteractionRequest = z.object({
  type: anything.meta({ type: 'string', enum: [...INTERACTIONS] }),
  link: anything.meta({ type: ['string', 'null'], description: 'The URL that was clicked, for clicked alone' }),
  recipient: anything.meta({
    type: ['string', 'null'],
    description: 'Who did it, of the recipients of the email; the first that the mailbox has if left out',
  }),
});

export const InteractionResponse = z.object({
  type: z.enum(INTERACTIONS),
  recipient: z.string(),
  link: nullable,
  requests: z.int().describe('The number of requests that tell the app; 0: none of its webhooks wants the event'),
});

export const ReleaseRequest = z.object({
  to: anything.meta({ type: 'string', description: 'RFC 5322 address list, at most 100 recipients' }),
});

export const ReleaseResponse = z.object({
  released: z.boolean().describe('true if the relay accepted it for every recipient'),
  relay: z.string().describe('The host of the relay'),
  from: z.string().describe('The envelope sender, empty for the null sender'),
  recipients: z.array(
    z.object({
      address: z.string(),
      outcome: z
        .enum(['accepted', 'refused', 'deferred', 'impossible', 'unknown'])
        .describe(
          'refused: the relay refused it for good. deferred: refused for now. impossible: the relay can’t take this message. unknown: no answer came after the message was sent',
        ),
      reply: z.string(),
    }),
  ),
});

/** A mail that is attached to a message. */
export const AttachedMailResponse = z.object({
  ...MAIL_CONTENT,
  headersJson: z.string().describe('The parsed headers as JSON text'),
  attachments: z
    .array(AttachmentResponse.extend({ id: z.string() }))
    .describe('Their ids begin with the id of the attached mail'),
  parseError: nullable.describe('Why the mail was not read to its end'),
  ...EXPLAINED,
});

export function toAttachedMailResponse(id: string, mail: ParsedMail, found: FoundCodesAndLinks) {
  const { from, to, cc, bcc, replyTo, subject, textBody, htmlBody, parseError } = mail;
  return {
    ...{ from, to, cc, bcc, replyTo, subject, textBody, htmlBody, parseError },
    headersJson: JSON.stringify(mail.headers),
    attachments: mail.attachments.map(({ part: _part, ...one }, position) => ({
      ...one,
      id: nestedAttachmentId(id, position),
    })),
    ...toExplainedResponse(found),
  };
}

// This module implements docs/api.md#messages-of-all-mailboxes: a message, its bytes and its facts.

export const localMessages = [
  // This route comes before that of a message id, which would match `previews`.
  localRoute('GET', '/_mailcap/messages/previews', {
    id: 'getMessagePreviews',
    summary: 'Get the first words and the codes of messages',
    description: 'For lists of messages. Ids of messages that do not exist are left out.',
    query: { ids: someIds<MessageId>() },
    returns: { 200: z.array(MessagePreviewResponse) },
    handle: async ({ ctx, query }) => getMessagePreviews(ctx, query.ids),
  }),

  localRoute('GET', '/_mailcap/messages/:id/content', {
    id: 'getMessageContent',
    summary: 'Get a message with its bodies, headers and attachments',
    resolve: anyMessage,
    returns: { 200: MessageContentResponse },
    handle: async ({ ctx, found }) => {
      const facts = await readFacts(ctx, found);
      const parsed = await readParsed(ctx, found);
      const detail = toMessageDetailResponse(found, facts, parsed, await readVerdicts(ctx, found, facts, parsed));
      return inPieces({ ...detail, id: found.id, kind: kindOf(found), ...toMarks(found) });
    },
  }),

  localRoute('GET', '/_mailcap/messages/:id', {
    id: 'getMessageFacts',
    summary: 'Get the envelope, TLS, transcript, codes and links of a message',
    description: 'why lists every candidate for the code and for the link, with the decision and its reason.',
    resolve: anyMessage,
    returns: { 200: FactsResponse },
    handle: async ({ ctx, found }) => {
      const facts = await readFacts(ctx, found);
      const parsed = await readParsed(ctx, found);
      return toFactsResponse(found, facts, parsed, await readCodesAndLinks(ctx, parsed));
    },
  }),

  localRoute('DELETE', '/_mailcap/messages/:id', {
    id: 'deleteMessage',
    summary: 'Delete a message',
    resolve: anyMessage,
    transact: async ({ ctx, tx, found }) => deleteMessage(ctx, tx, found),
  }),

  localRoute('GET', '/_mailcap/messages/:id/raw', {
    id: 'getRawMessage',
    summary: 'Get a message’s exact bytes',
    gives: { type: 'message/rfc822' },
    resolve: anyMessage,
    returns: { 200: 'bytes' },
    handle: async ({ ctx, found }) =>
      new Download({ ...HARMLESS, 'Content-Type': 'message/rfc822' }, found.sizeBytes, () => readRaw(ctx, found)),
  }),

  localRoute('GET', '/_mailcap/messages/:id/attachments/:attachmentId', {
    id: 'getAttachment',
    summary: 'Get an attachment’s exact bytes',
    resolve: anyMessage,
    returns: { 200: 'bytes' },
    handle: async ({ ctx, found, exchange }) => {
      const id = exchange.params['attachmentId'] ?? '';
      const { content, contentType, filename } = await readAttachment(ctx, found, id);
      return Download.of(content, fileHeaders(contentType, filename));
    },
  }),

  localRoute('GET', '/_mailcap/messages/:id/attachments/:attachmentId/message', {
    id: 'getAttachedMail',
    summary: 'Get an attached mail as a mail of its own',
    description: 'An attachment that is no mail answers 404.',
    resolve: anyMessage,
    returns: { 200: AttachedMailResponse },
    handle: async ({ ctx, found, exchange }) => {
      const id = exchange.params['attachmentId'] ?? '';
      const attached = await readAttachedMail(ctx, found, id);
      return inPieces(toAttachedMailResponse(id, attached, await readCodesAndLinks(ctx, attached)));
    },
  }),
];

// This module implements the release of docs/api.md#the-local-api: a captured message is relayed on request.

export const release = [
  localRoute('POST', '/_mailcap/messages/:id/release', {
    id: 'releaseMessage',
    summary: 'Relay a message to the given recipients',
    description:
      'Sends the stored bytes once, from the envelope sender. The answer holds the reply of the relay for each recipient.',
    example: { to: 'ada@elsewhere.example' },
    resolve: anyMessage,
    body: ReleaseRequest,
    returns: { 200: ReleaseResponse },
    fails: ['invalid_to', 'no_relay'],
    handle: async ({ ctx, found, body, exchange }) => {
      const { relay, from, outcomes } = await releaseMessage(ctx, found, body.to, exchange);
      const recipients = [...outcomes].map(([address, { kind: outcome, reply }]) => ({ address, outcome, reply }));
      return { released: recipients.every(({ outcome }) => outcome === 'accepted'), relay, from, recipients };
    },
  }),
  localRoute('POST', '/_mailcap/messages/:id/interactions', {
    id: 'recordInteraction',
    summary: 'Tell what the reader of a provider’s mail did',
    description:
      'The webhooks that the app registered with the provider’s API get the event: the mail was opened, a link was clicked, the reader unsubscribed or complained. A complaint also puts the recipient on the suppression list.',
    example: { type: 'clicked', link: 'https://shop.example/orders/7' },
    resolve: anyMessage,
    body: InteractionRequest,
    returns: { 200: InteractionResponse },
    fails: ['invalid_interaction', 'invalid_recipient', 'not_by_provider'],
    handle: async ({ ctx, found, body }) => {
      const { recordInteraction } = await import('../../providers/interactions.ts');
      return recordInteraction(ctx, found, body);
    },
  }),
];
