import { comparableAddress } from './address.ts';

/**
 * The result of a virus scan: 0 not scanned, 1 clean, 2 infected, 3 scan failed, 4 skipped
 * (docs/contract.md#spf-and-virus-scan).
 */
export type VirusScanStatus = 0 | 1 | 2 | 3 | 4;

export interface ParsedAttachment {
  /** The number of its MIME part: `2`, or `1.2` for the second part of the first. `0` is the mail itself. */
  readonly part: string;
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

/**
 * Returns the Bcc header, or else the envelope recipients that are in neither To nor Cc (docs/contract.md#messages).
 * Null means none. `toAndCc` holds addresses in the form of {@link comparableAddress}.
 */
export function bccOf(header: string | null, rcptTo: readonly string[], toAndCc: readonly string[]): string | null {
  if (header !== null) return header;
  const seen = new Set(toAndCc);
  const hidden: string[] = [];
  for (const recipient of rcptTo) {
    const address = comparableAddress(recipient);
    if (seen.has(address)) continue;
    seen.add(address);
    hidden.push(recipient);
  }
  return hidden.length === 0 ? null : hidden.join(', ');
}

/** The number of characters in a list row. */
const SHOWN = 160;
/** The number of characters that are read of the text. */
const READ = 4_096;

/** Returns the first words of a text in one line. Lists show it next to the subject. */
export function snippetOf(text: string): string {
  const line = text.slice(0, READ).replace(/\s+/g, ' ').trim();
  return [...line].slice(0, SHOWN).join('');
}
