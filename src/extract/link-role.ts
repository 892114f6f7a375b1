import { isUrl } from '../text/url.ts';
import { isHelpPage, isHomePage, secretsIn } from './link-address.ts';
import type { FoundLink, SaidKind } from './link-kinds.ts';
import { judgedUrl } from './link-target.ts';
import { declines } from './link-words.ts';

// These functions choose the link of a mail that a reader should follow.

type Unranked = Omit<FoundLink, 'rank' | 'ambiguous'>;

/** The place of a link on its line: between words, with words on one side, or without any. */
export type LinkPlace = 'within words' | 'beside words' | 'alone';

/** What an address says, which several rules ask. */
interface Facts {
  readonly address: URL;
  readonly secrets: readonly string[];
}

const FACTS = new WeakMap<object, Facts>();

function factsOf(link: { readonly url: string }): Facts {
  return FACTS.get(link) ?? readFacts(link, judgedUrl(link));
}

/** Reads what the address of a link says, for all rules that ask. */
export function readFacts(link: object, address: URL): Facts {
  const facts = { address, secrets: secretsIn(address) };
  FACTS.set(link, facts);
  return facts;
}

/** The text of links that occur in many mails but are never the topic of a mail. */
const BESIDE =
  /^(?:(?:visit|read|see|view|our|the|your|customer|email|manage|update) )*(?:privacy|terms|legal|imprint|impressum|datenschutz|agb|help|support|contact|faq|about us|(?:this |it |the )?(?:email )?(?:in|online)(?: in)?(?: your| a| the)? ?browser|online|web version|im browser (?:ansehen|öffnen)|preferences|facebook|instagram|twitter|linkedin|youtube|tiktok|mentions légales|confidentialité|privacidad|aviso legal|aide|ayuda|hilfe|kontakt)(?: (?:policy|notice|statement|of service|of use|and conditions|& conditions|us|page|team|cent(?:er|re)))*[.!?]*$/i;
const SOCIAL =
  /(?:^|\.)(?:facebook|instagram|twitter|x|linkedin|youtube|tiktok|pinterest|threads|discord|github)\.(?:com|net|gg)$/;

const PICTURE = /\.(?:png|jpe?g|gif|svg|webp|ico|bmp|css|woff2?)$/i;

/** Tells whether a link is not the topic of the mail: a home page, a legal page, a picture, or a social profile. */
export function isBeside(link: {
  readonly url: string;
  readonly text: string;
  readonly tracker?: string | null;
}): boolean {
  const { url, text, tracker } = link;
  if (text !== url && (text === '' || BESIDE.test(text) || declines(text))) return true;
  if (tracker !== undefined && tracker !== null) return false;
  const { address, secrets } = factsOf(link);
  if (isHomePage(address) || (PICTURE.test(address.pathname) && secrets.length === 0)) return true;
  return SOCIAL.test(address.hostname) && secrets.length === 0;
}

function isSecret(link: Unranked): boolean {
  return link.tracker === undefined && factsOf(link).secrets.length > 0;
}

/** Tells whether a link is personal, as far as its address shows. */
function isPersonal(link: Unranked): boolean {
  return link.tracker !== undefined || isSecret(link);
}

/**
 * Returns the links that a reader may be meant to follow, in order. These are the links with a kind, and links without
 * a kind that may be the topic of the mail, such as "View your receipt" before "Not you? Reset your password". If a
 * link with a kind carries a secret, the others are pages that many mails have below. If `subject` tells the kind of
 * some and not of others, those are meant.
 */
function linksToFollow(
  links: readonly Unranked[],
  subject: SaidKind | null,
  place: (url: string) => LinkPlace,
): readonly Unranked[] {
  const wanted = links.filter(({ kind }) => kind !== 'unsubscribe');
  const main = wanted.filter((link) => link.kind !== 'other' || !isBeside(link));
  const first = main.findIndex(({ kind }) => kind !== 'other');
  if (first < 0) return withSecret(main.length > 0 ? main : wanted, place);
  const hasKind = main.filter(({ kind }) => kind !== 'other');
  const isSure = hasKind.some(isPersonal);
  const isSafe = hasKind.some(isSecret);
  const meant = main.filter((link, at) => {
    if (link.kind !== 'other') return !isSafe || isPersonal(link);
    if (isHelpPage(factsOf(link).address)) return false;
    return isSure ? at < first && isPersonal(link) : at < first || isPersonal(link);
  });
  const ofSubject = meant.filter(({ kind }) => kind === subject);
  return ofSubject.length > 0 && ofSubject.every(isPersonal) ? ofSubject : meant;
}

