import { Tiktoken } from 'js-tiktoken/lite';
import ranks from 'js-tiktoken/ranks/o200k_base';

const encoder = new Tiktoken(ranks);

/** Returns how many tokens a language model reads in a text, by the encoding of current models (o200k). */
export function countTokens(text: string): number {
  return encoder.encode(text).length;
}
