import { describe, expect, test } from 'vitest';
import { check, documentOf, mailOf, mailOfHtml, rulesOf } from './mails.ts';

test('a mail without faults has no findings', async () => {
  expect(await rulesOf(mailOf({ 'Content-Type': 'text/plain' }, 'Hello Ada, your order has shipped.'))).toEqual([]);
  expect(await rulesOf(mailOfHtml(documentOf('<p>Hello.</p>')))).toEqual([]);
});

describe('placeholders', () => {
  test.each([
    'Hi {{name}},',
    'Hi {{{ user.name }}},',
    'Hi {% firstname %},',
    'Hi <%= name %>',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a placeholder that was left in
    'Hi ${name},',
    'Hi *|FNAME|*,',
    'Hi %recipient%,',
    'Hi %recipient.first_name%,',
    'Hi %%FirstName%%,',
    'Hi [FIRST_NAME],',
    'Hi {first_name},',
    'Hi undefined,',
    'Dear null',
    'Hello None,',
    'Total: undefined',
    'Total: $NaN',
    'Sent on Invalid Date',
    'Your order: [object Object]',
  ])('%j was not replaced', async (text) => {
    expect(await rulesOf(mailOf({}, text))).toEqual(['placeholder']);
    expect(await rulesOf(mailOf({ Subject: text }, 'Hello.'))).toEqual(['placeholder']);
    const html = text.replaceAll('<', '&lt;');
    expect(await rulesOf(mailOfHtml(documentOf(`<p>${html}</p>`)))).toEqual(['placeholder']);
  });

  test.each([
    'Hi Nan, thanks for the cake.',
    'This is undefined behaviour in C.',
    'The null hypothesis holds.',
    'It is 50% off and 20% more.',
    'None of your orders is late.',
    'Use the {id} of the order.',
    'The price is $5 {net}.',
    'A week of 100%.',
    '[Ada] wrote: see [1] and [TODO]',
  ])('%j has none', async (text) => {
    expect(await rulesOf(mailOf({}, text))).toEqual([]);
  });

  test('people may write about programs in code', async () => {
    expect(await rulesOf(mailOfHtml(documentOf('<p>Use <code>{{name}}</code>.</p>')))).toEqual([]);
  });

  test.each([
    'https://shop.example/{{path}}',
    'https://shop.example/u/undefined',
    'https://shop.example/?user=null&a=b',
    'https://shop.example/%7B%7Bpath%7D%7D',
    'undefined',
    'https://undefined/verify',
    '%unsubscribe_url%',
  ])('the link %j has one', async (href) => {
    expect(await rulesOf(mailOfHtml(documentOf(`<a href="${href}">Go</a>`)))).toEqual(['placeholder']);
  });

  test('a URL with escapes is no placeholder', async () => {
    const href = 'https://shop.example/a%20b%2Fdefault%20x?q=%E2%82%AC&next=nullable';
    expect(await rulesOf(mailOfHtml(documentOf(`<a href="${href}">Go</a>`)))).toEqual([]);
  });
});

describe('links', () => {
  test.each([
    ['', 'link-empty'],
    ['#', 'link-empty'],
    ['/verify?token=1', 'link-invalid'],
    ['www.shop.example', 'link-invalid'],
    ['http//shop.example', 'link-invalid'],
    ['https:///verify', 'link-invalid'],
    ['https://app/verify', 'link-invalid'],
    ['mailto:', 'link-invalid'],
    ['http://shop.example/', 'link-http'],
    ['http://localhost:3000/verify', '~link-localhost'],
    ['http://127.0.0.1/verify', '~link-localhost'],
    ['https://192.168.1.5/', '~link-localhost'],
    ['javascript:alert(1)', 'active-content'],
  ])('%j is %s', async (href, rule) => {
    const found = await rulesOf(mailOfHtml(documentOf(`<a href="${href}">Go</a>`)));
    expect(found.filter((one) => one !== 'link-name')).toEqual([rule]);
  });

  test.each(['https://shop.example/a?b=c#d', 'mailto:a@b.example', 'mailto:?subject=x', 'tel:+49', 'myapp://login'])(
    '%j is fine',
    async (href) => {
      expect(await rulesOf(mailOfHtml(documentOf(`<a href="${href}">Go</a>`)))).toEqual([]);
    },
  );
});

