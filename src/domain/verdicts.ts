import type { VirusScanStatus } from './parsed-mail.ts';
import type { SpfResult } from './spf.ts';

/** What others are asked about a message, by whoever first reads it: no sender waits for them. */
export interface Verdicts {
  readonly spf: SpfResult;
  /** One for each attachment, in their order. */
  readonly virusScan: readonly VirusScanStatus[];
}
