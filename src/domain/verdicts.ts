import type { VirusScanStatus } from './parsed-mail.ts';
import type { SpfResult } from './spf.ts';

/**
 * The verdicts of DNS and of the scanner on a message. They are obtained when it is first read, so that no sender
 * waits.
 */
export interface Verdicts {
  readonly spf: SpfResult;
  /** One status per attachment, in their order. */
  readonly virusScan: readonly VirusScanStatus[];
}
