/**
 * The result of a virus scan: 0 not scanned, 1 clean, 2 infected, 3 scan failed, 4 skipped
 * (docs/contract.md#spf-and-virus-scan).
 */
export type VirusScanStatus = 0 | 1 | 2 | 3 | 4;

export interface ParsedAttachment {
  readonly filename: string | null;
  readonly contentType: string | null;
  readonly contentId: string | null;
  readonly isInline: boolean;
  readonly sizeBytes: number;
  readonly virusScanStatus: VirusScanStatus;
}

/** The result of parsing a mail in full. */
export interface ParsedMail {
  readonly from: string | null;
  readonly to: string | null;
  readonly cc: string | null;
  readonly bcc: string | null;
  readonly replyTo: string | null;
  readonly subject: string | null;
  /** The decoded text body. Null if the mail has none. Neither body is derived from the other. */
  readonly textBody: string | null;
  readonly htmlBody: string | null;
  /** The header fields: lower-case names with decoded values, and an array if a field repeats. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** The different addresses of To and Cc, in the form in which addresses are compared. The Bcc rule needs them. */
  readonly toAndCc: readonly string[];
  readonly attachments: readonly ParsedAttachment[];
  /** The reason why the parse is incomplete. Null if it is complete. */
  readonly parseError: string | null;
}