describe('accessibility', () => {
  test.each([
    ['<img src="https://a.example/x.png">', 'image-alt'],
    ['<a href="https://a.example/"></a>', 'link-name'],
    ['<a href="https://a.example/"><img src="https://a.example/x.png" alt=""></a>', 'link-name'],
    ['<p style="color:#aaa;background:#fff">Hello</p>', 'contrast'],
    ['<p style="color:#777">Hello</p>', '~contrast'],
    ['<h1>One</h1><h3>Three</h3>', '~heading-order'],
    ['<h1></h1>', '~heading-order'],
    ['<table><tr><td>x</td></tr></table>', '~table-role'],
    ['<table><tr><td>x</td></tr></table>'.repeat(4), 'table-role'],
  ])('%s is %s', async (html, rule) => {
    expect(await rulesOf(mailOfHtml(documentOf(html)))).toEqual([rule]);
  });

  test.each([
    '<img src="https://a.example/x.png" alt="">',
    '<img src="https://a.example/open.gif" width="1" height="1">',
    '<a href="https://a.example/" aria-label="Home"></a>',
    '<a href="https://a.example/"><img src="https://a.example/x.png" alt="Home"></a>',
    '<p style="color:#333">Hello</p>',
    '<p style="color:#fff;background:#000">Hello</p>',
    '<div style="background-image:url(https://a.example/b.png)"><p style="color:#fff">Hello</p></div>',
    '<div style="display:none;color:#fff">Preview</div>',
    '<div style="color:#fff">Hidden in the ground</div>',
    '<table role="presentation"><tr><td>x</td></tr></table>',
    '<table><tr><th>A</th></tr><tr><td>x</td></tr></table>',
    '<table><tr><td>x</td><td>y</td></tr></table>',
    '<h1>One</h1><h2>Two</h2><h2>Two</h2>',
  ])('%s is fine', async (html) => {
    expect(await rulesOf(mailOfHtml(documentOf(html)))).toEqual([]);
  });

  test('the contrast of text that a style sheet may colour is not checked', async () => {
    const html = documentOf(
      '<p class="dark" style="color:#aaa"><b>Hello</b></p>',
      '<style>.dark{background:#000}</style>',
    );
    expect(await rulesOf(mailOfHtml(html))).toEqual([]);
    const inner = documentOf('<p style="color:#aaa"><b>Hello</b></p>', '<style>b{color:#000}</style>');
    expect(await rulesOf(mailOfHtml(inner))).toEqual([]);
    const other = documentOf('<p style="color:#aaa"><b>Hello</b></p>', '<style>.x b.y > i{color:#000}</style>');
    expect(await rulesOf(mailOfHtml(other))).toEqual(['contrast']);
  });

  test('a document without a language is a warning, and a fragment without one is a note', async () => {
    expect(await rulesOf(mailOfHtml('<html><head><title>T</title></head><p>Hello.</p></html>'))).toEqual(['lang']);
    expect(await rulesOf(mailOfHtml('<html lang="und"><title>T</title><p>Hello.</p></html>'))).toEqual(['lang']);
    expect(await rulesOf(mailOfHtml('<p>Hello.</p>'))).toEqual(['~lang']);
    expect(await rulesOf(mailOfHtml('<html lang="en"><p>Hello.</p></html>'))).toEqual(['~title']);
  });
});

describe('hygiene', () => {
  test.each([
    [{ Date: null }, 'date-invalid'],
    [{ Date: 'yesterday' }, 'date-invalid'],
    [{ 'Message-ID': null }, 'message-id-invalid'],
    [{ 'Message-ID': 'abc' }, 'message-id-invalid'],
    [{ From: null }, 'from-missing'],
    [{ Subject: null }, 'subject-missing'],
    [{ Subject: '' }, 'subject-missing'],
    [{ 'To\r\nto: b@c.example\r\nX': 'a' }, 'header-repeated'],
  ])('%j is %s', async (header, rule) => {
    expect(await rulesOf(mailOf(header, 'Hello.'))).toContain(rule);
  });

  test.each([
    'Fri, 21 Nov 1997 09(comment): 55 : 06 -0600',
    '1 Jan 26 00:00 GMT',
    'Tue, 2 Dec 2026 09:08:07 +0100 (CET)',
  ])('the Date %s is fine', async (date) => {
    expect(await rulesOf(mailOf({ Date: date }, 'Hello.'))).toEqual([]);
  });

  test('HTML without a text part, or with a different one, is a finding', async () => {
    const words = 'your order of three warm woollen winter jackets has been shipped today from berlin';
    expect(await rulesOf(mailOfHtml(documentOf(`<p>${words}</p>`), ''))).toEqual(['text-missing']);
    expect(await rulesOf(mailOfHtml(documentOf(`<p>${words}</p>`), 'This mail needs HTML.'))).toEqual(['text-differs']);
    expect(await rulesOf(mailOfHtml(documentOf(`<p>${words}</p>`), words.toUpperCase()))).toEqual([]);
  });

  test('long lines and undeclared bytes have their place in the raw message', async () => {
    const raw = Buffer.concat([
      mailOf({}, 'Hello.'),
      Buffer.from(`${'x'.repeat(999)}\r\nCaf`),
      Buffer.from([0xc3, 0xa9, 13, 10]),
    ]);
    const { findings } = await check(raw);
    expect(findings.map(({ rule, place }) => [rule, place?.part, place?.line])).toEqual([
      ['line-length', 'source', 9],
      ['eight-bit', 'source', 10],
    ]);
    expect(raw.toString('latin1', findings[1]?.place?.start, findings[1]?.place?.end)).toBe('Ã©');
    for (const encoding of ['8bit', '8bit (as it is)', '8bit (as (it) is)', '(in full) 8BIT'])
      expect(
        await rulesOf(
          mailOf({ 'Content-Transfer-Encoding': encoding, 'Content-Type': 'text/plain; charset=utf-8' }, 'Café'),
        ),
      ).toEqual([]);
  });

  test('Gmail clips after 102,400 bytes, and the finding has that place', async () => {
    const { findings } = await check(mailOfHtml(documentOf(`<p>${'äbc '.repeat(20_480)}</p>`)));
    const [clip] = findings.filter(({ rule }) => rule === 'gmail-clip');
    expect(clip).toMatchObject({ severity: 'warning', place: { part: 'html', line: 1 } });
  });
});

test('a preview that says “view in browser” is a note', async () => {
  expect(await rulesOf(mailOfHtml(documentOf('<p>View this email in your browser</p><p>Hello.</p>')))).toEqual([
    '~preheader',
  ]);
});
