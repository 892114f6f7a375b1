import type { MailboxId, WorkspaceId } from '../domain/ids.ts';
import type { SmtpRefusalFacts, SmtpStage } from '../domain/smtp-stage.ts';

/** The mailbox that a journal entry concerns. */
export interface Concerned {
  readonly id: MailboxId;
  readonly workspaceId: WorkspaceId;
}

/** One SMTP connection. Its fields change while it lasts. Long texts are cut. */
export interface SmtpConnection {
  /** In real time, like every time of the journal. */
  readonly openedAt: number;
  readonly clientAddress: string;
  readonly clientPort: number;
  closedAt: number | null;
  helo: string | null;
  user: string | null;
  /**
   * `asked` without `up`: the client left in the handshake. `refused`: it asked and was refused. `missed`: it left right
   * after EHLO, where STARTTLS was not offered.
   */
  tls: 'unused' | 'missed' | 'refused' | 'asked' | 'up';
  /** The last stage that succeeded. Null before the greeting. */
  reached: SmtpStage | null;
  /** The number of accepted mails. */
  accepted: number;
  lastRefusal: string | null;
  /** The mailbox of the last recipient or of the sign-in. Null if there is none. */
  concerns: Concerned | null;
  /** The dialogue with `C: ` and `S: ` lines, without secrets. A long one keeps only its beginning and its end. */
  readonly transcript: { lines(): readonly string[] };
}

/** A command or mail that the SMTP server refused. */
export interface SmtpRefusal extends SmtpRefusalFacts {
  readonly at: number;
  readonly concerns: Concerned | null;
}

/**
 * The recent SMTP activity of all servers of the store, for a diagnosis of missing mail. New entries replace the
 * oldest.
 */
export interface SmtpJournal {
  opened(connection: SmtpConnection): void;
  /** Reports that a connection has ended and that its fields will not change again. */
  closed(connection: SmtpConnection): void;
  refused(refusal: SmtpRefusal): void;
  /** Newest first. */
  connections(): Promise<readonly SmtpConnection[]>;
  /** Newest first. */
  refusals(): Promise<readonly SmtpRefusal[]>;
  /** The maximum number of entries of each kind. A full journal may have dropped older ones. */
  readonly capacity: number;
  clear(): Promise<void>;
}

/** The number of entries that a journal keeps of each kind. */
export const JOURNAL_CAPACITY = 200;
