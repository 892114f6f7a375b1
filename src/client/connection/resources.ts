import type { z } from 'zod';
import type * as schemas from '../../http/schemas.ts';
import type * as webhooks from '../../http/webhooks.ts';

// The resources of the cloud API (docs/api.md), under its names. The server's schemas define their types. These are
// types only, so no server code is loaded at run time.

/** Removes null from fields that always have a value, although docs/api.md calls them nullable. */
export type NonNullFields<T, Names extends keyof T> = {
  [Name in keyof T]: Name extends Names ? NonNullable<T[Name]> : T[Name];
};

/** A mailbox. */
export type MailboxResponse = NonNullFields<schemas.MailboxResponse, 'id' | 'workspaceId' | 'name' | 'subdomain'>;
/** A message in a list, without its bodies. */
export type MessageSummaryResponse = NonNullFields<schemas.MessageSummaryResponse, 'id'>;
/** An attachment without its bytes. */
export type AttachmentResponse = NonNullFields<z.infer<typeof schemas.AttachmentResponse>, 'id'>;
/** A message with its bodies, headers and attachments. */
export type MessageDetailResponse = Omit<NonNullFields<schemas.MessageDetailResponse, 'id'>, 'attachments'> & {
  attachments: AttachmentResponse[];
};
/** A TOTP code and the time it expires. */
export type TotpCodeResponse = NonNullFields<schemas.TotpCodeResponse, 'code'>;

/** Makes all fields optional. */
type Given<T> = { readonly [Name in keyof T]?: T[Name] | undefined };

/** The fields of a new mailbox. Each may be left out. */
export type CreateMailboxRequest = Given<schemas.CreateMailboxRequest>;

/** An email to send. The address fields are RFC 5322 address lists. */
export type SendRequest = Given<schemas.SendRequest>;
/** The result of a send. */
export type SendResponse = NonNullFields<schemas.SendResponse, 'outboundSendId' | 'messageId' | 'status'>;
/** A recipient that the workspace can't send to. */
export type SuppressionEntryResponse = NonNullFields<schemas.SuppressionEntryResponse, 'id' | 'recipient' | 'reason'>;

/** The settings of a webhook. Each may be left out. */
export type UpsertWebhookDto = Given<Omit<webhooks.UpsertWebhookDto, 'forwardMode'>> & {
  /**
   * The forwarding of requests: `'async'` forwards after the answer, `'sync'` before it. The numbers stand for the
   * three modes.
   */
  readonly forwardMode?: 'off' | 'async' | 'sync' | 0 | 1 | 2 | null | undefined;
};
/** A webhook with its settings and figures. */
export type WebhookView = NonNullFields<webhooks.WebhookView, 'key'>;
/** A captured request in a list, without headers and body. */
export type WebhookRequestSummary = NonNullFields<webhooks.WebhookRequestSummary, 'method' | 'path'>;
/** A captured request with its headers and, if it is text, its body. */
export type WebhookRequestView = NonNullFields<webhooks.WebhookRequestView, 'method' | 'path' | 'headers'>;
/** A page of captured requests, newest first. */
export type WebhookRequestPage = Omit<webhooks.WebhookRequestPage, 'items'> & { items: WebhookRequestSummary[] };