/**
 * Chooses the links to follow where none has a kind: those that carry a secret. A button before them is chosen instead, if
 * all others are within sentences: "See the event" above "You can change your settings". Where none carries a secret, it
 * is enough that the others stand beside words, and the button alone.
 */
function withSecret(links: readonly Unranked[], place: (url: string) => LinkPlace): readonly Unranked[] {
  const secret = links.filter(isSecret);
  const [first, ...further] = links;
  if (first === undefined || links.some(({ tracker }) => tracker !== undefined)) return links;
  if (first.text !== first.url && further.length > 0) {
    const [own, others] = [place(first.url), further.map(({ url }) => place(url))];
    if (secret.length > 0 && own !== 'within words' && others.every((one) => one === 'within words')) return [first];
    if (secret.length === 0 && own === 'alone' && others.every((one) => one !== 'alone')) return [first];
  }
  return secret.length > 0 ? secret : links;
}

/**
 * Narrows candidates to distinct ones. It drops a tracked link if a plain one has its kind or its target, and a link
 * that has the secret of another. It keeps only web links if there are any, or else only app links, or else the
 * relative ones.
 */
export function distinctLinks<T extends Unranked>(links: readonly T[]): readonly T[] {
  const web = links.filter(({ form }) => form === undefined);
  const app = links.filter(({ form }) => form === 'app');
  const first = web.length > 0 ? web : app.length > 0 ? app : links;
  const plain = first.filter(({ tracker }) => tracker === undefined);
  return oneButton(
    withoutTwins(
      first.filter(
        (link) =>
          link.tracker === undefined || !plain.some((other) => other.kind === link.kind || leadsTo(link, other)),
      ),
    ),
  );
}

/** Tells whether the address of a tracked link contains the other link as its target. */
function leadsTo(counted: Unranked, { url }: Unranked): boolean {
  return [...factsOf(counted).address.searchParams.values()].some(
    (value) => isUrl(value) && new URL(value).href === url,
  );
}

/** The shortest secret that two links share only if they are the same. */
const SECRET_CHARACTERS = 16;

/** Keeps the first of the links of one kind that carry the same secrets. */
function withoutTwins<T extends Unranked>(links: readonly T[]): readonly T[] {
  const seen = new Set<string>();
  return links.filter((link) => {
    const secrets = factsOf(link).secrets.filter(({ length }) => length >= SECRET_CHARACTERS);
    if (secrets.length === 0) return true;
    const key = [link.kind, ...secrets.sort()].join(' ');
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/**
 * The HTML and the text of a mail show one button. So a personal link of each is the same, unless they have two kinds;
 * the one whose kind is known is kept.
 */
function oneButton<T extends Unranked>(links: readonly T[]): readonly T[] {
  const [one, other] = links;
  if (one === undefined || other === undefined || links.length !== 2) return links;
  const isTwice = one.part !== 'both' && other.part !== 'both' && one.part !== other.part;
  if (!isTwice || !isPersonal(one) || !isPersonal(other)) return links;
  if (one.kind === other.kind) return [one];
  return one.kind === 'other' ? [other] : other.kind === 'other' ? [one] : links;
}

/**
 * Ranks links: those to follow come first, then links with a kind, links without one, and those of a footer. Only those
 * whose address is in `above` may be meant; the others are below a signature.
 */
export function ranked(
  links: readonly Unranked[],
  subject: SaidKind | null,
  above: ReadonlySet<string>,
  place: (url: string) => LinkPlace,
): FoundLink[] {
  const main = links.filter(({ url }) => above.has(url));
  const follow = new Set(distinctLinks(linksToFollow(main, subject, place)));
  const tierOf = (link: Unranked) => {
    if (follow.has(link)) return 0;
    if (link.kind === 'unsubscribe') return 4;
    if (link.kind !== 'other') return 1;
    return isBeside(link) || !above.has(link.url) ? 3 : 2;
  };
  const tiers = links.map(tierOf);
  return links.map((link, at) => {
    const tier = tiers[at] ?? 0;
    const rank = 1 + tiers.filter((one) => one < tier).length;
    return { ...link, rank, ambiguous: tier === 0 && follow.size > 1 };
  });
}
