import type { SpamScore } from '../checks/rules/spam.ts';
import type { Ending } from './ending.ts';

/** Scores mails for spam when a client checks them. */
export interface SpamFilter {
  /**
   * Scores a mail of `sizeBytes` bytes. A string result is the reason why there is no score, as the end of a sentence.
   * It rejects only if `read` does. It ends early when `ending` ends.
   */
  score(sizeBytes: number, read: () => Promise<Buffer>, ending: Ending): Promise<SpamScore | string>;
  close(): void;
}
