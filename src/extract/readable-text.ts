import { MAX_CHARACTERS } from './bounds.ts';
import { type HtmlSink, walkHtml } from './html-walk.ts';
import { isShown, type Look, lookOf, PLAIN } from './look.ts';

/** A range of the text with a special look. */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
  /** The look. `aside` marks text that the sender did not write: it replaces a picture or shows a link's target. */
  readonly look: 'bold' | 'italic' | 'link' | 'aside';
}

export interface ReadableText {
  /** The lines: blocks are separated, lists have bullets, and quotes start with `> `. */
  readonly text: string;
  /** The spans in order, without overlaps. */
  readonly spans: readonly TextSpan[];
  /** The numbers of the links in the text, in order. */
  readonly links: readonly number[];
}

/** Blocks with an empty line around them. Other blocks only start a line. */
const APART = new Set('p h1 h2 h3 h4 h5 h6 ul ol dl blockquote pre table hr form'.split(' '));
const BLOCKS = new Set(
  'address article aside body caption center dd details div dt fieldset figcaption figure footer header li main nav option section tbody tfoot thead tr'.split(
    ' ',
  ),
);
const CELLS = new Set(['td', 'th']);
const ITALIC = new Set('em i cite dfn var address'.split(' '));
const MAX_NESTING = 6;
const MAX_ALT = 200;
const RULE = '─'.repeat(24);

// Invisible characters, which senders put after a preview text.
const UNSEEN = /(?:\u034f|[\u00ad\u115f\u180e\u200b\u2060-\u2064\ufeff])+|(?<!\p{L}\p{M}*)\u200c|\u200c(?!\p{L})/gu;

/**
 * Converts HTML to readable text. It omits hidden content, keeps lists, emphasis and quotes, and shows pictures by
 * their alternative text and links by number. `numberOf` returns the number of a link's target; if it returns null, the
 * text shows the target. Its cost is linear and it never throws.
 */
export function readableText(html: string, numberOf: (href: string) => number | null): ReadableText {
  const reader = new Reader(numberOf);
  walkHtml(html.slice(0, MAX_CHARACTERS), reader);
  return { text: reader.seen.trimEnd(), spans: reader.spans, links: [...reader.links].sort((a, b) => a - b) };
}

interface OpenList {
  readonly ordered: boolean;
  items: number;
}

class Reader implements HtmlSink {
  readonly spans: TextSpan[] = [];
  readonly links = new Set<number>();
  seen = '';
  readonly #numberOf: (href: string) => number | null;
  readonly #looks: Look[] = [PLAIN];
  readonly #lists: OpenList[] = [];
  #italic = 0;
  #quotes = 0;
  /** The quote depth of the last line. */
  #quoted = 0;
  #pre = 0;
  /** The separator before the next words: this many line ends, or else a gap within the line. */
  #breaks = 0;
  #gap: '' | ' ' | '   ' = '';
  /** The bullet or number of the list item that starts. */
  #marker: string | null = null;
  #anchor: { readonly href: string; readonly start: number } | null = null;

  constructor(numberOf: (href: string) => number | null) {
    this.#numberOf = numberOf;
  }

  open(name: string, attributes: ReadonlyMap<string, string>, isVoid: boolean): void {
    const look = lookOf(name, attributes, this.#look());
    if (!isVoid) this.#looks.push(look);
    this.#space(name);
    if (name === 'br') this.#breaks++;
    if (name === 'pre') this.#pre++;
    if (ITALIC.has(name)) this.#italic++;
    if (name === 'blockquote') this.#quotes++;
    if (name === 'ul' || name === 'ol') this.#lists.push({ ordered: name === 'ol', items: 0 });
    if (!isShown(look)) return;
    if (name === 'li') this.#item();
    else if (name === 'hr') this.#aside(RULE, 2);
    else if (name === 'img') this.#image(attributes.get('alt') ?? '');
    else if (name === 'a') {
      this.#endAnchor();
      const href = attributes.get('href')?.trim() ?? '';
      if (href !== '' && !href.startsWith('#')) this.#anchor = { href, start: this.seen.length };
    }
  }

  close(name: string): void {
    this.#looks.pop();
    if (name === 'a') this.#endAnchor();
    if (name === 'pre') this.#pre--;
    if (ITALIC.has(name)) this.#italic--;
    if (name === 'blockquote') this.#quotes--;
    if (name === 'ul' || name === 'ol') this.#lists.pop();
    this.#space(name);
    if (name === 'li') this.#marker = null;
  }

  text(data: string): void {
    if (!isShown(this.#look())) return;
    const seen = data.replace(UNSEEN, '');
    if (this.#pre === 0) {
      this.#words(seen.replace(/\s+/g, ' '));
      return;
    }
    for (const [index, line] of seen.replace(/\r\n?/g, '\n').split('\n').entries()) {
      if (index > 0) this.#breaks++;
      if (line !== '') this.#say(line);
    }
  }

  #words(words: string): void {
    const trimmed = words.trim();
    if (words.startsWith(' ')) this.#gap ||= ' ';
    if (trimmed === '') return;
    this.#say(trimmed);
    if (words.endsWith(' ')) this.#gap = ' ';
  }

  #look(): Look {
    return this.#looks.at(-1) ?? PLAIN;
  }

  #space(name: string): void {
    if (APART.has(name)) this.#breaks = Math.max(this.#breaks, this.#lists.length > 0 ? 1 : 2);
    else if (BLOCKS.has(name)) this.#breaks = Math.max(this.#breaks, 1);
    else if (CELLS.has(name)) this.#gap = '   ';
  }

