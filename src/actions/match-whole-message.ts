import type { Context } from '../context.ts';
import { type Message, type MessageFilter, matchesFilter } from '../domain/message.ts';
import { QueryMatcher } from '../domain/search/match-query.ts';
import type { SearchQuery } from '../domain/search/query.ts';
import type { LinkKind } from '../extract/link-words.ts';
import { readCodesAndLinks } from './find-codes-and-links.ts';
import { matchesMail } from './match-message.ts';
import { readParsed, unlessGone } from './read-message.ts';

/** A header field that a message must have. */
export interface HeaderFilter {
  /** In lower case. */
  readonly name: string;
  /** The text that the value must contain, ignoring case. An empty text matches any value. */
  readonly part: string;
}

/** The conditions on a whole message: its summary, its bodies, its header and its links. */
export interface WholeFilter {
  readonly summary: MessageFilter;
  /** The conditions that search words express, such as words of the bodies or the presence of codes. */
  readonly query: SearchQuery;
  readonly header: HeaderFilter | null;
  /** The kind of link the message must have. `any` accepts every kind; null asks for none. */
  readonly link: LinkKind | 'any' | null;
}

/** Returns a predicate for messages. It checks the row first and reads the mail only if the row does not decide. */
export function wholeMatcher(ctx: Context, filter: WholeFilter): (message: Message) => Promise<boolean> {
  const matcher = new QueryMatcher(filter.query);
  return async (message) => {
    if (!matchesFilter(message, filter.summary)) return false;
    const verdict = matcher.matchesRow(message);
    if (verdict === false || (verdict === null && !(await matchesMail(ctx, matcher, message)))) return false;
    return filter.header === null && filter.link === null ? true : matchesParts(ctx, filter, message);
  };
}

/** Returns false if the message was deleted meanwhile. */
async function matchesParts(ctx: Context, { header, link }: WholeFilter, message: Message): Promise<boolean> {
  const matches = await unlessGone(ctx, message, async () => {
    const mail = await readParsed(ctx, message);
    if (header !== null && !hasHeader(mail.headers[header.name], header.part)) return false;
    if (link === null) return true;
    const { links } = await readCodesAndLinks(ctx, mail);
    return links.some(({ kind }) => link === 'any' || kind === link);
  });
  return matches ?? false;
}

function hasHeader(values: string | readonly string[] | undefined, part: string): boolean {
  if (values === undefined) return false;
  const list = typeof values === 'string' ? [values] : values;
  return list.some((value) => value.toLowerCase().includes(part.toLowerCase()));
}
