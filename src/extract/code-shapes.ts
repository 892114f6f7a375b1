import { firstIndex } from '../text/first-index.ts';
import { type TextUrl, urlsIn } from './autolinks.ts';
import type { Emphasis } from './visible-text.ts';
import { wordsFor } from './words/find-words.ts';

/** A candidate: a piece of text that has the shape of a code, regardless of its context. */
export interface Shape {
  /** The code as it is entered: digits without separators, letters as they are written. */
  readonly code: string;
  readonly written: string;
  readonly start: number;
  readonly end: number;
  /** The form. `loose` may be any word, so it is a code only if it is introduced as one. */
  readonly kind: 'digits' | 'grouped' | 'letters' | 'loose';
  /** Something unusual about its form, which a sentence has to outweigh. */
  readonly oddity?: 'day' | 'sequence';
  /** The reason why it is no code, regardless of its introduction. */
  readonly refused?: string;
}

/** Any number in a text. A label belongs to the number that follows it. */
export interface Lexeme {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** The number with the signs around it, which reveal a price or an address. */
  readonly whole: string;
  readonly at: number;
}

const MAX_LEXEME = 64;
const SOLID =
  /[^\s"“”„«»‹›<>()[\]{}|;!?*=、。，：；！？「」『』【】（）《》…।॥؟،؛۔՝՞։\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/uy;
const A_DIGIT = /[0-9]/g;
const A_DIGIT_IN = /[0-9]/;
const EDGES = /^[.,:'’‘`_~–—-]+|(?<![.,:'’‘`_~–—-])[.,:'’‘`_~–—-]+$/g;
const MONEY =
  /[$€£¥₹₽₺₩₪฿¢%‰°]|^(?:usd|eur|gbp|jpy|chf|pln|brl|try|rub|inr|cny|krw|ils|sek|nok|dkk|czk|cad|aud|kr|zł|r\$)$/i;
/** An amount that is written together with its currency: `1500EUR`, `Rs4500`. */
const WITH_CURRENCY = /^[0-9.,]+([A-Za-z]{2,3})$|^([A-Za-z]{2,3})[0-9.,]+$/;
const CURRENCIES = new Set(
  'usd eur gbp jpy chf pln brl try rub inr cny rmb krw ils sek nok dkk czk cad aud nzd hkd twd sgd thb php idr myr vnd zar mxn ars clp cop huf ron bgn uah kzt aed sar egp ngn kes pkr bdt lkr irr irt rs rm'.split(
    ' ',
  ),
);
/** The signs that hide the beginning of a number, and a number of which a part is hidden within. */
const HIDDEN_BEFORE = /(?:[•●∙▪]{2}|\*{3}|[0-9]\*{1,2})[ \u00A0]?$/;
const HIDDEN_AFTER = /^\*{1,6}[0-9]/;
const HIDDEN = /^[Xx]{2,}[0-9]{3,6}$/;
const MONEY_WORDS = new Set(wordsFor('money'));
const UNITS = new Set(wordsFor('unit'));

/** A number without signs. Most are, and need none of the rules about signs. */
const PLAIN = /^[0-9A-Za-z]+$/;
/** Before a script without spaces, `839201,5` means a number, a comma and the next number. */
const COMMA_BETWEEN = /^([0-9]{4,8}),[0-9]{1,2}$/;
const WITHOUT_SPACES = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

/** Finds the numbers of a text, in order. Its cost is linear. */
export function lexemesOf(text: string): Lexeme[] {
  const lexemes: Lexeme[] = [];
  for (const { at, solid } of solidsOf(text)) {
    const first = COMMA_BETWEEN.exec(solid)?.[1];
    const whole = first !== undefined && WITHOUT_SPACES.test(text.charAt(at + solid.length)) ? first : solid;
    if (whole.length > MAX_LEXEME) continue;
    if (PLAIN.test(whole)) {
      const code = withoutVerb(whole);
      lexemes.push({ text: code, start: at, end: at + code.length, whole: code, at });
      continue;
    }
    const head = /^[.,:'’‘`_~–—-]*/.exec(whole)?.[0].length ?? 0;
    const trimmed = whole.replace(EDGES, '');
    // A label without a space, as in `Code:481516`.
    const label = /^\p{L}+:/u.exec(trimmed)?.[0].length ?? 0;
    // Removes a suffix after an apostrophe, such as a Turkish ending or a possessive.
    const stem = trimmed.slice(label).replace(/['’]\p{L}{1,5}$|(?<=^[0-9]{4,10})-\p{Ll}{1,3}$/u, '');
    const start = at + head + label;
    const code = withoutVerb(stem);
    lexemes.push({ text: code, start, end: start + code.length, whole, at });
  }
  return lexemes;
}

const BEFORE_VERB = /^([0-9A-Z]{5,10})(\p{Ll}{2,4})$/u;
const IS = new Set(wordsFor('is'));

/** A translation may have lost the space before its verb: "481516on sinu kood". */
function withoutVerb(written: string): string {
  const [, code, verb] = BEFORE_VERB.exec(written) ?? [];
  return code !== undefined && verb !== undefined && IS.has(verb) && A_DIGIT_IN.test(code) ? code : written;
}

/** Finds the texts without spaces that have a digit and are not too long. Most words have none, and are not read. */
function* solidsOf(text: string): Generator<{ at: number; solid: string }> {
  let from = 0;
  for (;;) {
    A_DIGIT.lastIndex = from;
    const digit = A_DIGIT.exec(text)?.index;
    if (digit === undefined) return;
    let at = digit;
    while (at > from && digit - at <= MAX_LEXEME && isSolid(text.charCodeAt(at - 1))) at--;
    const solid = text.slice(at, solidEnd(text, at));
    from = Math.max(at + solid.length, digit + 1);
    if (digit - at <= MAX_LEXEME && solid !== '') yield { at, solid };
  }
}

function solidEnd(text: string, at: number): number {
  let end = at;
  while (end < text.length && !isSurrogate(text.charCodeAt(end)) && isSolid(text.charCodeAt(end))) end++;
  if (!isSurrogate(text.charCodeAt(end))) return end;
  SOLID.lastIndex = at;
  return at + (SOLID.exec(text)?.[0].length ?? 0);
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff;
}

/** The class of each UTF-16 unit: 1 belongs to a text without spaces, 2 ends one, and 0 was not looked at yet. */
const SOLIDITY = new Uint8Array(0x10000);

function isSolid(unit: number): boolean {
  const known = SOLIDITY[unit] ?? 0;
  if (known !== 0) return known === 1;
  SOLID.lastIndex = 0;
  const is = SOLID.test(String.fromCharCode(unit));
  SOLIDITY[unit] = is ? 1 : 2;
  return is;
}

/** Returns the index of the first range that begins at a position or after it. */
export function firstFrom(ranges: readonly { readonly start: number }[], at: number): number {
  return firstIndex(ranges.length, (i) => (ranges[i]?.start ?? 0) >= at);
}

function isIn(ranges: readonly TextUrl[], at: number): boolean {
  const next = firstFrom(ranges, at + 1);
  return at < (ranges[next - 1]?.end ?? 0);
}

/**
 * Returns the reason why a number is no code: it belongs to a URL, an address, a price, a period of time, or the like.
 * Returns null if nothing speaks against it.
 */
function refusalOf(text: string, urls: readonly TextUrl[], { start, at, whole }: Lexeme): string | null {
  if (isIn(urls, start)) return PIECE;
  if (!PLAIN.test(whole)) {
    if (/[@#\\/+&]|:\/\/|www\./.test(whole)) return SIGN;
    if (MONEY.test(whole)) return 'an amount';
  }
  const currency = WITH_CURRENCY.exec(whole);
  if (currency !== null && CURRENCIES.has((currency[1] ?? currency[2] ?? '').toLowerCase())) return 'an amount';
  if (HIDDEN.test(whole) || HIDDEN_BEFORE.test(text.slice(Math.max(0, at - 6), at))) return MASKED;
  if (HIDDEN_AFTER.test(text.slice(at + whole.length, at + whole.length + 8))) return MASKED;
  const before = text.slice(Math.max(0, at - 6), at).trimEnd();
  const previous = before.slice(Math.max(before.lastIndexOf(' '), before.lastIndexOf('\n')) + 1);
  if (previous !== '' && MONEY.test(previous)) return 'an amount';
  if (previous.endsWith('+') || previous.endsWith('#') || /^№|^n[°º]$|^no\.$|^nr\.$/i.test(previous)) {
    return NUMBERED;
  }
  const after = text.slice(at + whole.length, at + whole.length + 16);
  if (/^[=]/.test(after) || /=$/.test(before)) return 'part of a parameter';
  const next = /^[ \u00A0]([^\s.,;:!?)]+)/.exec(after)?.[1] ?? /^[円元원%]/.exec(after)?.[0] ?? '';
  if (next === '') return null;
  const word = next.toLowerCase();
  if (MONEY_WORDS.has(word) || MONEY.test(next)) return 'an amount';
  return UNITS.has(word) ? `so many ${next}` : null;
}

/** The characters of the shortest code. */
const SHORTEST = 4;
const DIGITS = /^[0-9]{4,10}$/;
/** A prefix of the company before the digits, as in G-123456. */
const MARKED = /^[A-Z]{1,2}-([0-9]{5,8})$/;
const HYPHENATED =
  /^(?:[0-9]{3}(?:[-–‑][0-9]{3}){1,2}|[0-9]{4}[-–‑][0-9]{4}|[0-9]{5}[-–‑][0-9]{5}|(?:[0-9]{2}[-–‑]){2,3}[0-9]{2}|(?:[0-9][-–‑]){3,9}[0-9])$/;
const LETTERS = /^(?=[A-Z0-9]*[A-Z])(?=[A-Z0-9]*[0-9])[A-Z0-9]{4,10}$/;
const LETTER_GROUPS = /^[A-Za-z0-9]{2,5}(?:-[A-Za-z0-9]{2,5}){1,3}$/;
/** Letters and digits that include lower-case letters. */
const LOOSE = /^(?=[A-Za-z0-9]*[A-Za-z])(?=[A-Za-z0-9]*[0-9])[A-Za-z0-9]{4,10}$/;
/** Texts that a mail may still call a code: with several parts, or with `#` at the end. */
const CODE_LIKE = /^[A-Za-z0-9]{3,16}(?:[-–][A-Za-z0-9]{1,8}){0,4}#?$/;
const SPACED = new Set(['3 3', '4 4', '5 5', '2 2 2', '2 2 2 2', '3 3 3']);
/** A space of any width. */
const SPACE = /^[ \u00A0\u2000-\u200A\u202F]$/;
const HYPHEN = /^ [-–—] $/;
const NAMED =
  /^(?:(?:utf|sha|md|iso|rfc|mp|h|covid|http|base|ipv|ps|rtx|gtx|win|fy|q|aes|rsa|tls|ssl|usb|cve|pm|v)[0-9]+|[0-9]+(?:am|pm|st|nd|rd|th|px|gb|mb|kb|tb|km|kg|hrs?|min|ml|cm|mm|x|k|p|ghz|mhz|uhr))$/i;

/**
 * Finds everything in a text that looks like a code. Numbers that are not `wanted` are passed over, unless they may be a
 * group of one that is divided.
 */
export function shapesOf(
  text: string,
  lexemes: readonly Lexeme[],
  wanted: (lexeme: Lexeme) => boolean = () => true,
): Shape[] {
  const shapes: Shape[] = [];
  const urls = urlsIn(text);
  for (let i = 0; i < lexemes.length; ) {
    const run = runFrom(text, lexemes, i);
    const first = run[0];
    if (first === undefined) break;
    i += run.length;
    if (run.length > 1) {
      const spaced = spacedShape(text, urls, run);
      if (spaced !== null) shapes.push(spaced);
      // Digits in other groups are a phone number, an amount or an account. Long groups are read on their own.
      else if (!/^(?:\+|0[0-9])/.test(first.whole) && text.charAt(first.at - 1) !== '+') {
        for (const lexeme of run) if (lexeme.text.length >= 6) push(shapes, text, urls, lexeme);
      }
    } else if (wanted(first)) push(shapes, text, urls, first);
  }
  return shapes;
}

/** Collects groups of digits separated by one space, or single digits in separate cells or lines. */
function runFrom(text: string, lexemes: readonly Lexeme[], from: number): Lexeme[] {
  const run: Lexeme[] = [];
  for (let i = from; i < lexemes.length; i++) {
    const lexeme = lexemes[i];
    const last = run.at(-1);
    if (lexeme === undefined) break;
    if (last !== undefined) {
      if (lexeme.start >= last.end + 4) break;
      const gap = text.slice(last.end, lexeme.start);
      const single = last.text.length === 1 && lexeme.text.length === 1;
      const isShort = last.text.length <= 3 && lexeme.text.length <= 3;
      // Between longer groups, a hyphen means a period of time.
      const isNear = SPACE.test(gap) || (isShort && HYPHEN.test(gap)) || (single && /^\s$/.test(gap));
      if (!isNear || !isDigits(lexeme.text) || !isDigits(last.text.replace(/^\+/, ''))) break;
    }
    run.push(lexeme);
  }
  return run;
}

function isDigits(text: string): boolean {
  return text.length <= MAX_LEXEME && /^[0-9]+$/.test(text);
}

function spacedShape(text: string, urls: readonly TextUrl[], run: readonly Lexeme[]): Shape | null {
  const first = run[0];
  const last = run.at(-1);
  if (first === undefined || last === undefined || run.length > 10) return null;
  const lengths = run.map((lexeme) => lexeme.text.length);
  const singles = run.length >= 4 && lengths.every((length) => length === 1);
  const code = run.map((lexeme) => lexeme.text).join('');
  if (!singles && !SPACED.has(lengths.join(' '))) return null;
  if (run.some((lexeme) => refusalOf(text, urls, lexeme) !== null)) return null;
  const written = text.slice(first.start, last.end);
  const shape = { code, written, start: first.start, end: last.end, kind: 'grouped' } as const;
  // A sequence such as 1 2 3 4 may be a page navigation.
  return singles && '1234567890'.startsWith(code) ? { ...shape, oddity: 'sequence' } : shape;
}

function push(shapes: Shape[], text: string, urls: readonly TextUrl[], lexeme: Lexeme): void {
  const { text: written, start, end } = lexeme;
  if (written.length < SHORTEST) return;
  const refused = refusalOf(text, urls, lexeme);
  const read = refused === null ? readShape(written) : null;
  if (read !== null) shapes.push({ ...read, written, start, end });
  else {
    const code = isNumbered(text, lexeme) ? written.slice(1) : written;
    shapes.push({ code, kind: 'loose', written, start, end, refused: refused ?? misreadOf(written) });
  }
}

/** The line with which a text message hands its code to a site: `@example.com #481516`. */
const FOR_SITE = /@[^\s@]{1,64}[ \u00A0]$/;

/** Tells whether a number has a number sign, so that it is an order or the like wherever the mail has it. */
function isNumbered(text: string, { text: written, start }: Lexeme): boolean {
  return written.startsWith('#') && !FOR_SITE.test(text.slice(Math.max(0, start - 66), start));
}

/** Tells whether a text may be a code despite its unusual form. */
export function isCodeLike({ written }: Shape): boolean {
  return CODE_LIKE.test(written);
}

const NO_SHAPE = 'not written like a code';
const DAY = 'a date';
/** The refusal of a number within an address. */
export const PIECE = 'part of an address';
/** The refusal of a number such as `#4815`. */
export const SIGN = 'contains a sign that codes do not have';
const MASKED = 'part of a number that is hidden';
/** The refusal of a number such as `No. 4815`. */
export const NUMBERED = 'after a number sign or a plus';
/** The refusal of a plain word, perhaps the text of a button. */
export const A_WORD = 'a word';
/** The refusals that rest only on the usual form of codes. */
export const MISREADINGS = [NO_SHAPE, DAY, SIGN, A_WORD] as const;

function misreadOf(text: string): string {
  return isDate(text) || YEARS.test(text) || /^[0-9]{1,4}([-./])[0-9]{1,2}\1[0-9]{1,4}$/.test(text) ? DAY : NO_SHAPE;
}

function readShape(text: string): Pick<Shape, 'code' | 'kind' | 'oddity'> | null {
  if (DIGITS.test(text)) return { code: text, kind: 'digits', ...(isDay(text) ? { oddity: 'day' as const } : {}) };
  const marked = MARKED.exec(text)?.[1];
  if (marked !== undefined) return { code: marked, kind: 'digits' };
  if (HYPHENATED.test(text))
    return isDate(text) || YEARS.test(text) ? null : { code: text.replace(/[-–‑]/g, ''), kind: 'grouped' };
  if (NAMED.test(text)) return null;
  if (LETTERS.test(text)) return { code: text, kind: 'letters' };
  if (LOOSE.test(text)) return { code: text, kind: 'loose' };
  const written = text.replaceAll('‑', '-');
  if (!LETTER_GROUPS.test(written)) return null;
  const groups = written.split('-');
  const letters = groups.join('');
  const isEven = groups.every((group) => group.length === groups[0]?.length);
  const isOneCase = letters === letters.toUpperCase() || letters === letters.toLowerCase();
  const isShort = letters.length <= 16 && /[A-Za-z]/.test(letters);
  return isEven && isOneCase && isShort ? { code: written, kind: 'letters' } : null;
}

const YEARS = /^(?:19|20)[0-9]{2}[-–‑](?:19|20)[0-9]{2}$/;

/** Tells whether digits form a day such as 20261120. */
function isDay(text: string): boolean {
  return /^(?:19|20)[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])$/.test(text);
}

/** Tells whether a text is a date such as 20-11-26, 11-20-26 or 26-11-20. */
function isDate(text: string): boolean {
  const [a = 0, b = 0, c = 0, more] = text.split(/[-–‑]/).map(Number);
  if (text.length !== 8 || more !== undefined) return false;
  const day = (n: number) => n >= 1 && n <= 31;
  const month = (n: number) => n >= 1 && n <= 12;
  return (day(a) && month(b)) || (month(a) && day(b)) || (month(b) && day(c));
}

/** The position of a candidate in the text. */
export interface ShapePosition {
  /** Tells whether nothing else is on its line or in its cell. */
  readonly isAlone: boolean;
  /** Tells whether empty lines, or the ends of the text, surround it. */
  readonly isParagraph: boolean;
  /** Tells whether it begins the text. */
  readonly isFirst: boolean;
  readonly look: Emphasis['look'] | null;
  /** Tells whether it is a cell of a row of data, below the heads of its columns. */
  readonly isData: boolean;
  /** Tells whether it is the value of one of several labels. */
  readonly isFact: boolean;
}

const LOOK_AROUND = 12;
const NOTHING_BESIDE = /^[\s…"'“”„«»*_()[\]{}|>.:·•–—-]*$/;
/** The number of a list item. */
const COUNT = /^\s*\(?[0-9]{1,2}[.):]\s+/;

export function shapePosition(text: string, emphasis: readonly Emphasis[], shape: Shape): ShapePosition {
  return {
    isAlone: standsAlone(text, shape),
    isParagraph: isParagraph(text, shape),
    isFirst: shape.start < LOOK_AROUND && !/[\p{L}\p{N}]/u.test(text.slice(0, shape.start)),
    look: lookAt(emphasis, shape),
    ...factsAbout(text, shape),
  };
}

/** Tells whether a number stands alone on its line, or looks different from the text around. */
export function standsOut(text: string, emphasis: readonly Emphasis[], place: Pick<Shape, 'start' | 'end'>): boolean {
  if (emphasis.length > 0 && lookAt(emphasis, place) !== null) return true;
  const isWithin = isWordAt(text, place.start - 1, place.start - 2) || isWordAt(text, place.end, place.end + 1);
  return !isWithin && standsAlone(text, place);
}

/** Tells whether there is a space, and a letter beside it, as around most numbers of a sentence. */
function isWordAt(text: string, space: number, letter: number): boolean {
  const unit = text.charCodeAt(letter) | 0x20;
  return text.charCodeAt(space) === 0x20 && unit >= 0x61 && unit <= 0x7a;
}

function standsAlone(text: string, { start, end }: Pick<Shape, 'start' | 'end'>): boolean {
  const before = text.slice(Math.max(0, start - LOOK_AROUND), start);
  const after = text.slice(end, end + LOOK_AROUND);
  const cut = Math.max(before.lastIndexOf('\n'), before.lastIndexOf('\t'));
  const stop = after.search(/[\n\t]/);
  const left = before.slice(cut + 1).replace(COUNT, '');
  const right = stop < 0 ? after : after.slice(0, stop);
  if (cut < 0 && start > LOOK_AROUND) return false;
  if (stop < 0 && end + LOOK_AROUND < text.length) return false;
  return NOTHING_BESIDE.test(left) && NOTHING_BESIDE.test(right);
}

function isParagraph(text: string, { start, end }: Shape): boolean {
  const before = text.slice(Math.max(0, start - LOOK_AROUND), start);
  const after = text.slice(end, end + LOOK_AROUND);
  return /(?:^|\n[ \t]*\n)[^\n]*$/.test(before) && /^[^\n]*(?:$|\n[ \t]*(?:\n|$))/.test(after);
}

/** The characters of a line and of its neighbours that are read. */
const LINE = 200;
/** Tells whether a line is a label with its value: `Serial number: 4815`, or two cells. */
function isLabelled(line: string | undefined): boolean {
  const end = line?.search(/[\t:：]/) ?? -1;
  if (line === undefined || end < 0) return false;
  const value = line.slice(end + 1).trim();
  return /\p{L}/u.test(line.slice(0, end)) && value !== '' && !value.includes('\t');
}

/**
 * Reads whether a number stands in a row of at least three cells with words, or in a list of labels with their values.
 * A mail with a code shows it beside no other facts.
 */
function factsAbout(text: string, { start, end }: Shape): Pick<ShapePosition, 'isData' | 'isFact'> {
  const before = text.slice(Math.max(0, start - LINE), start).split('\n');
  const after = text.slice(end, end + LINE).split('\n');
  const line = (before.at(-1) ?? '') + text.slice(start, end) + (after[0] ?? '');
  const cells = line.split('\t').filter((cell) => cell.trim() !== '');
  const isData = cells.length >= 3 && /\p{L}{2}/u.test(line);
  return { isData, isFact: isLabelled(line) && (isLabelled(before.at(-2)) || isLabelled(after[1])) };
}

function lookAt(emphasis: readonly Emphasis[], { start, end }: Pick<Shape, 'start' | 'end'>): Emphasis['look'] | null {
  const span = emphasis[firstFrom(emphasis, start + 1) - 1];
  return span !== undefined && span.end >= end ? span.look : null;
}
