import { fold, foldPieces } from '../../text/fold.ts';
import type { TextField } from '../../text/search-words.ts';
import type { Message } from '../message.ts';
import { bccOf, type ParsedMail } from '../parsed-mail.ts';
import { threadIdOf } from '../thread.ts';

/**
 * The texts of a message that searches read. `from` also has the envelope sender, `envelope` has the recipients of the
 * envelope, `header` has a text `name: value` for each header field, and
 * `thread` has the id of the conversation. In PostgreSQL each has a column of the table `message_texts`.
 */
export const SEARCH_FIELDS = [
  'from',
  'to',
  'cc',
  'bcc',
  'reply-to',
  'envelope',
  'subject',
  'message-id',
  'body',
  'filename',
  'header',
  'thread',
] as const;
export type DocumentField = (typeof SEARCH_FIELDS)[number];

/** The fields in which a search word looks. A word without a colon looks in those of `any`. */
export const FIELDS_OF: Readonly<Record<TextField | 'any', readonly DocumentField[]>> = {
  from: ['from'],
  to: ['to'],
  cc: ['cc'],
  bcc: ['bcc'],
  'reply-to': ['reply-to'],
  addressed: ['from', 'to', 'cc', 'bcc', 'reply-to'],
  recipient: ['to', 'envelope'],
  subject: ['subject'],
  'message-id': ['message-id'],
  filename: ['filename'],
  body: ['body'],
  thread: ['thread'],
  any: ['subject', 'from', 'to', 'cc', 'envelope', 'bcc', 'reply-to', 'filename', 'body'],
};

/** The fields that stand in a message's row. */
export type RowField = 'from' | 'to' | 'cc' | 'envelope' | 'subject';

/** The facts of a mail that its row does not have. */
export interface SearchFacts {
  readonly hasCode: boolean;
  readonly hasLink: boolean;
  readonly hasInline: boolean;
  readonly hasHtml: boolean;
}

/** The folded texts of a mail that searches read, and the facts that its row does not have. */
export interface SearchDocument extends SearchFacts {
  /** The texts of each field, none of them empty. A match never spans two texts. */
  readonly texts: Readonly<Record<DocumentField, readonly string[]>>;
}

/** A mail as a search reads it. What a search does not ask for is never computed. */
export interface SearchableMail extends SearchFacts {
  texts(field: Exclude<DocumentField, 'body'>): readonly string[];
  /** The folded bodies in pieces. A line break alone separates two texts, since folded texts have none. */
  body(): Iterable<string>;
}

/** The findings in a mail that a search reads besides its parse. */
export interface MailFindings {
  /** The text of the HTML body, in pieces. */
  readonly htmlText: () => Iterable<string>;
  readonly hasCode: boolean;
  readonly hasLink: boolean;
}

/** The longest document in characters. A mail with more text has none, so searches read the mail itself. */
export const MOST_TEXT = 1024 * 1024;

/** Makes the document of a message. Null if it would be too long, or if the mail could not be parsed. */
export function documentOf(message: Message, parsed: ParsedMail, findings: MailFindings): SearchDocument | null {
  if (parsed.parseError !== null) return null;
  const mail = searchableMail(message, parsed, findings);
  const texts: Record<DocumentField, readonly string[]> = { ...NO_TEXTS };
  let length = 0;
  for (const field of SEARCH_FIELDS) {
    texts[field] = field === 'body' ? wholeTexts(mail.body()) : mail.texts(field);
    for (const text of texts[field]) length += text.length;
    if (length > MOST_TEXT) return null;
  }
  const { hasCode, hasLink, hasInline, hasHtml } = mail;
  return { texts, hasCode, hasLink, hasInline, hasHtml };
}

const NO_TEXTS: Readonly<Record<DocumentField, readonly string[]>> = {
  ...{ from: [], to: [], cc: [], bcc: [], 'reply-to': [], envelope: [] },
  ...{ subject: [], 'message-id': [], body: [], filename: [], header: [], thread: [] },
};

