import type { TextField } from '../../text/search-words.ts';
import { unreachable } from '../errors.ts';
import type { Message } from '../message.ts';
import { bccOf, type ParsedMail } from '../parsed-mail.ts';
import type { SearchQuery, Term } from './query.ts';

/** The verdict of a row on a condition. Null means that the mail must be read. */
export type MatchOrUnknown = boolean | null;

/** A query prepared for matching many messages. */
export class QueryMatcher {
  readonly #terms: readonly ReadyTerm[];

  constructor(query: SearchQuery) {
    this.#terms = query.map(ready).sort((one, other) => rank(one) - rank(other));
  }

  /** Tells whether the query needs the codes of a message. */
  get needsCodes(): boolean {
    return this.#terms.some((term) => term.kind === 'has' && term.what === 'code');
  }

  /** Tells whether the row of a message may leave the result open. */
  get needsMail(): boolean {
    return this.#terms.some((term) => rank(term) > 0);
  }

  /** Checks a row. Returns false if a condition fails, null if none fails but one stays open, or else true. */
  matchesRow(message: Message): MatchOrUnknown {
    const texts = new RowTexts(message);
    let verdict: MatchOrUnknown = true;
    for (const term of this.#terms) {
      const holds = rowHolds(term, message, texts);
      if (holds === null) verdict = null;
      else if (holds === term.not) return false;
    }
    return verdict;
  }

  /** Tells whether a message matches if its row leaves that open. It yields between pieces of work. */
  *matchesMail(message: Message, mail: ReadMail): Generator<void, boolean> {
    const texts = new RowTexts(message);
    const open = this.#terms.filter((term) => rowHolds(term, message, texts) === null);
    const inBodies: ReadyText[] = [];
    for (const term of open) {
      if (term.kind === 'text' && looksInBodies(term) && !isIn(headTexts(term.field, message, mail.parsed), term)) {
        inBodies.push(term);
      } else if (holdsOf(term, message, mail) === term.not) return false;
    }
    if (inBodies.length === 0) return true;
    const found = yield* lookInBodies(mail.pieces, inBodies);
    return inBodies.every((term) => found.has(term) !== term.not);
  }
}

/** The parts of a mail that a search reads. */
export interface ReadMail {
  readonly parsed: ParsedMail;
  /** The text of the bodies without tags, in pieces that are searched one at a time. */
  readonly pieces: Iterable<string>;
  /** Tells whether the mail holds a code. It is read only if {@link QueryMatcher.needsCodes}. */
  readonly hasCode: boolean;
}

type ReadyText = Extract<Term, { kind: 'text' }> & { readonly part: string };
type ReadyTerm = Exclude<Term, { kind: 'text' }> | ReadyText;

function ready(term: Term): ReadyTerm {
  return term.kind === 'text' ? { ...term, part: term.text.toLowerCase() } : term;
}

/** Ranks conditions. Those that the row always decides come first. */
function rank(term: ReadyTerm): number {
  if (term.kind === 'html') return 1;
  if (term.kind === 'has') return term.what === 'attachment' ? 0 : 1;
  if (term.kind !== 'text') return 0;
  return term.field !== null && IN_ROW.has(term.field) ? 0 : 1;
}

const IN_ROW: ReadonlySet<TextField> = new Set(['from', 'to', 'cc', 'subject']);

function rowHolds(term: ReadyTerm, message: Message, texts: RowTexts): MatchOrUnknown {
  switch (term.kind) {
    case 'after':
      return message.receivedAt >= term.time;
    case 'before':
      return message.receivedAt < term.time;
    case 'larger':
      return message.sizeBytes > term.bytes;
    case 'smaller':
      return message.sizeBytes < term.bytes;
    case 'html':
      return null;
    case 'has':
      if (term.what === 'attachment') return message.attachmentCount > 0;
      return term.what === 'inline' && message.attachmentCount === 0 ? false : null;
    case 'text':
      return textHolds(term, texts);
    default:
      return unreachable(term);
  }
}

function textHolds({ field, part }: ReadyText, texts: RowTexts): MatchOrUnknown {
  switch (field) {
    case 'from':
    case 'to':
    case 'cc':
    case 'subject':
      return texts.has(field, part);
    case 'addressed':
      return texts.has('from', part) || texts.has('to', part) || texts.has('cc', part) ? true : null;
    case null:
      return texts.has('subject', part) || texts.has('from', part) || texts.has('to', part) || texts.has('all', part)
        ? true
        : null;
    case 'bcc':
    case 'reply-to':
    case 'message-id':
    case 'body':
      return null;
    default:
      return unreachable(field);
  }
}

