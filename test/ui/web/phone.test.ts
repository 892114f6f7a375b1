import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { unless } from '../../support/unless.ts';
import { fillWithEverything } from './one-of-everything.ts';
import { type InboxFixture, NO_BROWSER, openInbox } from './open-inbox.ts';

/** Buttons, fields and links of their own that are smaller than a thumb. Links within a text may be as small as it is. */
const SMALL = `[...document.querySelectorAll('button, a[href], input, select, textarea, summary')].flatMap((element) => {
  const { width, height } = (element.closest('label') ?? element).getBoundingClientRect();
  const counts = width > 0 && !element.matches('.skip, .fold') && getComputedStyle(element).display !== 'inline';
  return counts && height < 43.5 ? [element.tagName + ' ' + element.textContent + ' ' + height] : [];
})`;

/** The pixels between the first word of a button and its text. */
const GAP = `(button) => {
  const text = [...button.childNodes].find((node) => node.nodeType === 3 && node.textContent.trim() !== '');
  const range = document.createRange();
  range.setStart(text, text.textContent.search(/\\S/));
  range.setEnd(text, text.textContent.trimEnd().length);
  return range.getBoundingClientRect().left - button.firstElementChild.getBoundingClientRect().right;
}`;

/** Texts of one list item that lie over one another. */
const OVERLAPS = `[...document.querySelectorAll('main li')].flatMap((item) => {
  const texts = document.createTreeWalker(item, NodeFilter.SHOW_TEXT);
  const places = [];
  while (texts.nextNode()) {
    const node = texts.currentNode;
    if (node.parentElement.closest('.sr') || node.textContent.trim() === '') continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const box = node.parentElement.getBoundingClientRect();
    for (const { left, right, top, bottom } of range.getClientRects())
      places.push({ node, text: node.textContent, left: Math.max(left, box.left), right: Math.min(right, box.right), top, bottom });
  }
  return places.flatMap((one, at) =>
    places.slice(at + 1)
      .filter((other) => other.node !== one.node && Math.min(one.right, other.right) - Math.max(one.left, other.left) > 1
        && Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 6)
      .map((other) => one.text + ' over ' + other.text));
})`;

