import { carriesSecret, isHelpPage } from './link-words.ts';
import type { FoundLink } from './links.ts';

// Which of the links of a mail is the one to follow.

/** The whole text of what stands in many mails and is what none of them is about. */
const BESIDE =
  /^(?:(?:visit|read|see|view|our|the|your|customer|email|manage|update) )*(?:privacy|terms|legal|imprint|impressum|datenschutz|agb|help|support|contact|faq|about us|(?:this |it |the )?(?:email )?(?:in|online)(?: in)?(?: your| a| the)? ?browser|online|web version|im browser (?:ansehen|öffnen)|preferences|facebook|instagram|twitter|linkedin|youtube|tiktok|mentions légales|confidentialité|privacidad|aviso legal|aide|ayuda|hilfe|kontakt)(?: (?:policy|notice|statement|of service|of use|and conditions|& conditions|us|page|team|cent(?:er|re)))*[.!?]*$/i;
const SOCIAL = /(?:^|\.)(?:facebook|instagram|twitter|x|linkedin|youtube|tiktok|pinterest|threads)\.(?:com|net)$/;

/** It stands beside what a mail is about: a home page, a page of law, a profile elsewhere. */
function isBeside({ url, text, tracker }: FoundLink): boolean {
  const { hostname, pathname, search, hash } = new URL(url);
  if (text !== url && (text === '' || BESIDE.test(text))) return true;
  if (tracker !== undefined) return false;
  return (pathname === '/' && search === '' && hash === '') || SOCIAL.test(hostname);
}

/** It leads one person to one thing, as far as an address tells. */
function isPersonal({ url, tracker }: FoundLink): boolean {
  return tracker !== undefined || carriesSecret(new URL(url));
}

/**
 * The links one of which is to be followed, in order: those of a kind, and with them each of no kind that may as well be what the
 * mail is about, as "View your receipt" before "Not you? Reset your password". One of a kind that is personal outdoes those that are not.
 */
export function linksToFollow(links: readonly FoundLink[]): readonly FoundLink[] {
  const wanted = links.filter(({ kind }) => kind !== 'unsubscribe');
  const main = wanted.filter((link) => link.kind !== 'other' || !isBeside(link));
  const first = main.findIndex(({ kind }) => kind !== 'other');
  if (first < 0) return main.length > 0 ? main : wanted;
  const isSure = main.some((link) => link.kind !== 'other' && isPersonal(link));
  return main.filter((link, at) => {
    if (link.kind !== 'other') return true;
    if (isHelpPage(new URL(link.url))) return false;
    return isSure ? at < first && isPersonal(link) : at < first || isPersonal(link);
  });
}