/** The texts of a row in lower case. Each is computed on first use. */
class RowTexts {
  readonly #message: Message;
  #from: string | null = null;
  #to: string | null = null;
  #cc: string | null = null;
  #subject: string | null = null;
  #all: string | null = null;

  constructor(message: Message) {
    this.#message = message;
  }

  /** Tells whether a text contains `part`. `all` stands for all other recipients. */
  has(name: 'from' | 'to' | 'cc' | 'subject' | 'all', part: string): boolean {
    return this.#text(name).includes(part);
  }

  #text(name: 'from' | 'to' | 'cc' | 'subject' | 'all'): string {
    const message = this.#message;
    switch (name) {
      case 'from':
        this.#from ??= lowered(message.from, message.mailFrom);
        return this.#from;
      case 'to':
        this.#to ??= lowered(message.to);
        return this.#to;
      case 'cc':
        this.#cc ??= lowered(message.cc);
        return this.#cc;
      case 'subject':
        this.#subject ??= lowered(message.subject);
        return this.#subject;
      case 'all':
        this.#all ??= lowered(message.cc, ...message.rcptTo);
        return this.#all;
    }
  }
}

/** Joins texts with a line break. A searched part holds none, so no match spans two texts. */
function lowered(...texts: readonly (string | null)[]): string {
  const [only, ...others] = texts;
  if (others.length === 0) return plain(only ?? '');
  return texts.map((text) => plain(text ?? '')).join('\n');
}

const IRREGULAR = /[^\S ]| {2}/;

function plain(text: string): string {
  return singleSpaced(text).toLowerCase();
}

function singleSpaced(text: string): string {
  return IRREGULAR.test(text) ? text.replace(/\s+/g, ' ') : text;
}

function looksInBodies({ field }: ReadyText): boolean {
  return field === null || field === 'body';
}

/** Returns the texts of the header and the attachments that a field covers, beyond those of the row. */
function headTexts(field: TextField | null, message: Message, parsed: ParsedMail): readonly (string | null)[] {
  const { replyTo, bcc, toAndCc, headers, attachments } = parsed;
  const hidden = () => bccOf(bcc, message.rcptTo, toAndCc);
  switch (field) {
    case null:
      return [hidden(), replyTo, ...attachments.map(({ filename }) => filename)];
    case 'addressed':
      return [hidden(), replyTo];
    case 'bcc':
      return [hidden()];
    case 'reply-to':
      return [replyTo];
    case 'message-id': {
      const ids = headers['message-id'] ?? null;
      return typeof ids === 'string' || ids === null ? [ids] : ids;
    }
    default:
      return [];
  }
}

function isIn(texts: readonly (string | null)[], { part }: ReadyText): boolean {
  return texts.some((text) => text !== null && plain(text).includes(part));
}

function holdsOf(term: ReadyTerm, message: Message, { parsed, hasCode }: ReadMail): boolean {
  switch (term.kind) {
    case 'html':
      return parsed.htmlBody !== null;
    case 'has':
      return term.what === 'code' ? hasCode : parsed.attachments.some(({ isInline }) => isInline);
    case 'text':
      return isIn(headTexts(term.field, message, parsed), term);
    default:
      throw new Error(`the row tells of ${term.kind}`);
  }
}

/** Finds the terms that the bodies contain. */
function* lookInBodies(pieces: Iterable<string>, terms: readonly ReadyText[]): Generator<void, ReadonlySet<ReadyText>> {
  const found = new Set<ReadyText>();
  // The text kept from the previous piece, in characters. It is longer than a cut match, because the lower case of a
  // character may depend on its neighbours.
  const kept = 2 * Math.max(...terms.map(({ part }) => part.length)) + 2;
  let before = '';
  let isLater = false;
  for (const piece of pieces) {
    // Most mails have one piece, which needs no pause.
    if (isLater) yield;
    isLater = true;
    const text = singleSpaced(before + piece);
    const low = text.toLowerCase();
    for (const term of terms) if (!found.has(term) && low.includes(term.part)) found.add(term);
    if (found.size === terms.length) break;
    before = text.slice(-kept);
  }
  return found;
}
