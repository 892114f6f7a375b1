import { escaped } from '../text/html.ts';
import type { MailBodies } from './bounds.ts';
import { darkGround } from './dark-mode.ts';
import { PIECE_CHARACTERS, whatIsLeftOut } from './page-weight.ts';
import type { AllowedHosts, RemoteHost } from './remote-hosts.ts';
import { type PageLook, safeHtml, styleTags } from './safe-html.ts';

/** How a page refers to other things. */
export interface PageOptions {
  readonly allowed: AllowedHosts;
  /** The URLs of the mail's pictures by their content IDs. Null stands for one that is too large. */
  readonly pictures: ReadonlyMap<string, string | null>;
  readonly look?: PageLook | undefined;
}

/** The page that shows a mail. */
export interface WholePage {
  readonly html: string;
  /** All hosts that the mail refers to, allowed or not. */
  readonly remote: readonly RemoteHost[];
  /** The content IDs of the pictures that it shows. */
  readonly named: readonly string[];
}

/** The number of characters of a body that a page shows. The rest is left out, and the page says so. */
const MAX_BODY = 16 * 1024 * 1024;
/** The number of characters of a text that takes the place of HTML that cannot be shown. */
const MAX_INSTEAD = 256 * 1024;

/** Returns the part of the bodies that a page is made of, so that no more has to be sent to a thread. */
export function cutBodies({ html, text }: MailBodies): MailBodies {
  // One character more tells that something is left out.
  const cut = (body: string | null) => body?.slice(0, MAX_BODY + 1) ?? null;
  return { html: cut(html), text: html === null ? cut(text) : null };
}

/** Makes a page that shows a mail as its reader sees it. A mail without HTML shows its text. */
export function mailPage({ html, text }: MailBodies, { allowed, pictures, look = {} }: PageOptions): WholePage {
  if (html === null) return { html: textPage(text ?? '', MAX_BODY), remote: [], named: [] };
  const cut = html.slice(0, MAX_BODY);
  const safe = safeHtml(cut, { allowed, look, partUrl: (contentId) => pictures.get(contentId) });
  const leftOut = { ...safe.leftOut, end: safe.leftOut.end || cut.length < html.length };
  return {
    html: afterDoctype(
      noted(safe.html, whatIsLeftOut(leftOut)),
      look.dark ? styleSheet(darkGround(look.dark), look) : '',
    ),
    remote: safe.remote,
    named: [...pictures.keys()].filter((contentId) => safe.named.has(contentId)),
  };
}

/** Makes a page for a mail whose HTML could not be shown: the reason, then its text. */
export function pageInstead(reason: string, text: string | null): string {
  const where = text === null ? 'The mail has no text part, but' : 'Its text follows, and';
  return noted(
    textPage(text ?? '', MAX_INSTEAD),
    `The HTML of this mail cannot be shown. ${reason} ${where} its source is complete.`,
  );
}

function textPage(text: string, most: number): string {
  const pieces: string[] = [];
  let room = most;
  let at = 0;
  while (at < text.length && room > 0) {
    const piece = escaped(text.slice(at, at + PIECE_CHARACTERS));
    room -= piece.length;
    pieces.push(piece);
    at += PIECE_CHARACTERS;
  }
  const page = `<!doctype html><pre style="white-space: pre-wrap; overflow-wrap: anywhere">\n${pieces.join('')}</pre>`;
  return noted(page, whatIsLeftOut({ pictures: 0, attributes: 0, end: at < text.length }));
}

/** Adds a sentence of mailcap at the beginning of a page. Its style keeps the sender's style sheets off. */
export function noted(html: string, sentence: string | null): string {
  if (sentence === null) return html;
  return afterDoctype(html, `<div role="note" style="${NOTE_STYLE}">${escaped(sentence)}</div>`);
}

/** Adds lines of a mail's head at the beginning of a page, as they are printed: each with its name. */
export function headed(html: string, lines: readonly (readonly [name: string, text: string])[]): string {
  const text = lines.map(([name, value]) => `${escaped(name)}: ${escaped(value)}`).join('\n');
  return afterDoctype(html, `<div style="${HEAD_STYLE}">${text}</div>`);
}

function styleSheet(css: string, look: PageLook): string {
  const [start, end] = styleTags(look.isInert === true);
  return `${start}>${css}${end}`;
}

function afterDoctype(html: string, added: string): string {
  const start = /^<!doctype[^<>]*>/i.exec(html)?.[0].length ?? 0;
  return html.slice(0, start) + added + html.slice(start);
}

const LINE_STYLE = {
  all: 'initial',
  display: 'block',
  position: 'relative',
  'z-index': '2147483647',
  padding: '8px 12px',
  color: '#1f2328',
  font: '14px/1.5 system-ui, sans-serif',
};
const NOTE_STYLE = written({ ...LINE_STYLE, background: '#fff8c5', 'border-bottom': '1px solid #d4a72c' });
const HEAD_STYLE = written({
  ...LINE_STYLE,
  background: '#fff',
  'border-bottom': '1px solid #8c959f',
  'overflow-wrap': 'anywhere',
  'white-space': 'pre-wrap',
});

/** Writes declarations that no style sheet of the sender overrides. */
function written(declarations: Readonly<Record<string, string>>): string {
  return Object.entries(declarations)
    .map(([name, value]) => `${name}: ${value} !important`)
    .join('; ');
}