  #item(): void {
    const list = this.#lists.at(-1);
    if (list !== undefined) list.items++;
    this.#marker = list?.ordered ? `${list.items}. ` : '• ';
  }

  /** Appends the separator, then the words. */
  #say(words: string, look = this.#lookOfWords()): void {
    this.#separate();
    const start = this.seen.length;
    this.seen += words;
    if (look !== null) this.#span(start, look);
  }

  #separate(): void {
    const isFirst = this.seen === '';
    if (isFirst || this.#breaks > 0) {
      const depth = Math.min(this.#quotes, MAX_NESTING);
      const quote = '> '.repeat(depth);
      // An empty line within a quote is also quoted.
      const between = '> '.repeat(Math.min(depth, this.#quoted)).trimEnd();
      this.#quoted = depth;
      const ends = isFirst ? '' : `\n${between}`.repeat(Math.max(0, Math.min(this.#breaks, 2) - 1));
      this.seen += `${ends}${isFirst ? '' : '\n'}${quote}${this.#indent()}`;
    } else this.seen += this.#gap;
    this.#breaks = 0;
    this.#gap = '';
  }

  #indent(): string {
    const depth = Math.min(this.#lists.length, MAX_NESTING);
    const marker = this.#marker ?? (depth === 0 ? '' : '  ');
    this.#marker = null;
    return '  '.repeat(Math.max(0, depth - 1)) + marker;
  }

  #lookOfWords(): TextSpan['look'] | null {
    if (this.#anchor !== null) return 'link';
    const { bold, large } = this.#look();
    if (bold || large) return 'bold';
    return this.#italic > 0 ? 'italic' : null;
  }

  #span(start: number, look: TextSpan['look']): void {
    const last = this.spans.at(-1);
    const goesOn = last?.look === look && last.end === start;
    if (goesOn) this.spans.pop();
    this.spans.push({ start: goesOn ? last.start : start, end: this.seen.length, look });
  }

  #aside(words: string, breaks = 0): void {
    this.#breaks = Math.max(this.#breaks, breaks);
    this.#say(words, 'aside');
    this.#breaks = breaks;
  }

  #image(alt: string): void {
    const words = alt.replace(UNSEEN, '').replace(/\s+/g, ' ').trim().slice(0, MAX_ALT);
    if (words === '') return;
    this.#gap ||= ' ';
    this.#aside(`[image: ${words}]`);
    this.#gap = ' ';
  }

  /** Ends a link. It appends the target unless the text already contains it. */
  #endAnchor(): void {
    const anchor = this.#anchor;
    this.#anchor = null;
    if (anchor === null || this.seen.length === anchor.start) return;
    const said = this.seen.slice(anchor.start).trim();
    const number = this.#numberOf(anchor.href);
    if (number !== null) this.links.add(number);
    const target = anchor.href.replace(/^(?:mailto|tel):/i, '');
    if (said.includes(target)) return;
    const [breaks, gap] = [this.#breaks, this.#gap];
    // The separator after the link's words moves after its number.
    [this.#breaks, this.#gap] = [0, ' '];
    this.#aside(number === null ? `<${anchor.href.slice(0, MAX_ALT)}>` : `[${number}]`);
    [this.#breaks, this.#gap] = [breaks, gap];
  }
}
