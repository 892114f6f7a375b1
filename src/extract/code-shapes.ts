import { type TextUrl, urlsIn } from './autolinks.ts';
import { firstIndex } from './first-index.ts';

/** What looks like a code, wherever it stands. */
export interface Shape {
  /** Without the spaces or hyphens inside. */
  readonly code: string;
  readonly written: string;
  readonly start: number;
  readonly end: number;
  readonly kind: 'digits' | 'grouped' | 'letters';
}

/** Any number, code or not: a label belongs to the number that follows it. */
export interface Lexeme {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** With the signs around it, which tell a price, an address ... */
  readonly whole: string;
  readonly at: number;
}

const MAX_LEXEME = 64;
const SOLID =
  /[^\s"“”„«»‹›<>()[\]{}|;!?*=、。，：；！？「」『』【】（）《》…\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Thai}]+/gu;
const HAS_DIGIT = /[0-9]/;
const EDGES = /^[.,:'’‘`_~–—-]+|[.,:'’‘`_~–—-]+$/g;
const MONEY =
  /[$€£¥₹₽₺₩₪฿¢%‰°]|^(?:usd|eur|gbp|jpy|chf|pln|brl|try|rub|inr|cny|krw|ils|sek|nok|dkk|czk|cad|aud|kr|zł|r\$)$/i;
const MONEY_WORD = /^(?:dollars?|euros?|cents?|pounds?|yen|円|元|원|руб|рублей|tl|lei|kr|zł|percent|prozent|%)$/i;
const UNIT =
  /^(?:minutes?|mins?|hours?|hrs?|days?|seconds?|secs?|weeks?|months?|years?|minuten?|stunden?|tagen?|jours?|heures?|minutos|horas|días|минут|часов|gb|mb|kb|km|kg|px|users?|people|items?|members?|times|points?|am|pm|uhr)$/i;

/** The numbers of a line-broken text, in order. Linear. */
export function lexemesOf(text: string): Lexeme[] {
  const lexemes: Lexeme[] = [];
  for (const match of text.matchAll(SOLID)) {
    const whole = match[0];
    if (whole.length > MAX_LEXEME || !HAS_DIGIT.test(whole)) continue;
    const head = /^[.,:'’‘`_~–—-]*/.exec(whole)?.[0].length ?? 0;
    const trimmed = whole.replace(EDGES, '');
    // `Code:481516`
    const label = /^\p{L}+:/u.exec(trimmed)?.[0].length ?? 0;
    // A Turkish ending after an apostrophe, a possessive.
    const stem = trimmed.slice(label).replace(/['’]\p{L}{1,5}$/u, '');
    const start = match.index + head + label;
    const end = start + stem.length;
    lexemes.push({ text: stem, start, end, whole, at: match.index });
  }
  return lexemes;
}

function isIn(ranges: readonly TextUrl[], at: number): boolean {
  const next = firstIndex(ranges.length, (i) => (ranges[i]?.start ?? 0) > at);
  return at < (ranges[next - 1]?.end ?? 0);
}

/** It is, or is part of, a URL, an address, a price, a span of time ... */
function isRefused(text: string, urls: readonly TextUrl[], { start, at, whole }: Lexeme): boolean {
  if (isIn(urls, start)) return true;
  if (/[@#\\/+&]|:\/\/|www\./.test(whole) || MONEY.test(whole)) return true;
  const before = text.slice(Math.max(0, at - 6), at).trimEnd();
  const previous = before.slice(Math.max(before.lastIndexOf(' '), before.lastIndexOf('\n')) + 1);
  if (
    MONEY.test(previous) ||
    previous.endsWith('+') ||
    previous.endsWith('#') ||
    /^№|^n[°º]$|^no\.$|^nr\.$/i.test(previous)
  ) {
    return true;
  }
  const after = text.slice(at + whole.length, at + whole.length + 16);
  if (/^[=]/.test(after) || /=$/.test(before)) return true;
  const next = /^[ \u00A0]([^\s.,;:!?)]+)/.exec(after)?.[1] ?? /^[円元원%]/.exec(after)?.[0] ?? '';
  return MONEY_WORD.test(next) || MONEY.test(next) || UNIT.test(next);
}

const DIGITS = /^[0-9]{4,8}$/;
/** A company's mark before its digits: G-123456. */
const MARKED = /^[A-Z]{1,2}-([0-9]{5,8})$/;
const HYPHENATED =
  /^(?:[0-9]{3}[-–][0-9]{3}|[0-9]{4}[-–][0-9]{4}|(?:[0-9]{2}[-–]){2,3}[0-9]{2}|(?:[0-9][-–]){3,7}[0-9])$/;
const LETTERS = /^(?=[A-Z0-9]*[A-Z])(?=[A-Z0-9]*[0-9])[A-Z0-9]{4,10}$/;
const LETTER_GROUPS = /^[A-Z0-9]{2,5}(?:-[A-Z0-9]{2,5}){1,3}$/;
const SPACED = new Set(['3 3', '4 4', '2 2 2', '2 2 2 2']);
const NAMED =
  /^(?:(?:utf|sha|md|iso|rfc|mp|h|covid|http|base|ipv|ps|rtx|gtx|win|fy|q|aes|rsa|tls|ssl|usb|cve|pm|v)[0-9]+|[0-9]+(?:am|pm|st|nd|rd|th|px|gb|mb|kb|tb|km|kg|hrs?|min|ml|cm|mm|x|k|p|ghz|mhz|uhr))$/i;

/** What of a text looks like a code. */
export function shapesOf(text: string, lexemes: readonly Lexeme[]): Shape[] {
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
      // Digits in groups of another kind are a phone number, an amount, an account; long ones stand for themselves.
      else for (const lexeme of run) if (lexeme.text.length >= 6) push(shapes, text, urls, lexeme);
    } else push(shapes, text, urls, first);
  }
  return shapes;
}

