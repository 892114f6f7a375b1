import { Tokenizer } from 'htmlparser2';
import { escaped } from '../text/html.ts';
import { isUrl } from '../text/url.ts';
import { type DarkMode, darkAttribute, darkMarks, darkSheet } from './dark-mode.ts';
import {
  type LeftOut,
  MAX_ATTRIBUTES,
  PAGE_BOUNDS,
  type PageBounds,
  PIECE_CHARACTERS,
  PictureRoom,
} from './page-weight.ts';
import { type AllowedHosts, type RemoteHost, RemoteHosts, type RemoteKind } from './remote-hosts.ts';

// The frame and its content policy isolate a mail's HTML. This file does what they cannot: it resolves the parts of the
// mail, opens links elsewhere, and removes elements that connect despite the policy, such as `<link rel=preconnect>`.
// It rewrites every tag and escapes all text, so that a browser parses no tag that this file did not see.

interface SafeHtmlOptions {
  /** Returns the URL of a part. By default no part has one. */
  readonly partUrl?: PartUrl | undefined;
  /** The hosts that may be loaded from. By default there are none. */
  readonly allowed?: AllowedHosts | undefined;
  readonly bounds?: PageBounds | undefined;
  readonly look?: PageLook | undefined;
}

/** How a page looks, and in which form it is written. */
export interface PageLook {
  /** The mail program whose colours in the dark are simulated. */
  readonly dark?: DarkMode | null;
  /**
   * Writes `style` as `data-style`, and style sheets as `noframes` elements with that attribute. A page whose policy
   * allows no styles of its own can read such HTML, for a picture of the mail.
   */
  readonly isInert?: boolean;
}

interface SafeHtml {
  readonly html: string;
  /** All hosts that the mail refers to, allowed or not. */
  readonly remote: readonly RemoteHost[];
  /** The content IDs of the parts that it refers to. */
  readonly named: ReadonlySet<string>;
  readonly leftOut: LeftOut;
}

/** The number of small texts that are joined to one. Each of them takes 40 bytes more than its characters. */
const JOINED_TEXTS = 4_096;

/**
 * Makes a mail's HTML safe for a frame. Its cost is linear and it never throws. Beyond the bounds it leaves out
 * pictures and the end of the HTML.
 */
export function safeHtml(html: string, options: SafeHtmlOptions = {}): SafeHtml {
  const writer = new Writer(html, options);
  for (let at = 0; at < html.length && !writer.isFull; at += PIECE_CHARACTERS)
    writer.read(html.slice(at, at + PIECE_CHARACTERS));
  return writer.finish();
}

/** Elements that load, run, or act for the page. They are removed, but their content stays. */
const DROPPED = new Set(
  'base meta link object embed applet param portal fencedframe frame frameset bgsound isindex keygen'.split(' '),
);
/** Elements that are removed with their content, which browsers do not parse as tags. */
const DROPPED_WHOLE = new Set(['script', 'iframe', 'noembed', 'noframes', 'title']);
/** Elements whose content browsers show without parsing tags. */
const AS_PRE = new Set(['plaintext', 'xmp', 'listing']);
const META_NAMES = new Set(['viewport', 'color-scheme', 'supported-color-schemes']);
const NAME = /^[a-z][a-z0-9:._-]*$/;
const DOCTYPE = /^doctype\s[^<>]*$/i;

class Writer {
  readonly #remote: RemoteHosts;
  readonly #urls: MailUrls;
  readonly #tokenizer: Tokenizer;
  readonly #html: string;
  readonly #pictures: PictureRoom;
  readonly #most: number;
  readonly #dark: DarkMode | null;
  readonly #isInert: boolean;
  /** The written HTML, and the small texts of its end, which are joined from time to time to save memory. */
  readonly #out: string[] = [];
  #recent: string[] = [];
  #written = 0;
  #isFull = false;
  /** The text that is not written yet. The tokenizer reports a text in many parts. */
  #textFrom = 0;
  #textTo = 0;
  #name = '';
  #attribute = '';
  #value: string[] = [];
  #attributes = new Map<string, string>();
  #attributesLeftOut = 0;
  /** The element whose content is being skipped. */
  #skipped: string | null = null;
  #style: { readonly tag: string; readonly texts: string[] } | null = null;

