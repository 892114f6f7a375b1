import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { byDay } from '../../support/night.ts';
import { unless } from '../../support/unless.ts';
import { violationsOn } from './axe.ts';
import { type InboxFixture, NO_BROWSER, openInbox } from './open-inbox.ts';
import { everyView, type View } from './views.ts';

/** Targets of their own that are lower or narrower than 24 px (WCAG 2.5.8). Links within a text may be. */
const SMALL = `[...document.querySelectorAll('button, a[href], select, summary')].flatMap((element) => {
  const { width, height } = element.getBoundingClientRect();
  const counts = width > 0 && !element.matches('.skip, .fold') && getComputedStyle(element).display !== 'inline';
  return counts && Math.min(width, height) < 24 && !element.closest('p, .empty, header > a, td, .url') ? [element.className + ' ' + element.textContent] : [];
})`;
/** Fields and boxes whose edge has less than 3:1 against the ground beneath (WCAG 1.4.11). */
const FAINT_EDGES = `[...document.querySelectorAll('input, select, textarea, .check')].flatMap((element) => {
  const rgb = (color) => color.match(/[\\d.]+/g).map(Number);
  const light = (color) => {
    const [r, g, b] = rgb(color).map((part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
  };
  const { borderTopColor, borderTopWidth } = getComputedStyle(element);
  if (borderTopWidth === '0px' || rgb(borderTopColor)[3] === 0 || element.matches('[type=checkbox], [type=radio]')) return [];
  let ground = element.parentElement;
  while (ground.parentElement !== null && rgb(getComputedStyle(ground).backgroundColor)[3] === 0) ground = ground.parentElement;
  const [low, high] = [light(borderTopColor), light(getComputedStyle(ground).backgroundColor)].sort((a, b) => a - b);
  return high / low < 3 ? [element.className + element.id + ' ' + (high / low).toFixed(2)] : [];
})`;
/**
 * Words of a name that stand apart on the screen and that a screen reader reads as one, because no space is between them.
 */
const GLUED = `[...document.querySelectorAll('[role=option], [role=tab], button, a[href], summary')].flatMap((element) => {
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const nodes = [];
  while (texts.nextNode()) if (texts.currentNode.textContent !== '') nodes.push(texts.currentNode);
  const place = (node) => {
    const range = document.createRange();
    range.selectNodeContents(node);
    return [...range.getClientRects()];
  };
  const isInline = ({ parentElement: inner }) => {
    for (let one = inner; one !== element; one = one.parentElement)
      if (!getComputedStyle(one).display.startsWith('inline')) return false;
    return true;
  };
  return nodes.slice(1).flatMap((node, at) => {
    const before = nodes[at];
    const [end, begin] = [place(before).at(-1), place(node)[0]];
    const apart = end && begin && (begin.left - end.right > 3 || begin.top - end.top > 12);
    const glued = apart && !/\\s$/.test(before.textContent) && !/^\\s/.test(node.textContent);
    return glued && isInline(before) && isInline(node) ? [before.textContent + '|' + node.textContent] : [];
  });
})`;

