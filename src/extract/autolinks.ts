/** A URL in plain text. */
export interface TextUrl {
  readonly url: string;
  readonly start: number;
  readonly end: number;
}

export const MAX_URL_CHARACTERS = 8 * 1024;
const WEB = /https?:\/\//gi;
/** Any URL scheme directly before `://`. */
const ANY_SCHEME = /(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{1,30}:\/\//gi;
/** Letters that run into a web address, as in `nhttps://` after the `\n` that a template left: no scheme is called so. */
const RUN_ON = /^.*[a-z0-9](?=https?:\/\/$)/i;
/**
 * The characters that end a URL in a text: white space, quotes, full stops of other scripts, and characters of Chinese,
 * Japanese and Korean, which write no space before them.
 */
const END =
  /[\s<>"“”„«»‘’‹›`{}|\\^\p{Cc}、。，：；！？「」『』【】（）《》…।॥។៕၊။،؛؟։\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
/** A letter of another script that runs into a Latin letter or a digit, where a template left out the space. */
const OTHER_SCRIPT = /(?<=[A-Za-z0-9])[^\P{L}\p{Script=Latin}]/u;
const ENDS = new RegExp(`${END.source}|${OTHER_SCRIPT.source}`, 'u');
const CLOSING: ReadonlyMap<string, string> = new Map([
  [')', '('],
  [']', '['],
]);

/**
 * Finds the http and https URLs of a text, in order. `'any scheme'` includes URLs of other schemes. Its cost is linear.
 */
export function urlsIn(text: string, which: 'web' | 'any scheme' = 'web'): TextUrl[] {
  const urls: TextUrl[] = [];
  const scheme = which === 'web' ? WEB : ANY_SCHEME;
  scheme.lastIndex = 0;
  for (let match = scheme.exec(text); match !== null; match = scheme.exec(text)) {
    const start = match.index + (RUN_ON.exec(match[0])?.[0].length ?? 0);
    const piece = text.slice(start, start + MAX_URL_CHARACTERS + 1);
    const { url, length } = text[start - 1] === '<' ? bracketed(piece) : bare(piece, text[start - 1]);
    scheme.lastIndex = Math.max(start + length, match.index + match[0].length);
    if (length <= MAX_URL_CHARACTERS) urls.push({ url, start, end: start + length });
  }
  return urls;
}

/** `before` is the character before the URL. */
function bare(piece: string, before?: string): { url: string; length: number } {
  const end = endOf(piece, before);
  const target = piece.indexOf('](', 1);
  // Markdown writes `[address](address)`. An address itself has brackets only around an IPv6 host.
  const isLabel = target > 0 && (end < 0 || target < end);
  const url = withoutTrailing(isLabel ? piece.slice(0, target) : end < 0 ? piece : piece.slice(0, end));
  return { url, length: url.length };
}

const END_OR_BRACKET = new RegExp(`${ENDS.source}|[()[\\]]`, 'gu');
const CLOSED_BY = new Map([...CLOSING].map(([close, open]) => [open, close]));

const BRACKETS = new Set('()[]');

/** Returns the end of a URL, or -1. A bracket before it ends it where it closes: `Reset [https://...]If you`. */
function endOf(piece: string, before: string | undefined): number {
  const closing = before === undefined ? undefined : CLOSED_BY.get(before);
  if (before === undefined || closing === undefined) return piece.search(ENDS);
  let open = 0;
  for (const { 0: sign, index } of piece.matchAll(END_OR_BRACKET)) {
    if (sign === before) open++;
    else if (sign === closing ? --open < 0 : !BRACKETS.has(sign)) return index;
  }
  return -1;
}

/** Reads a URL between angle brackets, which may contain line breaks (RFC 3986 appendix C). */
function bracketed(piece: string): { url: string; length: number } {
  const close = piece.indexOf('>');
  const inside = close < 0 ? '' : piece.slice(0, close);
  const url = inside.replace(/\r?\n/g, '');
  if (inside === '' || END.test(url)) return bare(piece);
  return { url, length: close };
}

/** Removes the punctuation of the sentence and a closing bracket that was opened before the URL. */
function withoutTrailing(url: string): string {
  let end = url.length;
  let open: Map<string, number> | null = null;
  for (; end > 0; end--) {
    const last = url.charAt(end - 1);
    const opening = CLOSING.get(last);
    if (opening !== undefined) {
      open ??= bracketsIn(url);
      const closed = open.get(last) ?? 0;
      if (closed <= (open.get(opening) ?? 0)) break;
      open.set(last, closed - 1);
    } else if (!".,:;!?'*_~".includes(last)) break;
  }
  return url.slice(0, end);
}

function bracketsIn(url: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [sign] of url.matchAll(/[()[\]]/g)) counts.set(sign, (counts.get(sign) ?? 0) + 1);
  return counts;
}
