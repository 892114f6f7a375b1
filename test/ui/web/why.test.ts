import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { unless } from '../../support/unless.ts';
import { violationsOn } from './axe.ts';
import { type InboxFixture, NO_BROWSER, openInbox } from './open-inbox.ts';

unless(describe, NO_BROWSER)('why a code or a link was chosen', { timeout: 180_000 }, () => {
  let fixture: InboxFixture;
  beforeAll(async () => {
    fixture = await openInbox();
    await fixture.mail({
      subject: 'Sign in',
      text: 'Your code is 481516.\nOrder number: 99127743\nhttps://app.test/verify?t=abc123',
    });
    await fixture.mail({ subject: 'Your order', text: 'Order number: 99127743' });
    await fixture.mail({ subject: 'Two codes', text: 'Your code is 481516.\nYour code is AB12-CD34.' });
    await fixture.mail({ subject: 'Hello', text: 'How are you?' });
  }, 180_000);
  afterAll(() => fixture[Symbol.asyncDispose]());

  const opened = async (subject: string, width?: number) => {
    const { page, complaints } = await fixture.open('', width === undefined ? {} : { width });
    await page.getByRole('option', { name: new RegExp(subject) }).click();
    await page.getByRole('heading', { name: subject, exact: true }).waitFor();
    return { page, complaints, reasons: page.locator('details.why') };
  };

  test('is folded, and lists every candidate with the decision and its reason', async () => {
    const { page, complaints, reasons } = await opened('Sign in');
    expect(await reasons.getByText('99127743').isVisible()).toBe(false);
    await reasons.getByText(/^Why this/).click();
    const items = (title: string) => page.getByRole('region', { name: title, exact: true }).getByRole('listitem');
    expect(await items('Code').allInnerTexts()).toEqual([
      expect.stringMatching(/^chosen\s+481516\s+after "code"$/),
      expect.stringMatching(/^no code\s+99127743\s+beside "order number", another kind of number$/),
    ]);
    expect(await items('Link').allInnerTexts()).toEqual([
      expect.stringMatching(/^Verify, chosen\s+https:\/\/app\.test\/verify\?t=abc123\s+its address says "verify"/),
    ]);
    expect(complaints).toEqual([]);
  });

  test('also says why a mail without a code or link has none, and is absent if there is no candidate', async () => {
    const { reasons } = await opened('Your order');
    await reasons.getByText('Why no code').click();
    await reasons.getByText('beside "order number"').waitFor();
    await reasons.getByText('The mail has no link.').waitFor();
    const { page } = await opened('Hello');
    await page.getByRole('tab', { name: 'Text' }).waitFor();
    expect(await page.locator('.found').count()).toBe(0);
  });

  test('shows the pattern that a test can use if several codes are equally likely, also on a phone', async () => {
    const { page, reasons } = await opened('Two codes', 390);
    await reasons.getByText(/^Why this/).click();
    await reasons.getByText('If 481516 is the code: code({ pattern: /^\\d{6}$/ }).').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    expect(await violationsOn(page)).toEqual([]);
  });
});
