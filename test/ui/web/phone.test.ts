import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CAN_RUN, type Desk, openDesk } from './desk.ts';
import { fillWithEverything } from './one-of-everything.ts';

/** Buttons, fields and links of their own that are smaller than a thumb. Links within a text may be as small as it is. */
const SMALL = `[...document.querySelectorAll('button, a[href], input, select, textarea, summary')].flatMap((element) => {
  const { width, height } = (element.closest('label') ?? element).getBoundingClientRect();
  const counts = width > 0 && !element.matches('.skip, .fold') && getComputedStyle(element).display !== 'inline';
  return counts && height < 43.5 ? [element.tagName + ' ' + element.textContent + ' ' + height] : [];
})`;

describe.runIf(CAN_RUN)('on a phone, by thumb', { timeout: 180_000 }, () => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk();
  }, 180_000);
  afterAll(() => desk[Symbol.asyncDispose]());

  test('every view fits the screen, and each target is 44 px high', async () => {
    const { server } = desk;
    const { message, request } = await fillWithEverything(desk);
    const context = await desk.browser.newContext({
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      isMobile: true,
    });
    const page = await context.newPage();
    const wrong: string[] = [];
    for (const [hash, wait] of [
      ['', '.row'],
      ...['text', 'headers', 'parts', 'source', 'delivery', 'checks'].map((tab) => [`${message}/${tab}`, '.view > *']),
      ['#/webhooks', '.cards'],
      [`${request}/body`, '.view > *'],
      ['#/timeline', '.timeline'],
      ['#/waiting', '.page .empty'],
      [`#/why/${server.mailboxId}`, '.diagnosis'],
      ['#/outbound/compose', '.form'],
      ['#/outbound/suppression', '.form'],
      ['#/authenticators', '.page'],
      ...['use', 'faults', 'clock', 'keys', 'workspaces', 'server'].map((tool) => [
        `#/tools/${tool}`,
        '[role=tabpanel] > *',
      ]),
    ] as const) {
      await page.goto(`${server.url}/${hash}`);
      await page
        .locator(wait ?? '')
        .first()
        .waitFor();
      const width = await page.evaluate<number>('document.documentElement.scrollWidth');
      if (width > 390) wrong.push(`${hash} is ${width} px wide`);
      for (const small of await page.evaluate<string[]>(SMALL)) wrong.push(`${hash}: ${small}`);
    }
    expect(wrong).toEqual([]);
    // Several are chosen by their boxes, as there is no key to hold.
    await page.goto(`${server.url}/`);
    await page.locator('.row .check').first().tap();
    await page.getByText('1 chosen').waitFor();
    await context.close();
  });

  test('a clipboard that refuses is told as such, and nothing is said to be copied', async () => {
    await desk.mail({ subject: 'Your code', text: 'Your code is 481516.' });
    const { page, context } = await desk.open();
    await context.clearPermissions();
    await page.evaluate(`{
      navigator.clipboard.writeText = () => Promise.reject(new DOMException('no', 'NotAllowedError'));
      document.execCommand = () => false;
    }`);
    await page
      .getByRole('option', { name: /Your code/ })
      .first()
      .click();
    await page.getByRole('button', { name: 'Copy code' }).click();
    await page.getByText('Could not copy').waitFor();
    expect(await page.getByText(/^Copied/i).count()).toBe(0);
    await context.close();
  });
});
