import { describe, expect, test } from 'vitest';
import { noted } from '../../src/extract/mail-page.ts';
import { whatIsLeftOut } from '../../src/extract/page-weight.ts';
import { safeHtml } from '../../src/extract/safe-html.ts';
import { processorMs } from '../support/processor-time.ts';

const parts = (id: string) => (id === 'logo@shop' || id === 'a b' ? `parts/${id.slice(0, 1)}` : undefined);
const rewritten = (html: string) => safeHtml(html, { partUrl: parts }).html;

test.each([
  [
    '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0//EN"><p>x</p>',
    '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0//EN"><p>x</p>',
  ],
  ['<p CLASS="md:flex">5 &lt; 6 &amp; 7</P>', '<p class="md:flex">5 &#60; 6 &#38; 7</p>'],
  ['<img src="cid:logo@shop"><img src=cid:a%20b alt=x>', '<img src="parts/l"><img src="parts/a" alt="x">'],
  ['<img src="CID:%6cogo@shop" width=5>', '<img src="parts/l" width="5">'],
  ['<img src="cid:nowhere@shop" alt="Logo">', '<img alt="Logo">'],
  ['<img src="data:image/gif;base64,AA==">', '<img src="data:image/gif;base64,AA==">'],
  ['<img src="/logo.png">', '<img>'],
  ['<td background="cid:logo@shop" bgcolor="#fff">', '<td background="parts/l" bgcolor="#fff">'],
  ['<td style="background:url(&quot;cid:logo@shop&quot;)">', '<td style="background:url(&#34;parts/l&#34;)">'],
  ['<style><!--\na{color:red}\n--></style>', '<style>\na{color:red}\n</style>'],
  [
    '<style>@media (width <= 9px) { b:before { content: "<b>" } }</style>',
    '<style>@media (width <= 9px) { b:before { content: "\\3c b>" } }</style>',
  ],
  ['<style>a{}', '<style>a{}</style>'],
  ['<script>alert(1)</script>a<iframe src=x><b></iframe>b', 'ab'],
  ['<title>x</title><object data=x>seen</object>', 'seen'],
  ['<!--[if mso]><p>Outlook</p><![endif]--><![if !mso]><p>others</p><![endif]>', '<p>others</p>'],
  ['<!--><link rel=preconnect href=//x.test>-->', '--&#62;'],
  ['<b onclick=x() OnError=y>x</b>', '<b>x</b>'],
  ['<form action="https://x.test"><button formaction=//x.test>go', '<form><button>go'],
  ['<meta http-equiv=refresh content="0;url=//x.test"><meta name=referrer content=unsafe-url>', ''],
  ['<meta name="viewport" content="width=device-width">', '<meta name="viewport" content="width=device-width">'],
  ['<img referrerpolicy=unsafe-url attributionsrc="//x.test" fetchpriority=high>', '<img fetchpriority="high">'],
  ['<plaintext><b>', '<pre>&#60;b&#62;'],
  [
    '<svg><rect fill="url(#g)"/><use xlink:href="#a"/></svg>',
    '<svg><rect fill="url(#g)"/><use xlink:href="#a"/></svg>',
  ],
  ['<svg><rect fill="url(https://x.test/a)"/></svg>', '<svg><rect/></svg>'],
  ['<x"y>z', 'z'],
  ['', ''],
])('%j is shown as %j', (html, shown) => {
  expect(rewritten(html)).toBe(shown);
});

const OPENS = ' target="_blank" rel="noopener noreferrer"';

test.each([
  [
    '<a href="https://shop.test/?a=1&amp;b=2" target=_top ping=//x.test>',
    `<a href="https://shop.test/?a=1&#38;b=2"${OPENS}>`,
  ],
  ['<a href="mailto:a@x.test">', `<a href="mailto:a@x.test"${OPENS}>`],
  ['<a href="#top">', `<a href="#top"${OPENS}>`],
  ['<a href="javascript:alert(1)">', `<a${OPENS}>`],
  ['<a href="java&#10;script:alert(1)">', `<a${OPENS}>`],
  ['<a href="data:text/html,x">', `<a${OPENS}>`],
  ['<a href="/account">', `<a${OPENS}>`],
  ['<base href="https://shop.test/x/"><a href="y">', `<a href="https://shop.test/x/y"${OPENS}>`],
])('the link %s is %s', (html, shown) => {
  expect(rewritten(html)).toBe(shown);
});

describe('hosts', () => {
  const HTML = `<base href="https://base.test">
    <link rel=stylesheet href=https://styles.test/a.css><link rel=preconnect href=https://none.test>
    <style>@import "//imports.test/a"; @font-face { src: url(https://fonts.test/f) } p { background: url('https://images.test/a') }</style>
    <img src=rel.png srcset="https://IMAGES.test/a 1x, https://images.test:8080/b 2x"><video src=https://films.test/a poster=https://images.test/c></video>
    <p style="background:url(data:image/png;base64,AA//BB); list-style: url(//images.test/d)"><a href="https://links.test">x</a>`;

  test('are listed with what the mail would load from them, without the hosts of links', () => {
    expect(safeHtml(HTML).remote).toEqual([
      { host: 'styles.test', kinds: ['styles'] },
      { host: 'imports.test', kinds: ['styles'] },
      { host: 'fonts.test', kinds: ['fonts'] },
      { host: 'images.test', kinds: ['images'] },
      { host: 'base.test', kinds: ['images'] },
      { host: 'images.test:8080', kinds: ['images'] },
      { host: 'films.test', kinds: ['media'] },
    ]);
  });

  test('that are allowed are loaded from, for the allowed kind only', () => {
    const { html } = safeHtml(HTML, { allowed: { images: ['images.test'], media: ['films.test'] } });
    expect(html).toContain('poster="https://images.test/c"');
    expect(html).toContain('<video src="https://films.test/a"');
    expect(html).not.toMatch(/<link|srcset|base\.test/);
    const both = safeHtml(HTML, { allowed: { images: ['images.test', 'images.test:8080'], styles: ['styles.test'] } });
    expect(both.html).toContain('srcset="https://images.test/a 1x, https://images.test:8080/b 2x"');
    expect(both.html).toContain('<link rel="stylesheet" href="https://styles.test/a.css" media="all">');
  });
});

