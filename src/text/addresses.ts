// Reads the address lists of mails (RFC 5322 3.4), which senders often damage. One damaged name must not take the others
// with it, so a quote, comment or angle bracket that is never closed is text, and ends where the next name begins.

/** One name of an address list. */
export interface ReadAddress {
  /** The display name without quotes, or else the comment. It is empty if there is neither. */
  readonly name: string;
  /** The address. It is empty if the list has words in this place. */
  readonly address: string;
}

/** The begin of a group with its name, or the end of one. */
export type GroupEdge = { readonly group: string } | { readonly group: null };

/**
 * Reads the names of a decoded address list in their order. Groups are replaced by their members. It accepts every text,
 * and its cost is linear in the length of the text.
 */
export function readAddresses(list: string): ReadAddress[] {
  return readAddressesAndGroups(list).filter((one) => 'address' in one);
}

/** Reads an address list like {@link readAddresses}, with the edges of its groups. */
export function readAddressesAndGroups(list: string): (ReadAddress | GroupEdge)[] {
  const [, quoted, words, angled, bare] = ONE_ADDRESS.exec(list) ?? [];
  const address = angled ?? bare;
  if (address !== undefined) return [{ name: quoted ?? words ?? '', address }];
  return new AddressReader(list).read();
}

/** Most lists are one address in ASCII, alone or behind a name. Any other list is read a character at a time. */
const ONE_ADDRESS =
  /^(?:(?:"([\w.'-]+(?: [\w.'-]+)*)" |([\w'-]+(?: [\w'-]+)*) )?<([\w.+=-]+@[\w.-]+)>|([\w.+=-]+@[\w.-]+))$/;

/** A run of characters without white space, as it is written and as it is shown. */
interface Word {
  written: string;
  shown: string;
  /** Tells whether it has an @ outside of quotes. */
  hasAt: boolean;
}

/** A list that looks like this inside a quoted name is no name: its first quote is never closed. */
const NAMES_INSIDE = /<[^<>@\s]+@[^<>\s]+>\s*[,;]/;
const LONGEST_LITERAL = 60;
const ROUTE = /^@[^:]*:/;

class AddressReader {
  readonly #text: string;
  /** The end of each comment and of each quoted string, by its start. */
  readonly #comments: ReadonlyMap<number, number>;
  readonly #found: (ReadAddress | GroupEdge)[] = [];
  #inGroup = false;
  /** The words before a comma that may belong to the next name, as in `Foo, PhD <foo@x.test>`. */
  #pending: string[] = [];
  #words: Word[] = [];
  #comment: string[] = [];
  #angle: string | null = null;
  #inWord = false;
  /** Tells whether a dot after white space is the last character of a bare address, as in `ada@x . test` (RFC 5322 4.4). */
  #isAfterDot = false;
  /** Tells whether a quote was found that is never closed. None after it is closed either. */
  #isQuoteOpen = false;

  constructor(text: string) {
    this.#text = text;
    this.#comments = commentsOf(text);
  }

  read(): (ReadAddress | GroupEdge)[] {
    const text = this.#text;
    for (let at = 0; at < text.length; ) at = this.#step(text.charAt(at), at);
    this.#end(false);
    this.#release();
    this.#endGroup();
    return this.#found;
  }

