import { MONTHS } from '../text/mail-date.ts';
import { isKeyword } from './flags.ts';

// The commands of a client, in the order of the ABNF of RFC 3501 section 9. Each rule is quoted where it is read; rules
// of other RFCs name them. A command is read as latin1, so that a character is a byte, and a literal stands in it as
// `{3}`, CRLF and its bytes. Keywords have any case, as the ABNF says, and a command may end with spaces, as it does not.

/** A command that is in no rule. */
export class NotInGrammar extends Error {
  override readonly name = 'NotInGrammar';
}

/** The message numbers or UIDs of a command, as ranges. `*`, the last message, is infinite. */
export type SequenceSet = readonly (readonly [number, number])[];

/** A part of a message, and what of it: `1.2.HEADER`. */
export interface Section {
  /** The numbers of the part. It is empty for the message itself. */
  readonly part: readonly number[];
  readonly text: 'HEADER' | 'HEADER.FIELDS' | 'HEADER.FIELDS.NOT' | 'TEXT' | 'MIME' | null;
  /** The names of `HEADER.FIELDS`. */
  readonly fields: readonly string[];
}

export interface FetchedSection {
  readonly kind: 'SECTION';
  /** The name under which it is answered. */
  readonly name: string;
  readonly section: Section;
  readonly partial: { readonly from: number; readonly length: number } | null;
  readonly isPeek: boolean;
}

/** `BODY` is the structure without its extensions. */
export type FetchItem =
  | { readonly kind: 'UID' | 'FLAGS' | 'INTERNALDATE' | 'RFC822.SIZE' | 'ENVELOPE' | 'BODYSTRUCTURE' | 'BODY' }
  | FetchedSection;

export type SearchKey =
  | { readonly kind: 'all' }
  | { readonly kind: 'and'; readonly keys: readonly SearchKey[] }
  | { readonly kind: 'or'; readonly one: SearchKey; readonly other: SearchKey }
  | { readonly kind: 'not'; readonly key: SearchKey }
  /** A flag such as `\Seen`, or a keyword. */
  | { readonly kind: 'flag'; readonly flag: string }
  | { readonly kind: 'from' | 'to' | 'cc' | 'subject' | 'body' | 'text'; readonly text: string }
  | { readonly kind: 'header'; readonly name: string; readonly text: string }
  /** The days from `from` to before `to`, in days since 1970. `isSent` means the Date field, not the arrival. */
  | { readonly kind: 'days'; readonly from: number; readonly to: number; readonly isSent: boolean }
  | { readonly kind: 'larger' | 'smaller'; readonly bytes: number }
  | { readonly kind: 'set'; readonly set: SequenceSet; readonly isUid: boolean };

const STATUS_ITEMS = ['MESSAGES', 'RECENT', 'UIDNEXT', 'UIDVALIDITY', 'UNSEEN'] as const;
/** What a client asks for with `STATUS`. */
export type StatusItem = (typeof STATUS_ITEMS)[number];

const BARE = ['CAPABILITY', 'NOOP', 'LOGOUT', 'STARTTLS', 'CHECK', 'CLOSE', 'UNSELECT', 'IDLE', 'NAMESPACE'] as const;
const OF_MAILBOX = ['SELECT', 'EXAMINE', 'CREATE', 'DELETE', 'SUBSCRIBE', 'UNSUBSCRIBE'] as const;

