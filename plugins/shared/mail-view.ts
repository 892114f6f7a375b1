import type { Message } from '../../src/client/index.ts';
import { noted } from '../../src/extract/mail-page.ts';
import { whatIsLeftOut } from '../../src/extract/page-weight.ts';
import { safeHtml } from '../../src/extract/safe-html.ts';
import type { Pictures } from './message-page.ts';

/** The response headers of a view. The browser runs no script in it and loads only resources that it embeds. */
export const VIEW_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy':
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'",
  'X-Content-Type-Options': 'nosniff',
  'X-DNS-Prefetch-Control': 'off',
  'Referrer-Policy': 'no-referrer',
} as const;

/**
 * Returns an HTML page that shows a mail as the web inbox does. The page loads nothing from the network. A mail without
 * HTML is shown as its text. What would make the page too large is left out, and the page says so.
 */
export function mailView({ html, text }: Pick<Message, 'html' | 'text'>, pictures: Pictures): string {
  if (html !== null) {
    const safe = safeHtml(html, { partUrl: (contentId) => pictures.get(contentId) });
    return noted(safe.html, whatIsLeftOut(safe.leftOut));
  }
  return `<!doctype html><html><head><style>${TEXT_STYLE}</style></head><body><pre>${escaped(text ?? '')}</pre></body></html>`;
}

const TEXT_STYLE =
  ':root { color-scheme: light dark; } pre { font: 14px/1.5 monospace; white-space: pre-wrap; overflow-wrap: anywhere; }';

function escaped(text: string): string {
  return text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);
}
