import type { CodeText } from '../extract/codes.ts';
import type { Found } from '../extract/find.ts';
import type { ParseMessage } from './parse-message.ts';

// What is said between the server and a thread of the parser.

/** One at a time. The bytes are moved, not copied. */
export type ParseTask =
  | { readonly kind: 'parse'; readonly raw: ArrayBuffer }
  | { readonly kind: 'find'; readonly texts: CodeText };

export type ParseReply =
  /** What the header tells, before the rest is read. */
  | { readonly kind: 'known'; readonly known: Omit<ParseMessage, 'contents'> }
  | { readonly kind: 'parsed'; readonly parsed: ParseMessage }
  | { readonly kind: 'found'; readonly found: Found };
