import type { z } from 'zod';
import type * as schemas from '../../http/schemas.ts';
import type * as webhooks from '../../http/webhook-schemas.ts';

// The resources of the API document, by its names, as the schemas that validate them say. Types alone: nothing of the server
// is there at run time.

/** The document calls fields nullable that always have a value: who reads a mailbox's id need not ask whether there is one. */
type Told<T, Names extends keyof T> = { [Name in keyof T]: Name extends Names ? NonNullable<T[Name]> : T[Name] };

export type MailboxResponse = Told<schemas.MailboxResponse, 'id' | 'workspaceId' | 'name' | 'subdomain'>;
export type MessageSummaryResponse = Told<schemas.MessageSummaryResponse, 'id'>;
export type AttachmentResponse = Told<z.infer<typeof schemas.AttachmentResponse>, 'id'>;
export type MessageDetailResponse = Omit<Told<schemas.MessageDetailResponse, 'id'>, 'attachments'> & {
  attachments: AttachmentResponse[];
};
export type TotpCodeResponse = Told<schemas.TotpCodeResponse, 'code'>;

/** All may be left out. */
type Given<T> = { readonly [Name in keyof T]?: T[Name] | undefined };

export type CreateMailboxRequest = Given<schemas.CreateMailboxRequest>;

export type SendRequest = Given<schemas.SendRequest>;
export type SendResponse = Told<schemas.SendResponse, 'outboundSendId' | 'messageId' | 'status'>;
export type SuppressionEntryResponse = Told<schemas.SuppressionEntryResponse, 'id' | 'recipient' | 'reason'>;

export type UpsertWebhookDto = Given<Omit<webhooks.UpsertWebhookDto, 'forwardMode'>> & {
  readonly forwardMode?: 'off' | 'async' | 'sync' | 0 | 1 | 2 | null | undefined;
};
export type WebhookView = Told<webhooks.WebhookView, 'key'>;
export type WebhookRequestSummary = Told<webhooks.WebhookRequestSummary, 'method' | 'path'>;
export type WebhookRequestView = Told<webhooks.WebhookRequestView, 'method' | 'path' | 'headers'>;
export type WebhookRequestPage = Omit<webhooks.WebhookRequestPage, 'items'> & { items: WebhookRequestSummary[] };
