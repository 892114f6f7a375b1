import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { unless } from '../../support/unless.ts';
import { type InboxFixture, NO_BROWSER, openInbox } from './open-inbox.ts';

const STYLES = 'ui/web/styles';

test('no duration and no curve is written in the styles but those of the scale', () => {
  const written = readdirSync(STYLES).flatMap((name) =>
    readFileSync(join(STYLES, name), 'utf8')
      .split('\n')
      .filter((line) =>
        /(?<![\w#.-])\d*\.?\d+m?s\b|cubic-bezier|\bease\b|ease-(?:in|out)\b|\blinear\b(?!-gradient)/.test(line),
      )
      .filter((line) => !/^\s*--(?:motion-[sml]|ease-out): /.test(line))
      .filter((line) => !/^\s*animation: \w+ var\(--motion-[sml]\) var\(--ease-out\);$/.test(line))
      .map((line) => `${name}: ${line.trim()}`),
  );
  expect(written).toEqual([]);
});

unless(describe, NO_BROWSER)('motion and paper', { timeout: 180_000 }, () => {
  let fixture: InboxFixture;
  beforeAll(async () => {
    fixture = await openInbox();
    await fixture.mail({
      subject: 'To be printed',
      text: `First line\n\n${'A line of the body.\n'.repeat(150)}\nYour code is 481516. https://app.test/verify?t=1\nLast line`,
      attachments: [{ filename: 'terms.txt', content: 'Attached' }],
    });
  }, 180_000);
  afterAll(() => fixture[Symbol.asyncDispose]());

  test.each(['no-preference', 'reduce'] as const)('dialogs, menus and notices obey %s', async (wanted) => {
    const { page } = await fixture.open();
    await page.emulateMedia({ reducedMotion: wanted });
    await page.getByRole('option', { name: /To be printed/ }).click();
    await page.getByRole('heading', { name: 'To be printed' }).waitFor();
    await page.locator('.message-head .menu summary').click();
    const duration = async (selector: string) => {
      await page.locator(selector).first().waitFor();
      return page.evaluate(`getComputedStyle(document.querySelector('${selector}')).animationDuration`);
    };
    const still = wanted === 'reduce';
    expect(await duration('.menu[open] .menu-items')).toBe(still ? '0s' : '0.08s');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Delete' }).first().click();
    expect(await duration('.notice')).toBe(still ? '0s' : '0.12s');
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.keyboard.press('?');
    expect(await duration('dialog')).toBe(still ? '0s' : '0.18s');
    await page.context().close();
  });

  test('a mail with HTML is printed in a tab of its own, whose page has the head above the body', async () => {
    await fixture.mail({ subject: 'HTML to be printed', html: '<p>The HTML body</p>' });
    const { page, context } = await fixture.open();
    await page.getByRole('option', { name: /HTML to be printed/ }).click();
    await page.frameLocator('.view iframe').getByText('The HTML body').waitFor();
    const opened = context.waitForEvent('page');
    await page.keyboard.press('p');
    const printed = await opened;
    await printed.getByText('The HTML body').waitFor();
    const lines = (await printed.locator('body').innerText()).split('\n').filter((line) => line.trim() !== '');
    expect(lines).toEqual([
      'Subject: HTML to be printed',
      'From: Shop <shop@shop.test>',
      'To: ada@inbox.mailcap.example.com',
      expect.stringMatching(/^Date: \w{3}, \d/),
      'The HTML body',
    ]);
    await context.close();
  });

  test('a printed message is its head and its whole body, and nothing else', async () => {
    const { page } = await fixture.open();
    await page.getByRole('option', { name: /To be printed/ }).click();
    await page.getByText('terms.txt').first().waitFor();
    await page.emulateMedia({ media: 'print' });
    const lines = (await page.locator('body').innerText()).split('\n').map((line) => line.trim());
    const texts = lines.filter((line) => line !== '' && line !== 'A line of the body.');
    expect(texts[0]).toBe('To be printed');
    expect(texts.slice(1, -3).join(' ')).toMatch(
      /^From .*shop@shop\.test.* To .*ada@inbox\.mailcap\.example\.com.*Received/,
    );
    expect(texts.slice(-3)).toEqual(['First line', 'Your code is 481516. https://app.test/verify?t=1', 'Last line']);
    expect(lines.filter((line) => line === 'A line of the body.')).toHaveLength(150);
    // All pages are printed: about 60 lines stand on each.
    const pages = (await page.pdf({ format: 'A4' })).toString('latin1').match(/\/Type\s*\/Page\b/g) ?? [];
    expect(pages.length).toBeGreaterThanOrEqual(3);
    await page.context().close();
  });
});
