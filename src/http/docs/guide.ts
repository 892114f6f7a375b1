import type { DocsHeading, DocsPage, Documentation } from '../../documentation.ts';
import { type FoundSection, findInDocs } from '../../text/docs-index.ts';
import { docsPath } from '../../text/docs-place.ts';
import { escaped } from '../../text/html.ts';
import { grouped } from '../../text/maps.ts';
import { GUIDE_SCRIPT } from './guide-script.ts';
import { GUIDE_STYLE } from './guide-style.ts';

// The documentation of this version as pages that load nothing from elsewhere. The build has made their HTML from docs/.

/** The addresses of the server that shows the pages. */
interface OwnAddresses {
  readonly url: string;
  readonly smtpUrl: string;
}

/** The most sections that a search shows. */
const MOST_FOUND = 30;

/** Returns the first page: what there is, and where this server listens. */
export function contentsPage(docs: Documentation, version: string, { url, smtpUrl }: OwnAddresses): string {
  const groups = [...grouped(docs.pages, ({ group }) => group)].map(
    ([group, pages]) => `<section><h2>${escaped(group)}</h2>
<ul class="cards">
${pages.map(({ name, label, about }) => `<li><a href="${docsPath(name)}"><strong>${escaped(label)}</strong> <span>${escaped(about)}</span></a></li>`).join('\n')}
</ul></section>`,
  );
  return layout(
    docs,
    { title: 'mailcap: the documentation', at: null },
    `<article class="contents">
<h1>Documentation <small>mailcap ${escaped(version)}</small></h1>
<p class="lead">Everything about this server, as of its own version. In a terminal, <code>npx mailcap docs</code> prints and searches the same pages.</p>
<dl class="here"><div><dt>Your app sends to</dt><dd><code>${escaped(smtpUrl)}</code></dd></div>
<div><dt>Tests and browsers use</dt><dd><code>${escaped(url)}</code></dd></div></dl>
<ul class="cards first">
<li><a href="/"><strong>The inbox</strong> <span>Mail and webhooks of this server</span></a></li>
<li><a href="${docsPath('reference')}"><strong>API reference</strong> <span>Each request of this server, to try and to copy</span></a></li>
</ul>
${groups.join('\n')}
</article>`,
  );
}

/** Returns a page of the documentation. */
export function guidePage(docs: Documentation, page: DocsPage): string {
  const at = docs.pages.indexOf(page);
  const [before, after] = [docs.pages[at - 1], docs.pages[at + 1]];
  return layout(
    docs,
    { title: `${page.title.replaceAll('`', '')}: mailcap`, at: page },
    `<article>
<p class="group">${escaped(page.group)}</p>
<h1>${escaped(page.title)}</h1>
${page.html}
<nav class="next" aria-label="Other pages">${neighbour(before, 'Before', 'prev')}${neighbour(after, 'Next', 'next')}</nav>
</article>
${onThisPage(page.headings)}`,
  );
}

/** Returns the page with what a search found. */
export function foundPage(docs: Documentation, query: string): string {
  const found = findInDocs(docs.index, query, MOST_FOUND);
  const items = found.map(
    (section) =>
      `<li><a href="${addressOf(section)}"><strong>${titleOf(section)}</strong> <span>${snippetHtml(section)}</span></a></li>`,
  );
  const none = query.trim() === '' ? 'Type a word.' : `No page has ${escaped(query)}.`;
  return layout(
    docs,
    { title: 'mailcap: search the documentation', at: null, query },
    `<article class="contents">
<h1>Search</h1>
${items.length === 0 ? `<p>${none}</p>` : `<ul class="found">\n${items.join('\n')}\n</ul>`}
</article>`,
  );
}

/** What the search box of a page gets: the sections that were found, with the address of each. */
export function foundSections(docs: Documentation, query: string) {
  return findInDocs(docs.index, query, 8).map((section) => ({
    href: addressOf(section),
    titles: section.titles,
    snippet: section.snippet,
  }));
}

function addressOf({ page, anchor }: FoundSection): string {
  return docsPath(anchor === '' ? page : `${page}#${escaped(anchor)}`);
}

function titleOf({ titles }: FoundSection): string {
  return titles.map(escaped).join(' <i>›</i> ');
}

function snippetHtml({ snippet }: FoundSection): string {
  return snippet.map(({ text, isHit }) => (isHit ? `<mark>${escaped(text)}</mark>` : escaped(text))).join('');
}

function neighbour(page: DocsPage | undefined, word: string, rel: string): string {
  if (page === undefined) return '<span></span>';
  return `<a rel="${rel}" href="${docsPath(page.name)}"><small>${word}</small> ${escaped(page.label)}</a>`;
}

function onThisPage(headings: readonly DocsHeading[]): string {
  if (headings.length < 2) return '<aside class="toc"></aside>';
  const items = headings
    .filter(({ level }) => level <= 3)
    .map(({ level, anchor, html }) => `<li class="l${level}"><a href="#${escaped(anchor)}">${html}</a></li>`);
  return `<aside class="toc" aria-label="On this page"><h2>On this page</h2>
<ul>
${items.join('\n')}
</ul></aside>`;
}

interface Shown {
  readonly title: string;
  /** The page that is shown; null for the others. */
  readonly at: DocsPage | null;
  readonly query?: string;
}

function layout({ pages }: Documentation, { title, at, query = '' }: Shown, main: string): string {
  const groups = [...grouped(pages, ({ group }) => group)].map(
    ([group, list]) => `<h2>${escaped(group)}</h2>
<ul>
${list.map(({ name, label }) => `<li><a href="${docsPath(name)}"${name === at?.name ? ' aria-current="page"' : ''}>${escaped(label)}</a></li>`).join('\n')}
</ul>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)}</title>
<style>${GUIDE_STYLE}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the page</a>
<header>
<a class="brand" href="/docs">${MARK} mailcap <small>docs</small></a>
<form class="find" role="search" action="${docsPath('find')}">
<input type="search" name="q" value="${escaped(query)}" placeholder="Search" aria-label="Search the documentation" autocomplete="off" spellcheck="false" role="combobox" aria-expanded="false" aria-controls="found" aria-autocomplete="list">
<kbd>/</kbd>
<div id="found" role="listbox" aria-label="Found" hidden></div>
</form>
<nav class="top" aria-label="This server"><a href="${docsPath('reference')}">API reference</a> <a href="/">Inbox</a></nav>
</header>
<nav class="pages" aria-label="Pages">
<details open>
<summary>${at === null ? 'All pages' : escaped(at.label)}</summary>
${groups.join('\n')}
<h2>This server</h2>
<ul><li><a href="${docsPath('reference')}">API reference</a></li>
<li><a href="/">The inbox</a></li></ul>
</details>
</nav>
<main id="main" tabindex="-1">
${main}
</main>
<script>${GUIDE_SCRIPT}</script>
</body>
</html>
`;
}

/** The sign of mailcap, as in the web inbox. */
const MARK = `<svg viewBox="0 0 32 32" width="20" height="20" aria-hidden="true"><rect x="2" y="6" width="28" height="21" rx="4" fill="var(--accent-ground)"/><path d="M4 10l12 9 12-9" fill="none" stroke="#fff" stroke-width="2.5" stroke-linecap="round" stroke-linejoin="round"/></svg>`;