test('the Content-IDs that the HTML refers to are listed', () => {
  const html = '<img src=cid:a%40b><td style="background:url(cid:c)"><style>p{background:url(cid:d)}</style>';
  expect([...safeHtml(html).named]).toEqual(['a@b', 'c', 'd']);
});

test.each([
  ['tags that never end', '<a '.repeat(300_000)],
  ['attributes', `<a ${'b=c '.repeat(300_000)}>`],
  ['elements', '<div>'.repeat(300_000)],
  ['a style of slashes', `<style>${'//'.repeat(500_000)}</style>`],
  ['a style of imports', `<style>${'@import "'.repeat(100_000)}</style>`],
  ['quotes', `<style>${'(        '.repeat(100_000)}</style>`],
  ['spaces', `<p fill="${' '.repeat(1_000_000)}">`],
  ['a set of commas', `<img srcset="${', '.repeat(300_000)}">`],
  ['hosts', Array.from({ length: 50_000 }, (_, at) => `<img src=//h${at}.test>`).join('')],
])('a megabyte of %s takes no longer than any other', (_what, html) => {
  const start = processorMs();
  safeHtml(html);
  expect(processorMs() - start).toBeLessThan(4_000);
});

describe('a page within its limits', () => {
  const complete = { pictures: 0, attributes: 0, end: false };
  const pictures: Readonly<Record<string, string>> = { a: 'a'.repeat(40), b: 'b'.repeat(40), c: 'c'.repeat(40) };
  const bounded = (html: string) =>
    safeHtml(html, { partUrl: (id) => pictures[id] ?? null, bounds: { html: 100, pictures: 100 } });

  test.each([
    ['each picture once', '<img src=cid:a><img src=cid:b>', 80, complete],
    ['no more pictures than fit', '<img src=cid:a><img src=cid:b><img src=cid:c>', 80, { ...complete, pictures: 1 }],
    [
      'a picture again in half of the room',
      '<img src=cid:a><img src=cid:a><img src=cid:b>',
      80,
      { ...complete, pictures: 1 },
    ],
    [
      'a picture of a style',
      '<p style="background:url(cid:a)"><p style="background:url(cid:a)">',
      40,
      { ...complete, pictures: 1 },
    ],
    ['no picture that is too large', '<img src=cid:large>', 0, { ...complete, pictures: 1 }],
    ['HTML up to its bound', `<b>${'x'.repeat(94)}</b>`, 0, { ...complete, end: true }],
    ['a whole style sheet or none', `<style>${'a{}'.repeat(40)}</style>`, 0, { ...complete, end: true }],
  ])('has %s', (_what, html, used, leftOut) => {
    const page = bounded(html);
    expect(page.leftOut).toEqual(leftOut);
    expect(page.html.match(/([abc])\1{39}/g)?.join('') ?? '').toHaveLength(used);
    expect(page.html.length - used).toBeLessThanOrEqual(100);
  });

  test('keeps a thousand attributes of an element, and text in many pieces', () => {
    const html = `<p ${Array.from({ length: 1_002 }, (_, at) => `a${at}=1`).join(' ')}>`;
    expect(safeHtml(html).leftOut).toEqual({ ...complete, attributes: 2 });
    const text = `${'< '.repeat(50_000)}<!-- x -->a&amp;b${'é'.repeat(70_000)}`;
    const shown = `${'&#60; '.repeat(50_000)}a&#38;b${'é'.repeat(70_000)}`;
    expect(safeHtml(text).html).toBe(shown);
  });
});

test.each([
  [{ pictures: 0, attributes: 0, end: false }, null],
  [{ pictures: 1, attributes: 0, end: false }, /left out its pictures in 1 place\./],
  [{ pictures: 0, attributes: 2_000, end: true }, /left out 2,000 attributes and the end of the mail\./],
  [
    { pictures: 2, attributes: 1, end: true },
    /left out its pictures in 2 places, 1 attribute and the end of the mail\./,
  ],
])('the page names what is left out: %j', (leftOut, says) => {
  if (says === null) expect(whatIsLeftOut(leftOut)).toBeNull();
  else expect(whatIsLeftOut(leftOut)).toMatch(says);
});

test('the note about what is left out stands behind the doctype, which decides how a browser draws the page', () => {
  expect(noted('<!doctype html><p>x', 'a < b')).toMatch(
    /^<!doctype html><div role="note" style="[^"<>]*">a &#60; b<\/div><p>x$/,
  );
  expect(noted('<p>x', null)).toBe('<p>x');
});
