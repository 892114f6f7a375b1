import { fold } from '../../text/fold.ts';
import type { SearchMark, TextField } from '../../text/search-words.ts';
import { unreachable } from '../errors.ts';
import type { MessageId } from '../ids.ts';
import { tagKey } from '../marks.ts';
import type { Message } from '../message.ts';
import {
  FIELDS_OF,
  foldedRow,
  isRowField,
  mailOf,
  type RowField,
  type SearchableMail,
  type SearchDocument,
} from './document.ts';
import type { SearchQuery, Term } from './query.ts';

/** The verdict of a row on a condition. Null means that the mail must be read. */
export type MatchOrUnknown = boolean | null;

/** A condition that the texts and facts of a mail decide, whatever its row says. An index answers these. */
export type DocumentTerm = Extract<Term, { kind: 'text' | 'header' | 'html' }> | (Term & { kind: 'has' });

/** Tells whether the texts and facts of a mail decide a condition. All others are decided by the row alone. */
export function isDocumentTerm(term: Term): term is DocumentTerm {
  switch (term.kind) {
    case 'text':
    case 'header':
    case 'html':
      return true;
    case 'has':
      return term.what !== 'attachment';
    default:
      return false;
  }
}

/** A query prepared for matching many messages. */
export class QueryMatcher {
  readonly #terms: readonly ReadyTerm[];

  constructor(query: SearchQuery) {
    this.#terms = query.map(ready).sort((one, other) => rank(one) - rank(other));
  }

  /** Tells whether the query needs the codes or the links of a message. */
  get needsFindings(): boolean {
    return this.#terms.some((term) => term.kind === 'has' && (term.what === 'code' || term.what === 'link'));
  }

  /** Tells whether a condition reads texts or facts of a mail, so that prepared texts can answer it. */
  get readsDocuments(): boolean {
    return this.#terms.some((term) => isDocumentTerm(term));
  }

  /** Checks a row. Returns false if a condition fails, null if none fails but one stays open, or else true. */
  matchesRow(message: Message): MatchOrUnknown {
    let verdict: MatchOrUnknown = true;
    for (const term of this.#terms) {
      const holds = rowHolds(term, message);
      if (holds === null) verdict = null;
      else if (holds === term.not) return false;
    }
    return verdict;
  }

  /** Tells whether a row meets every condition that it alone decides. The others count as met. */
  meetsRowTerms(message: Message): boolean {
    return this.#terms.every((term) => isDocumentTerm(term) || rowHolds(term, message) !== term.not);
  }

  /** Tells whether a message matches, by its row and its document. This is the meaning of every search. */
  matchesDocument(message: Message, document: SearchDocument): boolean {
    return this.matchesRow(message) !== false && this.matchesTexts(document);
  }

  /** Tells whether a document meets every condition that texts decide. Conditions on the row alone count as met. */
  matchesTexts(document: SearchDocument): boolean {
    const mail = mailOf(document);
    return this.#terms.every((term) => !isDocumentTerm(term) || documentHolds(term, mail) !== term.not);
  }

  /**
   * Tells whether a message whose row leaves that open matches, without a document. It answers like
   * {@link matchesDocument}, and yields between pieces of work.
   */
  *matchesMail(message: Message, mail: SearchableMail): Generator<void, boolean> {
    const open = this.#terms.filter((term) => rowHolds(term, message) === null);
    const inBodies: ReadyText[] = [];
    for (const term of open) {
      if (term.kind === 'text' && looksInBodies(term) && !isInHead(term, mail)) inBodies.push(term);
      else if (mailHolds(term, mail) === term.not) return false;
    }
    if (inBodies.length === 0) return true;
    const found = yield* lookInBodies(mail.body(), inBodies);
    return inBodies.every((term) => found.has(term) !== term.not);
  }
}

type ReadyText = Extract<Term, { kind: 'text' }> & { readonly part: string };
type ReadyHeader = Extract<Term, { kind: 'header' }> & { readonly start: string; readonly part: string };
type ReadyTag = Extract<Term, { kind: 'tag' }> & { readonly key: string };
type ReadyTerm = Exclude<Term, { kind: 'text' | 'header' | 'tag' }> | ReadyText | ReadyHeader | ReadyTag;

function ready(term: Term): ReadyTerm {
  if (term.kind === 'text') return { ...term, part: partOf(term.text) };
  if (term.kind === 'tag') return { ...term, key: tagKey(term.name) };
  return term.kind === 'header' ? { ...term, start: headerStart(term.name), part: partOf(term.text) } : term;
}

/** Returns what a text has to contain for a condition: the condition's text, folded. */
export function partOf(text: string): string {
  return fold(text).trim();
}

/** Returns how a text of the field `header` begins if it has this name. */
export function headerStart(name: string): string {
  return `${partOf(name)}:`;
}

/** Ranks conditions. Those that the row always decides come first. */
function rank(term: ReadyTerm): number {
  if (!isDocumentTerm(term)) return 0;
  return term.kind === 'text' && term.field !== null && IN_ROW.has(term.field) ? 0 : 1;
}

