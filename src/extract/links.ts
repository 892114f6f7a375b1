import { MAX_URL_CHARACTERS, urlsIn } from './autolinks.ts';
import { MAX_CHARACTERS } from './bounds.ts';
import { cleanText } from './clean-text.ts';
import {
  carriesSecret,
  isHelpPage,
  isMagicAddress,
  kindInUrl,
  kindSaid,
  type LinkKind,
  type Said,
} from './link-words.ts';
import { trackerOf } from './trackers.ts';
import { type VisibleText, visibleText } from './visible-text.ts';

export interface FoundLink {
  readonly url: string;
  /** What a person sees of it; the URL where it stands bare. */
  readonly text: string;
  readonly kind: LinkKind;
  /** Why it is of that kind. */
  readonly reason: string;
  /** Who counts the click before it leads on. */
  readonly tracker?: string;
}

export interface LinkText {
  readonly text: string | null;
  readonly html: string | null;
}

/** A link as it stands in a mail, and the words before it. */
interface Mention {
  readonly href: string;
  readonly text: string;
  readonly context: string;
}

const MAX_LINKS = 500;
const MAX_TEXT = 300;
const CONTEXT = 160;

/** Of such a link what stands before it tells more. */
const SAYS_NOTHING =
  /^(?:click |tap )?(?:here|this link|the link|link|continue|open|go|hier|ici|aquí|aqui|qui|tutaj|здесь|сюда|buraya|こちら|这里|點此|여기|هنا|כאן)[.!:→»> ]*$/i;

/** The http and https links of a mail, in order, each once. Linear, never throws; reads the first 512 Ki characters of each body. */
export function findLinks({ text, html }: LinkText): FoundLink[] {
  const found = new Map<string, FoundLink>();
  const add = (mention: Mention, base: string | null) => {
    const url = parseUrl(mention.href, base);
    if (url === null) return;
    const link = describe(url, mention);
    const known = found.get(url.href);
    if (known === undefined) {
      if (found.size < MAX_LINKS) found.set(url.href, link);
    } else if (known.kind === 'other' && link.kind !== 'other') {
      found.set(url.href, { ...link, text: known.text });
    }
  };
  if (html !== null) {
    const seen = visibleText(html);
    const base = parseUrl(seen.baseHref ?? '', null)?.href ?? null;
    for (const mention of inHtml(seen)) add(mention, base);
  }
  if (text !== null) {
    const plain = cleanText(text.slice(0, MAX_CHARACTERS));
    for (const mention of inText(plain)) add(mention, null);
  }
  return [...found.values()];
}

function* inHtml(seen: VisibleText): Generator<Mention> {
  let next = 0;
  const bare = urlsIn(seen.text);
  const upTo = function* (end: number, within: boolean): Generator<Mention> {
    for (let url = bare[next]; url !== undefined && url.start < end; url = bare[++next]) {
      // What an anchor shows is its text, wherever it leads.
      if (!within) yield { href: url.url, text: url.url, context: contextOf(seen.text, url.start) };
    }
  };
  for (const { href, start, end, alt } of seen.anchors) {
    yield* upTo(start, false);
    yield* upTo(end, true);
    const text =
      seen.text
        .slice(start, Math.min(end, start + MAX_TEXT))
        .replace(/\s+/g, ' ')
        .trim() || alt;
    yield { href, text: text.slice(0, MAX_TEXT), context: contextOf(seen.text, start) };
  }
  yield* upTo(Number.POSITIVE_INFINITY, false);
}

function* inText(text: string): Generator<Mention> {
  for (const { url, start } of urlsIn(text)) yield { href: url, text: url, context: contextOf(text, start) };
}

/** The words before a link: of its line, else of the line before. Not across another link. */
function contextOf(text: string, at: number): string {
  const before = text.slice(Math.max(0, at - CONTEXT), at).replace(/[\s<(["']+$/, '');
  const link = before.lastIndexOf('://');
  const afterLink = link < 0 ? before : before.slice(link).replace(/^\S*/, '');
  const paragraph = afterLink.slice(afterLink.lastIndexOf('\n') + 1);
  // Of several sentences the last is about the link.
  const sentences = paragraph.split(/[.!?。！？](?=\s|$)/).filter((sentence) => sentence.trim() !== '');
  return sentences.at(-1) ?? '';
}

function parseUrl(href: string, base: string | null): URL | null {
  const trimmed = href.trim();
  if (trimmed === '' || trimmed.length > MAX_URL_CHARACTERS) return null;
  if (base === null && !/^https?:/i.test(trimmed)) return null;
  try {
    const url = base === null ? new URL(trimmed) : new URL(trimmed, base);
    return (url.protocol === 'http:' || url.protocol === 'https:') && url.hostname !== '' ? url : null;
  } catch {
    // A sender writes what it likes: what is no URL is no link.
    return null;
  }
}

function describe(url: URL, { href, text, context }: Mention): FoundLink {
  const isBare = text === href || /^https?:\/\/\S*$/i.test(text);
  const tracker = trackerOf(url);
  const clues: readonly (readonly [Said | null, string])[] = [
    [isBare ? null : kindSaid(text), 'its text says'],
    // Of a counted link the path is the counter's.
    [tracker === null ? kindInUrl(url) : null, 'its address says'],
    [isBare || SAYS_NOTHING.test(text) ? kindSaid(context) : null, 'the words before it say'],
  ];
  const common = { url: url.href, text, ...(tracker === null ? {} : { tracker }) };
  const isSecret = carriesSecret(url) || isMagicAddress(url);
  for (const [said, where] of tracker === null && isHelpPage(url) ? clues.filter(isToUnsubscribe) : clues) {
    if (said === null || (said.kind === 'magic' && !isSecret)) continue;
    return { ...common, kind: said.kind, reason: `${where} "${said.words}"` };
  }
  return { ...common, kind: 'other', reason: 'nothing says what it is for' };
}

function isToUnsubscribe([said]: readonly [Said | null, string]): boolean {
  return said?.kind === 'unsubscribe';
}
