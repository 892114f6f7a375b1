/** A placeholder that was found in a text. */
export interface FoundPlaceholder {
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
export function placeholdersIn(text: string): FoundPlaceholder[] {
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
export function dummyTextIn(text: string): FoundPlaceholder[] {
  return [...text.matchAll(DUMMY)].slice(0, 10).map(({ 0: value, index }) => ({ text: value, start: index }));
}
