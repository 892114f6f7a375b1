/** Microseconds of decoding are cheap in these; a table or a shift is looked up for the others, or nobody knows them. */
const FAST = /^(?:utf-?8|us-ascii|ascii|iso-8859-\d+|windows-125\d|koi8-[ru])(?:\*|$)/i;
const WORD = /=\?([\w\-*]+)\?[QqBb]\?([^?]*)\?=/g;

/** About 75 names in Chinese or 1,400 in UTF-8: 10 ms. */
const MOST = 1_500;

/** What the encoded words of one mail's header may cost to decode, all together. Those beyond it stay as they are written. */
export class WordBudget {
  #left = MOST;

  /** How much of the text, from its start, may be decoded; spends that. */
  spend(text: string): number {
    for (const { 0: word, 1: charset = '', index } of text.matchAll(WORD)) {
      this.#left -= FAST.test(charset) ? 1 + word.length / 500 : 10 + word.length / 4;
      if (this.#left < 0) return index;
    }
    return text.length;
  }
}
