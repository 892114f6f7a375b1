import type { Page } from '@playwright/test';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { byDay } from '../../support/night.ts';
import { unless } from '../../support/unless.ts';
import { violationsOn } from './axe.ts';
import { type InboxFixture, NO_BROWSER, openInbox } from './open-inbox.ts';
import { everyView, type View } from './views.ts';

/**
 * Finds what nobody can reach: it lies beyond the edges of the main part or of the sidebar, and nothing around it can be
 * scrolled there.
 */
const OUT_OF_REACH = `['main', '.sidebar', '.bottom-bar'].flatMap((name) => {
  const whole = document.querySelector(name);
  if (whole === null || whole.getBoundingClientRect().width === 0) return [];
  const scrolls = (style) => [/auto|scroll/.test(style.overflowX), /auto|scroll/.test(style.overflowY)];
  return [...whole.querySelectorAll('a, button, input, select, textarea, summary, h1, h2, p, dt, dd, th, td, .row')].flatMap((element) => {
    if (element.closest('.sr, .skip, .mailbox-lines, dialog') || element.matches('.off-screen')) return [];
    const box = element.getBoundingClientRect();
    if (box.width === 0 || box.height === 0) return [];
    let [left, top, right, bottom] = [box.left, box.top, box.right, box.bottom];
    let [isFreeX, isFreeY] = [false, false];
    for (let around = element.parentElement; around !== null; around = around.parentElement) {
      const [x, y] = scrolls(getComputedStyle(around));
      isFreeX ||= x && around.scrollWidth > around.clientWidth;
      isFreeY ||= y && around.scrollHeight > around.clientHeight;
      if (around === whole) break;
    }
    const edge = whole.getBoundingClientRect();
    const isOut = (!isFreeX && (left < edge.left - 1 || right > edge.right + 1)) || (!isFreeY && (top < edge.top - 1 || bottom > edge.bottom + 1));
    return isOut ? [element.tagName + '.' + element.className + ' ' + element.textContent.slice(0, 30)] : [];
  });
})`;

/** Focuses each control as the keyboard does, and finds those that look the same as before. */
const UNSEEN_FOCUS = `(() => {
  const look = (element) => ['', '::before', '::after'].map((part) => {
    const { outlineStyle, outlineWidth, content, backgroundColor, borderTopColor } = getComputedStyle(element, part || undefined);
    return [outlineStyle === 'none' ? '' : outlineStyle + outlineWidth, content, backgroundColor, borderTopColor].join();
  }).join();
  return [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]')].flatMap((element) => {
    if (element.disabled || !element.checkVisibility({ visibilityProperty: true }) || element.closest('iframe')) return [];
    document.activeElement?.blur();
    const before = look(element);
    element.focus({ preventScroll: true });
    // A list shows its focus at the row that it stands on.
    const row = element.matches('.rows') ? element.querySelector('.row') : null;
    const isSeen = look(element) !== before || (row !== null && element.matches(':focus-visible'));
    return isSeen ? [] : [element.tagName + '.' + element.className + ' ' + element.textContent.slice(0, 30)];
  });
})()`;

unless(describe, NO_BROWSER)('every view', { timeout: 300_000 }, () => {
  let fixture: InboxFixture;
  let views: readonly View[];
  beforeAll(async () => {
    fixture = await openInbox();
    views = await everyView(fixture);
  }, 180_000);
  afterAll(() => fixture[Symbol.asyncDispose]());

  /** Opens views one after another, a part of them by day, and returns what `look` finds in each. */
  async function foundIn(page: Page, part: number, look: () => Promise<readonly string[]>): Promise<string[]> {
    const found: string[] = [];
    for (const [name, hash, wait] of byDay(views, (_, at) => at % 3 === part)) {
      await page.goto(`${fixture.server.url}/${hash}`);
      await page.locator(wait).first().waitFor();
      found.push(...(await look()).map((one) => `${name}: ${one}`));
    }
    return found;
  }

  // A window of 1,440 by 900 pixels, and the 1,280 by 1,024 of WCAG 1.4.10.
  test.each([
    [200, 720, 450, 0],
    [400, 360, 225, 1],
    [400, 320, 256, 2],
  ])(
    'at %i % zoom, which leaves %i by %i pixels, has nothing beyond an edge and no rule of axe broken',
    async (_zoom, width, height, part) => {
      const { page, context, complaints } = await fixture.open('', { width, height });
      const found = await foundIn(page, part, async () => [
        ...((await page.evaluate<number>('document.documentElement.scrollWidth')) > width ? ['scrolls sideways'] : []),
        ...(await page.evaluate<string[]>(OUT_OF_REACH)),
        ...(await violationsOn(page)),
      ]);
      expect(found).toEqual([]);
      expect(complaints.filter((complaint) => !/ 40[04] /.test(complaint))).toEqual([]);
      await context.close();
    },
  );

  test.each([
    ['light', 0],
    ['dark', 1],
  ] as const)(
    'with forced colours in the %s shows the focus of each control, and breaks no rule of axe',
    async (colorScheme, part) => {
      const context = await fixture.browser.newContext({
        ...{ forcedColors: 'active', colorScheme, viewport: { width: 1_440, height: 900 } },
      });
      const page = await context.newPage();
      page.setDefaultTimeout(60_000);
      await page.goto(fixture.server.url);
      const found = await foundIn(page, part, async () => {
        // What is focused after a key counts as focused by the keyboard.
        await page.keyboard.press('Tab');
        return [...(await page.evaluate<string[]>(UNSEEN_FOCUS)), ...(await violationsOn(page))];
      });
      expect(found).toEqual([]);
      await context.close();
    },
  );

  test('has no motion where the reader wants none', async () => {
    const { page, context } = await fixture.open();
    await page.emulateMedia({ reducedMotion: 'reduce' });
    const moving = `document.getAnimations().filter(({ playState }) => playState === 'running').map(({ effect }) => effect.target.className)`;
    expect(await foundIn(page, 2, () => page.evaluate<string[]>(moving))).toEqual([]);
    await context.close();
  });
});
