import type { Forward } from '../../../src/text/forwards.ts';
import type { MailRow } from '../../model/message-list.ts';

// The resources that an inbox shows. The shell makes them from the client's answers. Their texts are exactly what a
// sender wrote, so every view must make them safe before it prints them.

/** The server that the inbox shows. */
export interface ServerItem {
  readonly url: string;
  /** True if the server has a local API. */
  readonly local: boolean;
}

export interface MailboxItem {
  readonly id: string;
  readonly name: string;
  readonly address: string;
}

/** The marks of a message, which the server keeps. */
export interface MailMarks {
  readonly read: boolean;
  readonly starred: boolean;
  readonly tags: readonly string[];
}

export interface Mail extends MailRow {
  /** The date in the header of an attached mail, which was not received on its own. Null for a message. */
  readonly date: string | null;
  readonly cc: string | null;
  readonly bcc: string | null;
  readonly replyTo: string | null;
  readonly text: string | null;
  /** The HTML body converted to readable text. */
  readonly html: RichText | null;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly envelope: { readonly mailFrom: string; readonly rcptTo: readonly string[] } | null;
  readonly spf: string | null;
  readonly attachments: readonly AttachmentItem[];
  readonly codes: readonly { readonly code: string; readonly reason: string; readonly ambiguous: boolean }[];
  readonly links: readonly LinkItem[];
  readonly parseError: string | null;
}

/** A text with styled ranges. */
export interface RichText {
  readonly text: string;
  /** The styled ranges in order; no two overlap. */
  readonly spans: readonly {
    readonly start: number;
    readonly end: number;
    readonly look: 'bold' | 'italic' | 'link' | 'aside';
  }[];
  /** The links that the text refers to as `[1]`: their numbers in the mail's list of links, from 1. */
  readonly links: readonly number[];
}

export interface AttachmentItem {
  readonly id: string;
  readonly name: string;
  readonly contentType: string;
  readonly sizeBytes: number;
  readonly infected: boolean;
}

export interface LinkItem {
  readonly url: string;
  readonly text: string;
  readonly kind: string;
  readonly tracker: string | null;
}

export interface WebhookItem {
  readonly id: string;
  readonly name: string;
  readonly url: string;
  readonly requestCount: number;
  readonly forwardUrl: string | null;
}

export interface RequestRow {
  readonly id: string;
  readonly method: string;
  /** The request path with its query string. */
  readonly path: string;
  readonly contentType: string | null;
  readonly sizeBytes: number;
  readonly receivedAt: number;
  readonly responseStatus: number;
  readonly forward: Forward;
  readonly forwardHttpStatus: number | null;
}

export interface RequestDetail extends RequestRow {
  readonly sourceIp: string | null;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Null if the body is binary. */
  readonly bodyText: string | null;
  readonly forwardAttempts: number;
  readonly forwardError: string | null;
  readonly forwardResponse: string | null;
  readonly curl: string;
}

export interface AuthenticatorItem {
  readonly id: string;
  readonly name: string;
  readonly code: string | null;
  /** The time when the code expires, in milliseconds since 1970 by the server's clock. */
  readonly expiresAt: number;
  readonly periodSeconds: number;
}
