import { MAX_CHARACTERS } from './bounds.ts';
import { type HtmlSink, walkHtml } from './html-walk.ts';
import { isShown, type Look, lookOf, PLAIN } from './look.ts';

/** A range of emphasized text. */
export interface Emphasis {
  readonly start: number;
  readonly end: number;
  readonly look: 'large' | 'bold';
}

interface Anchor {
  /** The written href with decoded entities. */
  readonly href: string;
  readonly start: number;
  readonly end: number;
  /** The alternative texts of the images in the link. */
  readonly alt: string;
  /** Its `aria-label` and `title`, which a screen reader says and a pointer shows. */
  readonly hints: string;
}

/** The visible content of a mail's HTML. */
export interface VisibleText {
  /** The text: one line per block, with tabs between the cells of a table row. */
  readonly text: string;
  /** The emphasized ranges in order, without overlaps. */
  readonly emphasis: readonly Emphasis[];
  /** The visible links. */
  readonly anchors: readonly Anchor[];
  /** The alternative texts of images. They are not part of `text`. */
  readonly alts: readonly string[];
  readonly baseHref: string | null;
}

const MAX_ANCHORS = 1_000;
const MAX_ALT_CHARACTERS = 1_000;

const BLOCKS = new Set(
  'address article aside blockquote body br caption center dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol option p pre section table tbody tfoot thead tr ul'.split(
    ' ',
  ),
);
const CELLS = new Set(['td', 'th']);

/** The HTML read last. The codes and the links of a mail are found one after the other. */
let last: { readonly html: string; readonly seen: VisibleText } | null = null;

/** Extracts the visible text of HTML, block by block. Its cost is linear and it never throws. */
export function visibleText(html: string): VisibleText {
  if (last?.html !== html) last = { html, seen: readVisible(html) };
  return last.seen;
}

function readVisible(html: string): VisibleText {
  const reader = new Reader();
  walkHtml(html.slice(0, MAX_CHARACTERS), reader);
  return {
    text: reader.seen,
    emphasis: reader.emphasis,
    anchors: reader.anchors,
    alts: reader.alts,
    baseHref: reader.baseHref,
  };
}

interface OpenAnchor {
  readonly href: string;
  readonly start: number;
  readonly alts: string[];
  readonly hints: string;
}

function hintsOf(attributes: ReadonlyMap<string, string>): string {
  const hints = [attributes.get('aria-label'), attributes.get('title')];
  return cleanText(hints.filter((hint) => hint !== undefined).join(' · '))
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, MAX_ALT_CHARACTERS);
}

class Reader implements HtmlSink {
  readonly emphasis: Emphasis[] = [];
  readonly anchors: Anchor[] = [];
  readonly alts: string[] = [];
  baseHref: string | null = null;
  seen = '';
  readonly #looks: Look[] = [PLAIN];
  /** The separator before the next text. */
  #gap: '' | ' ' | '\t' | '\n' = '';
  #anchor: OpenAnchor | null = null;
  #pre = 0;

  open(name: string, attributes: ReadonlyMap<string, string>, isVoid: boolean): void {
    const outer = this.#look();
    const look = lookOf(name, attributes, outer);
    if (!isVoid) this.#looks.push(look);
    this.#space(name);
    if (name === 'pre') this.#pre++;
    if (name === 'base') this.baseHref ??= attributes.get('href') ?? null;
    if (!isShown(look) && !(name === 'img' && look.tiny && !look.gone)) return;
    const href = attributes.get('href');
    if (name === 'a') {
      this.#endAnchor();
      if (href !== undefined) this.#anchor = { href, start: this.seen.length, alts: [], hints: hintsOf(attributes) };
    } else if (name === 'area' && href !== undefined) {
      this.#keepAnchor({
        href,
        start: this.seen.length,
        alts: [attributes.get('alt') ?? ''],
        hints: hintsOf(attributes),
      });
    } else if (name === 'img') {
      this.#image(attributes.get('alt') ?? '');
    }
  }

  close(name: string): void {
    this.#looks.pop();
    if (name === 'a') this.#endAnchor();
    if (name === 'pre') this.#pre--;
    this.#space(name);
  }

  text(data: string): void {
    const look = this.#look();
    if (!isShown(look)) return;
    const lines = this.#pre === 0 ? [data] : data.split('\n');
    for (const [index, line] of lines.entries()) {
      if (index > 0) this.#widen('\n');
      this.#say(line, look);
    }
  }

  #say(data: string, look: Look): void {
    const words = cleanText(data).replace(/\s+/g, ' ');
    if (words === '') return;
    const trimmed = words.trim();
    if (words.startsWith(' ')) this.#widen(' ');
    if (trimmed === '') return;
    if (this.seen !== '') this.seen += this.#gap;
    const start = this.seen.length;
    this.seen += trimmed;
    this.#gap = words.endsWith(' ') ? ' ' : '';
    if (look.bold || look.large) this.#emphasise(start, look.large ? 'large' : 'bold');
  }

  #look(): Look {
    return this.#looks.at(-1) ?? PLAIN;
  }

  #space(name: string): void {
    if (BLOCKS.has(name)) this.#widen('\n');
    else if (CELLS.has(name)) this.#widen('\t');
  }

  #widen(gap: ' ' | '\t' | '\n'): void {
    if (this.#gap === '\n' || gap === ' ') this.#gap ||= gap;
    else this.#gap = gap;
  }

  #emphasise(start: number, look: 'large' | 'bold'): void {
    const end = this.seen.length;
    const last = this.emphasis.at(-1);
    if (last !== undefined && last.look === look && start - last.end <= 1) {
      this.emphasis[this.emphasis.length - 1] = { ...last, end };
    } else this.emphasis.push({ start, end, look });
  }

  #image(alt: string): void {
    const words = cleanText(alt).replace(/\s+/g, ' ').trim().slice(0, MAX_ALT_CHARACTERS);
    if (words === '' || this.alts.length >= MAX_ANCHORS) return;
    this.alts.push(words);
    this.#anchor?.alts.push(words);
  }

  #endAnchor(): void {
    if (this.#anchor !== null) this.#keepAnchor(this.#anchor);
    this.#anchor = null;
  }

  #keepAnchor({ href, start, alts, hints }: OpenAnchor): void {
    if (this.anchors.length >= MAX_ANCHORS) return;
    this.anchors.push({ href, start, end: this.seen.length, alt: alts.join(' ').trim(), hints });
  }
}

/** Invisible characters: soft hyphens, zero-width characters, and marks that change the text direction. */
const UNSEEN = /(?:\u034F|[\u00AD\u061C\u115F\u180E\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF]|\uFE0F)+/g;
const OTHER_DIGIT = /(?![0-9])\p{Nd}/gu;

/**
 * Removes invisible characters, converts the decimal digits of all scripts to ASCII, and writes each letter in one way
 * (NFC), as the known words are written.
 */
export function cleanText(text: string): string {
  return text
    .normalize()
    .replace(UNSEEN, '')
    .replace(OTHER_DIGIT, (digit) => String(decimalOf(digit.codePointAt(0) ?? 0)));
}

/**
 * Returns the value of a decimal digit. Unicode encodes the digits of a script as ten characters in a row, from zero to
 * nine, and some scripts have several rows one after the other.
 */
function decimalOf(code: number): number {
  let zero = code;
  while (code - zero < MATHEMATICAL && IS_DIGIT.test(String.fromCodePoint(zero - 1))) zero--;
  return (code - zero) % 10;
}

const IS_DIGIT = /^\p{Nd}$/u;
/** The mathematical digits are five rows: the longest run. */
const MATHEMATICAL = 49;
