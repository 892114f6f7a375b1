import type { MessageDetailResponse } from '../../client/index.ts';
import { type ReadCodes, readCodes } from '../../extract/codes.ts';
import { type FoundLink, findLinks } from '../../extract/links.ts';

export { chooseCode, chooseLink } from '../../client/mailbox/choose.ts';

type Bodies = Pick<MessageDetailResponse, 'subject' | 'textBody' | 'htmlBody'>;

/** Finds the codes that a person would see, likeliest first, and the rejected candidates. */
export function codesOf({ subject, textBody, htmlBody }: Bodies): ReadCodes {
  return readCodes({ subject, text: textBody, html: htmlBody });
}

export function linksOf({ subject, textBody, htmlBody }: Bodies): readonly FoundLink[] {
  return findLinks({ subject, text: textBody, html: htmlBody }, 'every');
}
