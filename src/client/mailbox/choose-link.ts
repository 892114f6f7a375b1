import { LINK_KINDS, type LinkKind } from '../../extract/link-kinds.ts';
import { distinctLinks } from '../../extract/link-role.ts';
import type { FoundLink } from '../../extract/links.ts';
import { isUrl } from '../../text/url.ts';
import { AmbiguityError, ContentError, OptionError } from '../errors.ts';
import { type Check, checkOptions, oneOf, shown, textOrPattern } from '../options/check-options.ts';
import { hasText, type TextFilter, writeTextFilter } from '../options/filters.ts';

/**
 * The choice of one link in a mail that has several: by its kind, its text or its URL.
 *
 * @example message.link({ text: 'Confirm' });
 */
export type LinkFilter =
  | LinkKind
  | {
      /** The kind, which says what a click on the link does. */
      readonly kind?: LinkKind | undefined;
      /** A filter of the link's visible text. */
      readonly text?: TextFilter | undefined;
      /** A filter of the link's URL. */
      readonly url?: TextFilter | undefined;
      /** The base URL of a relative link. Without it a relative link is an error. */
      readonly base?: string | URL | undefined;
    };

const ofKind = oneOf(...LINK_KINDS);
const baseUrl: Check = (name, value) => {
  if (!isUrl(String(value))) throw new OptionError(`${name} must be a whole URL; it is ${shown(value)}.`);
};
const FILTER = { kind: ofKind, text: textOrPattern, url: textOrPattern, base: baseUrl };

/** Throws an OptionError for an unknown kind or an invalid filter. */
export function checkLinkFilter(name: string, filter: unknown): void {
  if (typeof filter === 'string') ofKind('The kind of a link', filter);
  else
    checkOptions(
      name,
      filter,
      FILTER,
      'Describe the link: "verify", or { text: "Confirm" }, or { url: /\\/confirm/ }.',
    );
}

/**
 * Chooses the one link that matches, and returns its absolute URL. Without a filter it chooses the one link to follow.
 * Then it never chooses an unsubscribe link, and it prefers links of a known kind, unless another link is as likely.
 * Throws a ContentError if no link matches or if the link has no host, an AmbiguityError if several links match.
 */
export function chooseLink(links: readonly FoundLink[], filter: LinkFilter | undefined, mail: string): string {
  if (filter !== undefined) checkLinkFilter('The argument of link()', filter);
  const meant = isAny(filter)
    ? links.filter(({ rank, kind }) => rank === 1 && kind !== 'unsubscribe')
    : distinctLinks(links.filter((link) => isMeant(link, filter)));
  const [first, ...others] = meant;
  const asked = isAny(filter) ? '' : ` ${write(filter)}`;
  if (first === undefined) {
    const there = links.length === 0 ? `${mail}, and no other link.` : `${mail}; it has:\n${lines(links)}`;
    throw new ContentError(
      'no_link',
      `There is no link${asked} in ${isAny(filter) && links.length === 0 ? `${mail}.` : there}`,
    );
  }
  if (others.length === 0) return wholeUrl(first, filter, mail);
  throw new AmbiguityError('several_links', `There are several links${asked} in ${mail}:`, meant.map(describe), {
    hint: 'Describe the link: link("verify"), or link({ text: "Confirm", url: /\\/confirm/ }).',
  });
}

/** Tells whether the filter does not restrict the choice. */
function isAny(filter: LinkFilter | undefined): filter is undefined {
  if (typeof filter === 'string') return false;
  return filter?.kind === undefined && filter?.text === undefined && filter?.url === undefined;
}

function wholeUrl({ url, form }: FoundLink, filter: LinkFilter | undefined, mail: string): string {
  if (form !== 'relative') return url;
  const base = typeof filter === 'object' ? filter.base : undefined;
  if (base !== undefined) return new URL(url, base).href;
  throw new ContentError('relative_link', `The link ${url} in ${mail} has no host: no mail program can follow it.`, {
    hint: "The app wrote the link without its own address. link({ base: 'https://shop.test' }) adds it.",
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

function describe({ kind, text, url, tracker, form, reason }: FoundLink): string {
  const words = text === url ? '' : ` "${text}"`;
  const notes = [
    reason,
    ...(tracker === undefined ? [] : [`tracked by ${tracker}`]),
    ...(form === undefined ? [] : [form === 'app' ? 'of an app' : 'without a host']),
  ];
  return `${kind}${words} ${url} (${notes.join(', ')})`;
}
