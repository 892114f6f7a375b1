import { isUrl } from '../text/url.ts';
import { type MailContent, whyUnread } from './bounds.ts';
import { type ReadCodes, readCodes } from './codes.ts';
import { type FoundLink, findLinks } from './links.ts';
import { readableText } from './readable-text.ts';

/** The codes and links of a mail that a person would use (docs/api.md#messages-of-all-mailboxes). */
export interface FoundCodesAndLinks extends ReadCodes {
  readonly links: readonly FoundLink[];
  /** The reason why a part of the mail was not searched. Null if all was. */
  readonly findError: string | null;
}

/**
 * Finds the codes, the most likely first, with the rejected candidates, and the links of a mail, in order, each with
 * its rank. Its cost is linear and it never throws.
 */
export function findCodesAndLinks({ subject, text, html }: MailContent): FoundCodesAndLinks {
  return {
    ...readCodes({ subject, text, html }),
    links: findLinks({ subject, text, html }, 'every'),
    findError: whyUnread({ text, html }),
  };
}

/** A mail as a reader sees it: its codes and links, and its HTML as text. */
export interface SeenMail extends FoundCodesAndLinks {
  /** The HTML as text, which refers to each link by its number from 1. Null if the mail has no HTML. */
  readonly readable: string | null;
}

/** Like {@link findCodesAndLinks}, with the HTML as text. */
export function seeMail(mail: MailContent): SeenMail {
  const found = findCodesAndLinks(mail);
  const numbers = new Map(found.links.map(({ url }, at) => [url, at + 1]));
  const numberOf = (href: string) => numbers.get(isUrl(href) ? new URL(href).href : href) ?? 0;
  return { ...found, readable: mail.html === null ? null : readableText(mail.html, numberOf).text };
}
