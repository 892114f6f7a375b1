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

/** A link of a mail, and what it is for. */
export interface FoundLink {
  /** The whole address; of a relative link what the mail has. */
  readonly url: string;
  /** What a person sees of it; the URL where it stands bare. */
  readonly text: string;
  /** What following it does: `verify magic reset invite unsubscribe other`. */
  readonly kind: LinkKind;
  /** Why it is of that kind. */
  readonly reason: string;
  /** Who counts the click before it leads on; left out where nobody is known to. */
  readonly tracker?: string;
  /**
   * What it is where it is no web address: `'app'`, of an app's own scheme, as `myapp://login`; `'relative'`, without a host, so that no
   * mail program can follow it. Left out for http and https.
   */
  readonly form?: 'app' | 'relative';
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

/** Which links are looked for: those of http and https, or also those of apps' own schemes and relative ones. */
export type Which = 'web' | 'every';

/**
 * Finds the links of a mail, in order, each once: those of http and https, with `'every'` also others that somebody means to be
 * followed. Linear, never throws; reads the first 512 Ki characters of each body.
 */
export function findLinks({ text, html }: LinkText, which: Which = 'web'): FoundLink[] {
  const found = new Map<string, FoundLink>();
  const add = (mention: Mention, base: string | null) => {
    const target = targetOf(mention.href, base, which);
    if (target === null) return;
    const link = describe(target, mention);
    const known = found.get(link.url);
    if (known === undefined) {
      if (found.size < MAX_LINKS) found.set(link.url, link);
    } else if (known.kind === 'other' && link.kind !== 'other') {
      found.set(link.url, { ...link, text: known.text });
    }
  };
  if (html !== null) {
    const seen = visibleText(html);
    const base = webUrl(seen.baseHref ?? '', null)?.href ?? null;
    for (const mention of inHtml(seen, which)) add(mention, base);
  }
  if (text !== null) {
    const plain = cleanText(text.slice(0, MAX_CHARACTERS));
    for (const mention of inText(plain, which)) add(mention, null);
  }
  return [...found.values()];
}

function* inHtml(seen: VisibleText, which: Which): Generator<Mention> {
  let next = 0;
  const bare = urlsIn(seen.text, which === 'web' ? 'web' : 'any scheme');
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

function* inText(text: string, which: Which): Generator<Mention> {
  for (const { url, start } of urlsIn(text, which === 'web' ? 'web' : 'any scheme'))
    yield { href: url, text: url, context: contextOf(text, start) };
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

/** Where a link leads. */
interface Target {
  readonly url: string;
  /** The same as an address of the web, to be judged by. */
  readonly judged: URL;
  readonly form?: FoundLink['form'];
}

function targetOf(href: string, base: string | null, which: Which): Target | null {
  const trimmed = href.trim();
  if (trimmed === '' || trimmed.length > MAX_URL_CHARACTERS) return null;
  const web = webUrl(trimmed, base);
  if (web !== null) return { url: web.href, judged: web };
  if (which === 'web') return null;
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(trimmed)?.[1]?.toLowerCase();
  if (scheme !== undefined) return appTarget(trimmed, scheme);
  const judged = trimmed.startsWith('#') ? null : webUrl(trimmed, ELSEWHERE);
  return judged === null ? null : { url: trimmed, judged, form: 'relative' };
}

/** No page's address: what is relative is judged by its path alone. */
const ELSEWHERE = 'http://relative.invalid/';
/** Schemes that are no app's: what they start is no page, or nothing that a mail may start. */
const NO_APP = new Set(
  'http https mailto tel sms mms fax callto geo webcal javascript vbscript data cid mid file ftp sftp blob about view-source ws wss'.split(
    ' ',
  ),
);

function appTarget(href: string, scheme: string): Target | null {
  if (NO_APP.has(scheme) || !URL.canParse(href)) return null;
  const judged = webUrl(`${ELSEWHERE}${href.slice(scheme.length + 1).replace(/^\/+/, '')}`, null);
  return judged === null ? null : { url: new URL(href).href, judged, form: 'app' };
}

function webUrl(href: string, base: string | null): URL | null {
  if (base === null && !/^https?:/i.test(href)) return null;
  try {
    const url = base === null ? new URL(href) : new URL(href, base);
    return (url.protocol === 'http:' || url.protocol === 'https:') && url.hostname !== '' ? url : null;
  } catch {
    // A sender writes what it likes: what is no URL is no link.
    return null;
  }
}

/** A link's address, to be judged by: of a relative one, or one of an app, as if it were of the web. */
export function judgedUrl(link: Pick<FoundLink, 'url'>): URL {
  return targetOf(link.url, null, 'every')?.judged ?? new URL(ELSEWHERE);
}

function describe({ url, judged, form }: Target, { href, text, context }: Mention): FoundLink {
  const isBare = text === href || /^https?:\/\/\S*$/i.test(text);
  const tracker = form === undefined ? trackerOf(judged) : null;
  const clues: readonly (readonly [Said | null, string])[] = [
    [isBare ? null : kindSaid(text), 'its text says'],
    // Of a counted link the path is the counter's.
    [tracker === null ? kindInUrl(judged) : null, 'its address says'],
    [isBare || SAYS_NOTHING.test(text) ? kindSaid(context) : null, 'the words before it say'],
  ];
  const common = { url, text, ...(tracker !== null && { tracker }), ...(form !== undefined && { form }) };
  const isSecret = carriesSecret(judged) || isMagicAddress(judged);
  for (const [said, where] of tracker === null && isHelpPage(judged) ? clues.filter(isToUnsubscribe) : clues) {
    if (said === null || (said.kind === 'magic' && !isSecret)) continue;
    return { ...common, kind: said.kind, reason: `${where} "${said.words}"` };
  }
  return { ...common, kind: 'other', reason: 'nothing says what it is for' };
}

function isToUnsubscribe([said]: readonly [Said | null, string]): boolean {
  return said?.kind === 'unsubscribe';
}