/** Joins the pieces of each text. It stops once they are too long for a document. */
function wholeTexts(pieces: Iterable<string>): string[] {
  const texts: string[] = [];
  let text = '';
  let length = 0;
  const end = () => {
    text = text.trim();
    if (text !== '') texts.push(text);
    text = '';
  };
  for (const piece of pieces) {
    if (piece === BETWEEN) end();
    else text += piece;
    length += piece.length;
    if (length > MOST_TEXT) break;
  }
  end();
  return texts;
}

/** The separator of two bodies. No folded text contains it. */
const BETWEEN = '\n';

/** Reads a document as a mail. */
export function mailOf({ texts, ...facts }: SearchDocument): SearchableMail {
  return { ...facts, texts: (field) => texts[field], body: () => between(texts.body) };
}

function* between(texts: readonly string[]): Generator<string, void, void> {
  for (const [index, text] of texts.entries()) {
    if (index > 0) yield BETWEEN;
    yield text;
  }
}

/** Reads a parsed mail as a search does, text by text and the bodies in pieces. */
export function searchableMail(message: Message, parsed: ParsedMail, findings: MailFindings): SearchableMail {
  const { htmlBody, textBody, attachments } = parsed;
  return {
    hasCode: findings.hasCode,
    hasLink: findings.hasLink,
    hasInline: attachments.some(({ isInline }) => isInline),
    hasHtml: htmlBody !== null,
    texts: (field) => folded(isRowField(field) ? rowTexts(message, field) : mailTexts(message, parsed, field)),
    *body() {
      if (textBody !== null) yield* foldPieces(piecesOf(textBody));
      yield BETWEEN;
      if (htmlBody !== null) yield* foldPieces(findings.htmlText());
    },
  };
}

/** The folded texts of a field of a message's row. */
export function foldedRow(message: Message, field: RowField): readonly string[] {
  return folded(rowTexts(message, field));
}

function folded(texts: readonly (string | null | undefined)[]): string[] {
  const all: string[] = [];
  for (const text of texts) {
    const one = text ? fold(text).trim() : '';
    if (one !== '') all.push(one);
  }
  return all;
}

export function isRowField(field: DocumentField): field is RowField {
  return field === 'from' || field === 'to' || field === 'cc' || field === 'envelope' || field === 'subject';
}

/** The texts of a row's field as they were received. */
export function rowTexts(message: Message, field: RowField): readonly (string | null)[] {
  switch (field) {
    case 'from':
      return [message.from, message.mailFrom];
    case 'envelope':
      return message.rcptTo;
    default:
      return [message[field]];
  }
}

/** The texts of another field as they were received. */
export function mailTexts(
  message: Message,
  { bcc, replyTo, toAndCc, headers, attachments }: ParsedMail,
  field: Exclude<DocumentField, RowField | 'body'>,
): readonly (string | null)[] {
  switch (field) {
    case 'bcc':
      return [bccOf(bcc, message.rcptTo, toAndCc)];
    case 'reply-to':
      return [replyTo];
    case 'message-id':
      return listOf(headers['message-id']);
    case 'filename':
      return attachments.map(({ filename }) => filename);
    case 'thread':
      return [threadIdOf(headers, message.id)];
    case 'header':
      return Object.entries(headers).flatMap(([name, values]) => listOf(values).map((value) => `${name}: ${value}`));
  }
}

function listOf(values: string | readonly string[] | undefined): readonly string[] {
  return values === undefined ? [] : typeof values === 'string' ? [values] : values;
}

const PIECE_CHARACTERS = 16 * 1024;

/** Cuts a text into pieces that a single step can work through. */
export function* piecesOf(text: string): Generator<string, void, void> {
  for (let at = 0; at < text.length; at += PIECE_CHARACTERS) yield text.slice(at, at + PIECE_CHARACTERS);
}
