import { describe, expect, test } from 'vitest';
import { safeHtml } from '../../src/extract/safe-html.ts';
import { processorMs } from '../support/processor-time.ts';

const parts = (id: string) => (id === 'logo@shop' || id === 'a b' ? `parts/${id.slice(0, 1)}` : null);
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

  test('are listed with what is loaded from them; those of links are not', () => {
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

  test('that are allowed are loaded from, for that alone', () => {
    const { html } = safeHtml(HTML, { allowed: { images: ['images.test'], media: ['films.test'] } });
    expect(html).toContain('poster="https://images.test/c"');
    expect(html).toContain('<video src="https://films.test/a"');
    expect(html).not.toMatch(/<link|srcset|base\.test/);
    const both = safeHtml(HTML, { allowed: { images: ['images.test', 'images.test:8080'], styles: ['styles.test'] } });
    expect(both.html).toContain('srcset="https://images.test/a 1x, https://images.test:8080/b 2x"');
    expect(both.html).toContain('<link rel="stylesheet" href="https://styles.test/a.css" media="all">');
  });
});

test('what it names of the mail is told', () => {
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
