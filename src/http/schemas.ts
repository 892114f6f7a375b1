import { z } from 'zod';
import type { Verdicts } from '../actions/read-message.ts';
import type { ErrorCode } from '../domain/errors.ts';
import { attachmentId } from '../domain/ids.ts';
import type { Mailbox } from '../domain/mailbox.ts';
import type { Message, ReceiptMetadata } from '../domain/message.ts';
import { bccOf, type ParsedMail } from '../domain/parsed-mail.ts';
import type { Send } from '../domain/send.ts';
import { SPF_RESULTS } from '../domain/spf.ts';
import { type AnswerOf, answerWriter, nullable, time } from './answers.ts';

// The resources of the cloud API (docs/api.md), under its names, with its fields in its order.

const int32 = z.int32();
const int64 = z.int();

// The limits that the OpenAPI documents state. The rules of the domain check the values, and each rule has its own error
// code.

/** A ULID in either case. */
export const ID = { pattern: '^[0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{25}$' } as const;

/** A name. Its length counts after trimming. */
export const NAME = { minLength: 1, maxLength: 100 } as const;

/** One DNS label. It is converted to lower case first. */
export const LABEL = { maxLength: 63, pattern: '^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$' } as const;

/** A retention in days. The refusal `invalid_retention` names the longest that the plan allows. */
export const RETENTION = { minimum: 1, description: 'Days; the plan’s default if left out' } as const;

/** A secret in base32. Spaces and hyphens between its characters are removed. */
export const SECRET = { maxLength: 1_024, pattern: '^[A-Za-z2-7\\s-]+={0,6}$' } as const;

export const MailboxResponse = z.object({
  id: nullable,
  workspaceId: nullable,
  groupId: nullable,
  name: nullable,
  subdomain: nullable,
  retentionDays: int32,
  outboundEnabled: z.boolean(),
  dailyInboundUsed: int32.describe('The messages of today that count against the daily cap; 0 again at midnight UTC'),
  createdAt: time,
});
export type MailboxResponse = z.infer<typeof MailboxResponse>;

const writeMailbox = answerWriter(MailboxResponse);

export function toMailboxResponse(mailbox: Mailbox, dailyInboundUsed: number): AnswerOf<typeof MailboxResponse> {
  return writeMailbox({ ...mailbox, dailyInboundUsed });
}

// A value of the wrong type becomes a value that the rules refuse, so that all refusals come in the document's order.
const refusedText = '';
const refusedNumber = Number.NaN;

export const CreateMailboxRequest = z.object({
  name: z
    .string()
    .nullish()
    .catch(refusedText)
    .meta({ ...NAME, description: 'The subdomain is derived from it if none is given' }),
  subdomain: z
    .string()
    .nullish()
    .catch(refusedText)
    .meta({ ...LABEL, description: 'Derived from the name if left out' }),
  retentionDays: z.number().nullish().catch(refusedNumber).meta(RETENTION),
  groupId: z.string().nullish().catch(refusedText).meta(ID),
});
/** The error codes of a new mailbox. */
export const MAILBOX_REFUSALS: readonly ErrorCode[] = [
  'invalid_name',
  'invalid_subdomain',
  'invalid_group_id',
  'group_not_found',
  'invalid_retention',
  'subdomain_taken',
  'subdomain_reserved',
  'plan_max_mailboxes_reached',
];
export type CreateMailboxRequest = z.infer<typeof CreateMailboxRequest>;

export const MessageSummaryResponse = z.object({
  id: nullable,
  from: nullable,
  to: nullable,
  subject: nullable,
  receivedAt: time,
  sizeBytes: int64,
  attachmentCount: int32,
});
export type MessageSummaryResponse = z.infer<typeof MessageSummaryResponse>;

export const toMessageSummaryResponse = answerWriter(MessageSummaryResponse);

