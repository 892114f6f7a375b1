import { setImmediate } from 'node:timers/promises';
import type { Context } from '../context.ts';
import {
  type Message,
  type MessageFilter,
  matchesFilter,
  type RefusedBy,
  refusedBy,
  refusedCondition,
} from '../domain/message.ts';
import type { ParsedMail } from '../domain/parsed-mail.ts';
import {
  type DocumentField,
  isRowField,
  mailTexts,
  piecesOf,
  rowTexts,
  type SearchableMail,
  searchableMail,
} from '../domain/search/document.ts';
import { type FoundPlace, findPlaces } from '../domain/search/find-places.ts';
import { partOf, QueryMatcher } from '../domain/search/match-query.ts';
import { type SearchQuery, type Term, writeQuery } from '../domain/search/query.ts';
import type { FoundCodesAndLinks } from '../extract/find.ts';
import type { LinkKind } from '../extract/link-kinds.ts';
import { textPieces } from '../extract/text-pieces.ts';
import { visibleText } from '../extract/visible-text.ts';
import type { CancelSignal } from '../ports/waiting.ts';
import { readCodesAndLinks, readParsed, unlessGone } from './read-message.ts';

/** A header field that a message must have. */
export interface HeaderFilter {
  /** In lower case. */
  readonly name: string;
  /** The text that the value must contain, compared like a search word. An empty text matches any value. */
  readonly part: string;
}

/** The conditions on a whole message: its summary, its bodies, its header, its codes and its links. */
export interface WholeFilter {
  readonly summary: MessageFilter;
  /** A text of the visible bodies. It is compared like a search word. An empty text matches any body. */
  readonly body: string;
  /** Tells whether the message must have a code. */
  readonly code: boolean;
  readonly header: HeaderFilter | null;
  /** The kind of link the message must have. `any` accepts every kind; null asks for none. */
  readonly link: LinkKind | 'any' | null;
  /** The conditions that search words express. */
  readonly query: SearchQuery;
}

/** Decides about messages, and gives the reasons. Waits and diagnoses use the same one, so that they never disagree. */
export interface WholeMatcher {
  /** Tells whether the row of a message already rules it out. Then the mail need not be read. */
  refusesRow(message: Message): boolean;
  /** Tells whether a message matches. It checks the row first and reads the mail only if the row does not decide. */
  matches(message: Message): Promise<boolean>;
  /** Lists every condition that rejects a message; none if it matches. Null if it was deleted meanwhile. */
  whyNot(message: Message): Promise<readonly RefusedBy[] | null>;
}

/** Reads a mail in full. */
type ReadMail = (message: Message) => Promise<ParsedMail>;

/** Creates a matcher. `read` reads the mail of a message; by default from the store. */
export function wholeMatcher(
  ctx: Context,
  filter: WholeFilter,
  read: ReadMail = (message) => readParsed(ctx, message),
): WholeMatcher {
  const { summary, link } = filter;
  const words = new QueryMatcher(termsOf(filter));
  const refusesRow = (message: Message) => !matchesFilter(message, summary) || words.matchesRow(message) === false;
  const matches = async (message: Message) => {
    if (refusesRow(message) || !(await holds(ctx, words, message, read))) return false;
    if (link === null) return true;
    return (await unlessGone(ctx, message, async () => hasLink(ctx, await read(message), link))) ?? false;
  };
  const whyNot = async (message: Message) => {
    // The reasons are only looked for if the wait itself says no.
    if (await matches(message)) return [];
    const refused = [...refusedBy(message, summary), ...(await refusedByWhole(ctx, filter, message, read))];
    return refused.length === 0 ? null : refused;
  };
  return { refusesRow, matches, whyNot };
}

/** Tells whether all search words hold. */
async function holds(ctx: Context, matcher: QueryMatcher, message: Message, read: ReadMail): Promise<boolean> {
  return matcher.matchesRow(message) ?? (await matchesMail(ctx, matcher, message, read));
}

