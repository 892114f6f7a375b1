import type { Ending } from './ending.ts';

/** The wrong admin tokens that clients sent lately. They slow down only the answers to further wrong ones. */
export interface WrongTokens {
  /**
   * Counts one more wrong token from an IP address. Resolves to true when the answer is due, or when its exchange ends.
   * Resolves to false at once if too many answers are held already. The caller then closes the connection after its
   * answer.
   */
  answerLater(address: string, exchange: Ending): Promise<boolean>;
}
