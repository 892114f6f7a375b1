import { Tokenizer } from 'htmlparser2';
import { MailUrls, type PartUrl } from './mail-urls.ts';
import { type AllowedHosts, type RemoteHost, RemoteHosts } from './remote-hosts.ts';
import { safeAttribute } from './safe-attribute.ts';
import { safeCss } from './safe-css.ts';

// The frame and its content policy isolate a mail's HTML. This file does what they cannot: it resolves the parts of the
// mail, opens links elsewhere, and removes elements that connect despite the policy, such as `<link rel=preconnect>`.
// It rewrites every tag and escapes all text, so that a browser parses no tag that this file did not see.

export interface SafeHtmlOptions {
  /** Returns the URL of a part. By default no part has one. */
  readonly partUrl?: PartUrl | undefined;
  /** The hosts that may be loaded from. By default there are none. */
  readonly allowed?: AllowedHosts | undefined;
}

export interface SafeHtml {
  readonly html: string;
  /** All hosts that the mail refers to, allowed or not. */
  readonly remote: readonly RemoteHost[];
  /** The content IDs of the parts that it refers to. */
  readonly named: ReadonlySet<string>;
}

/** Makes a mail's HTML safe for a frame. Its cost is linear and it never throws. */
export function safeHtml(html: string, options: SafeHtmlOptions = {}): SafeHtml {
  const steps = rewriteHtml(html, options);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

const PIECE_CHARACTERS = 64 * 1024;

/** Like {@link safeHtml}, but in steps, so that other work can run between them. */
export function* rewriteHtml(html: string, options: SafeHtmlOptions = {}): Generator<void, SafeHtml> {
  const writer = new Writer(html, options);
  for (let at = 0; at < html.length; at += PIECE_CHARACTERS) {
    writer.read(html.slice(at, at + PIECE_CHARACTERS));
    yield;
  }
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
  readonly #out: string[] = [];
  #name = '';
  #attribute = '';
  #value: string[] = [];
  #attributes = new Map<string, string>();
  /** The element whose content is being skipped. */
  #skipped: string | null = null;
  #style: string[] | null = null;

  constructor(html: string, { partUrl = () => null, allowed = {} }: SafeHtmlOptions) {
    this.#remote = new RemoteHosts(allowed);
    this.#urls = new MailUrls(this.#remote, partUrl);
    const text = (from: number, to: number) => html.slice(from, to);
    this.#tokenizer = new Tokenizer(
      { xmlMode: false, decodeEntities: true },
      {
        ontext: (from, to) => this.#text(text(from, to)),
        ontextentity: (codepoint) => this.#text(String.fromCodePoint(codepoint)),
        onopentagname: (from, to) => {
          this.#name = text(from, to).toLowerCase();
        },
        onattribname: (from, to) => {
          this.#attribute = text(from, to).toLowerCase();
          this.#value = [];
        },
        onattribdata: (from, to) => this.#value.push(text(from, to)),
        onattribentity: (codepoint) => this.#value.push(String.fromCodePoint(codepoint)),
        onattribend: () => {
          if (!this.#attributes.has(this.#attribute)) this.#attributes.set(this.#attribute, this.#value.join(''));
        },
        onopentagend: () => this.#open(false),
        onselfclosingtag: () => this.#open(true),
        onclosetag: (from, to) => this.#close(text(from, to).toLowerCase()),
        oncdata: () => {},
        oncomment: () => {},
        ondeclaration: (from, to) => {
          const declaration = text(from, to);
          if (this.#out.length === 0 && DOCTYPE.test(declaration)) this.#out.push(`<!${declaration}>`);
        },
        onprocessinginstruction: () => {},
        onend: () => {},
      },
    );
  }

  read(piece: string): void {
    this.#tokenizer.write(piece);
  }

  finish(): SafeHtml {
    this.#tokenizer.end();
    if (this.#style !== null) this.#endStyle();
    return { html: this.#out.join(''), remote: this.#remote.list(), named: this.#urls.named };
  }

  #text(data: string): void {
    if (this.#skipped !== null) return;
    // A doctype may still follow.
    if (this.#out.length === 0 && data.trim() === '') return;
    if (this.#style !== null) this.#style.push(data);
    else this.#out.push(escaped(data));
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
      this.#out.push(`<style${this.#written(name, attributes)}>`);
      this.#style = [];
    } else {
      const shown = AS_PRE.has(name) ? 'pre' : name;
      this.#out.push(`<${shown}${this.#written(name, attributes)}${selfClosing ? '/' : ''}>`);
    }
  }

  #close(name: string): void {
    if (this.#skipped !== null) {
      if (name === this.#skipped) this.#skipped = null;
    } else if (this.#style !== null) {
      if (name === 'style') this.#endStyle();
    } else if (!DROPPED.has(name) && !DROPPED_WHOLE.has(name) && NAME.test(name))
      this.#out.push(`</${AS_PRE.has(name) ? 'pre' : name}>`);
  }

  #endStyle(): void {
    this.#out.push(safeCss((this.#style ?? []).join(''), this.#urls, this.#remote), '</style>');
    this.#style = null;
  }

  #link(attributes: ReadonlyMap<string, string>): void {
    if (!/(?:^|\s)stylesheet(?:\s|$)/i.test(attributes.get('rel') ?? '')) return;
    const href = this.#urls.resource(attributes.get('href') ?? '', 'styles');
    if (href === null || !/^https?:/.test(href)) return;
    const media = attributes.get('media') ?? 'all';
    this.#out.push(`<link rel="stylesheet" href="${escaped(href)}" media="${escaped(media)}">`);
  }

  #meta(attributes: ReadonlyMap<string, string>): void {
    const name = attributes.get('name')?.toLowerCase() ?? '';
    const content = attributes.get('content') ?? '';
    if (META_NAMES.has(name)) this.#out.push(`<meta name="${name}" content="${escaped(content)}">`);
  }

  #written(element: string, attributes: ReadonlyMap<string, string>): string {
    const written: string[] = [];
    for (const [name, value] of attributes) {
      const safe = safeAttribute(element, name, value, this.#urls, this.#remote);
      if (safe !== null) written.push(` ${name}="${escaped(safe)}"`);
    }
    if ((element === 'a' || element === 'area') && attributes.has('href'))
      written.push(' target="_blank" rel="noopener noreferrer"');
    return written.join('');
  }
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