unless(describe, NO_BROWSER)('on a phone, by thumb', { timeout: 180_000 }, () => {
  let fixture: InboxFixture;
  beforeAll(async () => {
    fixture = await openInbox();
  }, 180_000);
  afterAll(() => fixture[Symbol.asyncDispose]());

  test('every view fits the screen, and each target is 44 px high', async () => {
    const { server } = fixture;
    const { message, attached, request } = await fillWithEverything(fixture);
    const context = await fixture.browser.newContext({
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      isMobile: true,
    });
    const page = await context.newPage();
    const wrong: string[] = [];
    // The name of a mailbox of a test takes what it may.
    const name = 'resets a password with a link np8vxsizhs5c and more';
    await server.api(`/_mailcap/workspaces/${server.workspaceId}/mailboxes`, { json: { name, subdomain: 'resets' } });
    await fixture.mail({ to: 'x@resets.mailcap.example.com' });
    for (const [hash, wait] of [
      ['', '.row'],
      ...['text', 'headers', 'parts', 'source', 'attachments', 'delivery', 'checks'].map((tab) => [
        `${message}/${tab}`,
        '.view > *',
      ]),
      [attached, '.way-back .actions'],
      [attached.replace('/text?', '/attachments?'), '.attachments'],
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
      for (const over of await page.evaluate<string[]>(OVERLAPS)) wrong.push(`${hash}: ${over}`);
    }
    expect(wrong).toEqual([]);
    // Words that stand in one line do not touch.
    await page.goto(`${server.url}/${message}/parts`);
    const tree = page.locator('.tree button').first();
    await tree.waitFor();
    expect(await page.evaluate<number>(`(${GAP})(document.querySelector('.tree button'))`)).toBeGreaterThan(2);
    // An address has the whole line.
    await server.api(`/_mailcap/workspaces/${server.workspaceId}/suppression`, {
      json: { recipient: 'somebody.with.a.long.address@example.com', reason: 'bounce' },
    });
    await page.goto(`${server.url}/#/outbound/suppression`);
    const cell = page.getByRole('rowheader');
    expect((await cell.boundingBox())?.width).toBeGreaterThan(300);
    expect((await cell.boundingBox())?.height).toBeLessThan(30);
    // A moment is not broken into syllables.
    for (const hash of ['#/outbound/suppression', '#/tools/keys']) {
      await page.goto(`${server.url}/${hash}`);
      const moment = page.locator('.stacked .faint').first();
      await moment.waitFor();
      expect([hash, ((await moment.boundingBox())?.height ?? 100) < 30]).toEqual([hash, true]);
    }
    // Several are chosen by their boxes, as there is no key to hold.
    await page.goto(`${server.url}/`);
    await page.locator('.row .check').first().tap();
    await page.getByText('1 selected').waitFor();
    await context.close();
  });

  test('what the bar has no room for is one tap away, and the names are those of the sidebar', async () => {
    const { page, context } = await fixture.open('', { width: 390, height: 844 });
    const bar = page.getByRole('navigation', { name: 'Pages' });
    await bar.waitFor();
    expect(await bar.locator('span').allTextContents()).toEqual([
      'Mail',
      'Webhooks',
      'Timeline',
      'Waiting tests',
      'More',
    ]);
    await bar.getByRole('button', { name: 'More' }).click();
    const more = page.getByRole('dialog', { name: 'More' });
    await more.getByText('Live').waitFor();
    await more.getByRole('button', { name: 'Colours: as the system' }).click();
    await more.getByRole('button', { name: 'Colours: light' }).waitFor();
    await more.getByRole('button', { name: 'Keys' }).click();
    await page.getByRole('dialog', { name: 'Keys' }).getByText('copy the code').waitFor();
    await page.keyboard.press('Escape');
    await bar.getByRole('button', { name: 'More' }).click();
    await more.getByRole('button', { name: 'Find a place, a mail or an action' }).click();
    await page.getByRole('combobox').fill('clock');
    await page.keyboard.press('Enter');
    await page.getByText('real time').first().waitFor();
    await bar.getByRole('button', { name: 'More' }).click();
    await more.getByRole('link', { name: 'Authenticators' }).click();
    await page.getByRole('heading', { name: 'Authenticators' }).waitFor();
    await expect.poll(() => more.count()).toBe(0);
    await context.close();
  });

  test('at 400 % zoom the bar is low, its links have names, and it covers nothing', async () => {
    const { page, context } = await fixture.open('#/tools/faults', { width: 320, height: 256 });
    const bar = page.getByRole('navigation', { name: 'Pages' });
    await bar.getByRole('link', { name: 'Waiting tests' }).waitFor();
    const [top, main] = [await bar.boundingBox(), await page.locator('main').boundingBox()];
    expect(top?.height).toBeLessThan(48);
    expect((main?.y ?? 0) + (main?.height ?? 0)).toBeLessThanOrEqual(top?.y ?? 0);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);
    await context.close();
  });

  test('the menu of a message changes the width of its HTML, for which a phone has no key', async () => {
    await fixture.mail({ subject: 'Wide', html: '<p>Hello</p>' });
    const { page, context } = await fixture.open('', { width: 390, height: 844 });
    await page.getByRole('option', { name: /Wide/ }).click();
    const frame = page.locator('iframe');
    await frame.waitFor();
    const before = await frame.getAttribute('style');
    await page.getByLabel('More actions on the message').click();
    await page.getByRole('button', { name: /Next width/ }).click();
    await expect.poll(() => frame.getAttribute('style')).not.toBe(before);
    await context.close();
  });

  test('a refusal of the clipboard is shown, and nothing claims to be copied', async () => {
    await fixture.mail({ subject: 'Your code', text: 'Your code is 481516.' });
    const { page, context } = await fixture.open();
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
