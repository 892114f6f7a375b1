import { carriesSecret, isHelpPage } from './link-words.ts';
import { type FoundLink, judgedUrl } from './links.ts';

// Which of the links of a mail is the one to follow.

/** The whole text of what stands in many mails and is what none of them is about. */
const BESIDE =
  /^(?:(?:visit|read|see|view|our|the|your|customer|email|manage|update) )*(?:privacy|terms|legal|imprint|impressum|datenschutz|agb|help|support|contact|faq|about us|(?:this |it |the )?(?:email )?(?:in|online)(?: in)?(?: your| a| the)? ?browser|online|web version|im browser (?:ansehen|öffnen)|preferences|facebook|instagram|twitter|linkedin|youtube|tiktok|mentions légales|confidentialité|privacidad|aviso legal|aide|ayuda|hilfe|kontakt)(?: (?:policy|notice|statement|of service|of use|and conditions|& conditions|us|page|team|cent(?:er|re)))*[.!?]*$/i;
const SOCIAL = /(?:^|\.)(?:facebook|instagram|twitter|x|linkedin|youtube|tiktok|pinterest|threads)\.(?:com|net)$/;

/** It stands beside what a mail is about: a home page, a page of law, a profile elsewhere. */
function isBeside(link: FoundLink): boolean {
  const { url, text, tracker } = link;
  const { hostname, pathname, search, hash } = judgedUrl(link);
  if (text !== url && (text === '' || BESIDE.test(text))) return true;
  if (tracker !== undefined) return false;
  return (pathname === '/' && search === '' && hash === '') || SOCIAL.test(hostname);
}

/** It leads one person to one thing, as far as an address tells. */
function isPersonal(link: FoundLink): boolean {
  return link.tracker !== undefined || carriesSecret(judgedUrl(link));
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
    if (isHelpPage(judgedUrl(link))) return false;
    return isSure ? at < first && isPersonal(link) : at < first || isPersonal(link);
  });
}

/**
 * Of several that may be meant those that are told apart: what somebody counts is the same as what stands plainly beside it, and
 * an address of the web goes before that of an app, and before a relative one.
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

/** Whether a counted link says in its address where it leads on to, and that is the other. */
function leadsTo(counted: FoundLink, { url }: FoundLink): boolean {
  return [...judgedUrl(counted).searchParams.values()].some(
    (value) => URL.canParse(value) && new URL(value).href === url,
  );
}
