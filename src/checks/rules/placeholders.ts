import type { ReportAt, ReportedFinding, Reporter } from '../finding.ts';
import { type CheckedMail, fieldNamed, placeOfField } from '../mail.ts';
import type { Element, Visitor } from '../page.ts';

/** The longest stretch of text that is searched at once, and the most stretches with a finding. */
const PIECE = 64 * 1024;
/** The elements in which people write about programs. */
const CODE = new Set(['code', 'pre', 'kbd', 'samp', 'tt', 'style', 'script']);
const TEXTS = ['alt', 'title', 'aria-label'];

/** Reports the placeholders that a page shows. */
export class PagePlaceholders implements Visitor {
  readonly #report: ReportAt;
  #code = 0;
  /** The texts since the last tag. An entity divides a text, and a placeholder may hold one. */
  #pieces: { readonly data: string; readonly start: number }[] = [];

  constructor(report: ReportAt) {
    this.#report = report;
  }

  open(element: Element): void {
    this.#flush();
    if (CODE.has(element.name)) this.#code++;
    if (this.#code > 0) return;
    for (const name of TEXTS) {
      const value = element.attributes.get(name);
      const place = element.places.get(name);
      if (value === undefined || place === undefined) continue;
      for (const { text } of placeholdersIn(value)) this.#report(unreplaced(text, `the attribute ${name}`), place);
    }
    for (const name of ['href', 'src']) {
      const value = element.attributes.get(name);
      const place = element.places.get(name);
      if (value === undefined || place === undefined || value.startsWith('data:')) continue;
      for (const { text } of placeholdersInUrl(value.slice(0, 8_192)))
        this.#report(unreplaced(text, name === 'href' ? 'a link' : 'an image’s address'), place);
    }
  }

  close(element: Element): void {
    this.#flush();
    if (CODE.has(element.name)) this.#code--;
  }

  text(data: string, start: number, within: Element | null): void {
    // Hidden text counts too: another client may show it, and the preview does.
    if (this.#code === 0 && within?.name !== 'title') this.#pieces.push({ data, start });
  }

  end(): void {
    this.#flush();
  }

  #flush(): void {
    const pieces = this.#pieces;
    if (pieces.length === 0) return;
    this.#pieces = [];
    const joined = (pieces.length === 1 ? (pieces[0]?.data ?? '') : pieces.map(({ data }) => data).join('')).slice(
      0,
      PIECE,
    );
    if (joined.length < 3) return;
    for (const found of placeholdersIn(joined))
      this.#report(unreplaced(found.text, 'the text'), rangeIn(pieces, found.start, found.text.length));
    for (const { text, start } of dummyTextIn(joined)) this.#report(DRAFT, rangeIn(pieces, start, text.length));
  }
}

/** Returns the range in the HTML of a range in the joined texts. */
function rangeIn(
  pieces: readonly { readonly data: string; readonly start: number }[],
  start: number,
  length: number,
): { start: number; end: number } {
  const at = (position: number) => {
    let before = 0;
    for (const { data, start: from } of pieces) {
      if (position < before + data.length) return from + position - before;
      before += data.length;
    }
    const last = pieces.at(-1);
    return last === undefined ? 0 : last.start + last.data.length;
  };
  return { start: at(start), end: at(start + length - 1) + 1 };
}

const DRAFT: ReportedFinding = {
  rule: 'dummy-text',
  message: 'The text still contains placeholder text of a draft.',
};

/** Reports the placeholders of the subject and of the text part. */
export function checkTextPlaceholders(mail: CheckedMail, report: ReportAt | null, reporter: Reporter): void {
  const subject = fieldNamed(mail, 'subject');
  for (const { text } of placeholdersIn((mail.subject ?? '').slice(0, PIECE)))
    reporter.add({ ...unreplaced(text, 'the subject'), place: placeOfField(mail, subject) });
  if (mail.text === null || report === null) return;
  for (const { text, start } of findInLines(mail.text, placeholdersIn))
    report(unreplaced(text, 'the text part'), { start, end: start + text.length });
  for (const { text, start } of findInLines(mail.text, dummyTextIn)) report(DRAFT, { start, end: start + text.length });
}

function findInLines(text: string, find: (piece: string) => FoundPlaceholder[]): FoundPlaceholder[] {
  const found: FoundPlaceholder[] = [];
  for (let from = 0; from < text.length; from += PIECE)
    for (const one of find(text.slice(from, from + PIECE))) found.push({ ...one, start: from + one.start });
  return found;
}

function unreplaced(text: string, where: string): ReportedFinding {
  const detail = text.slice(0, 80);
  return { rule: 'placeholder', detail, message: `“${detail}” in ${where} was not replaced by a value.` };
}

/** A placeholder that was found in a text. */
interface FoundPlaceholder {
  readonly text: string;
  readonly start: number;
}

/** The largest number of placeholders that are reported. */
const MAX_FOUND = 50;

const WORD = '[A-Za-z_][\\w .|:-]{0,60}';

/** Placeholders of template languages. Each is bounded, so that matching is linear. */
const TEMPLATES: readonly RegExp[] = [
  /\{\{[^{}\n]{1,120}\}\}/g,
  /\{%[^%{}\n]{1,120}%\}/g,
  /<%[=-]?[^%<>\n]{1,120}%>/g,
  /\$\{[^{}\n]{1,80}\}/g,
  /#\{[^{}\n]{1,80}\}/g,
  /\*\|[A-Z][A-Z0-9_:]{1,60}\|\*/g,
  /%%[A-Za-z_][\w .-]{0,60}%%/g,
  /(?<![\w%])%[A-Za-z_][\w.-]{2,60}%(?![\w%])/g,
  new RegExp(`\\[\\[${WORD}\\]\\]`, 'g'),
  /\[[A-Z]{2,20}_[A-Z_]{2,40}\]/g,
  /\{(?:[a-z]+[._])?(?:first_?name|last_?name|full_?name|user_?name|name|email|user|recipient|company|order_?id|code|link|url|amount|price|token)\}/gi,
];
/** Values that a program wrote because the real one was missing. */
const VALUES: readonly RegExp[] = [/\[object (?:Object|Promise|Undefined|Null|Array|Date)\]/g, /\bInvalid Date\b/g];
/**
 * The words that programs write for a missing value. They count only where a value belongs: alone, or after a colon, a
 * currency sign or a greeting. So prose about programs is no finding, and neither is a grandmother called nan.
 */
const MISSING: readonly RegExp[] = [
  /(?:^|[:=$€£#(]\s?)(undefined|null|NaN)(?=$|\s*$|\s?[,!?;:)<]|\.(?:\s|$)|\s+(?:undefined|null)\b)/gm,
  /\b(?:[Hh]i|[Hh]ello|[Hh]ey|[Dd]ear|[Ww]elcome|[Hh]allo|[Bb]onjour|[Hh]ola)[ ,]\s?(undefined|null|NaN|None|nil)(?=$|\s*$|\s?[,.!?;:]|\s+(?:undefined|null|None)\b)/gm,
  /(?<=[$€£])(NaN|undefined|null)\b/g,
];

const DUMMY = /\b(?:lorem ipsum(?: dolor)?|dolor sit amet)\b/gi;

/** Most texts have none of these, and need no further look. */
const SUSPECT = /[{%<[$#*]|undefined|null|NaN|None|nil|Invalid Date/;

/** Finds the placeholders of a visible text. */
function placeholdersIn(text: string): FoundPlaceholder[] {
  if (!SUSPECT.test(text)) return [];
  const found: FoundPlaceholder[] = [];
  const add = (value: string, start: number) => {
    const end = start + value.length;
    if (found.length >= MAX_FOUND) return;
    if (!found.some((one) => one.start < end && start < one.start + one.text.length))
      found.push({ text: value, start });
  };
  for (const pattern of [...TEMPLATES, ...VALUES]) {
    for (const { 0: value, index } of text.matchAll(pattern)) add(value, index);
  }
  for (const pattern of MISSING) {
    for (const match of text.matchAll(pattern)) {
      const [whole, word = ''] = match;
      add(word, match.index + whole.length - word.length);
    }
  }
  return found.sort((one, other) => one.start - other.start);
}

const IN_URL: readonly RegExp[] = [
  ...TEMPLATES.slice(0, 7),
  /(?<![\w%])%(?![0-9a-f]{2})[A-Za-z_][\w.-]{2,60}%(?![0-9a-f]{2})/gi,
  /%7B%7B.{1,120}?%7D%7D/gi,
  /\[object(?: |%20)Object\]|%5Bobject(?:%20|\+| )Object%5D/gi,
  /(?<=[/=])(?:undefined|null|NaN)(?=$|[/?&#])/g,
  /^\s*(?:undefined|null|NaN|None)\s*$/g,
  /(?<=^https?:\/\/)(?:undefined|null)(?=$|[/:?#])/gi,
];

/** Finds the placeholders of a URL, decoded or percent-encoded. */
export function placeholdersInUrl(url: string): FoundPlaceholder[] {
  if (!/[{%<[$#*]|undefined|null|NaN|None/.test(url)) return [];
  for (const pattern of IN_URL) {
    for (const { 0: text, index } of url.matchAll(pattern)) return [{ text, start: index }];
  }
  return [];
}

/** Finds the placeholder text of a draft, such as "lorem ipsum". */
function dummyTextIn(text: string): FoundPlaceholder[] {
  return [...text.matchAll(DUMMY)].slice(0, 10).map(({ 0: value, index }) => ({ text: value, start: index }));
}
