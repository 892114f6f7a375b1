import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { unless } from '../../support/unless.ts';
import { violationsOn } from './axe.ts';
import { type InboxFixture, NO_BROWSER, openInbox } from './open-inbox.ts';

unless(describe, NO_BROWSER)('the conversation of a message', { timeout: 180_000 }, () => {
  let fixture: InboxFixture;
  beforeAll(async () => {
    fixture = await openInbox();
    await fixture.mail({ subject: 'Alone' });
    await fixture.mail({ subject: 'Help', messageId: '<a@x.test>' });
    await fixture.mail({ subject: 'Re: Help', references: '<a@x.test>', inReplyTo: '<a@x.test>' });
  }, 180_000);
  afterAll(() => fixture[Symbol.asyncDispose]());

  test.each([390, 1_440])(
    'is listed in the order of replies as it grows, and j and k go through it, at %i pixels',
    async (width) => {
      const { page, complaints } = await fixture.open('', { width });
      await page
        .getByRole('option', { name: /Re: Help/ })
        .last()
        .click();
      const conversation = page.getByRole('navigation', { name: 'Conversation' });
      const subjects = () => conversation.locator('.topic > :first-child').allInnerTexts();
      await expect.poll(subjects).toContain('Re: Help');
      if (width === 390) {
        const late = { references: '<a@x.test>', inReplyTo: '<a@x.test>' };
        await fixture.mail({ subject: 'Late', messageId: '<late@x.test>', ...late });
        const answer = { references: '<a@x.test> <late@x.test>', inReplyTo: '<late@x.test>' };
        await fixture.mail({ subject: 'Re: Late', ...answer });
        await fixture.mail({ subject: 'Also', ...late });
        await fixture.mail({ subject: 'Re: Late, too', ...answer });
      }
      // The answers to a mail stand below it, although another one came between them.
      await expect.poll(subjects).toEqual(['Help', 'Re: Help', 'Late', 'Re: Late', 'Re: Late, too', 'Also']);
      // The first words of each tell apart what has one subject.
      await expect.poll(() => conversation.locator('.topic .faint').allInnerTexts()).toHaveLength(6);
      expect(await conversation.locator('.topic').first().innerText()).toBe('Help Hello');
      const depths = `[...document.querySelectorAll('.conversation li')].map(({ dataset }) => dataset.depth).join('')`;
      expect(await page.evaluate(depths)).toBe('011221');
      await conversation.locator('[aria-current]').focus();
      for (const [key, subject] of [
        ['j', 'Late'],
        ['j', 'Re: Late'],
        ['ArrowDown', 'Re: Late, too'],
        ['k', 'Re: Late'],
      ] as const) {
        await page.keyboard.press(key);
        await page.getByRole('heading', { name: subject, exact: true }).waitFor();
        const focused = () => conversation.locator('[aria-current]:focus .topic > :first-child').allInnerTexts();
        await expect.poll(focused).toEqual([subject]);
      }
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      expect(await violationsOn(page)).toEqual([]);
      expect(complaints).toEqual([]);
      await page.context().close();
    },
  );

  test('of a mail that is left is asked for no longer, so that a slow search keeps no other request waiting', async () => {
    const { page } = await fixture.open();
    const given: string[] = [];
    page.on('requestfailed', (request) => request.url().endsWith('/thread') && given.push(request.url()));
    // A browser has six connections to a server. These are never answered.
    await page.route('**/thread', () => {});
    const opened = ['Alone', 'Help', 'Alone', 'Help', 'Alone', 'Help', 'Alone'];
    for (const subject of opened) {
      await page
        .getByRole('option', { name: new RegExp(`\\b${subject}`) })
        .last()
        .click();
      await page.getByRole('heading', { name: subject, exact: true }).waitFor();
    }
    // All but the last are given up.
    await expect.poll(() => given).toHaveLength(opened.length - 1);
    await page.context().close();
  });

  test('is not shown of a message that stands alone', async () => {
    const { page } = await fixture.open();
    await page.getByRole('option', { name: /Alone/ }).click();
    await page.getByRole('heading', { name: 'Alone' }).waitFor();
    await page.waitForLoadState('networkidle');
    expect(await page.getByRole('navigation', { name: 'Conversation' }).count()).toBe(0);
    await page.context().close();
  });
});
