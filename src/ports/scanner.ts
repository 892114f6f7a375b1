import type { Ulid } from '../domain/ids.ts';
import type { VirusScanStatus } from '../domain/parsed-mail.ts';

/** Tells infected attachments from clean ones, when somebody reads them; never while a sender waits for its reply. */
export interface Scanner {
  /**
   * The verdict on the attachment of that id, 0 where there is nothing to scan with. Never rejects.
   * Verdicts other than 3, scan failed, are kept within a bound; one attachment is scanned once however many ask.
   * A scan has to wait its turn, and does not begin where by then `isWanted` says no for all who asked.
   */
  scan(id: Ulid, read: () => Promise<Buffer | null>, isWanted: () => boolean): Promise<VirusScanStatus>;
  /** Ends what is under way, with verdict 3. */
  close(): void;
}
