import { whyUnread } from './bounds.ts';
import { type CodeText, type FoundCode, findCodes } from './codes.ts';
import { type FoundLink, findLinks } from './links.ts';

/** What a person would take from a mail: its codes and its links (docs/contract.md#mailboxes-and-messages-here). */
export interface Found {
  readonly codes: readonly FoundCode[];
  readonly links: readonly FoundLink[];
  /** Why not all of the mail was looked at, null when it was. */
  readonly findError: string | null;
}

/** The codes and links of a mail, the likeliest codes first, the links in order. Linear, never throws. */
export function findCodesAndLinks({ subject, text, html }: CodeText): Found {
  return {
    codes: findCodes({ subject, text, html }),
    links: findLinks({ text, html }),
    findError: whyUnread({ text, html }),
  };
}