  constructor(
    html: string,
    { partUrl = () => undefined, allowed = {}, bounds = PAGE_BOUNDS, look = {} }: SafeHtmlOptions,
  ) {
    this.#dark = look.dark ?? null;
    this.#isInert = look.isInert === true;
    this.#html = html;
    this.#most = bounds.html;
    this.#pictures = new PictureRoom(bounds.pictures);
    this.#remote = new RemoteHosts(allowed);
    this.#urls = new MailUrls(this.#remote, (contentId) => {
      const url = partUrl(contentId);
      return url === undefined ? undefined : this.#pictures.take(contentId, url);
    });
    const text = (from: number, to: number) => html.slice(from, to);
    this.#tokenizer = new Tokenizer(
      { xmlMode: false, decodeEntities: true },
      {
        ontext: (from, to) => {
          if (from !== this.#textTo) {
            this.#endText();
            this.#textFrom = from;
          }
          this.#textTo = to;
        },
        ontextentity: (codepoint) => {
          this.#endText();
          this.#text(String.fromCodePoint(codepoint));
        },
        onopentagname: (from, to) => {
          this.#endText();
          this.#name = text(from, to).toLowerCase();
        },
        onattribname: (from, to) => {
          this.#attribute = text(from, to).toLowerCase();
          this.#value = [];
        },
        onattribdata: (from, to) => this.#value.push(text(from, to)),
        onattribentity: (codepoint) => this.#value.push(String.fromCodePoint(codepoint)),
        onattribend: () => {
          if (this.#attributes.has(this.#attribute)) return;
          if (this.#attributes.size >= MAX_ATTRIBUTES) this.#attributesLeftOut++;
          else this.#attributes.set(this.#attribute, this.#value.join(''));
        },
        onopentagend: () => this.#open(false),
        onselfclosingtag: () => this.#open(true),
        onclosetag: (from, to) => {
          this.#endText();
          this.#close(text(from, to).toLowerCase());
        },
        oncdata: () => {},
        oncomment: () => {},
        ondeclaration: (from, to) => {
          const declaration = text(from, to);
          this.#endText();
          if (this.#written === 0 && DOCTYPE.test(declaration)) this.#write(`<!${declaration}>`);
        },
        onprocessinginstruction: () => {},
        onend: () => {},
      },
    );
  }

  /** Whether the page has reached its bound, so that nothing more is written. */
  get isFull(): boolean {
    return this.#isFull;
  }

  read(piece: string): void {
    this.#tokenizer.write(piece);
    this.#endText();
  }

  finish(): SafeHtml {
    this.#tokenizer.end();
    this.#endText();
    if (this.#style !== null) this.#endStyle();
    return {
      html: [...this.#out, ...this.#recent].join(''),
      remote: this.#remote.list(),
      named: this.#urls.named,
      leftOut: { pictures: this.#pictures.leftOut, attributes: this.#attributesLeftOut, end: this.#isFull },
    };
  }

  #write(html: string): void {
    this.#isFull ||= this.#written + html.length - this.#pictures.taken > this.#most;
    if (this.#isFull) return;
    this.#written += html.length;
    this.#recent.push(html);
    if (this.#recent.length < JOINED_TEXTS) return;
    this.#out.push(this.#recent.join(''));
    this.#recent = [];
  }

  #endText(): void {
    if (this.#textFrom < this.#textTo) this.#text(this.#html.slice(this.#textFrom, this.#textTo));
    this.#textFrom = this.#textTo;
  }

  #text(data: string): void {
    if (this.#skipped !== null) return;
    // A doctype may still follow.
    if (this.#written === 0 && this.#style === null && data.trim() === '') return;
    if (this.#style !== null) this.#style.texts.push(data);
    else this.#write(escaped(data));
  }

  #open(selfClosing: boolean): void {
    const name = this.#name;
    const attributes = this.#attributes;
    this.#attributes = new Map();
    if (this.#skipped !== null || this.#style !== null) return;
    if (DROPPED_WHOLE.has(name)) this.#skipped = name;
    else if (name === 'base') this.#urls.setBase(attributes.get('href') ?? '');
    else if (name === 'link') this.#link(attributes);
    else if (name === 'meta') this.#meta(attributes);
    else if (DROPPED.has(name) || !NAME.test(name)) return;
    else if (name === 'style') {
      this.#style = { tag: `${styleTags(this.#isInert)[0]}${this.#attributesOf(name, attributes)}>`, texts: [] };
    } else {
      const shown = AS_PRE.has(name) ? 'pre' : name;
      this.#write(`<${shown}${this.#attributesOf(name, attributes)}${selfClosing ? '/' : ''}>`);
    }
  }

  #close(name: string): void {
    if (this.#skipped !== null) {
      if (name === this.#skipped) this.#skipped = null;
    } else if (this.#style !== null) {
      if (name === 'style') this.#endStyle();
    } else if (!DROPPED.has(name) && !DROPPED_WHOLE.has(name) && NAME.test(name))
      this.#write(`</${AS_PRE.has(name) ? 'pre' : name}>`);
  }

  #endStyle(): void {
    const { tag, texts } = this.#style ?? { tag: '', texts: [] };
    this.#style = null;
    // The whole element is written or none of it, so that the page does not end within a style sheet.
    const css = safeCss(texts.join(''), this.#urls, this.#remote);
    const shown = this.#dark === null ? css : darkSheet(css, this.#dark);
    this.#write(`${tag}${shown}${styleTags(this.#isInert)[1]}`);
  }

  #link(attributes: ReadonlyMap<string, string>): void {
    if (!/(?:^|\s)stylesheet(?:\s|$)/i.test(attributes.get('rel') ?? '')) return;
    const href = this.#urls.resource(attributes.get('href') ?? '', 'styles');
    if (href === null || !/^https?:/.test(href)) return;
    const media = attributes.get('media') ?? 'all';
    this.#write(`<link rel="stylesheet" href="${escaped(href)}" media="${escaped(media)}">`);
  }

  #meta(attributes: ReadonlyMap<string, string>): void {
    const name = attributes.get('name')?.toLowerCase() ?? '';
    const content = attributes.get('content') ?? '';
    if (META_NAMES.has(name)) this.#write(`<meta name="${name}" content="${escaped(content)}">`);
  }

  #attributesOf(element: string, attributes: ReadonlyMap<string, string>): string {
    const written: string[] = [];
    let marks = '';
    for (const [name, value] of attributes) {
      const safe = safeAttribute(element, name, value, this.#urls, this.#remote);
      if (safe === null) continue;
      const shown = this.#dark === null ? safe : darkAttribute(element, name, safe, this.#dark);
      marks ||= darkMarks(safe, shown);
      written.push(` ${name === 'style' && this.#isInert ? 'data-style' : name}="${escaped(shown)}"`);
    }
    written.push(marks);
    if ((element === 'a' || element === 'area') && attributes.has('href'))
      written.push(' target="_blank" rel="noopener noreferrer"');
    return written.join('');
  }
}

/** Returns the start of the start tag of a style sheet, and its end tag. */
export function styleTags(isInert: boolean): readonly [start: string, end: string] {
  return isInert ? ['<noframes data-style=""', '</noframes>'] : ['<style', '</style>'];
}

/** The elements whose attributes load media, and the attributes that load. */
const MEDIA_ELEMENTS = new Set(['audio', 'video', 'track']);
const LOADING = new Set(['src', 'background', 'poster', 'lowsrc', 'dynsrc']);
/**
 * Attributes that are always removed: they act for the page, choose a form's target, or send data to the loaded host.
 */
const DROPPED_ATTRIBUTES = new Set(
  'target rel ping action formaction formtarget srcdoc http-equiv manifest nonce integrity crossorigin autofocus download is referrerpolicy attributionsrc'.split(
    ' ',
  ),
);
/** Attributes with any value: their text is for the reader, or names a part of the page. */
const TEXTS = new Set(
  'alt title summary label placeholder value content id name class lang abbr headers for type media'.split(' '),
);
const ATTRIBUTE_NAME = /^[a-z_][\w:.-]*$/;

/** Returns the safe value of an attribute, or null if it must be removed. */
function safeAttribute(
  element: string,
  name: string,
  value: string,
  urls: MailUrls,
  remote: RemoteHosts,
): string | null {
  if (!ATTRIBUTE_NAME.test(name) || name.startsWith('on') || DROPPED_ATTRIBUTES.has(name)) return null;
  if (name === 'style') return safeCss(value, urls, remote);
  if (LOADING.has(name)) return urls.resource(value, kindOf(element, name));
  if (name === 'srcset' || name === 'imagesrcset') return safeSet(value, urls);
  if (name === 'href' || name === 'xlink:href') {
    if (element === 'a' || element === 'area') return urls.link(value);
    return value.startsWith('#') ? value : urls.resource(value, 'images');
  }
  if (TEXTS.has(name) || name.startsWith('aria-') || name.startsWith('xmlns')) return value;
  // A URL in any other attribute, as `fill="url(https://…)"`, is removed. No layout attribute looks like one.
  return /[\\/]{2}|^\s{0,100}[a-z][a-z0-9+.-]{0,100}:/i.test(value) ? null : value;
}

function kindOf(element: string, name: string): RemoteKind {
  // For `source`, a picture uses srcset and a film uses src.
  return MEDIA_ELEMENTS.has(element) && name !== 'poster' ? 'media' : element === 'source' ? 'media' : 'images';
}

const MAX_CANDIDATES = 100;
/** A URL may have a width and a height. */
const MAX_DESCRIPTORS = 2;

/** Resolves a srcset. It keeps all candidates or none, so that the picture does not depend on the window's width. */
function safeSet(value: string, urls: MailUrls): string | null {
  const candidates = value
    .split(/,\s/, MAX_CANDIDATES + 1)
    .map((candidate) => candidate.trim().split(/\s+/, MAX_DESCRIPTORS + 1));
  if (candidates.length > MAX_CANDIDATES) return null;
  const safe = candidates.map(([url = '', ...descriptor]) => {
    const resolved = urls.resource(url.replace(/,$/, ''), 'images');
    return resolved === null ? null : [resolved, ...descriptor].join(' ');
  });
  return safe.includes(null) ? null : safe.join(', ');
}

const CID = /(["'(]\s{0,8})cid:([^\s"'()<>\\]{1,1000})/gi;
/** Matches a host and the rules that tell what is loaded from it. It skips data URLs. */
const HOST = /data:[^\s"'()]+|(@import|@font-face|[{};])|(?:https?:)?[\\/]{2}([^\s"'()<>\\/?#]{1,300})/gi;

/**
 * Makes a style sheet safe to put between tags. It replaces `cid:` URLs and records remote hosts; the page's policy
 * decides what may load. The result holds no `<` that could start a tag.
 */
function safeCss(css: string, urls: MailUrls, remote: RemoteHosts): string {
  note(css, remote);
  // Removes HTML comment marks, which hid styles from old browsers and would break a selector.
  const withParts = css.replaceAll(/<!--|-->/g, '').replace(CID, (all, before: string, id: string) => {
    const url = urls.part(id);
    return url === null ? all : before + url;
  });
  return withParts.replaceAll(/<(?=[a-z/!?])/gi, '\\3c ');
}

function note(css: string, remote: RemoteHosts): void {
  let kind: RemoteKind = 'images';
  for (const [, mark, host] of css.matchAll(HOST)) {
    if (host !== undefined) {
      const url = `http://${host}`;
      if (isUrl(url)) remote.see(new URL(url).host, kind);
    } else if (mark === undefined) continue;
    else if (/^@import$/i.test(mark)) kind = 'styles';
    else if (/^@font-face$/i.test(mark)) kind = 'fonts';
    // A font rule ends with its block, an import with its semicolon.
    else if (mark === '}' || (mark === ';' && kind === 'styles')) kind = 'images';
  }
}

/**
 * Returns the URL of a part of the mail by its content ID. Null means that the part is too large for the page, undefined
 * that there is no such part.
 */
type PartUrl = (contentId: string) => string | null | undefined;

/** A reserved host name (RFC 2606). A URL that gets this host was relative. */
const NOWHERE = 'http://relative.invalid';

/** Resolves the URLs in a mail's HTML as a browser would, and decides which may stay. */
class MailUrls {
  readonly #remote: RemoteHosts;
  readonly #partUrl: PartUrl;
  readonly #named = new Set<string>();
  #base: string | null = null;

  constructor(remote: RemoteHosts, partUrl: PartUrl) {
    this.#remote = remote;
    this.#partUrl = partUrl;
  }

  /** The content IDs that the HTML refers to. */
  get named(): ReadonlySet<string> {
    return this.#named;
  }

  /** Sets the base URL. Only the first `<base>` counts, and it is not written to the output. */
  setBase(href: string): void {
    const url = this.#parse(href);
    if (this.#base === null && url !== null && /^https?:$/.test(url.protocol)) this.#base = url.href;
  }

  /**
   * Resolves a URL that loads something: a part of the mail, data, or content of an allowed host. Returns null for
   * anything else.
   */
  resource(value: string, kind: RemoteKind): string | null {
    const trimmed = bare(value);
    if (/^cid:/i.test(trimmed)) return this.part(trimmed.slice('cid:'.length));
    if (/^data:/i.test(trimmed)) return trimmed;
    const url = this.#parse(trimmed);
    if (url === null || !/^https?:$/.test(url.protocol)) return null;
    return this.#remote.see(url.host, kind) ? url.href : null;
  }

  part(contentId: string): string | null {
    const id = decoded(contentId);
    this.#named.add(id);
    return this.#partUrl(id) ?? null;
  }

  /** Resolves a URL that a click may open. Returns null for scripts and other schemes. */
  link(value: string): string | null {
    const trimmed = bare(value);
    if (trimmed.startsWith('#')) return trimmed;
    const url = this.#parse(trimmed);
    return url !== null && /^(?:https?|mailto|tel):$/.test(url.protocol) ? url.href : null;
  }

  /** Returns null if it is no URL, or a relative one without a base. */
  #parse(value: string): URL | null {
    const base = this.#base ?? NOWHERE;
    if (!isUrl(value, base)) return null;
    const url = new URL(value, base);
    return url.origin === NOWHERE ? null : url;
  }
}

/** Removes the characters that browsers drop from a URL. */
function bare(value: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern removes control characters
  return value.replace(/[\t\n\r]/g, '').replace(/^[\u0000-\u0020]+/, '');
}

/** Decodes a content ID from a URL. */
function decoded(id: string): string {
  const trimmed = id.trim();
  try {
    return decodeURIComponent(trimmed);
  } catch {
    return trimmed;
  }
}