async function refusedByWhole(
  ctx: Context,
  filter: WholeFilter,
  message: Message,
  read: ReadMail,
): Promise<RefusedBy[]> {
  const { body, code, header, link, query } = filter;
  const refused = await unlessGone(ctx, message, async () => {
    const asksWhole = body.trim() !== '' || code || header !== null || link !== null || query.length > 0;
    if (!asksWhole) return [];
    const mail = await read(message);
    const lacks = async (terms: readonly Term[]) => !(await holds(ctx, new QueryMatcher(terms), message, read));
    const list: RefusedBy[] = [];
    if (await lacks(bodyTerms(body))) list.push(refusedCondition('body', body, textsOf(mail)));
    if (header !== null && (await lacks([headerTerm(header)])))
      list.push(refusedCondition('header', writeHeader(header), valuesOf(mail, header.name)));
    if (code && (await lacks([HAS_CODE]))) list.push(refusedCondition('code', '1', []));
    if (link !== null && !(await hasLink(ctx, mail, link)))
      list.push(refusedCondition('link', link, await linksOf(ctx, mail)));
    for (const term of query)
      if (await lacks([term])) list.push(refusedCondition('query', writeQuery([term]), sawByWord(term, message, mail)));
    return list;
  });
  return refused ?? [];
}

const HAS_CODE: Term = { kind: 'has', what: 'code', not: false };

function termsOf({ body, code, header, query }: WholeFilter): SearchQuery {
  return [...query, ...bodyTerms(body), ...(code ? [HAS_CODE] : []), ...(header === null ? [] : [headerTerm(header)])];
}

function headerTerm({ name, part }: HeaderFilter): Term {
  return { kind: 'header', not: false, name, text: part };
}

function bodyTerms(body: string): SearchQuery {
  return partOf(body) === '' ? [] : [{ kind: 'text', field: 'body', not: false, text: body }];
}

function valuesOf({ headers }: ParsedMail, name: string): readonly string[] {
  const values = headers[name];
  return values === undefined ? [] : typeof values === 'string' ? [values] : values;
}

function writeHeader({ name, part }: HeaderFilter): string {
  return part === '' ? name : `${name}: ${part}`;
}

async function hasLink(ctx: Context, mail: ParsedMail, wanted: LinkKind | 'any'): Promise<boolean> {
  const { links } = await readCodesAndLinks(ctx, mail);
  return links.some(({ kind }) => wanted === 'any' || kind === wanted);
}

async function linksOf(ctx: Context, mail: ParsedMail): Promise<string[]> {
  const { links } = await readCodesAndLinks(ctx, mail);
  return links.map(({ kind, url }) => `${kind} ${url}`);
}

/** The part of an HTML body that a refusal reads. It shows less of it. */
const SHOWN_HTML = 16 * 1024;

function textsOf({ textBody, htmlBody }: ParsedMail): string[] {
  const texts = [textBody ?? '', htmlBody === null ? '' : visibleText(htmlBody.slice(0, SHOWN_HTML)).text];
  return texts.map((text) => text.replace(/\s+/g, ' ').trim());
}

/** Returns what a search word compared, if that is not in the summary. */
function sawByWord(term: Term, message: Message, mail: ParsedMail): readonly (string | null)[] {
  const isFiles = term.kind === 'has' && (term.what === 'attachment' || term.what === 'inline');
  if (isFiles || (term.kind === 'text' && term.field === 'filename'))
    return mail.attachments.map(({ filename }) => filename);
  if (term.kind === 'header') return valuesOf(mail, term.name);
  if (term.kind === 'larger' || term.kind === 'smaller') return [`${message.sizeBytes} bytes`];
  return term.kind === 'text' && (term.field === 'body' || term.field === null) ? textsOf(mail) : [];
}

/**
 * Tells whether a message matches when its row alone cannot decide. Returns false if the message was deleted meanwhile.
 * It yields to the event loop between steps.
 */