/** Groups of digits with one space between each, or single digits in cells or lines of their own. */
function runFrom(text: string, lexemes: readonly Lexeme[], from: number): Lexeme[] {
  const run: Lexeme[] = [];
  for (let i = from; i < lexemes.length; i++) {
    const lexeme = lexemes[i];
    const last = run.at(-1);
    if (lexeme === undefined) break;
    if (last !== undefined) {
      const gap = text.slice(last.end, Math.min(lexeme.start, last.end + 3));
      const single = last.text.length === 1 && lexeme.text.length === 1;
      const isNear = gap === ' ' || gap === '\u00A0' || (single && /^\s$/.test(gap));
      if (!isNear || !isDigits(lexeme.text) || !isDigits(last.text) || lexeme.end - last.end !== 1 + lexeme.text.length)
        break;
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
  if (first === undefined || last === undefined || run.length > 8) return null;
  const lengths = run.map((lexeme) => lexeme.text.length);
  const singles = run.length >= 4 && lengths.every((length) => length === 1);
  const code = run.map((lexeme) => lexeme.text).join('');
  // 1 2 3 4: the pages of something.
  if (singles ? '123456789'.startsWith(code) : !SPACED.has(lengths.join(' '))) return null;
  if (run.some((lexeme) => isRefused(text, urls, lexeme))) return null;
  return { code, written: text.slice(first.start, last.end), start: first.start, end: last.end, kind: 'grouped' };
}

function push(shapes: Shape[], text: string, urls: readonly TextUrl[], lexeme: Lexeme): void {
  const { text: written, start, end } = lexeme;
  const read = readShape(written);
  if (read !== null && !isRefused(text, urls, lexeme)) shapes.push({ ...read, written, start, end });
}

function readShape(text: string): Pick<Shape, 'code' | 'kind'> | null {
  if (text.length < 4) return null;
  if (DIGITS.test(text)) return isDay(text) ? null : { code: text, kind: 'digits' };
  const marked = MARKED.exec(text)?.[1];
  if (marked !== undefined) return { code: marked, kind: 'digits' };
  if (HYPHENATED.test(text)) return isDate(text) ? null : { code: text.replace(/[-–]/g, ''), kind: 'grouped' };
  if (NAMED.test(text)) return null;
  if (LETTERS.test(text)) return { code: text, kind: 'letters' };
  if (!LETTER_GROUPS.test(text)) return null;
  const groups = text.split('-');
  const code = groups.join('');
  const isEven = groups.every((group) => group.length === groups[0]?.length);
  return isEven && LETTERS.test(code) ? { code, kind: 'letters' } : null;
}

/** 20261120 */
function isDay(text: string): boolean {
  return /^(?:19|20)[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])$/.test(text);
}

/** 20-11-26, 11-20-26, 26-11-20 */
function isDate(text: string): boolean {
  const [a = 0, b = 0, c = 0, more] = text.split(/[-–]/).map(Number);
  if (text.length !== 8 || more !== undefined) return false;
  const day = (n: number) => n >= 1 && n <= 31;
  const month = (n: number) => n >= 1 && n <= 12;
  return (day(a) && month(b)) || (month(a) && day(b)) || (month(b) && day(c));
}