  /** Reads what begins at `at`. Returns the position after it. */
  #step(char: string, at: number): number {
    if (char === '"') return this.#quoted(at);
    if (char === '(') return this.#commented(at);
    if (char === '<') return this.#angled(at);
    if (char === '[') return this.#literal(at);
    if (char === ',') this.#end(true);
    else if (char === ';') {
      this.#end(false);
      this.#endGroup();
    } else if (char === ':') this.#startGroup();
    else if (char === '>' || /\s/.test(char)) this.#inWord = false;
    else this.#add(char, char, char === '@');
    return at + 1;
  }

  #quoted(at: number): number {
    const end = this.#endOfQuote(at);
    if (end < 0) return at + 1;
    const inside = this.#text.slice(at + 1, end - 1);
    if (NAMES_INSIDE.test(inside)) return at + 1;
    this.#add(this.#text.slice(at, end), inside.replace(/\\(.)/gs, '$1'), false);
    return end;
  }

  #commented(at: number): number {
    const end = this.#comments.get(at);
    if (end === undefined) {
      this.#add('(', '(', false);
      return at + 1;
    }
    this.#comment.push(this.#text.slice(at + 1, end - 1).replace(/\\(.)/gs, '$1'));
    return end;
  }

  #angled(at: number): number {
    // Two addresses in angle brackets without a comma between them are two names.
    if (this.#angle !== null) this.#end(false);
    const isRoute = /^\s*@/.test(this.#text.slice(at + 1, at + 10));
    let end = at + 1;
    let from = end;
    let address = '';
    for (; end < this.#text.length; end++) {
      const char = this.#text.charAt(end);
      const close = char === '(' ? this.#comments.get(end) : undefined;
      if (close !== undefined) {
        address += this.#text.slice(from, end);
        from = close;
        end = close - 1;
      } else if (char === '"') {
        const close = this.#endOfQuote(end);
        if (close > 0 && this.#text.charAt(close) === '@') end = close - 1;
      } else if (char === '>' || char === '<' || (!isRoute && (char === ',' || char === ';'))) break;
    }
    address += this.#text.slice(Math.min(from, end), end);
    this.#angle = address.replace(/\s+/g, '').replace(ROUTE, '');
    this.#inWord = false;
    return this.#text.charAt(end) === '>' ? end + 1 : end;
  }

  /** Returns the position after the quoted string that starts at `at`. Returns -1 if it is never closed. */
  #endOfQuote(at: number): number {
    if (this.#isQuoteOpen) return -1;
    for (let end = at + 1; end < this.#text.length; end++) {
      const char = this.#text.charAt(end);
      if (char === '\\') end++;
      else if (char === '"') return end + 1;
    }
    this.#isQuoteOpen = true;
    return -1;
  }

  /** Reads an address literal such as `[192.0.2.1]`, whose colons begin no group. */
  #literal(at: number): number {
    const literal = /^\[[^\]]*\]/.exec(this.#text.slice(at, at + LONGEST_LITERAL))?.[0];
    if (!this.#inWord || literal === undefined) {
      this.#add('[', '[', false);
      return at + 1;
    }
    this.#add(literal, literal, false);
    return at + literal.length;
  }

  #add(written: string, shown: string, hasAt: boolean): void {
    const word = this.#words.at(-1);
    const isSpacedDot = word?.hasAt === true && !this.#inWord && written === '.';
    if (word !== undefined && (this.#inWord || isSpacedDot || this.#isAfterDot)) {
      word.written += written;
      word.shown += this.#inWord ? shown : ` ${shown}`;
      word.hasAt ||= hasAt;
    } else {
      this.#words.push({ written, shown, hasAt });
    }
    this.#isAfterDot = isSpacedDot;
    this.#inWord = true;
  }

  /** Takes the words before a colon as the name of a group. An address before the colon is none. */
  #startGroup(): void {
    const isAddress = this.#angle !== null || this.#words.some(({ hasAt }) => hasAt);
    if (isAddress) this.#end(false);
    this.#release();
    const group = isAddress ? '' : shown(this.#words);
    if (group !== '') {
      this.#endGroup();
      this.#found.push({ group });
      this.#inGroup = true;
    }
    this.#clear();
  }

  #endGroup(): void {
    if (this.#inGroup) this.#found.push({ group: null });
    this.#inGroup = false;
  }

  /** Ends a name. `isComma` means that words without an address may belong to the next one. */
  #end(isComma: boolean): void {
    const words = shown(this.#words);
    const last = this.#found.at(-1);
    // A comment behind a group speaks of the group (RFC 5322 appendix A.5).
    const isOfGroup = last !== undefined && 'group' in last && last.group === null && this.#pending.length === 0;
    const comment = isOfGroup && words === '' && this.#angle === null ? '' : this.#comment.join(' ');
    if (this.#angle !== null) {
      if (words === '') this.#release();
      const name = words === '' ? comment : [...this.#pending, words].join(', ');
      this.#pending = [];
      if (name !== '' || this.#angle !== '') this.#found.push({ name, address: this.#angle });
    } else if (words !== '' || comment !== '') {
      this.#endWithoutAngle(words || comment, isComma && words !== '');
    }
    this.#clear();
  }

  #endWithoutAngle(text: string, mayGoOn: boolean): void {
    const addresses = this.#words.filter(({ hasAt }) => hasAt);
    if (addresses.length === 0 && mayGoOn) {
      this.#pending.push(text);
      return;
    }
    this.#release();
    const [only] = addresses;
    if (only === undefined) this.#found.push({ name: text, address: '' });
    else if (addresses.length > 1)
      for (const { written } of addresses) this.#found.push({ name: '', address: written });
    else {
      const name = shown(this.#words.filter((word) => word !== only)) || this.#comment.join(' ');
      this.#found.push({ name, address: only.written });
    }
  }

  /** Lists the words that belong to no later name. */
  #release(): void {
    for (const name of this.#pending) this.#found.push({ name, address: '' });
    this.#pending = [];
  }

  #clear(): void {
    this.#words = [];
    this.#comment = [];
    this.#angle = null;
    this.#inWord = false;
    this.#isAfterDot = false;
  }
}

function shown(words: readonly Word[]): string {
  return words
    .map((word) => word.shown)
    .filter((text) => text !== '')
    .join(' ');
}

/** Finds the comments in one pass, because each search for the end of one could take the whole text. */
function commentsOf(text: string): ReadonlyMap<number, number> {
  const ends = new Map<number, number>();
  const open: number[] = [];
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at);
    if (char === '\\') at++;
    else if (char === '(') open.push(at);
    else if (char === ')') {
      const start = open.pop();
      if (start !== undefined) ends.set(start, at + 1);
    }
  }
  return ends;
}