const IN_ROW: ReadonlySet<TextField> = new Set(['from', 'to', 'cc', 'recipient', 'subject']);

function rowHolds(term: ReadyTerm, message: Message): MatchOrUnknown {
  switch (term.kind) {
    case 'after':
      return message.receivedAt >= term.time;
    case 'before':
      return message.receivedAt < term.time;
    case 'larger':
      return message.sizeBytes > term.bytes;
    case 'smaller':
      return message.sizeBytes < term.bytes;
    case 'mark':
      return hasMark(message, term.what);
    case 'tag':
      return message.tags.some((tag) => tagKey(tag) === term.key);
    case 'html':
    case 'header':
      return null;
    case 'has':
      if (term.what === 'attachment') return message.attachmentCount > 0;
      return term.what === 'inline' && message.attachmentCount === 0 ? false : null;
    case 'text':
      return textHolds(term, textsOf(message));
    default:
      return unreachable(term);
  }
}

function hasMark({ kind, isRead, isStarred, tags }: Message, what: SearchMark): boolean {
  switch (what) {
    case 'read':
      return isRead;
    case 'unread':
      return !isRead;
    case 'starred':
      return isStarred;
    case 'tagged':
      return tags.length > 0;
    case 'sms':
      return kind === 'sms';
  }
}

function textHolds({ field, part }: ReadyText, texts: RowTexts): MatchOrUnknown {
  const holds = FIELDS_OF[field ?? 'any'].some((one) => isRowField(one) && texts.has(one, part));
  return holds || (field !== null && IN_ROW.has(field)) ? holds : null;
}

// The texts of the last row. Ten thousand waiters may check the same message, so it is folded once. The object alone does
// not tell: a walk may show one row after another in the same object.
let latest: { readonly id: MessageId; readonly message: Message; readonly texts: RowTexts } | null = null;

function textsOf(message: Message): RowTexts {
  const { id } = message;
  if (latest?.message !== message || latest.id !== id) latest = { id, message, texts: new RowTexts(message) };
  return latest.texts;
}

/** The folded texts of a row. Each is computed on first use. */
class RowTexts {
  readonly #message: Message;
  readonly #texts = new Map<RowField, readonly string[]>();

  constructor(message: Message) {
    this.#message = message;
  }

  /** Tells whether a text of the field contains `part`. */
  has(field: RowField, part: string): boolean {
    const texts = this.#texts.get(field) ?? foldedRow(this.#message, field);
    this.#texts.set(field, texts);
    return contains(texts, part);
  }
}

function contains(texts: readonly string[], part: string): boolean {
  for (const text of texts) if (text.includes(part)) return true;
  return false;
}

function looksInBodies({ field }: ReadyText): boolean {
  return field === null || field === 'body';
}

/** Tells whether a field other than the bodies contains the text. The row did not decide it. */
function isInHead({ field, part }: ReadyText, mail: SearchableMail): boolean {
  return FIELDS_OF[field ?? 'any'].some((one) => one !== 'body' && !isRowField(one) && contains(mail.texts(one), part));
}

function mailHolds(term: ReadyTerm, mail: SearchableMail): boolean {
  if (term.kind === 'text') return isInHead(term, mail);
  if (isDocumentTerm(term)) return documentHolds(term, mail);
  throw new Error(`the row tells of ${term.kind}`);
}

/** Tells whether a mail meets a condition that its texts and facts decide, by them alone. */
function documentHolds(term: ReadyTerm & DocumentTerm, mail: SearchableMail): boolean {
  switch (term.kind) {
    case 'html':
      return mail.hasHtml;
    case 'has':
      return term.what === 'code' ? mail.hasCode : term.what === 'link' ? mail.hasLink : mail.hasInline;
    case 'header': {
      const { start, part } = term;
      return mail.texts('header').some((text) => text.startsWith(start) && text.slice(start.length).includes(part));
    }
    case 'text': {
      const { field, part } = term;
      return FIELDS_OF[field ?? 'any'].some((one) =>
        contains(one === 'body' ? [...mail.body()] : mail.texts(one), part),
      );
    }
  }
}

/** Finds the terms that the bodies contain. */
function* lookInBodies(pieces: Iterable<string>, terms: readonly ReadyText[]): Generator<void, ReadonlySet<ReadyText>> {
  const found = new Set<ReadyText>();
  // The text kept from the previous piece, so that a text across two pieces is found.
  const kept = Math.max(...terms.map(({ part }) => part.length)) - 1;
  let before = '';
  let isLater = false;
  for (const piece of pieces) {
    // Most mails have one piece, which needs no pause.
    if (isLater) yield;
    isLater = true;
    const text = before + piece;
    for (const term of terms) if (!found.has(term) && text.includes(term.part)) found.add(term);
    if (found.size === terms.length) break;
    before = kept > 0 ? text.slice(-kept) : '';
  }
  return found;
}
