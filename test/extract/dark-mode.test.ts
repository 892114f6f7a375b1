import { describe, expect, test } from 'vitest';
import type { Color } from '../../src/extract/color.ts';
import { DARK_MODES, type DarkMode, darkColor, darkGround, darkSheet, darkStyle } from '../../src/extract/dark-mode.ts';
import { mailPage } from '../../src/extract/mail-page.ts';
import { processorMs } from '../support/processor-time.ts';

const WHITE: Color = [255, 255, 255];
const BLACK: Color = [0, 0, 0];

describe('the simulated dark modes', () => {
  // The ground of Outlook is published as #333, and Gmail lets black and white change places.
  test.each([
    ['outlook', '#333333'],
    ['outlook-windows', '#333333'],
    ['gmail-android', '#000000'],
    ['gmail-ios', '#000000'],
  ] as const)('in %s a white ground becomes %s, and black text white', (mode, ground) => {
    expect(darkStyle('background:#fff;color:#000', mode)).toBe(`background:${ground};color:#ffffff`);
    expect(darkGround(mode)).toContain(`background:${ground};color:#ffffff`);
  });

  test.each(DARK_MODES)('%s leaves a dark mail as it is only if it changes colours in part', (mode) => {
    const isFull = mode === 'outlook-windows' || mode === 'gmail-ios';
    expect(darkColor(BLACK, 'ground', mode)).toEqual(isFull ? WHITE : BLACK);
    const text = darkColor(WHITE, 'text', mode);
    if (isFull) expect(text[0]).toBeLessThan(60);
    else expect(text).toEqual(WHITE);
  });

  test('a colour keeps its hue: a light blue ground becomes a dark blue one', () => {
    const [red, green, blue] = darkColor([190, 215, 255], 'ground', 'outlook');
    expect(blue).toBeGreaterThan(red);
    expect(blue).toBeGreaterThan(green);
    expect(blue).toBeLessThan(150);
  });

  const keeps: readonly (readonly [string, DarkMode])[] = [
    ['border-color:#fff;outline:1px solid white', 'gmail-ios'],
    ['background:url(white.png)', 'gmail-ios'],
    ['background:transparent;color:inherit', 'outlook'],
    ['x-color:#fff', 'outlook'],
  ];
  test.each(keeps)('%s is kept', (style, mode) => {
    expect(darkStyle(style, mode)).toBe(style);
  });

  test('what a sender wrote for the dark is kept, and what follows it is changed', () => {
    const own = '@media (prefers-color-scheme: dark) { .a { background: #fff } .b { color: #000 } }';
    const marked = '[data-ogsb] .a { background: #eee !important }';
    const sheet = `${own}${marked}.c{background:#fff !important}@media print{.d{color:black}}`;
    expect(darkSheet(sheet, 'outlook')).toBe(
      `${own}${marked}.c{background:#333333 !important}@media print{.d{color:#ffffff}}`,
    );
  });

  test('elements that were changed carry the marks of Outlook, and attributes are colours too', () => {
    const html =
      '<!doctype html><body text="#000000"><td bgcolor="ffffff">a</td><font color="black">b</font><p class="bgcolor">c</p>';
    const { html: page } = mailPage(
      { html, text: null },
      { allowed: {}, pictures: new Map(), look: { dark: 'outlook' } },
    );
    expect(page).toBe(
      `<!doctype html><style>${darkGround('outlook')}</style><body text="#ffffff" data-ogsc="" data-ogsb=""><td bgcolor="#333333" data-ogsc="" data-ogsb="">a</td><font color="#ffffff" data-ogsc="" data-ogsb="">b</font><p class="bgcolor">c</p>`,
    );
  });

  test('a long style sheet without an end takes linear time', () => {
    for (const piece of ['color:', 'background:url(', '@media{', 'color:rgb(1,']) {
      const started = processorMs();
      darkSheet(piece.repeat(100_000), 'outlook');
      expect(processorMs() - started).toBeLessThan(4_000);
    }
  });
});

test('an inert page has its styles as data, so that a page without styles of its own can read it', () => {
  const html = '<style media="all">a{color:red}</style><p style="color:red" title=\' style="x" \'>a</p>';
  const { html: page } = mailPage({ html, text: null }, { allowed: {}, pictures: new Map(), look: { isInert: true } });
  expect(page).toBe(
    '<noframes data-style="" media="all">a{color:red}</noframes><p data-style="color:red" title=" style=&#34;x&#34; ">a</p>',
  );
});
