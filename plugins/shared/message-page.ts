import type { Message } from '../../src/client/index.ts';

/**
 * A page that shows a message as its reader saw it. What somebody else wrote stands in a sandbox without scripts, and the page
 * loads nothing: it is opened from a report.
 */
export function messagePage(message: Message): string {
  const { from, to, cc, subject, receivedAt, text, html, attachments, codes, links } = message;
  const rows = [
    ['From', from],
    ['To', to],
    ['Cc', cc],
    ['Received', receivedAt.toISOString()],
    ['Attachments', attachments.map(({ filename }) => filename ?? 'without a name').join(', ')],
    ['Codes', codes.map(({ written, reason }) => `${written} (${reason})`).join('; ')],
    ['Links', links.map(({ kind, url }) => `${kind} ${url}`).join('\n')],
  ].flatMap(([name, value]) => (value ? [`<tr><th>${name}</th><td>${escaped(value)}</td></tr>`] : []));
  const body =
    html === null
      ? `<pre>${escaped(text ?? '(no text)')}</pre>`
      : `<iframe sandbox srcdoc="${escaped(html)}" title="HTML of the message"></iframe>`;
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:">
<title>${escaped(subject ?? 'No subject')}</title>
<style>${STYLE}</style>
<h1>${escaped(subject ?? 'No subject')}</h1>
<table>${rows.join('')}</table>
${body}
</html>
`;
}

const STYLE = `
html { color-scheme: light; background: #fff; color: #1f2328; font: 14px/1.5 system-ui, sans-serif; }
body { max-width: 60rem; margin: 0 auto; padding: 1.5rem; }
h1 { font-size: 1.25rem; margin: 0 0 .75rem; overflow-wrap: anywhere; }
table { border-collapse: collapse; margin-bottom: 1rem; }
th { text-align: left; vertical-align: top; padding: .1rem 1rem .1rem 0; color: #59636e; font-weight: 500; }
td { white-space: pre-wrap; overflow-wrap: anywhere; }
iframe, pre { display: block; box-sizing: border-box; width: 100%; border: 1px solid #d1d9e0; border-radius: 6px; }
iframe { height: 80vh; background: #fff; }
pre { margin: 0; padding: 1rem; font: 13px/1.5 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
`;

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
