// What an inbox shows, as its shell gets it from a client. Texts are as the sender wrote them: whoever shows one makes it harmless.

/** The server behind the inbox. */
export interface ServerItem {
  readonly url: string;
  /** It has a local API. */
  readonly local: boolean;
}

export interface MailboxItem {
  readonly id: string;
  readonly name: string;
  readonly address: string;
}

/** A line of the list. */
export interface MailRow {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
  readonly sizeBytes: number;
  readonly attachmentCount: number;
}

export interface Mail extends MailRow {
  readonly cc: string | null;
  readonly bcc: string | null;
  readonly replyTo: string | null;
  readonly text: string | null;
  /** The HTML body as readable text. */
  readonly html: RichText | null;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly envelope: { readonly mailFrom: string; readonly rcptTo: readonly string[] } | null;
  readonly spf: string | null;
  readonly attachments: readonly AttachmentItem[];
  readonly codes: readonly { readonly code: string; readonly reason: string; readonly ambiguous: boolean }[];
  readonly links: readonly LinkItem[];
  readonly parseError: string | null;
}

/** A text in which some words look different. */
export interface RichText {
  readonly text: string;
  /** In order, none overlapping. */
  readonly spans: readonly {
    readonly start: number;
    readonly end: number;
    readonly look: 'bold' | 'italic' | 'link' | 'aside';
  }[];
  /** Links the text refers to as `[1]`: places in the mail's links, counted from 1. */
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
  /** With the query. */
  readonly path: string;
  readonly contentType: string | null;
  readonly sizeBytes: number;
  readonly receivedAt: number;
  readonly responseStatus: number;
  readonly forward: 'none' | 'pending' | 'delivered' | 'failed';
  readonly forwardHttpStatus: number | null;
}

export interface RequestDetail extends RequestRow {
  readonly sourceIp: string | null;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Null where it is no text. */
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
  /** When the code is over, milliseconds since 1970 by the server's clock. */
  readonly expiresAt: number;
  readonly periodSeconds: number;
}
