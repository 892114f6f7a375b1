import type { FoundCode, ReadCodes, RefusedCode } from '../../extract/codes.ts';
import { LINK_KINDS, type LinkKind } from '../../extract/link-kinds.ts';
import { distinctLinks } from '../../extract/link-role.ts';
import type { FoundLink } from '../../extract/links.ts';
import { isUrl } from '../../text/url.ts';
import { AmbiguityError, ContentError } from '../errors.ts';
import {
  checkOptions,
  checkThat,
  count,
  hasText,
  oneOf,
  pattern as regExp,
  stateless,
  type TextFilter,
  textOrPattern,
  writeTextFilter,
} from '../options/check-options.ts';

// A mail may have several codes or links. A test gets the likeliest one, or the one that its options describe.

/**
 * The choice of one code in a mail that has several.
 *
 * @example await mailbox.waitForCode({}, { code: { length: 6 } });
 */
export interface CodeOptions {
  /** The number of characters of the code as a user enters it, without spaces. Any number if left out. */
  readonly length?: number | undefined;
  /**
   * A pattern that the code must match in the visible text, even if it does not look like a code. The first group is
   * the code if the pattern has one, else the whole match. Without a pattern the likeliest code is returned.
   *
   * @example message.code({ pattern: /Ticket ([A-Z]+-\d+)/ });
   */
  readonly pattern?: RegExp | undefined;
}

const MAX_SHOWN = 8;
const OPTIONS = { length: count, pattern: regExp };

/** Throws an OptionError for invalid code options. */
export function checkCodeOptions(name: string, options: unknown): void {
  checkOptions(name, options, OPTIONS, `Describe the code: { length: 6 } or { pattern: /^\\d+$/ }.`);
}

/**
 * Chooses the likeliest of the codes that match the options. A pattern is matched with `seen`, the visible texts.
 * Throws a ContentError if there is none, an AmbiguityError if two are equally likely. The ContentError mentions the
 * mail's links if `countLinks` counts any, because many apps send a link where a test expects a code.
 */
export function chooseCode(
  found: ReadCodes,
  options: CodeOptions,
  mail: string,
  seen: () => readonly string[] = () => [],
  countLinks: () => number = () => 0,
): string {
  checkCodeOptions('The argument of code()', options);
  const { length, pattern } = options;
  const isLong = ({ entered }: Candidate) => length === undefined || entered.length === length;
  const candidates =
    pattern === undefined
      ? likeliest(found.codes.map(candidate).filter(isLong))
      : matched(found, pattern, seen(), isLong);
  const [first, ...equals] = candidates;
  if (first === undefined) throw nothingFound(found, pattern, mail, countLinks);
  if (equals.length === 0) return first.entered;
  const [message, hint] =
    pattern === undefined
      ? [
          `Several codes in ${mail} are equally likely:`,
          'Describe the code: code({ length: 6 }) or code({ pattern: /^\\d+$/ }).',
        ]
      : [
          `${pattern} matches several times in ${mail}:`,
          'Add the words beside the code to the pattern: code({ pattern: /Your code is (\\S+)/ }).',
        ];
  throw new AmbiguityError('several_codes', message, candidates.map(describeCode), { hint });
}

/** A code that matches the options. */
interface Candidate {
  readonly written: string;
  readonly reason: string;
  readonly rank: number;
  /** The code as a user enters it. */
  readonly entered: string;
}

function candidate({ code, written, reason, rank }: FoundCode): Candidate {
  return { written, reason, rank, entered: code };
}

function likeliest(all: readonly Candidate[]): Candidate[] {
  const best = Math.min(...all.map(({ rank }) => rank));
  return all.filter(({ rank }) => rank === best);
}

/**
 * Returns the matches of a pattern. It tries the found codes first, as they are entered or written, then whole words,
 * then any part of the visible text. The first of the three that has a match decides.
 */
function matched(
  found: ReadCodes,
  pattern: RegExp,
  seen: readonly string[],
  isLong: (one: Candidate) => boolean,
): Candidate[] {
  const own = stateless(pattern);
  const of = (text: string, reason: string): Candidate[] => {
    const match = own.exec(text);
    const entered = match?.[1] ?? match?.[0] ?? '';
    return entered === '' ? [] : [{ written: entered, entered, reason, rank: 1 }];
  };
  const codes = found.codes.flatMap(({ code, written, reason, rank }) => {
    const [match] = [...of(code, reason), ...of(written, reason)];
    return match === undefined ? [] : [{ ...match, written, rank }];
  });
  const words = seen.flatMap((text) =>
    text
      .split(/\s+/)
      .filter((word) => !word.includes('://'))
      .flatMap((word) => wholeMatch(own, word)),
  );
  const anywhere = seen.flatMap((text) => everyMatch(own, text));
  const asMatches = (all: readonly string[]): Candidate[] =>
    all.map((one) => ({ written: one, entered: one, reason: 'it matches the pattern', rank: 1 }));
  const tiers = [likeliest(codes.filter(isLong)), asMatches(words), asMatches(anywhere)];
  return distinct(tiers.map((tier) => tier.filter(isLong)).find((tier) => tier.length > 0) ?? []);
}

