import type { Attachment, Message } from '../../src/client/index.ts';
import { noted } from '../../src/extract/mail-page.ts';
import { type PageBounds, whatIsLeftOut } from '../../src/extract/page-weight.ts';
import { safeHtml } from '../../src/extract/safe-html.ts';
import { escaped } from '../../src/text/html.ts';

// A message as a page: in the report of a failed test, and alone for a screenshot.

/** The images of a message as `data:` URLs, by their content ids. Null stands for one that is too large. */
export type Pictures = ReadonlyMap<string, string | null>;

/** The bounds of the page. Its HTML is escaped twice, and the tests of a run may leave many of them. */
const BOUNDS: PageBounds = { html: 4 * 1024 * 1024, pictures: 25 * 1024 * 1024 };
/** The number of characters that are shown of a text. */
const MAX_TEXT = 1024 * 1024;

/**
 * Returns an HTML page that shows a message as its reader saw it. The HTML of the message is in a sandbox without
 * scripts, and the page loads nothing, because it is opened from a report. `pictures` are the images that the HTML
 * refers to by `cid:` (RFC 2392).
 */
export function messagePage(message: Message, pictures: Pictures): string {
  const { from, to, cc, subject, receivedAt, text, html, attachments, codes, links } = message;
  const title = escaped(subject ?? 'No subject');
  const rows = [
    row('From', escaped(`${from}`)),
    row('To', escaped(to.join(', '))),
    row('Cc', escaped(cc.join(', '))),
    row('Date', escaped(receivedAt.toISOString())),
    row('Codes', list(codes.map(({ written, reason }) => `<b>${escaped(written)}</b> ${aside(reason)}`))),
    row('Links', list(links.map(({ kind, url }) => `${linkTo(url)} ${aside(kind)}`))),
    row('Attachments', list(attachments.map(attachmentLine))),
  ];
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:">
<title>${title}</title>
<style>${STYLE}</style>
<h1>${title}</h1>
<table>${rows.join('')}</table>
${html === null ? plain(text) : framed(html, pictures) + beneath(text)}
</html>
`;
}

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
  return `<!doctype html><html><head><style>${VIEW_TEXT_STYLE}</style></head><body><pre>${escaped(text ?? '')}</pre></body></html>`;
}

const VIEW_TEXT_STYLE =
  ':root { color-scheme: light dark; } pre { font: 14px/1.5 monospace; white-space: pre-wrap; overflow-wrap: anywhere; }';

/** Returns the attachments that the HTML of the message shows as images. */
export function shownIn(html: string, attachments: readonly Attachment[]): Attachment[] {
  if (attachments.every(({ contentId }) => contentId === null)) return [];
  const { named } = safeHtml(html);
  return attachments.filter(({ contentId }) => contentId !== null && named.has(contentId));
}

function framed(html: string, pictures: Pictures): string {
  const cut = html.slice(0, BOUNDS.html);
  const safe = safeHtml(cut, { partUrl: (contentId) => pictures.get(contentId), bounds: BOUNDS });
  const remote = safe.remote.length > 0 ? '<p>Remote content is not shown.</p>' : '';
  const leftOut = whatIsLeftOut({ ...safe.leftOut, end: safe.leftOut.end || cut.length < html.length });
  const note = leftOut === null ? '' : `<p role="note">${escaped(leftOut)}</p>`;
  return `${remote}${note}<iframe sandbox srcdoc="${escaped(safe.html)}" title="HTML of the message"></iframe>`;
}

function plain(text: string | null): string {
  const shown = (text ?? '(no text)').slice(0, MAX_TEXT);
  const note = shown.length < (text?.length ?? 0) ? '<p role="note">The end of this text is left out.</p>' : '';
  return `${note}<pre>${escaped(shown)}</pre>`;
}

function beneath(text: string | null): string {
  return text === null ? '' : `<details><summary>Text</summary>${plain(text)}</details>`;
}

function row(name: string, content: string): string {
  return content && `<tr><th>${name}</th><td>${content}</td></tr>`;
}

function list(items: readonly string[]): string {
  return items.length === 0 ? '' : `<ul>${items.map((item) => `<li>${item}</li>`).join('')}</ul>`;
}

function aside(text: string): string {
  return `<small>${escaped(text)}</small>`;
}

function linkTo(url: string): string {
  // A link of another scheme, such as `javascript:`, is shown as text.
  if (!/^https?:/i.test(url)) return escaped(url);
  return `<a href="${escaped(url)}" target="_blank" rel="noopener noreferrer">${escaped(url)}</a>`;
}

function attachmentLine({ filename, contentType, sizeBytes }: Attachment): string {
  const facts = [contentType ?? 'no content type', `${sizeBytes.toLocaleString('en')} bytes`];
  return `${escaped(filename ?? 'unnamed')} ${aside(facts.join(', '))}`;
}

const STYLE = `
html { color-scheme: light dark; background: light-dark(#fff, #0d1117); color: light-dark(#1f2328, #e6edf3); font: 14px/1.5 system-ui, sans-serif; }
body { max-width: 60rem; margin: 0 auto; padding: 1.5rem; }
h1 { font-size: 1.25rem; margin: 0 0 .75rem; overflow-wrap: anywhere; }
table { border-collapse: collapse; margin-bottom: 1rem; }
th, small, p, summary { color: light-dark(#59636e, #9198a1); }
th { text-align: left; vertical-align: top; padding: .1rem 1rem .1rem 0; font-weight: 500; }
td { overflow-wrap: anywhere; }
ul { list-style: none; margin: 0; padding: 0; }
b { font: 600 13px/1.5 ui-monospace, monospace; }
small { font-size: 12px; }
a { color: light-dark(#0969da, #4493f8); }
p { margin: 0 0 .5rem; }
details { margin-top: 1rem; }
summary { cursor: pointer; margin-bottom: .5rem; }
iframe, pre { display: block; box-sizing: border-box; width: 100%; border: 1px solid light-dark(#d1d9e0, #3d444d); border-radius: 6px; }
iframe { height: 80vh; background: #fff; color-scheme: light; resize: vertical; }
pre { margin: 0; padding: 1rem; font: 13px/1.5 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
`;
