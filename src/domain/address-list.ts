import { isIP } from 'node:net';
import { comparableAddress, normalDomain } from './address.ts';
import { isHostName } from './host-name.ts';

// RFC 5322 3.4 as a sender is to write it, with RFC 6532's UTF-8: comments, quoted strings and folding spaces are read, and
// of the obsolete forms only the dot in a display name (`John Q. Public <john@x.test>`), which everybody writes. Groups stand for
// their members. Empty places in a list, routes and line breaks are refused. Local part 64 bytes and domain 253 characters at most (RFC 5321 4.5.3.1).

/** One address of a list. */
export interface ListedAddress {
  /** The display name without its quotes, null where there is none. */
  readonly name: string | null;
  /** As an envelope has it: the local part quoted only where it must be, the domain in A-labels and lower case. */
  readonly address: string;
  readonly domain: string;
}

/** The addresses of a list, those of its groups among them; none where its groups are empty; null where it is malformed. */
export function parseAddressList(text: string): ListedAddress[] | null {
  return readable(() => new ListReader(text).list());
}

/** The one address of the text; null where it is malformed, a list, or a group. */
export function parseAddress(text: string): ListedAddress | null {
  return readable(() => new ListReader(text).only());
}

/** The addresses as an envelope has them, in their order; who stands there more than once is one recipient. */
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

// Controls, line separators and halves of characters.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const UNSAFE = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u2028\u2029]|\p{Surrogate}/u;
/** In a name they are harmless; in an address they make two that look alike. */
const INVISIBLE = /[\u00a0\u00ad\u200b-\u200f\u2060\ufeff\ufffd]/;
const ATEXT = /[A-Za-z0-9!#$%&'*+/=?^_`{|}~\u00a0-\uffff-]/;
const DOT_ATOM = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~\u00a0-\uffff-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~\u00a0-\uffff-]+)*$/;

interface Word {
  readonly text: string;
  readonly quoted: boolean;
}

/** Reads left to right and never back, so that its cost is the text's length. */
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

  /** One mailbox, or those of a group: `words: mailboxes;`. */
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

  /** `local@domain` or `words <local@domain>`. */
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

  /** Atoms, with the dots in and between them, and quoted strings. */
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

  /** Spaces and comments, which nest. */
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

  /** '' at the end. */
  #peek(): string {
    return this.#text.charAt(this.#at);
  }
}

function nameOf(words: readonly Word[]): string {
  return words.map(({ text }) => text).join(' ');
}

/** One spelling for each local part: `"bob"@x.test` is bob@x.test (RFC 5321 4.1.2), also on an allowlist. */
function writeLocalPart({ text, quoted }: Word): string {
  if (Buffer.byteLength(text) > 64 || INVISIBLE.test(text)) throw new Malformed();
  if (!quoted && !DOT_ATOM.test(text)) throw new Malformed();
  return DOT_ATOM.test(text) ? text : `"${text.replace(/["\\]/g, '\\$&')}"`;
}

function addressLiteral(literal: string): string {
  const inner = literal.slice(1, -1);
  if (isIP(/^ipv6:/i.test(inner) ? inner.slice(5) : inner) === 0) throw new Malformed();
  return literal.toLowerCase();
}
