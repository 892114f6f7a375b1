import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { json } from '../../http/support.ts';
import { byDay } from '../../support/night.ts';
import { unless } from '../../support/unless.ts';
import { violationsOn } from './axe.ts';
import { type InboxFixture, NO_BROWSER, openInbox } from './open-inbox.ts';

unless(describe, NO_BROWSER)('two mails side by side', { timeout: 180_000 }, () => {
  let fixture: InboxFixture;
  beforeAll(async () => {
    fixture = await openInbox();
  }, 180_000);
  afterAll(() => fixture[Symbol.asyncDispose]());
  beforeEach(async () => {
    for (const context of fixture.browser.contexts()) await context.close();
    await fixture.server.reset();
  });

  const run = (code: string, word: string) =>
    fixture.mail({
      subject: `Your code is ${code}`,
      text: `Hello Ada,\n\n${word} for signing up.\nYour code is ${code}.\n`,
      html: `<h1>Hello Ada</h1><p>${word} for signing up. Your code is <b>${code}</b>.</p>`,
    });
  const idsBySubject = async (): Promise<Map<string, string>> => {
    const { items } = await json<{ items: { id: string; subject: string }[] }>(
      fixture.server.api(`/_mailcap/mailboxes/${fixture.server.mailboxId}/messages`),
    );
    return new Map(items.map(({ id, subject }) => [subject, id]));
  };

  test('the keyboard alone opens a mail beside the same one of the last run, and steps through the differences', async () => {
    await run('481516', 'Thanks');
    await fixture.mail({ subject: 'Something else' });
    await run('730218', 'Thank you');
    const { page, complaints } = await fixture.open();
    await page.getByRole('option', { name: /730218/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Your code is 730218' }).waitFor();
    await page.keyboard.press('=');
    await page.getByRole('heading', { name: 'Side by side' }).waitFor();
    const left = page.getByRole('region', { name: 'The left message' });
    await left.getByRole('link', { name: 'Your code is 481516' }).waitFor();
    await page.frameLocator('iframe[title="The left mail"]').getByText('Thanks for signing up').waitFor();
    await page.frameLocator('iframe[title="The right mail"]').getByText('Thank you for signing up').waitFor();
    const codes = page.getByRole('row', { name: /Codes/ });
    expect(await codes.innerText()).toMatch(/481516\s+730218/);
    // Each fact stands below the head of its message.
    for (const [index, side] of ['left', 'right'].entries()) {
      const message = page.getByRole('region', { name: `The ${side} message` });
      const head = await message.getByRole('link').boundingBox();
      const fact = await codes.getByRole('cell').nth(index).locator('div').boundingBox();
      expect([side, Math.abs((fact?.x ?? 0) - (head?.x ?? 1_000)) < 1.5]).toEqual([side, true]);
    }
    await page.keyboard.press(']');
    await page.getByRole('tab', { name: 'Pixels', selected: true }).waitFor();
    await page.keyboard.press(']');
    await page.getByRole('tab', { name: 'Text', selected: true }).waitFor();
    await page.getByText('2 lines differ').waitFor();
    expect(await page.locator('.pairs del').allTextContents()).toEqual(['s', '481516']);
    expect(await page.locator('.pairs ins').allTextContents()).toEqual([' you', '730218']);
    await page.keyboard.press('n');
    await page.getByText('Difference 1 of 1').waitFor();
    await page.keyboard.press('s');
    await page
      .getByRole('region', { name: 'The right message' })
      .getByRole('link', { name: 'Your code is 481516' })
      .waitFor();
    expect(await page.locator('.pairs ins').allTextContents()).toEqual(['s', '481516']);
    const address = page.url();
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'Your code is 481516' }).waitFor();
    await page.goBack();
    await page.getByText('2 lines differ').waitFor();
    expect(page.url()).toBe(address);
    expect(complaints).toEqual([]);
  });

  test('the mouse selects two mails in the list to compare, with the older one on the left', async () => {
    await fixture.mail({ subject: 'First', text: 'one\ntwo' });
    await fixture.mail({ subject: 'Second', text: 'one\n2' });
    const { page } = await fixture.open();
    for (const name of [/Second/, /First/])
      await page.getByRole('option', { name }).click({ modifiers: ['ControlOrMeta'] });
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.getByRole('region', { name: 'The left message' }).getByRole('link', { name: 'First' }).waitFor();
    await page.getByText('1 line differs').waitFor();
    await page.getByRole('tab', { name: 'Headers' }).click();
    await page.locator('.pairs').getByText('Subject:').first().waitFor();
    expect(new URL(page.url()).hash).toMatch(/^#\/compare\/\w+\/\w+\/headers$/);
  });

  test('for a mail without a similar one the page asks which one to compare, and searches all mail', async () => {
    await fixture.mail({ subject: 'Newsletter', from: 'news@shop.test' });
    await fixture.mail({ subject: 'Lonely' });
    const { page } = await fixture.open();
    await page.getByRole('option', { name: /Lonely/ }).click();
    await page.getByLabel('More actions on the message').click();
    await page.getByRole('button', { name: 'Compare with another message' }).click();
    await page.getByRole('heading', { name: 'Compare with which message?' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('from:news');
    await page
      .getByRole('region', { name: 'Found' })
      .getByRole('link', { name: /Newsletter/ })
      .click();
    await page.getByRole('heading', { name: 'Side by side' }).waitFor();
    await page.getByText('No line differs.').waitFor();
  });

  test('a message that is deleted meanwhile is shown as gone', async () => {
    await run('1', 'Thanks');
    await run('2', 'Thanks');
    const ids = await idsBySubject();
    const [older, newer] = [ids.get('Your code is 1') ?? '', ids.get('Your code is 2') ?? ''];
    const { page } = await fixture.open(`#/compare/${older}/${newer}`);
    await page.getByRole('heading', { name: 'Side by side' }).waitFor();
    await page.getByRole('region', { name: 'The left message' }).waitFor();
    await fixture.server.api(`/_mailcap/messages/${older}`, { method: 'DELETE' });
    await page.getByText('The message on the left: This message no longer exists').waitFor();
  });

  test.each(byDay([390, 1_440], (width) => width === 390))(
    'has no violation of WCAG in either scheme at %i px, and nothing overflows',
    async (width) => {
      const hostile = '<b>x</b>\u202e'.repeat(40);
      await run('481516', 'Thanks');
      await fixture.mail({
        subject: 'Your code is 730218',
        to: `ada+${'x'.repeat(50)}@inbox.mailcap.example.com`,
        text: `${hostile}\n${'https://shop.test/'.repeat(60)}`,
        html: `<p>${'x'.repeat(2_000)}</p>`,
        attachments: [{ filename: `${hostile}.pdf`, content: 'x' }],
      });
      const ids = await idsBySubject();
      const [older, newer] = [ids.get('Your code is 481516') ?? '', ids.get('Your code is 730218') ?? ''];
      for (const scheme of ['light', 'dark'] as const) {
        const { page, context } = await fixture.open('', { width, scheme });
        const found: string[] = [];
        const at = `${older}/${newer}`;
        for (const hash of [`${at}/look`, `${at}/text`, `${at}/markup`, `${at}/headers`, newer]) {
          await page.goto(`${fixture.server.url}/#/compare/${hash}`);
          await page.locator('.compare-view > *, .pick-other li').first().waitFor();
          for (const violation of await violationsOn(page)) found.push(`${hash}: ${violation}`);
          const wider = await page.evaluate(
            "[...document.querySelectorAll('main, .compare, .compare-view')].filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.className)",
          );
          expect(wider).toEqual([]);
          expect(await page.locator('main').innerText()).not.toContain('\u202e');
        }
        expect(found).toEqual([]);
        await context.close();
      }
    },
  );
});
