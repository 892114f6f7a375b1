import type { MailboxId, WorkspaceId } from '../domain/ids.ts';
import type { SmtpStage } from '../domain/smtp-stage.ts';

/** The mailbox something is about. */
export interface Concerned {
  readonly id: MailboxId;
  readonly workspaceId: WorkspaceId;
}

/** One SMTP connection, kept up to date while it lasts. Texts are cut. */
export interface SmtpConnection {
  readonly openedAt: number;
  readonly clientAddress: string;
  readonly clientPort: number;
  closedAt: number | null;
  helo: string | null;
  user: string | null;
  tls: 'unused' | 'asked' | 'up';
  /** The last stage that went well, null before the greeting. */
  reached: SmtpStage | null;
  /** Mails that got their 250. */
  accepted: number;
  lastRefusal: string | null;
  /** Where the last recipient or the sign-in leads, null where to none. */
  concerns: Concerned | null;
  /** Both sides, `C: ` and `S: `, secrets left out; of a long one its beginning and its end. */
  readonly transcript: { lines(): readonly string[] };
}

/** A command or a mail that SMTP refused. Texts are cut. */
export interface SmtpRefusal {
  readonly at: number;
  readonly stage: SmtpStage;
  readonly reply: string;
  /** One of a few, as the metrics count it. */
  readonly reason: string;
  readonly mailFrom: string | null;
  /** The one refused, or the first of the mail that was. */
  readonly recipient: string | null;
  readonly recipientCount: number;
  readonly clientAddress: string;
  readonly concerns: Concerned | null;
}

/** What happened on SMTP lately, for whoever asks why no mail came. The oldest gives way to the newest. */
export interface SmtpJournal {
  opened(connection: SmtpConnection): void;
  refused(refusal: SmtpRefusal): void;
  /** Newest first. */
  connections(): readonly SmtpConnection[];
  /** Newest first. */
  refusals(): readonly SmtpRefusal[];
  /** How many it keeps of each: as many may stand for more. */
  readonly capacity: number;
  clear(): void;
}