export async function matchesMail(
  ctx: Context,
  matcher: QueryMatcher,
  message: Message,
  read: ReadMail = (one) => readParsed(ctx, one),
): Promise<boolean> {
  const matches = await unlessGone(ctx, message, async () => {
    const parsed = await read(message);
    const found = matcher.needsFindings ? await readCodesAndLinks(ctx, parsed) : null;
    return betweenOthers(matcher.matchesMail(message, searchable(message, parsed, found)));
  });
  return matches ?? false;
}

/** Reads a message as searches do. Without codes and links, it must not be asked for them. */
function searchable(message: Message, parsed: ParsedMail, found: FoundCodesAndLinks | null): SearchableMail {
  const findings = {
    htmlText: () => textPieces(parsed.htmlBody ?? ''),
    hasCode: found !== null && found.codes.length > 0,
    hasLink: found !== null && found.links.length > 0,
  };
  const mail = searchableMail(message, parsed, findings);
  const texts = folded.get(parsed) ?? foldedOnce(mail, parsed);
  return { ...mail, ...texts };
}

type FoldedTexts = Pick<SearchableMail, 'texts' | 'body'>;

/** The texts of the mails read last. Ten thousand waits may read the same mail, so each text is folded once. */
const folded = new Map<ParsedMail, FoldedTexts>();
const MOST_FOLDED = 32;
/** The longest bodies that are kept, in characters. They are folded in one step, which takes a millisecond or two. */
const KEPT_CHARACTERS = 32 * 1024;

function foldedOnce(mail: SearchableMail, parsed: ParsedMail): FoldedTexts {
  const fields = new Map<DocumentField, readonly string[]>();
  const isKept = (parsed.textBody?.length ?? 0) + (parsed.htmlBody?.length ?? 0) <= KEPT_CHARACTERS;
  let bodies: readonly string[] | null = null;
  const texts: FoldedTexts = {
    texts: (field) => {
      const kept = fields.get(field) ?? mail.texts(field);
      fields.set(field, kept);
      return kept;
    },
    body: () => {
      if (!isKept) return mail.body();
      bodies ??= [...mail.body()];
      return bodies;
    },
  };
  const [oldest] = folded.keys();
  if (folded.size >= MOST_FOLDED && oldest !== undefined) folded.delete(oldest);
  folded.set(parsed, texts);
  return texts;
}

/** The number of mails read at a time for their places. */
const READS = 8;

/**
 * Finds the places at which messages that match have the words of a query. A message that was deleted meanwhile has
 * none, nor have those that are left when the request ends.
 */
export async function findPlacesOf(
  ctx: Context,
  query: SearchQuery,
  messages: readonly Message[],
  cancelSignal: CancelSignal,
): Promise<FoundPlace[][]> {
  const places: FoundPlace[][] = [];
  for (let at = 0; at < messages.length && !cancelSignal.isCancelled; at += READS) {
    const some = messages.slice(at, at + READS);
    places.push(...(await Promise.all(some.map((message) => findPlacesIn(ctx, query, message)))));
    await setImmediate();
  }
  return places;
}

async function findPlacesIn(ctx: Context, query: SearchQuery, message: Message): Promise<FoundPlace[]> {
  const places = await unlessGone(ctx, message, async () => {
    const parsed = await readParsed(ctx, message);
    const { textBody, htmlBody } = parsed;
    return betweenOthers(
      findPlaces(query, {
        texts: (field) => (isRowField(field) ? rowTexts(message, field) : mailTexts(message, parsed, field)),
        *body() {
          if (textBody !== null) yield* piecesOf(textBody);
          yield null;
          if (htmlBody !== null) yield* textPieces(htmlBody);
        },
      }),
    );
  });
  return places ?? [];
}

/**
 * Runs a long computation step by step and yields to the event loop between the steps. Resolves with its return value.
 */
export async function betweenOthers<T>(steps: Generator<unknown, T, void>): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    await setImmediate();
  }
}
