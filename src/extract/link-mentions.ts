import { urlsIn } from './autolinks.ts';
import type { VisibleText } from './visible-text.ts';

/** An occurrence of a link, with what a reader sees of it and around it. */
export interface Mention {
  readonly href: string;
  /** The visible text of the link. It is the address if the link has no other text. */
  readonly text: string;
  /** What a screen reader says of it and a pointer shows. */
  readonly hints: string;
  /** Tells whether it stands below the line that begins a signature. */
  readonly isSigned: boolean;
  /** Reads the words around it. A mail may have ten thousand mentions, and few are read. */
  readonly around: () => Around;
}

/** The words around a link. */
export interface Around {
  /** The words before it on its line. */
  readonly before: string;
  /** The words after it on its line. */
  readonly after: string;
  /** The lines above its own, the nearest first. */
  readonly above: readonly string[];
  /** The line below its own. */
  readonly below: string;
}

/** The links to find. `web` is http and https, `any scheme` includes apps. */
export type Schemes = 'web' | 'any scheme';

/** The line that begins a signature (RFC 3676, 4.3). */
const SIGNATURE = /^[ \t\u00a0]*--[ \t\u00a0]*$/m;
const MAX_TEXT = 300;
const AROUND = 600;
const MAX_ABOVE = 4;
/** A mail address as a URL in plain text. */
const MAIL_URL = /(?<![a-z0-9+.-])mailto:[^\s<>"'()]{0,512}[^\s<>"'().,:;!?]/gi;
/** The label of a link in Markdown: `[Reset](`. */
const MARKDOWN_LABEL = /\[([^[\]\n]{1,300})\]\($/;

/** Finds the anchors of HTML and the addresses in its text, in order. */
export function* mentionsInHtml(seen: VisibleText, schemes: Schemes): Generator<Mention> {
  let next = 0;
  let from = 0;
  const bare = urlsIn(seen.text, schemes);
  const signature = signatureOf(seen.text);
  const upTo = function* (end: number, within: boolean): Generator<Mention> {
    for (let url = bare[next]; url !== undefined && url.start < end; url = bare[++next]) {
      // A URL within an anchor is only its text; the href counts.
      if (within) continue;
      const isSigned = url.start > signature;
      yield mention(seen.text, { href: url.url, text: url.url, hints: '', isSigned }, from, url.start, url.end);
      if (!namesSite(url.url)) from = url.end;
    }
  };
  for (const { href, start, end, alt, hints } of seen.anchors) {
    yield* upTo(start, false);
    yield* upTo(end, true);
    const own = seen.text
      .slice(start, Math.min(end, start + MAX_TEXT))
      .replace(/\s+/g, ' ')
      .trim();
    const text = (own || alt || hints).slice(0, MAX_TEXT);
    const said = [own === '' ? '' : alt, hints].join(' ').trim();
    // The line break before a cell with a button is within the anchor.
    const first = start + (/^\s{0,8}/.exec(seen.text.slice(start, Math.min(end, start + 8)))?.[0].length ?? 0);
    yield mention(seen.text, { href, text, hints: said, isSigned: start > signature }, from, first, end);
    from = end;
  }
  yield* upTo(Number.POSITIVE_INFINITY, false);
}

/** Finds the addresses in plain text, and with `followed` the mail addresses too. */
export function* mentionsInText(text: string, schemes: Schemes, withMail: boolean): Generator<Mention> {
  let from = 0;
  const signature = signatureOf(text);
  for (const { url, start, end } of urlsIn(text, schemes)) {
    const label = MARKDOWN_LABEL.exec(text.slice(Math.max(0, start - MAX_TEXT), start))?.[1] ?? url;
    yield mention(text, { href: url, text: label, hints: '', isSigned: start > signature }, from, start, end);
    if (!namesSite(url)) from = end;
  }
  if (!withMail) return;
  for (const { 0: url, index } of text.matchAll(MAIL_URL))
    yield mention(text, { href: url, text: url, hints: '', isSigned: index > signature }, 0, index, index + url.length);
}

/** Tells whether an address is only the name of a site. The sentence around it goes on, and may be about another link. */
function namesSite(url: string): boolean {
  return /^https?:\/\/[^/?#]+\/?$/i.test(url);
}

function signatureOf(text: string): number {
  const at = text.search(SIGNATURE);
  return at < 0 ? Number.POSITIVE_INFINITY : at;
}

/** Collects the words around a link. They do not reach behind `from`, where the link before ended. */
function mention(text: string, link: Omit<Mention, 'around'>, from: number, start: number, end: number): Mention {
  return { ...link, around: () => wordsAround(text, from, start, end) };
}

function wordsAround(text: string, from: number, start: number, end: number): Around {
  const lines = text.slice(Math.max(from, start - AROUND), start).split('\n');
  const own = lines.pop() ?? '';
  const [before, earlier] = sentencesOf(own);
  const above = [...lines, earlier].filter((line) => /\p{L}/u.test(line)).reverse();
  const behind = text.slice(end, end + AROUND).split('\n');
  const after = behind.shift() ?? '';
  const below = behind.find((line) => /\p{L}/u.test(line)) ?? '';
  const isLink = (line: string) => line.includes('://');
  return {
    before,
    after: isLink(after) ? '' : after.slice(0, MAX_TEXT),
    above: above.slice(0, MAX_ABOVE).map((line) => line.slice(-MAX_TEXT)),
    below: isLink(below) ? '' : below.slice(0, MAX_TEXT),
  };
}

/** Returns the last sentence before a link, which is about the link, and the ones before it, which may not be. */
function sentencesOf(text: string): [last: string, earlier: string] {
  const sentences = text
    .replace(/(?<![\s<(["'])[\s<(["']+$/, '')
    .split(/[.!?。！？](?=\s|$)/)
    .filter((sentence) => sentence.trim() !== '');
  return [(sentences.at(-1) ?? '').slice(-MAX_TEXT), sentences.slice(0, -1).join('. ')];
}