unless(describe, NO_BROWSER)('every view without a violation of WCAG', { timeout: 300_000 }, () => {
  let fixture: InboxFixture;
  let views: readonly View[];
  /** A message with HTML. */
  let message: string;
  beforeAll(async () => {
    fixture = await openInbox();
    views = await everyView(fixture);
    message = views.find(([name]) => name === 'message html')?.[1] ?? '';
  }, 180_000);
  afterAll(() => fixture[Symbol.asyncDispose]());
  /** By day each view is looked at in one scheme, and the first in both. */
  const viewsIn = (scheme: 'light' | 'dark') =>
    byDay(views, (_, at) => at === 0 || (at % 2 === 0) === (scheme === 'light'));

  test.each(['light', 'dark'] as const)('in the %s', async (scheme) => {
    const { page } = await fixture.open('', { scheme });
    const found: string[] = [];
    for (const [name, hash, wait] of viewsIn(scheme)) {
      await page.goto(`${fixture.server.url}/${hash}`);
      await page.locator(wait).first().waitFor();
      for (const violation of await violationsOn(page)) found.push(`${name}: ${violation}`);
      for (const words of await page.evaluate<string[]>(GLUED)) found.push(`${name}: ${words} are read as one word`);
    }
    expect(found).toEqual([]);
  });

  test.each(['light', 'dark'] as const)('targets are 24 px and fields have visible edges in the %s', async (scheme) => {
    const { page } = await fixture.open('', { scheme, width: 820 });
    const wrong: string[] = [];
    for (const [name, hash, wait] of viewsIn(scheme).filter(([, at]) => !at.includes('/delivery'))) {
      await page.goto(`${fixture.server.url}/${hash}`);
      await page.locator(wait).first().waitFor();
      for (const look of [SMALL, FAINT_EDGES])
        wrong.push(...(await page.evaluate<string[]>(look)).map((one) => `${name}: ${one}`));
    }
    expect(wrong).toEqual([]);
  });

  test('with forced colours the open row, the tab, the unread and the connection are told by edges and dots', async () => {
    const context = await fixture.browser.newContext({
      forcedColors: 'active',
      viewport: { width: 1_440, height: 900 },
    });
    const page = await context.newPage();
    await page.goto(`${fixture.server.url}/${message}`);
    await page.locator('.row.open').waitFor();
    await page.locator('.tabs [aria-selected=true]').waitFor();
    const seen = await page.evaluate<Record<string, string>>(`(() => {
      const of = (selector, pseudo) => getComputedStyle(document.querySelector(selector), pseudo);
      return {
        row: of('.row.open').outlineStyle,
        mailbox: of('.mailbox[aria-current]').outlineStyle,
        tab: of('.tabs [aria-selected=true]', '::after').backgroundColor,
        live: of('.connection i').backgroundColor,
        ground: of('body').backgroundColor,
      };
    })()`);
    expect([seen['row'], seen['mailbox']]).toEqual(['solid', 'solid']);
    expect(seen['tab']).not.toBe(seen['ground']);
    expect(seen['live']).not.toBe(seen['ground']);
    await fixture.mail({ subject: 'Unread' });
    await page.goto(`${fixture.server.url}/`);
    await page.locator('.row.unread').first().waitFor();
    const dot = "getComputedStyle(document.querySelector('.row.unread'), '::before').backgroundColor";
    expect(await page.evaluate(dot)).not.toBe(seen['ground']);
    await context.close();
  });

  test('the table of sends breaks replies before it breaks addresses', async () => {
    const { server } = fixture;
    const address = 'a.very.long.local.part@inbox.mailcap.example.com';
    await server.api(`/v1/mailboxes/${server.mailboxId}/send`, {
      json: { from: 'app@mailcap.example.com', to: address, subject: 'Hello', textBody: 'Hello' },
    });
    const { page } = await fixture.open('', { width: 820 });
    await page.goto(`${server.url}/#/outbound`);
    const cell = page.getByRole('rowheader', { name: address });
    await page.getByText('250 2.0.0').waitFor();
    const lineHeight = 'parseFloat(getComputedStyle(document.querySelector(".stacked th")).lineHeight)';
    expect((await cell.boundingBox())?.width).toBeGreaterThan(250);
    expect(
      await page.evaluate<number>(`(() => {
      const range = document.createRange();
      range.selectNodeContents(document.querySelector('.stacked th'));
      return range.getBoundingClientRect().height / ${lineHeight};
    })()`),
    ).toBeLessThan(1.5);
  });

  test('a mail that is wider than its pane starts at its left edge and can be scrolled', async () => {
    const { page } = await fixture.open('', { width: 820 });
    await page.goto(`${fixture.server.url}/${message}`);
    await page.getByRole('button', { name: 'tablet' }).click();
    const [ground, frame] = [page.locator('.frame-ground'), page.locator('.frame-ground iframe')];
    await expect.poll(async () => (await frame.boundingBox())?.width).toBeGreaterThan(700);
    expect((await frame.boundingBox())?.x).toBe((await ground.boundingBox())?.x);
  });

  test('dialogs have no violation either, and a field without a name is found', async () => {
    const { page } = await fixture.open();
    await page.locator('.row').first().waitFor();
    const found: string[] = [];
    for (const key of ['?', 'Control+k', 'm']) {
      await page.keyboard.press(key);
      await page.getByRole('dialog').waitFor();
      for (const violation of await violationsOn(page)) found.push(`${key}: ${violation}`);
      await page.keyboard.press('Escape');
      await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    }
    expect(found).toEqual([]);
    await page.evaluate("document.querySelector('main').append(document.createElement('input'))");
    expect(await violationsOn(page)).toEqual(['label at #main > input']);
  });
});
