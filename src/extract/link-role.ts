import { isUrl } from '../text/is-url.ts';
import { carriesSecret, isHelpPage } from './link-words.ts';
import { type FoundLink, judgedUrl } from './links.ts';

// These functions choose the link of a mail that a reader should follow.

/** The text of links that occur in many mails but are never the topic of a mail. */
const BESIDE =
  /^(?:(?:visit|read|see|view|our|the|your|customer|email|manage|update) )*(?:privacy|terms|legal|imprint|impressum|datenschutz|agb|help|support|contact|faq|about us|(?:this |it |the )?(?:email )?(?:in|online)(?: in)?(?: your| a| the)? ?browser|online|web version|im browser (?:ansehen|öffnen)|preferences|facebook|instagram|twitter|linkedin|youtube|tiktok|mentions légales|confidentialité|privacidad|aviso legal|aide|ayuda|hilfe|kontakt)(?: (?:policy|notice|statement|of service|of use|and conditions|& conditions|us|page|team|cent(?:er|re)))*[.!?]*$/i;
const SOCIAL = /(?:^|\.)(?:facebook|instagram|twitter|x|linkedin|youtube|tiktok|pinterest|threads)\.(?:com|net)$/;

/** Tells whether a link is not the topic of the mail: a home page, a legal page, or a social profile. */
function isBeside(link: FoundLink): boolean {
  const { url, text, tracker } = link;
  const { hostname, pathname, search, hash } = judgedUrl(link);
  if (text !== url && (text === '' || BESIDE.test(text))) return true;
  if (tracker !== undefined) return false;
  return (pathname === '/' && search === '' && hash === '') || SOCIAL.test(hostname);
}

/** Tells whether a link is personal, as far as its address shows. */
function isPersonal(link: FoundLink): boolean {
  return link.tracker !== undefined || carriesSecret(judgedUrl(link));
}

/**
 * Returns the links that a reader may be meant to follow, in order. These are the links with a kind, and links without
 * a kind that may be the topic of the mail, such as "View your receipt" before "Not you? Reset your password". If a
 * link with a kind is personal, a link without a kind must be personal too and come before it.
 */
export function linksToFollow(links: readonly FoundLink[]): readonly FoundLink[] {
  const wanted = links.filter(({ kind }) => kind !== 'unsubscribe');
  const main = wanted.filter((link) => link.kind !== 'other' || !isBeside(link));
  const first = main.findIndex(({ kind }) => kind !== 'other');
  if (first < 0) return main.length > 0 ? main : wanted;
  const isSure = main.some((link) => link.kind !== 'other' && isPersonal(link));
  return main.filter((link, at) => {
    if (link.kind !== 'other') return true;
    if (isHelpPage(judgedUrl(link))) return false;
    return isSure ? at < first && isPersonal(link) : at < first || isPersonal(link);
  });
}

/**
 * Narrows candidates to distinct ones. It drops a tracked link if a plain one has its kind or its target. It keeps only
 * web links if there are any, or else only app links, or else the relative ones.
 */
export function distinctLinks(links: readonly FoundLink[]): readonly FoundLink[] {
  const web = links.filter(({ form }) => form === undefined);
  const app = links.filter(({ form }) => form === 'app');
  const first = web.length > 0 ? web : app.length > 0 ? app : links;
  const plain = first.filter(({ tracker }) => tracker === undefined);
  return first.filter(
    (link) => link.tracker === undefined || !plain.some((other) => other.kind === link.kind || leadsTo(link, other)),
  );
}

/** Tells whether the address of a tracked link contains the other link as its target. */
function leadsTo(counted: FoundLink, { url }: FoundLink): boolean {
  return [...judgedUrl(counted).searchParams.values()].some((value) => isUrl(value) && new URL(value).href === url);
}
