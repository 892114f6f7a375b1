import type { Ulid } from '../domain/ids.ts';
import type { VirusScanStatus } from '../domain/parsed-mail.ts';

/** Scans attachments for viruses when a client reads them, never while an SMTP client waits for its reply. */
export interface VirusScanner {
  /**
   * Returns the verdict on an attachment, or 0 if there is no scanner. It never rejects. It caches verdicts other than
   * 3 (scan failed) and scans an attachment once for concurrent callers. A queued scan is skipped if `isWanted` returns
   * false for every caller when its turn comes.
   */
  scan(id: Ulid, read: () => Promise<Buffer | null>, isWanted: () => boolean): Promise<VirusScanStatus>;
  /** Cancels the running scans, which then return verdict 3. */
  close(): void;
}
