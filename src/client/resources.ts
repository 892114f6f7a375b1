import type { z } from 'zod';
import type * as schemas from '../http/schemas.ts';

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

// Until the server's own schemas of these are there: the API document's tables.

export interface UpsertWebhookDto {
  readonly name?: string | null | undefined;
  readonly responseStatus?: number | null | undefined;
  readonly responseContentType?: string | null | undefined;
  readonly responseBody?: string | null | undefined;
  readonly forwardMode?: 'off' | 'async' | 'sync' | null | undefined;
  readonly forwardUrl?: string | null | undefined;
  readonly retentionDays?: number | null | undefined;
}

export interface WebhookView {
  id: string;
  workspaceId: string;
  name: string | null;
  key: string;
  responseStatus: number;
  responseContentType: string | null;
  responseBody: string | null;
  forwardMode: 0 | 1 | 2;
  forwardUrl: string | null;
  retentionDays: number;
  maxRetentionDays: number;
  requestCount: number;
  lastRequestAt: string | null;
  createdAt: string;
}

export interface WebhookRequestSummary {
  id: string;
  method: string;
  path: string;
  contentType: string | null;
  sizeBytes: number;
  sourceIp: string | null;
  receivedAt: string;
  responseStatus: number;
  forwardStatus: 0 | 1 | 2 | 3;
  forwardHttpStatus: number | null;
}

export interface WebhookRequestView extends WebhookRequestSummary {
  endpointId: string;
  query: string | null;
  headers: Record<string, string>;
  forwardAttempts: number;
  forwardedAt: string | null;
  forwardError: string | null;
  forwardResponse: string | null;
  bodyIsText: boolean;
  bodyText: string | null;
}

export interface WebhookRequestPage {
  items: WebhookRequestSummary[];
  total: number;
  page: number;
  pageSize: number;
}
