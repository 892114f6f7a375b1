import type { AnyMessage } from '../../client/mailbox/any-kind.ts';
import { type ReadCodes, readCodes } from '../../extract/codes.ts';
import { type FoundLink, findLinks } from '../../extract/links.ts';
import { harmlessLine } from '../../text/harmless.ts';
import { nameOfMessage } from '../../text/wording.ts';

export { chooseCode, chooseLink } from '../../client/mailbox/choose.ts';

type Bodies = Pick<AnyMessage, 'subject' | 'textBody' | 'htmlBody'>;

/** Finds the codes that a person would see, likeliest first, and the rejected candidates. */
export function codesOf({ subject, textBody, htmlBody }: Bodies): ReadCodes {
  return readCodes({ subject, text: textBody, html: htmlBody });
}

export function linksOf({ subject, textBody, htmlBody }: Bodies): readonly FoundLink[] {
  return findLinks({ subject, text: textBody, html: htmlBody }, 'every');
}

/** Names a message in one line: by its subject, a text message by its words. */
export function titleOf(message: AnyMessage, longest: number): string {
  const { kind, textBody } = message;
  return (kind === 'sms' && harmlessLine(textBody ?? '', longest)) || nameOfMessage(message, longest);
}
