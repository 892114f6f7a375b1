import { linksToFollow } from '../../extract/link-role.ts';
import { LINK_KINDS, type LinkKind } from '../../extract/link-words.ts';
import type { FoundLink } from '../../extract/links.ts';
import { AmbiguityError, ContentError } from '../errors.ts';
import { checkOptions, oneOf, textOrPattern } from '../options/check-options.ts';
import { hasText, type TextFilter, writeTextFilter } from '../options/text-match.ts';

/** Which link is meant where a mail has several: its kind, or what it shows and where it leads. */
export type LinkFilter =
  | LinkKind
  | {
      readonly kind?: LinkKind | undefined;
      readonly text?: TextFilter | undefined;
      readonly url?: TextFilter | undefined;
    };

const ofKind = oneOf(...LINK_KINDS);
const FILTER = { kind: ofKind, text: textOrPattern, url: textOrPattern };

/** Throws an OptionError for a kind that there is not, and for what can say of no link that it is meant. */
export function checkLinkFilter(name: string, filter: unknown): void {
  if (typeof filter === 'string') ofKind('The kind of a link', filter);
  else
    checkOptions(
      name,
      filter,
      FILTER,
      'Say which link is meant: "verify", or { text: "Confirm" }, or { url: /\\/confirm/ }.',
    );
}

/**
 * The one link that is meant; with no filter, the one that is there to be followed: not to unsubscribe, and of a kind where
 * there is one, unless one of no kind may as well be it. Throws a ContentError where there is none, an AmbiguityError where there are several.
 */
export function chooseLink(links: readonly FoundLink[], filter: LinkFilter | undefined, mail: string): URL {
  if (filter !== undefined) checkLinkFilter('What link() is given', filter);
  const meant = filter === undefined ? linksToFollow(links) : links.filter((link) => isMeant(link, filter));
  const [first, ...others] = meant;
  const asked = filter === undefined ? '' : ` ${write(filter)}`;
  if (first === undefined) {
    const there = links.length === 0 ? '; it has no link at all.' : `; it has:\n${lines(links)}`;
    throw new ContentError('no_link', `There is no link${asked} in ${mail}${there}`, {});
  }
  if (others.length === 0) return new URL(first.url);
  throw new AmbiguityError('several_links', `There are several links${asked} in ${mail}:`, meant.map(describe), {
    hint: 'Say which is meant: link("verify"), or link({ text: "Confirm", url: /\\/confirm/ }).',
  });
}

function isMeant(link: FoundLink, filter: LinkFilter): boolean {
  if (typeof filter === 'string') return link.kind === filter;
  return (
    (filter.kind === undefined || link.kind === filter.kind) &&
    (filter.text === undefined || hasText([link.text], filter.text)) &&
    (filter.url === undefined || hasText([link.url], filter.url))
  );
}

function write(filter: LinkFilter): string {
  if (typeof filter === 'string') return `of kind ${filter}`;
  const { kind, text, url } = filter;
  return [
    ...(kind === undefined ? [] : [`of kind ${kind}`]),
    ...(text === undefined ? [] : [`with the text ${writeTextFilter(text)}`]),
    ...(url === undefined ? [] : [`to ${writeTextFilter(url)}`]),
  ].join(' ');
}

function lines(links: readonly FoundLink[]): string {
  return links.map((link) => `  ${describe(link)}`).join('\n');
}

function describe({ kind, text, url, tracker }: FoundLink): string {
  const shown = text === url ? '' : ` "${text}"`;
  return `${kind}${shown} ${url}${tracker === undefined ? '' : ` (counted by ${tracker})`}`;
}
