/** 0 not scanned, 1 clean, 2 infected, 3 scan failed, 4 skipped (docs/contract.md#spf-and-virus-scan). */
export type VirusScanStatus = 0 | 1 | 2 | 3 | 4;

export interface ParsedAttachment {
  readonly filename: string | null;
  readonly contentType: string | null;
  readonly contentId: string | null;
  readonly isInline: boolean;
  readonly sizeBytes: number;
  readonly virusScanStatus: VirusScanStatus;
}

/** What the full parse of a mail tells. */
export interface ParsedMail {
  readonly from: string | null;
  readonly to: string | null;
  readonly cc: string | null;
  readonly bcc: string | null;
  readonly replyTo: string | null;
  readonly subject: string | null;
  /** Decoded; null where the mail has none. Neither is derived from the other. */
  readonly textBody: string | null;
  readonly htmlBody: string | null;
  /** Lower-case names, decoded values, an array where a header repeats. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Bare addresses of To and Cc, lower-cased: the bcc rule needs them. */
  readonly toAndCc: readonly string[];
  readonly attachments: readonly ParsedAttachment[];
  /** Why the parse stopped short, null when it did not. */
  readonly parseError: string | null;
}