export type ImapCommand = { readonly tag: string } & (
  | { readonly name: (typeof BARE)[number] | 'ID' }
  | { readonly name: 'EXPUNGE'; readonly uids: SequenceSet | null }
  | { readonly name: 'LOGIN'; readonly user: string; readonly password: string }
  | { readonly name: 'AUTHENTICATE'; readonly mechanism: string; readonly initial: string | null }
  | { readonly name: (typeof OF_MAILBOX)[number]; readonly mailbox: string }
  | { readonly name: 'RENAME'; readonly mailbox: string; readonly to: string }
  | { readonly name: 'LIST' | 'LSUB'; readonly reference: string; readonly pattern: string }
  | { readonly name: 'STATUS'; readonly mailbox: string; readonly items: readonly StatusItem[] }
  | { readonly name: 'FETCH'; readonly set: SequenceSet; readonly isUid: boolean; readonly items: readonly FetchItem[] }
  | { readonly name: 'SEARCH'; readonly isUid: boolean; readonly charset: string | null; readonly key: SearchKey }
  | ({ readonly name: 'STORE'; readonly set: SequenceSet; readonly isUid: boolean } & FlagChange)
  | { readonly name: 'COPY' | 'MOVE'; readonly set: SequenceSet; readonly isUid: boolean; readonly mailbox: string }
);

export interface FlagChange {
  readonly how: 'set' | 'add' | 'remove';
  readonly isSilent: boolean;
  readonly flags: readonly string[];
}

/** The begin of an `APPEND` up to its literal, which has not come yet. */
export interface AppendStart {
  readonly tag: string;
  readonly mailbox: string;
  readonly flags: readonly string[];
}

/** The search keys that may stand within one another. */
const MOST_DEPTH = 20;
/** The search keys, items, fields or flags of a command. */
const MOST_IN_LIST = 1_000;