/** Returns the word without the punctuation around it if the pattern matches all of it. */
function wholeMatch(pattern: RegExp, word: string): string[] {
  return [word, word.replace(/^[("'[<*_«“]+|(?<![)"'\]>*_».,:;!?”])[)"'\]>*_».,:;!?”]+$/g, '')].flatMap((one) => {
    const match = pattern.exec(one);
    return match !== null && match[0] === one && one !== '' ? [match[1] ?? one] : [];
  });
}

function everyMatch(pattern: RegExp, text: string): string[] {
  const every = text.matchAll(new RegExp(pattern.source, `${pattern.flags}g`));
  return Array.from(every, (match) => match[1] ?? match[0]).filter((one) => one !== '');
}

function distinct(all: readonly Candidate[]): Candidate[] {
  return [...new Map(all.map((one) => [one.entered, one])).values()];
}

function nothingFound(
  { codes, refused }: ReadCodes,
  pattern: RegExp | undefined,
  mail: string,
  countLinks: () => number,
): ContentError {
  if (pattern !== undefined)
    return new ContentError('no_code', `No visible text in ${mail} matches ${pattern}.`, {
      hint: 'code() tries the pattern on `message.visibleText`, `message.subject` and `message.text`.',
    });
  const others = codes.length === 0 ? ': no visible text in it looks like a code.' : ' that fits the options; it has:';
  const shown = refused.slice(0, MAX_SHOWN);
  const lines = [
    ...codes.map((one) => `  ${describeCode(one)}`),
    ...(shown.length === 0
      ? []
      : ['Candidates that do not count as a code:', ...shown.map((one) => `  ${describeCode(one)}`)]),
  ];
  const called = refused.some(({ isCalledCode }) => isCalledCode);
  const links = codes.length === 0 && !called ? countLinks() : 0;
  return new ContentError('no_code', [`There is no code in ${mail}${others}`, ...lines].join('\n'), {
    hint: called
      ? 'If one of the candidates is the code, describe it: code({ pattern: /^[A-Z]{2}-\\d+$/i }).'
      : links > 0
        ? `The mail has ${links === 1 ? 'a link' : `${links} links`}. If the app confirms by a link, use \`link()\` or \`waitForLink()\`.`
        : 'code() searches only visible text. `message.text` and `message.html` hold the whole mail.',
  });
}

function describeCode({ written, reason }: Pick<FoundCode | RefusedCode, 'written' | 'reason'>): string {
  return `${written} (${reason})`;
}

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
const baseUrl = checkThat('a whole URL', (value) => isUrl(String(value)));
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
  const wanted: NamedLinkFilter = typeof filter === 'string' ? { kind: filter } : (filter ?? {});
  const isAny = wanted.kind === undefined && wanted.text === undefined && wanted.url === undefined;
  const meant = isAny
    ? links.filter(({ rank, kind }) => rank === 1 && kind !== 'unsubscribe')
    : distinctLinks(links.filter((link) => isMeant(link, wanted)));
  const [first, ...others] = meant;
  const asked = isAny ? '' : ` ${write(wanted)}`;
  if (first === undefined) {
    const there = links.length === 0 ? `${mail}, and no other link.` : `${mail}; it has:\n${lines(links)}`;
    throw new ContentError(
      'no_link',
      `There is no link${asked} in ${isAny && links.length === 0 ? `${mail}.` : there}`,
    );
  }
  if (others.length === 0) return wholeUrl(first, wanted.base, mail);
  throw new AmbiguityError('several_links', `There are several links${asked} in ${mail}:`, meant.map(describeLink), {
    hint: 'Describe the link: link("verify"), or link({ text: "Confirm", url: /\\/confirm/ }).',
  });
}

function wholeUrl({ url, form }: FoundLink, base: string | URL | undefined, mail: string): string {
  if (form !== 'relative') return url;
  if (base !== undefined) return new URL(url, base).href;
  throw new ContentError('relative_link', `The link ${url} in ${mail} has no host: no mail program can follow it.`, {
    hint: "The app wrote the link without its own address. link({ base: 'https://shop.test' }) adds it.",
  });
}

type NamedLinkFilter = Exclude<LinkFilter, string>;

function isMeant(link: FoundLink, filter: NamedLinkFilter): boolean {
  return (
    (filter.kind === undefined || link.kind === filter.kind) &&
    (filter.text === undefined || hasText([link.text], filter.text)) &&
    (filter.url === undefined || hasText([link.url], filter.url))
  );
}

function write({ kind, text, url }: NamedLinkFilter): string {
  return [
    ...(kind === undefined ? [] : [`of kind ${kind}`]),
    ...(text === undefined ? [] : [`with the text ${writeTextFilter(text)}`]),
    ...(url === undefined ? [] : [`to ${writeTextFilter(url)}`]),
  ].join(' ');
}

function lines(links: readonly FoundLink[]): string {
  return links.map((link) => `  ${describeLink(link)}`).join('\n');
}

function describeLink({ kind, text, url, tracker, form, reason }: FoundLink): string {
  const words = text === url ? '' : ` "${text}"`;
  const notes = [
    reason,
    ...(tracker === undefined ? [] : [`tracked by ${tracker}`]),
    ...(form === undefined ? [] : [form === 'app' ? 'of an app' : 'without a host']),
  ];
  return `${kind}${words} ${url} (${notes.join(', ')})`;
}
