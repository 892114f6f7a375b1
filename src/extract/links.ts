import { isUrl } from '../text/is-url.ts';
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

/** A link of a mail with its purpose. */
export interface FoundLink {
  /** The absolute address, or the written one if the link is relative. */
  readonly url: string;
  /** The visible text of the link. It is the URL if the link has no other text. */
  readonly text: string;
  /** The effect of following it: `verify`, `magic`, `reset`, `invite`, `unsubscribe` or `other`. */
  readonly kind: LinkKind;
  /** The reason for the kind. */
  readonly reason: string;
  /** The service that tracks the click before it redirects. Absent if none is known. */
  readonly tracker?: string;
  /**
   * The form of a link that is not a web address. `'app'`: its scheme belongs to an app, as in `myapp://login`, or to a
   * mail or phone program. `'relative'`: it has no host, so no mail program can follow it. Absent for http and https.
   */
  readonly form?: 'app' | 'relative';
}

export interface LinkText {
  readonly text: string | null;
  readonly html: string | null;
}

/** An occurrence of a link, with the words before it. */
interface Mention {
  readonly href: string;
  readonly text: string;
  readonly context: () => string;
}

const MAX_LINKS = 500;
/** The number of mentions of one link that are judged, until one of them tells its kind. */
const MAX_JUDGED = 20;
const MAX_TEXT = 300;
const CONTEXT = 160;

/** Link texts that say nothing. The words before such a link count. */
const SAYS_NOTHING =
  /^(?:click |tap )?(?:here|this link|the link|link|continue|open|go|hier|ici|aquí|aqui|qui|tutaj|здесь|сюда|buraya|こちら|这里|點此|여기|هنا|כאן)[.!:→»> ]*$/i;

/**
 * The links to find: only http and https, or also app schemes and relative links, or all that a reader can follow: app
 * schemes, mail addresses and phone numbers.
 */
export type Which = 'web' | 'every' | 'followed';

/**
 * Finds the links of a mail in order, each once. `which` selects the kinds of links; by default http and https. It
 * reads the first 512 Ki characters of each body in linear time and never throws.
 */
export function findLinks({ text, html }: LinkText, which: Which = 'web'): FoundLink[] {
  const found = new Map<string, FoundLink>();
  const judged = new Map<string, number>();
  const add = (mention: Mention, base: string | null) => {
    const target = targetOf(mention.href, base, which);
    if (target === null) return;
    const known = found.get(target.url);
    if (known === undefined) {
      if (found.size < MAX_LINKS) found.set(target.url, describe(target, mention));
      return;
    }
    const times = (judged.get(target.url) ?? 1) + 1;
    if (known.kind !== 'other' || times > MAX_JUDGED) return;
    judged.set(target.url, times);
    const link = describe(target, mention);
    if (link.kind !== 'other') found.set(target.url, { ...link, text: known.text });
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
      // A URL within an anchor is only its text; the href counts.
      if (!within) yield { href: url.url, text: url.url, context: () => contextOf(seen.text, url.start) };
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
    yield { href, text: text.slice(0, MAX_TEXT), context: () => contextOf(seen.text, start) };
  }
  yield* upTo(Number.POSITIVE_INFINITY, false);
}

function* inText(text: string, which: Which): Generator<Mention> {
  for (const { url, start } of urlsIn(text, which === 'web' ? 'web' : 'any scheme'))
    yield { href: url, text: url, context: () => contextOf(text, start) };
  if (which !== 'followed') return;
  for (const { 0: url, index } of text.matchAll(MAIL_URL))
    yield { href: url, text: url, context: () => contextOf(text, index) };
}

/**
 * Returns the words before a link: the last sentence of its line or of the line before. They do not cross another link.
 */
function contextOf(text: string, at: number): string {
  const before = text.slice(Math.max(0, at - CONTEXT), at).replace(/(?<![\s<(["'])[\s<(["']+$/, '');
  const link = before.lastIndexOf('://');
  const afterLink = link < 0 ? before : before.slice(link).replace(/^\S*/, '');
  const paragraph = afterLink.slice(afterLink.lastIndexOf('\n') + 1);
  // The last sentence is about the link.
  const sentences = paragraph.split(/[.!?。！？](?=\s|$)/).filter((sentence) => sentence.trim() !== '');
  return sentences.at(-1) ?? '';
}

/** The target of a link. */
interface Target {
  readonly url: string;
  /** The target as a web address, which the rules judge. */
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
  if (scheme !== undefined) return appTarget(trimmed, scheme, which);
  if (which === 'followed') return null;
  const judged = trimmed.startsWith('#') ? null : webUrl(trimmed, ELSEWHERE);
  return judged === null ? null : { url: trimmed, judged, form: 'relative' };
}

/** A base URL that no server has. It makes a relative link absolute, so that the rules can judge its path. */
const ELSEWHERE = 'http://relative.invalid/';
/** Schemes that belong to no app. They open no page, or something a mail must not open. */
const NO_APP = new Set(
  'http https mailto tel sms mms fax callto geo webcal javascript vbscript data cid mid file ftp sftp blob about view-source ws wss'.split(
    ' ',
  ),
);

/** Schemes that a mail or phone program follows. */
const FOLLOWED = new Set(['mailto', 'tel', 'sms']);
/** A mail address as a URL in plain text. */
const MAIL_URL = /(?<![a-z0-9+.-])mailto:[^\s<>"'()]{0,512}[^\s<>"'().,:;!?]/gi;

function appTarget(href: string, scheme: string, which: Which): Target | null {
  const isFollowed = !NO_APP.has(scheme) || (which === 'followed' && FOLLOWED.has(scheme));
  if (!isFollowed || !isUrl(href)) return null;
  const rest = href.slice(scheme.length + 1);
  if (FOLLOWED.has(scheme) && /^(?:\?|$)/.test(rest)) return null;
  const judged = webUrl(`${ELSEWHERE}${rest.replace(/^\/+/, '')}`, null);
  return judged === null ? null : { url: new URL(href).href, judged, form: 'app' };
}

function webUrl(href: string, base: string | null): URL | null {
  if (base === null && !/^https?:/i.test(href)) return null;
  try {
    const url = base === null ? new URL(href) : new URL(href, base);
    return (url.protocol === 'http:' || url.protocol === 'https:') && url.hostname !== '' ? url : null;
  } catch {
    // A text that is no URL is no link.
    return null;
  }
}

/** Returns the address by which a link is judged. A relative link and an app link are treated like web addresses. */
export function judgedUrl(link: Pick<FoundLink, 'url'>): URL {
  return targetOf(link.url, null, 'every')?.judged ?? new URL(ELSEWHERE);
}

function describe({ url, judged, form }: Target, { href, text, context }: Mention): FoundLink {
  const isBare = text === href || /^https?:\/\/\S*$/i.test(text);
  const tracker = form === undefined ? trackerOf(judged) : null;
  const clues: readonly (readonly [Said | null, string])[] = [
    [isBare ? null : kindSaid(text), 'its text says'],
    // The path of a tracked link belongs to the tracker.
    [tracker === null ? kindInUrl(judged) : null, 'its address says'],
    [isBare || SAYS_NOTHING.test(text) ? kindSaid(context()) : null, 'the words before it say'],
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