// ATOM-CHAR is any character but atom-specials: ( ) { SP CTL % * " \ ] and what is not ASCII.
const ATOM = /[!#$&'+,\-./0-9:;<=>?@A-Z[^_`a-z|}~]+/y;
// ASTRING-CHAR = ATOM-CHAR / resp-specials, which is ]
const ASTRING = /[!#$&'+,\-./0-9:;<=>?@A-Z[\]^_`a-z|}~]+/y;
// list-char = ATOM-CHAR / list-wildcards / resp-specials
const LIST_CHARS = /[!#$%&'*+,\-./0-9:;<=>?@A-Z[\]^_`a-z|}~]+/y;
// tag = 1*<any ASTRING-CHAR except "+">
const TAG = /[!#$&',\-./0-9:;<=>?@A-Z[\]^_`a-z|}~]{1,200}/y;
// quoted = DQUOTE *QUOTED-CHAR DQUOTE
const QUOTED = /"((?:[^"\\\r\n]|\\["\\])*)"/y;
// literal = "{" number "}" CRLF *CHAR8, with the + of RFC 7888
const LITERAL = /\{(\d{1,10})\+?\}\r\n/y;
const NUMBER = /\d{1,10}/y;
const MOST_NUMBER = 2 ** 32 - 1;
/** A keyword of a command. */
const WORD = /[A-Za-z0-9.]+/y;
// date-text = date-day "-" date-month "-" date-year
const DATE = /("?)(\d{1,2}-[A-Za-z]{3}-\d{4})\1/y;
// date-time = DQUOTE date-day-fixed "-" date-month "-" date-year SP time SP zone DQUOTE
const DATE_TIME = /" ?(\d{1,2}-[A-Za-z]{3}-\d{4}) ([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60) [+-]\d{4}"/y;

/** Reads a whole command. Throws {@link NotInGrammar}. */
export function parseCommand(text: string): ImapCommand {
  return new Reader(text).command();
}

/** Reads the begin of an `APPEND` without its literal. Null if it is another command. Throws {@link NotInGrammar}. */
export function parseAppendStart(text: string): AppendStart | null {
  return /^\S{1,200} APPEND /i.test(text) ? new Reader(text).appendStart() : null;
}

/** Reads the tag of a command that is in no rule. Null if it has none. */
export function tagOf(text: string): string | null {
  TAG.lastIndex = 0;
  const tag = TAG.exec(text)?.[0];
  return tag !== undefined && /^(?: |$)/.test(text.charAt(tag.length)) ? tag : null;
}

class Reader {
  readonly #text: string;
  #at = 0;
  /** The search keys so far. */
  #keys = 0;

  constructor(text: string) {
    this.#text = text;
  }

  // command = tag SP (command-any / command-auth / command-nonauth / command-select) CRLF
  command(): ImapCommand {
    const tag = this.#take(TAG, 'a tag');
    this.#char(' ');
    const command = this.#commandNamed(tag, this.#word());
    while (this.#next === ' ') this.#at++;
    if (this.#at < this.#text.length) throw this.#wrong('the end of the command');
    return command;
  }

  #commandNamed(tag: string, name: string): ImapCommand {
    const bare = BARE.find((one) => one === name);
    if (bare !== undefined) return { tag, name: bare };
    const ofMailbox = OF_MAILBOX.find((one) => one === name);
    if (ofMailbox !== undefined) return { tag, name: ofMailbox, mailbox: this.#spaced(() => this.#astring()) };
    switch (name) {
      // append = "APPEND" SP mailbox [SP flag-list] [SP date-time] SP literal: appendStart reads it
      case 'APPEND':
        throw new NotInGrammar('APPEND needs the literal of a message');
      // RFC 2971: id = "ID" SP ("(" [string SP nstring *(SP string SP nstring)] ")" / nil)
      case 'ID':
        this.#char(' ');
        if (this.#next === '(') this.#listOrNone(() => this.#nstring());
        else this.#nstring();
        return { tag, name };
      // login = "LOGIN" SP userid SP password
      case 'LOGIN':
        return { tag, name, user: this.#spaced(() => this.#utf8()), password: this.#spaced(() => this.#utf8()) };
      // authenticate = "AUTHENTICATE" SP auth-type *(CRLF base64), with the initial response of RFC 4959
      case 'AUTHENTICATE': {
        const mechanism = this.#spaced(() => this.#take(ATOM, 'a mechanism')).toUpperCase();
        const initial = this.#hasMore() ? this.#spaced(() => this.#take(ATOM, 'base64')) : null;
        return { tag, name, mechanism, initial };
      }
      // rename = "RENAME" SP mailbox SP mailbox
      case 'RENAME':
        return { tag, name, mailbox: this.#spaced(() => this.#astring()), to: this.#spaced(() => this.#astring()) };
      // list = "LIST" SP mailbox SP list-mailbox; list-mailbox = 1*list-char / string
      case 'LIST':
      case 'LSUB': {
        const reference = this.#spaced(() => this.#astring());
        const pattern = this.#spaced(() => (this.#isString() ? this.#string() : this.#take(LIST_CHARS, 'a mailbox')));
        return { tag, name, reference, pattern };
      }
      // status = "STATUS" SP mailbox SP "(" status-att *(SP status-att) ")"
      case 'STATUS': {
        const mailbox = this.#spaced(() => this.#astring());
        return { tag, name, mailbox, items: this.#spaced(() => this.#list(() => this.#statusAtt())) };
      }
      case 'EXPUNGE':
        return { tag, name, uids: null };
      // uid = "UID" SP (copy / fetch / search / store), with EXPUNGE of RFC 4315 and MOVE of RFC 6851
      case 'UID': {
        this.#char(' ');
        const inner = this.#word();
        if (inner === 'EXPUNGE') return { tag, name: inner, uids: this.#spaced(() => this.#sequenceSet()) };
        return this.#commandSelect(tag, inner, true);
      }
      default:
        return this.#commandSelect(tag, name, false);
    }
  }

  // command-select = "CHECK" / "CLOSE" / "EXPUNGE" / copy / fetch / store / uid / search
  #commandSelect(tag: string, name: string, isUid: boolean): ImapCommand {
    switch (name) {
      // copy = "COPY" SP sequence-set SP mailbox
      case 'COPY':
      case 'MOVE': {
        const set = this.#spaced(() => this.#sequenceSet());
        return { tag, name, set, isUid, mailbox: this.#spaced(() => this.#astring()) };
      }
      // fetch = "FETCH" SP sequence-set SP ("ALL" / "FULL" / "FAST" / fetch-att / "(" fetch-att *(SP fetch-att) ")")
      case 'FETCH': {
        const set = this.#spaced(() => this.#sequenceSet());
        const read = () => (this.#next === '(' ? this.#list(() => this.#fetchAtt()).flat() : this.#fetchAtt());
        return { tag, name, set, isUid, items: this.#spaced(read) };
      }
      // store = "STORE" SP sequence-set SP store-att-flags
      case 'STORE': {
        const set = this.#spaced(() => this.#sequenceSet());
        return { tag, name, set, isUid, ...this.#spaced(() => this.#storeAttFlags()) };
      }
      // search = "SEARCH" [SP "CHARSET" SP astring] 1*(SP search-key)
      case 'SEARCH': {
        this.#char(' ');
        let charset: string | null = null;
        if (/^charset /i.test(this.#text.slice(this.#at, this.#at + 8))) {
          this.#word();
          charset = this.#spaced(() => this.#astring());
          this.#char(' ');
        }
        return { tag, name, isUid, charset, key: { kind: 'and', keys: this.#many(() => this.#searchKey(0)) } };
      }
      default:
        throw new NotInGrammar('the command is unknown');
    }
  }

  // append = "APPEND" SP mailbox [SP flag-list] [SP date-time] SP literal
  appendStart(): AppendStart {
    const tag = this.#take(TAG, 'a tag');
    this.#char(' ');
    this.#word();
    const mailbox = this.#spaced(() => this.#astring());
    this.#char(' ');
    let flags: readonly string[] = [];
    if (this.#next === '(') {
      flags = this.#listOrNone(() => this.#flag());
      this.#char(' ');
    }
    if (this.#next === '"') {
      const day = this.#take(DATE_TIME, 'a date such as " 1-Feb-2024 10:00:00 +0000"', 1);
      if (dayOf(day) === null) throw this.#wrong('a day of the calendar before this');
      this.#char(' ');
    }
    if (this.#at < this.#text.length) throw this.#wrong('the literal of the message');
    return { tag, mailbox, flags };
  }

  // status-att = "MESSAGES" / "RECENT" / "UIDNEXT" / "UIDVALIDITY" / "UNSEEN"
  #statusAtt(): StatusItem {
    const name = this.#word();
    const item = STATUS_ITEMS.find((one) => one === name);
    if (item === undefined) throw this.#wrong('an item of STATUS');
    return item;
  }

  // fetch-att = "ENVELOPE" / "FLAGS" / "INTERNALDATE" / "RFC822" [".HEADER" / ".SIZE" / ".TEXT"] /
  //   "BODY" ["STRUCTURE"] / "UID" / ("BODY" / "BODY.PEEK") section ["<" number "." nz-number ">"]
  #fetchAtt(): FetchItem[] {
    const name = this.#word();
    switch (name) {
      case 'ALL':
        return [...FAST, { kind: 'ENVELOPE' }];
      case 'FAST':
        return [...FAST];
      case 'FULL':
        return [...FAST, { kind: 'ENVELOPE' }, { kind: 'BODY' }];
      case 'UID':
      case 'FLAGS':
      case 'INTERNALDATE':
      case 'RFC822.SIZE':
      case 'ENVELOPE':
      case 'BODYSTRUCTURE':
        return [{ kind: name }];
      case 'RFC822':
        return [{ kind: 'SECTION', name, section: WHOLE, partial: null, isPeek: false }];
      case 'RFC822.HEADER':
        return [{ kind: 'SECTION', name, section: { ...WHOLE, text: 'HEADER' }, partial: null, isPeek: true }];
      case 'RFC822.TEXT':
        return [{ kind: 'SECTION', name, section: { ...WHOLE, text: 'TEXT' }, partial: null, isPeek: false }];
      case 'BODY':
        return [this.#next === '[' ? this.#fetchedSection(false) : { kind: 'BODY' }];
      case 'BODY.PEEK':
        return [this.#fetchedSection(true)];
      default:
        throw this.#wrong('an item of FETCH');
    }
  }

  // section = "[" [section-spec] "]"
  #fetchedSection(isPeek: boolean): FetchItem {
    this.#char('[');
    const section = this.#sectionSpec();
    this.#char(']');
    const name = `BODY[${nameOf(section)}]`;
    if (this.#next !== '<') return { kind: 'SECTION', name, section, partial: null, isPeek };
    this.#char('<');
    const from = this.#number();
    this.#char('.');
    const length = this.#nzNumber();
    this.#char('>');
    return { kind: 'SECTION', name: `${name}<${from}>`, section, partial: { from, length }, isPeek };
  }

  // section-spec = section-msgtext / (section-part ["." section-text]); section-part = nz-number *("." nz-number)
  #sectionSpec(): Section {
    const part: number[] = [];
    while (/\d/.test(this.#next)) {
      part.push(this.#nzNumber());
      if (this.#next !== '.') return { part, text: null, fields: [] };
      this.#char('.');
      if (part.length >= MOST_IN_LIST) throw this.#wrong('fewer numbers');
    }
    if (part.length === 0 && this.#next === ']') return WHOLE;
    // section-msgtext = "HEADER" / "HEADER.FIELDS" [".NOT"] SP header-list / "TEXT"; section-text adds "MIME"
    const name = this.#word();
    const text = SECTION_TEXTS.find((one) => one === name);
    if (text === undefined || (text === 'MIME' && part.length === 0)) throw this.#wrong('a section');
    const hasFields = text === 'HEADER.FIELDS' || text === 'HEADER.FIELDS.NOT';
    return { part, text, fields: hasFields ? this.#spaced(() => this.#list(() => this.#astring())) : [] };
  }

  // store-att-flags = (["+" / "-"] "FLAGS" [".SILENT"]) SP (flag-list / (flag *(SP flag)))
  #storeAttFlags(): FlagChange {
    const sign = this.#next;
    if (sign === '+' || sign === '-') this.#at++;
    const name = this.#word();
    if (name !== 'FLAGS' && name !== 'FLAGS.SILENT') throw this.#wrong('FLAGS');
    const read = () => (this.#next === '(' ? this.#listOrNone(() => this.#flag()) : this.#many(() => this.#flag()));
    const flags = this.#spaced(read);
    return { how: sign === '+' ? 'add' : sign === '-' ? 'remove' : 'set', isSilent: name === 'FLAGS.SILENT', flags };
  }

  // flag = "\Answered" / "\Flagged" / "\Deleted" / "\Seen" / "\Draft" / flag-keyword / flag-extension
  #flag(): string {
    const isSystem = this.#next === '\\';
    if (isSystem) this.#at++;
    return `${isSystem ? '\\' : ''}${this.#take(ATOM, 'a flag')}`;
  }

  // search-key
  #searchKey(depth: number): SearchKey {
    if (++this.#keys > MOST_IN_LIST) throw new NotInGrammar(`a search may have ${MOST_IN_LIST} keys`);
    if (depth > MOST_DEPTH) throw new NotInGrammar(`search keys may stand ${MOST_DEPTH} deep`);
    if (this.#next === '(') return { kind: 'and', keys: this.#list(() => this.#searchKey(depth + 1)) };
    if (/[\d*]/.test(this.#next)) return { kind: 'set', set: this.#sequenceSet(), isUid: false };
    const name = this.#word();
    const flag = FLAG_KEYS.get(name);
    if (flag !== undefined) return flag;
    const kind = TEXT_KEYS.get(name);
    if (kind !== undefined) return { kind, text: this.#spaced(() => this.#utf8()) };
    const [dated, sent, when] = /^(SENT)?(BEFORE|ON|SINCE)$/.exec(name) ?? [];
    if (dated !== undefined) {
      const day = this.#spaced(() => this.#date());
      const from = when === 'BEFORE' ? Number.NEGATIVE_INFINITY : day;
      const to = when === 'BEFORE' ? day : when === 'ON' ? day + 1 : Number.POSITIVE_INFINITY;
      return { kind: 'days', from, to, isSent: sent !== undefined };
    }
    switch (name) {
      case 'ALL':
        return { kind: 'all' };
      case 'BCC':
        return { kind: 'header', name: 'bcc', text: this.#spaced(() => this.#utf8()) };
      case 'HEADER':
        return { kind: 'header', name: this.#spaced(() => this.#astring()), text: this.#spaced(() => this.#utf8()) };
      case 'KEYWORD':
        return { kind: 'flag', flag: this.#spaced(() => this.#flag()) };
      case 'UNKEYWORD':
        return { kind: 'not', key: { kind: 'flag', flag: this.#spaced(() => this.#flag()) } };
      case 'LARGER':
        return { kind: 'larger', bytes: this.#spaced(() => this.#number()) };
      case 'SMALLER':
        return { kind: 'smaller', bytes: this.#spaced(() => this.#number()) };
      case 'UID':
        return { kind: 'set', set: this.#spaced(() => this.#sequenceSet()), isUid: true };
      case 'NOT':
        return { kind: 'not', key: this.#spaced(() => this.#searchKey(depth + 1)) };
      case 'OR': {
        const one = this.#spaced(() => this.#searchKey(depth + 1));
        return { kind: 'or', one, other: this.#spaced(() => this.#searchKey(depth + 1)) };
      }
      default:
        throw this.#wrong('a search key');
    }
  }

  // sequence-set = (seq-number / seq-range) *("," sequence-set); seq-range = seq-number ":" seq-number
  #sequenceSet(): SequenceSet {
    const ranges: [number, number][] = [];
    for (;;) {
      const first = this.#seqNumber();
      if (this.#next === ':') this.#at++;
      const last = this.#text.charAt(this.#at - 1) === ':' ? this.#seqNumber() : first;
      ranges.push(first <= last ? [first, last] : [last, first]);
      if (this.#next !== ',') return ranges;
      this.#at++;
    }
  }

  // seq-number = nz-number / "*"
  #seqNumber(): number {
    if (this.#next === '*') {
      this.#at++;
      return Number.POSITIVE_INFINITY;
    }
    return this.#nzNumber();
  }

  // date = date-text / DQUOTE date-text DQUOTE
  #date(): number {
    const day = dayOf(this.#take(DATE, 'a date such as 1-Feb-2024', 2));
    if (day === null) throw this.#wrong('a day of the calendar before this');
    return day;
  }

  // astring = 1*ASTRING-CHAR / string
  #astring(): string {
    return this.#isString() ? this.#string() : this.#take(ASTRING, 'a text');
  }

  #utf8(): string {
    return Buffer.from(this.#astring(), 'latin1').toString('utf8');
  }

  // nstring = string / nil
  #nstring(): string | null {
    if (this.#isString()) return this.#string();
    if (this.#word() !== 'NIL') throw this.#wrong('a quoted text or NIL');
    return null;
  }

  // string = quoted / literal
  #string(): string {
    if (this.#next === '"') return this.#take(QUOTED, 'a quoted text', 1).replace(/\\(["\\])/g, '$1');
    const bytes = Number(this.#take(LITERAL, 'a literal', 1));
    const text = this.#text.slice(this.#at, this.#at + bytes);
    if (text.length < bytes) throw this.#wrong('the bytes of the literal');
    this.#at += bytes;
    return text;
  }

  #isString(): boolean {
    return this.#next === '"' || this.#next === '{';
  }

  // number = 1*DIGIT, below 4,294,967,296
  #number(): number {
    const number = Number(this.#take(NUMBER, 'a number'));
    if (number > MOST_NUMBER) throw this.#wrong('a number of 32 bits');
    return number;
  }

  // nz-number = digit-nz *DIGIT
  #nzNumber(): number {
    const number = this.#number();
    if (number === 0) throw this.#wrong('a number above 0');
    return number;
  }

  /** Reads `"(" item *(SP item) ")"`. */
  #list<T>(item: () => T): T[] {
    this.#char('(');
    const items = this.#many(item);
    this.#char(')');
    return items;
  }

  /** Reads `"(" [item *(SP item)] ")"`. */
  #listOrNone<T>(item: () => T): T[] {
    if (!this.#text.startsWith('()', this.#at)) return this.#list(item);
    this.#at += 2;
    return [];
  }

  /** Reads `item *(SP item)`. */
  #many<T>(item: () => T): T[] {
    const items = [item()];
    while (this.#hasMore()) {
      items.push(this.#spaced(item));
      if (items.length > MOST_IN_LIST) throw new NotInGrammar(`a list may have ${MOST_IN_LIST} entries`);
    }
    return items;
  }

  #spaced<T>(read: () => T): T {
    this.#char(' ');
    return read();
  }

  /** Tells whether something follows behind a space. */
  #hasMore(): boolean {
    return this.#next === ' ' && /[^ ]/.test(this.#text.charAt(this.#at + 1));
  }

  get #next(): string {
    return this.#text.charAt(this.#at);
  }

  #char(wanted: string): void {
    if (this.#next !== wanted) throw this.#wrong(wanted === ' ' ? 'a space' : wanted);
    this.#at++;
  }

  #word(): string {
    return this.#take(WORD, 'a word').toUpperCase();
  }

  #take(pattern: RegExp, what: string, group = 0): string {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found === null) throw this.#wrong(what);
    this.#at = pattern.lastIndex;
    return found[group] ?? '';
  }

  #wrong(wanted: string): NotInGrammar {
    return new NotInGrammar(`expected ${wanted} at character ${this.#at + 1}`);
  }
}

/** Returns the days from 1970 to `1-Feb-2024`. Null if the calendar has no such day. */
function dayOf(text: string): number | null {
  const [day = '', month = '', year = ''] = text.split('-');
  const at = MONTHS.indexOf(month.toLowerCase());
  const date = new Date(Date.UTC(2000, at, Number(day)));
  // Date.UTC takes a year below 100 as one of the last century.
  date.setUTCFullYear(Number(year), at, Number(day));
  return at >= 0 && date.getUTCDate() === Number(day) ? date.getTime() / 86_400_000 : null;
}

/** Writes a section as an answer names it. */
function nameOf({ part, text, fields }: Section): string {
  const names = fields.map((field) =>
    isKeyword(field) ? field : `"${field.replace(/[^ -~]/g, '?').replace(/["\\]/g, '\\$&')}"`,
  );
  const list = text?.startsWith('HEADER.FIELDS') ? ` (${names.join(' ')})` : '';
  return `${[...part, ...(text === null ? [] : [text])].join('.')}${list}`;
}

const FAST: readonly FetchItem[] = [{ kind: 'FLAGS' }, { kind: 'INTERNALDATE' }, { kind: 'RFC822.SIZE' }];
const WHOLE: Section = { part: [], text: null, fields: [] };
const SECTION_TEXTS = ['HEADER.FIELDS.NOT', 'HEADER.FIELDS', 'HEADER', 'TEXT', 'MIME'] as const;
const TEXT_KEYS = new Map(
  (['from', 'to', 'cc', 'subject', 'body', 'text'] as const).map((kind) => [kind.toUpperCase(), kind]),
);

const flagged = (flag: string): SearchKey => ({ kind: 'flag', flag });
const unflagged = (flag: string): SearchKey => ({ kind: 'not', key: flagged(flag) });
/** The search keys that are flags: "ANSWERED", "UNANSWERED" and so on. */
const FLAG_KEYS: ReadonlyMap<string, SearchKey> = new Map([
  ...['Answered', 'Deleted', 'Draft', 'Flagged', 'Seen'].flatMap((name): [string, SearchKey][] => [
    [name.toUpperCase(), flagged(`\\${name}`)],
    [`UN${name.toUpperCase()}`, unflagged(`\\${name}`)],
  ]),
  ['RECENT', flagged('\\Recent')],
  ['OLD', unflagged('\\Recent')],
  ['NEW', { kind: 'and', keys: [flagged('\\Recent'), unflagged('\\Seen')] }],
]);
