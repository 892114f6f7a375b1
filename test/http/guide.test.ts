import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Parser } from 'htmlparser2';
import { expect, test as plain } from 'vitest';
import { documentation } from '../../src/documentation.ts';
import { guidePage } from '../../src/http/docs/guide.ts';
import { startServer, test } from '../support/mailcap.ts';
import { blocksOf, ROOT, readPage } from '../support/pages.ts';

const DOCS = documentation() ?? { pages: [], index: { sections: [], words: [], places: [] } };

plain('every page of docs/ is among the pages, once, below a heading of the contents', () => {
  const files = readdirSync(join(ROOT, 'docs')).map((name) => name.replace(/\.md$/, ''));
  // These paths are other pages of the server.
  for (const name of ['reference', 'find']) expect(files).not.toContain(name);
  expect(DOCS.pages.map(({ name }) => name).sort()).toEqual(files.filter((name) => name !== 'README').sort());
  for (const { group, label, about, title } of DOCS.pages)
    for (const text of [group, label, about, title]) expect(text).not.toBe('');
});

test('each page is served, loads nothing, and runs only its own script', async ({ mailcap }) => {
  for (const path of ['', ...DOCS.pages.map(({ name }) => `/${name}`), '/find?q=code']) {
    const response = await fetch(`${mailcap.url}/docs${path}`);
    expect(response.status, path).toBe(200);
    const html = await response.text();
    expect(await loadedBy(html)).toEqual([]);
    expect(html.slice(html.indexOf('<style>'), html.indexOf('</style>'))).not.toMatch(/@import|url\(/);
    const [, script = '', ...more] = /<script>(.*?)<\/script>/s.exec(html) ?? [];
    expect(more).toEqual([]);
    const hash = createHash('sha256').update(script).digest('base64');
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/^default-src 'none';/);
    expect(policy).toContain(`script-src 'sha256-${hash}'; connect-src 'self'`);
    expect(policy).toContain("form-action 'self'");
    expect(html).not.toContain(mailcap.apiKey);
  }
});

test('every link of every page leads to a page or a part that is there', async ({ mailcap }) => {
  const seen = new Map<string, ReadonlySet<string>>();
  const links: { from: string; to: string; hash: string }[] = [];
  for (const path of ['/docs', '/docs/reference', ...DOCS.pages.map(({ name }) => `/docs/${name}`)]) {
    const { ids, hrefs } = await idsAndLinks(await (await fetch(mailcap.url + path)).text());
    seen.set(path, ids);
    for (const href of hrefs) {
      if (/^https?:/.test(href)) continue;
      const [to = '', hash = ''] = href.split('#');
      links.push({ from: path, to: to === '' ? path : to, hash });
    }
  }
  expect(links.length).toBeGreaterThan(2_000);
  const others = new Set(['/', '/openapi.json', '/_mailcap/openapi.json']);
  const broken = links.filter(
    ({ to, hash }) => !others.has(to) && (!seen.has(to) || (hash !== '' && !seen.get(to)?.has(hash))),
  );
  expect(broken).toEqual([]);
});

plain('a page shows every code block of its source, with its exact text', async () => {
  for (const { name, html } of DOCS.pages) {
    const shown = [...html.matchAll(/<pre tabindex="0"><code>([\s\S]*?)<\/code><\/pre>/g)].map(([, inner = '']) =>
      textOf(inner),
    );
    // marked writes a tab at the start of a line as four spaces.
    const written = blocksOf(readPage(`docs/${name}.md`)).map(({ text }) =>
      text.replace(/^\t+/gm, (tabs) => '    '.repeat(tabs.length)).replace(/\n$/, ''),
    );
    expect(shown, name).toEqual(written);
  }
});

plain('what a page says of itself is text, and never markup', () => {
  const evil = '<img src=x onerror="alert(1)">';
  const page = {
    name: 'evil',
    title: evil,
    group: evil,
    label: evil,
    about: evil,
    markdown: '',
    html: '',
    headings: [],
  };
  const html = guidePage({ ...DOCS, pages: [page] }, page);
  expect(html).not.toContain('<img');
  expect(html).toContain('&#60;img src=x onerror=&#34;alert(1)&#34;&#62;');
});

test('a search answers with places, as a page and as JSON; its words are text there', async ({ mailcap }) => {
  const found = (await (await fetch(`${mailcap.url}/docs/find.json?q=claimed+address`)).json()) as { href: string }[]; // the answer that the page reads
  expect(found[0]?.href).toMatch(/^\/docs\/claimed-addresses/);
  const page = await (await fetch(`${mailcap.url}/docs/find?q=claimed+address`)).text();
  for (const { href } of found) expect(page).toContain(`href="${href}"`);
  const evil = await (await fetch(`${mailcap.url}/docs/find?q=${encodeURIComponent('"><img src=x>')}`)).text();
  expect(evil).not.toContain('<img');
  expect(await (await fetch(`${mailcap.url}/docs/find.json`)).json()).toEqual([]);
  expect((await fetch(`${mailcap.url}/docs/nowhere`)).status).toBe(404);
});

plain('a server that others can reach shows the pages without its token, and tells none', async () => {
  await using server = await startServer({ host: '0.0.0.0', adminToken: 'let-me-in-please' });
  const html = await (await fetch(`${server.url}/docs`)).text();
  expect(html).toContain('Documentation');
  expect(html).not.toContain('let-me-in-please');
});

/** Returns the elements and attributes of a page that could load something or run code, but for its script. */
async function loadedBy(html: string): Promise<string[]> {
  const found: string[] = [];
  const parser = new Parser({
    onopentag: (name, attributes) => {
      if (/^(?:link|img|iframe|object|embed|base)$/.test(name)) found.push(name);
      found.push(...Object.keys(attributes).filter((attribute) => /^(?:on.*|src|srcdoc|style)$/.test(attribute)));
    },
  });
  parser.end(html);
  return found;
}

async function idsAndLinks(html: string): Promise<{ ids: Set<string>; hrefs: string[] }> {
  const ids = new Set<string>();
  const hrefs: string[] = [];
  const parser = new Parser({
    onopentag: (name, { id, href }) => {
      if (id !== undefined) ids.add(id);
      if (name === 'a' && href !== undefined) hrefs.push(href);
    },
  });
  parser.end(html);
  return { ids, hrefs };
}

function textOf(html: string): string {
  let text = '';
  const parser = new Parser({ ontext: (piece) => (text += piece) });
  parser.end(html);
  return text;
}
