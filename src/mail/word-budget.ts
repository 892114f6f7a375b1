/** The charsets that decode fast. The others use a table or shift sequences, or are unknown. */
const FAST = /^(?:utf-?8|us-ascii|ascii|iso-8859-\d+|windows-125\d|koi8-[ru])(?:\*|$)/i;
const WORD = /=\?([\w\-*]+)\?[QqBb]\?([^?]*)\?=/g;

/** The budget of one header. It covers about 75 names in Chinese or 1,400 in UTF-8, which take 10 ms. */
const MOST = 1_500;

/** Limits the cost of decoding the encoded words of one mail's header. Words beyond the limit stay encoded. */
export class WordBudget {
  #left = MOST;

  /** Spends the cost of a text. Returns the number of characters, from its start, that may be decoded. */
  spend(text: string): number {
    for (const { 0: word, 1: charset = '', index } of text.matchAll(WORD)) {
      this.#left -= FAST.test(charset) ? 1 + word.length / 500 : 10 + word.length / 4;
      if (this.#left < 0) return index;
    }
    return text.length;
  }
}
