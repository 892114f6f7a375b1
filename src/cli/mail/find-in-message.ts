import type { MessageDetailResponse } from '../../client/index.ts';
import { type FoundCode, findCodes } from '../../extract/codes.ts';
import { type FoundLink, findLinks } from '../../extract/links.ts';

export { chooseCode } from '../../client/choose-code.ts';
export { chooseLink } from '../../client/choose-link.ts';

type Bodies = Pick<MessageDetailResponse, 'subject' | 'textBody' | 'htmlBody'>;

/** The codes a person would see, likeliest first. */
export function codesOf({ subject, textBody, htmlBody }: Bodies): readonly FoundCode[] {
  return findCodes({ subject, text: textBody, html: htmlBody });
}

export function linksOf({ textBody, htmlBody }: Bodies): readonly FoundLink[] {
  return findLinks({ text: textBody, html: htmlBody });
}