export const AttachmentResponse = z.object({
  id: nullable,
  filename: nullable,
  contentType: nullable,
  contentId: nullable,
  isInline: z.boolean(),
  sizeBytes: int64,
  virusScanStatus: z
    .union([z.literal(0), z.literal(1), z.literal(2), z.literal(3), z.literal(4)])
    .describe('0 not scanned, 1 clean, 2 infected, 3 scan failed, 4 skipped: too large'),
});

const writeAttachment = answerWriter(AttachmentResponse);

/** The content of a mail, stored or attached to another one. */
export const MAIL_CONTENT = {
  from: nullable,
  to: nullable,
  cc: nullable,
  bcc: nullable,
  replyTo: nullable,
  subject: nullable,
  textBody: nullable,
  htmlBody: nullable,
};

export const MessageDetailResponse = z.object({
  id: nullable,
  ...MAIL_CONTENT,
  headersJson: nullable.describe('The parsed headers as JSON text'),
  spfResult: nullable.describe(`RFC 7208: ${SPF_RESULTS.join(', ')}`),
  envelopeFrom: nullable,
  remoteIp: nullable,
  receivedAt: time,
  sizeBytes: int64,
  attachments: z.array(AttachmentResponse).nullable(),
});
export type MessageDetailResponse = z.infer<typeof MessageDetailResponse>;

const writeDetail = answerWriter(MessageDetailResponse);

/**
 * Builds the details of a message. From, to and subject are those of the summary, so that list and get never differ.
 */
export function toMessageDetailResponse(
  message: Message,
  facts: ReceiptMetadata,
  parsed: ParsedMail,
  verdicts: Verdicts,
): AnswerOf<typeof MessageDetailResponse> {
  return writeDetail({
    ...parsed,
    ...message,
    cc: message.cc ?? parsed.cc,
    bcc: bccOf(parsed.bcc, facts.envelope.rcptTo, parsed.toAndCc),
    headersJson: JSON.stringify(parsed.headers),
    spfResult: verdicts.spf,
    // An empty text is the null sender. A message that was put in by the API has no envelope.
    envelopeFrom: facts.source === 'api' ? null : facts.envelope.mailFrom,
    remoteIp: facts.clientAddress,
    attachments: parsed.attachments.map((attachment, position) =>
      writeAttachment({
        ...attachment,
        id: attachmentId(message.id, position),
        virusScanStatus: verdicts.virusScan[position] ?? 0,
      }),
    ),
  });
}

/**
 * A field that is a text or null. A wrong type is refused with `invalid_body`, like every other violation of the shape.
 */
const given = z.string().nullish();

export const SendRequest = z.object({
  from: given.describe('One address, at a domain verified in the workspace'),
  to: given.describe('RFC 5322 address list, groups included; at most 100 recipients in to, cc and bcc'),
  cc: given.describe('RFC 5322 address list'),
  bcc: given.describe('RFC 5322 address list'),
  replyTo: given.describe('RFC 5322 address list'),
  subject: given.meta({ pattern: '^[^\\r\\n\\u0000]*$' }),
  textBody: given.describe('At least one of textBody and htmlBody'),
  htmlBody: given,
});
export type SendRequest = z.infer<typeof SendRequest>;

export const SendResponse = z.object({ outboundSendId: nullable, messageId: nullable, status: nullable });
export type SendResponse = z.infer<typeof SendResponse>;

export function toSendResponse({ id, messageId, state }: Send): SendResponse {
  return { outboundSendId: id, messageId, status: state };
}

export const SuppressionEntryResponse = z.object({
  id: nullable,
  recipient: nullable,
  reason: nullable.describe('bounce or complaint'),
  addedAt: time,
});
export type SuppressionEntryResponse = z.infer<typeof SuppressionEntryResponse>;

export const toSuppressionEntryResponse = answerWriter(SuppressionEntryResponse);

export const TotpCodeResponse = z.object({ code: nullable, expiresAt: time, expiresInSeconds: int32 });
export type TotpCodeResponse = z.infer<typeof TotpCodeResponse>;

export const toTotpCodeResponse = answerWriter(TotpCodeResponse);
