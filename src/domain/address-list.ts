import { isIP } from 'node:net';
import { comparableAddress, isHostName, normalDomain } from './address.ts';

// The address lists of RFC 5322 3.4, with the UTF-8 of RFC 6532. The parser accepts comments, quoted strings, folding
// white space and groups. Of the obsolete forms it accepts only the common dot in a display name (`John Q. Public
// <john@x.test>`). It rejects empty list entries, routes and line breaks. A local part has at most 64 bytes and a
// domain at most 253 characters (RFC 5321 4.5.3.1).

/** One address of a list. */
export interface ListedAddress {
  /** The display name without quotes. Null if there is none. */
  readonly name: string | null;
  /** The address in envelope form: the local part is quoted only if needed, the domain is in lower-case A-labels. */
  readonly address: string;
  readonly domain: string;
}

/**
 * Parses an address list, including the members of its groups. The result is empty if all groups are empty, and null if
 * the list is malformed.
 */
export function parseAddressList(text: string): ListedAddress[] | null {
  return readable(() => new ListReader(text).list());
}

/** Parses a single address. Returns null for a malformed text, a list or a group. */
export function parseAddress(text: string): ListedAddress | null {
  return readable(() => new ListReader(text).only());
}

/** Returns the envelope addresses in their order, each recipient once. */
export function distinctAddresses(addresses: readonly ListedAddress[]): string[] {
  const byForm = new Map<string, string>();
  for (const { address } of addresses) {
    const form = comparableAddress(address);
    if (!byForm.has(form)) byForm.set(form, address);
  }
  return [...byForm.values()];
}

function readable<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof Malformed) return null;
    throw error;
  }
}

class Malformed extends Error {}

// Control characters, line separators and lone surrogates.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const UNSAFE = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u2028\u2029]|\p{Surrogate}/u;
/** Invisible characters. They are harmless in a name, but make two addresses look alike. */
const INVISIBLE = /[\u00a0\u00ad\u200b-\u200f\u2060\ufeff\ufffd]/;
const ATEXT = /[A-Za-z0-9!#$%&'*+/=?^_`{|}~\u00a0-\uffff-]/;
const DOT_ATOM = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~\u00a0-\uffff-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~\u00a0-\uffff-]+)*$/;

interface Word {
  readonly text: string;
  readonly quoted: boolean;
}

/** A reader of address lists. It never goes back, so its cost is linear in the length of the text. */
class ListReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    if (UNSAFE.test(text)) throw new Malformed();
    this.#text = text;
  }

  list(): ListedAddress[] {
    const list = this.#place();
    while (this.#takes(',')) list.push(...this.#place());
    this.#end();
    return list;
  }

  only(): ListedAddress {
    const only = this.#mailbox(this.#words());
    this.#end();
    return only;
  }

  #end(): void {
    if (this.#at < this.#text.length) throw new Malformed();
  }

  /** Reads one mailbox, or the members of a group: `words: mailboxes;`. */
  #place(): ListedAddress[] {
    const words = this.#words();
    if (words.length === 0 || !this.#takes(':')) return [this.#mailbox(words)];
    this.#skip();
    const members: ListedAddress[] = [];
    if (this.#peek() !== ';') {
      do members.push(this.#mailbox(this.#words()));
      while (this.#takes(','));
    }
    if (!this.#takes(';')) throw new Malformed();
    this.#skip();
    return members;
  }

  /** Reads `local@domain` or `words <local@domain>`. */
  #mailbox(words: readonly Word[]): ListedAddress {
    if (this.#takes('<')) {
      const address = this.#address(this.#words());
      if (!this.#takes('>')) throw new Malformed();
      this.#skip();
      return { ...address, name: words.length === 0 ? null : nameOf(words) };
    }
    return { ...this.#address(words), name: null };
  }

  #address(words: readonly Word[]): Omit<ListedAddress, 'name'> {
    const [only] = words;
    if (only === undefined || words.length > 1 || !this.#takes('@')) throw new Malformed();
    const localPart = writeLocalPart(only);
    const domain = this.#domain();
    return { address: `${localPart}@${domain}`, domain };
  }

  #domain(): string {
    this.#skip();
    const from = this.#at;
    if (this.#peek() === '[') {
      const end = this.#text.indexOf(']', from);
      if (end < 0) throw new Malformed();
      this.#at = end + 1;
      this.#skip();
      return addressLiteral(this.#text.slice(from, end + 1));
    }
    while (this.#peek() === '.' || ATEXT.test(this.#peek())) this.#at++;
    const domain = normalDomain(this.#text.slice(from, this.#at));
    if (domain === null || this.#text.charAt(this.#at - 1) === '.' || !isHostName(domain)) throw new Malformed();
    this.#skip();
    return domain;
  }

  /** Reads atoms, with the dots in and between them, and quoted strings. */
  #words(): Word[] {
    const words: Word[] = [];
    for (;;) {
      this.#skip();
      const char = this.#peek();
      if (char === '"') words.push({ text: this.#quotedString(), quoted: true });
      else if (char === '.' || ATEXT.test(char)) words.push({ text: this.#atom(), quoted: false });
      else return words;
    }
  }

  #atom(): string {
    const from = this.#at;
    while (this.#peek() === '.' || ATEXT.test(this.#peek())) this.#at++;
    return this.#text.slice(from, this.#at);
  }

  #quotedString(): string {
    const parts: string[] = [];
    for (let from = ++this.#at; ; ) {
      const char = this.#peek();
      if (char === '') throw new Malformed();
      if (char === '"' || char === '\\') parts.push(this.#text.slice(from, this.#at));
      if (char === '"') {
        this.#at++;
        return parts.join('');
      }
      if (char === '\\') {
        from = ++this.#at;
        if (this.#peek() === '') throw new Malformed();
      }
      this.#at++;
    }
  }

  /** Skips white space and comments. Comments may nest. */
  #skip(): void {
    let depth = 0;
    for (; this.#at < this.#text.length; this.#at++) {
      const char = this.#peek();
      if (char === '(') depth++;
      else if (char === ')' && depth > 0) depth--;
      else if (char === '\\' && depth > 0) this.#at++;
      else if (depth === 0 && char !== ' ' && char !== '\t') return;
    }
    if (depth > 0) throw new Malformed();
  }

  #takes(char: string): boolean {
    if (this.#peek() !== char) return false;
    this.#at++;
    return true;
  }

  /** Returns the next character, or '' at the end. */
  #peek(): string {
    return this.#text.charAt(this.#at);
  }
}

function nameOf(words: readonly Word[]): string {
  // A tab in a quoted string is white space (RFC 5322 3.2.4). In a name a space stands for it, as between words.
  return words.map(({ text }) => text.replaceAll('\t', ' ')).join(' ');
}

/**
 * Normalizes the spelling of a local part: `"bob"@x.test` becomes bob@x.test (RFC 5321 4.1.2). Allowlists rely on it
 * too.
 */
function writeLocalPart({ text, quoted }: Word): string {
  // RFC 5321 4.1.2 allows a space in a quoted local part, and no tab.
  if (Buffer.byteLength(text) > 64 || INVISIBLE.test(text) || text.includes('\t')) throw new Malformed();
  if (!quoted && !DOT_ATOM.test(text)) throw new Malformed();
  return DOT_ATOM.test(text) ? text : `"${text.replace(/["\\]/g, '\\$&')}"`;
}

function addressLiteral(literal: string): string {
  const inner = literal.slice(1, -1);
  if (isIP(/^ipv6:/i.test(inner) ? inner.slice(5) : inner) === 0) throw new Malformed();
  return literal.toLowerCase();
}
