import type { MessageDetailResponse } from '../../client/index.ts';
import { readCodes } from '../../extract/codes.ts';
import { type FoundLink, findLinks } from '../../extract/links.ts';
import { readableText } from '../../extract/readable-text.ts';
import { isUrl } from '../../text/is-url.ts';

/**
 * The parts of a mail that its reader sees: its text, its codes and its links. The text refers to each link by a
 * number.
 */
export interface Seen {
  readonly text: string;
  readonly codes: ReturnType<typeof readCodes>;
  readonly links: readonly FoundLink[];
}

type Bodies = Pick<MessageDetailResponse, 'subject' | 'textBody' | 'htmlBody'>;

/** Reads what a person would see: the HTML without its hidden parts, or the text part if there is none. */
export function readSeen({ subject, textBody: text, htmlBody: html }: Bodies): Seen {
  const links = findLinks({ subject, text, html }, 'every');
  const numbers = new Map(links.map(({ url }, at) => [url, at + 1]));
  const numberOf = (href: string) => numbers.get(isUrl(href) ? new URL(href).href : href) ?? 0;
  return {
    text: html === null ? (text ?? '') : readableText(html, numberOf).text,
    codes: readCodes({ subject, text, html }),
    links,
  };
}
