import { readFileSync, writeFileSync } from 'node:fs';
import { brotliCompressSync, constants } from 'node:zlib';
import { Marked } from 'marked';
import { escaped, highlighted } from './highlight.js';

// This program builds the documentation that a server serves and `mailcap docs` prints: the pages of docs/ as HTML and as
// Markdown, and the index of their search, in one file. It runs after the compiler, because the index is that of the
// program.

const OUT = 'dist/bundle/docs.br';
const CONTENTS = 'README';

/** Returns the page of a repository's files in a browser; null if package.json names no repository. */
function repositoryUrl(repository) {
  const url = typeof repository === 'string' ? repository : repository?.url;
  return url === undefined ? null : url.replace(/^git\+/, '').replace(/\.git$/, '');
}

/** Reads the list of pages: its headings, and for each page its name, its label and what it is about. */
function pagesIn(contents) {
  const places = [];
  let group = '';
  for (const line of contents.split('\n')) {
    const [, heading] = /^## (.+)/.exec(line) ?? [];
    if (heading !== undefined) group = heading;
    const [, label, name, about] = /^- \[([^\]]+)\]\(([\w-]+)\.md\): (.+)/.exec(line) ?? [];
    if (name !== undefined) places.push({ name, group, label, about });
  }
  return places;
}

function pageOf({ name, group, label, about }, repository) {
  // A comment marks what is generated. No page has any other HTML.
  const markdown = readFileSync(`docs/${name}.md`, 'utf8').replace(/^<!--.*?-->\n\n?/gm, '');
  const { title, html, headings, sections } = render(name, markdown, repository);
  return { name, title, group, label, about, markdown, html, headings, sections };
}

/** Renders a page, and divides it into the sections that a search finds. */
function render(page, markdown, repository) {
  const marked = new Marked({ gfm: true, renderer: rendererOf(repository) });
  const inline = (tokens) => marked.Parser.parseInline(tokens, marked.defaults);
  const [first, ...tokens] = marked.lexer(markdown);
  if (first?.type !== 'heading' || first.depth !== 1) throw new Error(`docs/${page}.md does not begin with its title`);
  const title = plain(first);
  const headings = [];
  const sections = [{ page, anchor: '', titles: [title], text: '' }];
  const anchors = new Map();
  const places = placesOfHeadings(markdown);
  let above = [];
  let html = '';
  for (const token of tokens) {
    if (token.type !== 'heading') {
      sections.at(-1).text += `${plain(token)} `;
      html += marked.parser([token]);
      continue;
    }
    const { depth } = token;
    const anchor = anchorOf(token.text, anchors);
    above = [...above.filter((heading) => heading.depth < depth), token];
    sections.push({ page, anchor, titles: [title, ...above.map(plain)], text: '' });
    const text = inline(token.tokens);
    headings.push({ level: depth, anchor, html: text, at: places[headings.length] });
    html += `<h${depth} id="${escaped(anchor)}">${text} <a class="to" href="#${escaped(anchor)}" aria-label="Link to this part">#</a></h${depth}>\n`;
  }
  for (const section of sections) section.text = section.text.replace(/\s+/g, ' ').trim();
  return { title, html, headings, sections };
}

/** Returns where the headings below the title begin in the source. Code has no headings. */
function placesOfHeadings(markdown) {
  const prose = markdown.replace(/^```[\s\S]*?^```$/gm, (code) => ' '.repeat(code.length));
  return [...prose.matchAll(/^#{2,6} /gm)].map(({ index }) => index);
}

/** Returns the anchor that GitHub gives to a heading. */
function anchorOf(heading, taken) {
  const plainly = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
  const anchor = plainly.replace(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-');
  const count = taken.get(anchor) ?? 0;
  taken.set(anchor, count + 1);
  return count === 0 ? anchor : `${anchor}-${count}`;
}

/** Returns the text that a reader sees of a token. */
function plain(token) {
  if (token.type === 'table')
    return [token.header, ...token.rows]
      .map((row) => row.map(({ tokens }) => tokens.map(plain).join('')).join(' '))
      .join('\n');
  if (token.type === 'list') return token.items.map(plain).join('\n');
  if (token.tokens !== undefined) return token.tokens.map(plain).join(token.type === 'list_item' ? ' ' : '');
  return unescaped(token.text ?? (token.type === 'space' ? '\n' : ''));
}

/** marked escapes the text of some tokens. */
function unescaped(text) {
  return text.replace(
    /&(lt|gt|quot|amp|#39);/g,
    (_all, name) => ({ lt: '<', gt: '>', quot: '"', amp: '&', '#39': "'" })[name],
  );
}

/** The names that readers see of the languages of code blocks. */
const LANGUAGES = {
  bash: 'Shell',
  js: 'JavaScript',
  ts: 'TypeScript',
  json: 'JSON',
  yaml: 'YAML',
  text: 'Output',
  python: 'Python',
  ruby: 'Ruby',
  php: 'PHP',
  properties: 'Properties',
  go: 'Go',
  java: 'Java',
  dockerfile: 'Dockerfile',
};

function rendererOf(repository) {
  return {
    code(text, info = '') {
      const [language = ''] = info.split(' ');
      const name = LANGUAGES[language] ?? language;
      return `<figure class="code"><figcaption>${escaped(name)}<button type="button" class="copy" hidden>Copy</button></figcaption><pre tabindex="0"><code>${highlighted(text, language)}</code></pre></figure>\n`;
    },
    html: (text) => escaped(text),
    link(href, _title, text) {
      const to = targetOf(href, repository);
      // A file that is in no package, of a repository that is not known here.
      if (to === null) return `<span class="elsewhere" title="In the repository of mailcap">${text}</span>`;
      return `<a href="${escaped(to)}"${/^https?:/.test(to) ? ' rel="noreferrer"' : ''}>${text}</a>`;
    },
    image: (_href, _title, text) => escaped(text),
    table: (header, body) =>
      `<div class="wide"><table>\n<thead>${header}</thead>\n<tbody>${body}</tbody>\n</table></div>\n`,
  };
}

/** Returns where a link of a page leads on a server. Null for a file of an unknown repository. */
function targetOf(href, repository) {
  if (/^[a-z]+:/.test(href) || href.startsWith('#')) return href;
  const [, name, hash = ''] = /^([\w-]+)\.md(#.*)?$/.exec(href) ?? [];
  if (name === CONTENTS) return `/docs${hash}`;
  if (name !== undefined) return `/docs/${name}${hash}`;
  return repository === null ? null : `${repository}/blob/HEAD/${href.replace(/^\.\.\//, '')}`;
}

const { docsIndexOf } = await import('../dist/src/text/docs-index.js');
const { repository } = JSON.parse(readFileSync('package.json', 'utf8'));
const pages = pagesIn(readFileSync(`docs/${CONTENTS}.md`, 'utf8')).map((place) =>
  pageOf(place, repositoryUrl(repository)),
);
const index = docsIndexOf(pages.flatMap(({ sections }) => sections));
const json = JSON.stringify({ pages: pages.map(({ sections: _, ...page }) => page), index });
const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 22 };
writeFileSync(OUT, brotliCompressSync(json, { params }));
