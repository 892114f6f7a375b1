import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { unless } from '../../support/unless.ts';
import { violationsOn } from './axe.ts';
import { type InboxFixture, NO_BROWSER, openInbox } from './open-inbox.ts';

unless(describe, NO_BROWSER)('a test that waits', { timeout: 180_000 }, () => {
  let fixture: InboxFixture;
  beforeAll(async () => {
    fixture = await openInbox();
    await fixture.mail({ subject: 'Invoice 12', from: 'billing@else.test', text: 'Nothing' });
    await fixture.mail({ subject: 'Sign-in code for Ada', text: 'unicorn' });
    await fixture.mail({ subject: 'Newsletter', text: 'unicorn' });
  }, 180_000);
  afterAll(() => fixture[Symbol.asyncDispose]());

  const hold = (seconds: number, asked: Record<string, string>) => {
    const { server } = fixture;
    const query = new URLSearchParams({ since: '2020-01-01T00:00:00Z', timeout: `${seconds}`, ...asked });
    return server.api(`/_mailcap/mailboxes/${server.mailboxId}/await?${query}`);
  };

  test.each([390, 1_440])(
    'sees the mail that nearly matched first, with the one condition on which it failed, at %i pixels',
    async (width) => {
      void hold(60, { subject: 'Sign in code', from: 'shop@', body: 'unicorn' }).catch(() => {});
      const { page, complaints } = await fixture.open('#/waiting', { width });
      const card = page.getByRole('region', { name: 'A test that waits' }).first();
      const nearest = card.getByRole('heading', { name: 'Nearly matched' }).locator('xpath=..').getByRole('listitem');
      await nearest.first().waitFor();
      // A mail that meets no condition and shares nothing is not near.
      expect(await nearest.getByRole('link').allInnerTexts()).toEqual(['Sign-in code for Ada', 'Newsletter']);
      expect(await nearest.first().innerText()).toContain('only the subject differs');
      // What differs is marked, and not what the mail has beyond.
      expect(await nearest.first().locator('mark').allInnerTexts()).toEqual(['Sign ', 'Sign-']);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      expect(await violationsOn(page)).toEqual([]);
      expect(complaints).toEqual([]);
      await page.context().close();
    },
  );

  test('goes on when a mail that matches is sent from the page', async () => {
    const waiting = hold(60, { subject: 'Reset your password', link: 'reset', code: '1' });
    const { page } = await fixture.open('#/waiting');
    const card = page
      .getByRole('region', { name: 'A test that waits' })
      .filter({ has: page.locator('.chips', { hasText: 'Reset your password' }) });
    await card.getByRole('button', { name: 'Send a mail that matches' }).click();
    const came = await waiting;
    expect(came.status).toBe(200);
    expect(await came.json()).toMatchObject({
      subject: 'reset your password',
      codes: [expect.objectContaining({ code: '481920' })],
      links: [expect.objectContaining({ kind: 'reset' })],
    });
    await page.getByText('Sent “reset your password”.').waitFor();
    await card.waitFor({ state: 'detached' });
    await page.context().close();
  });

  test('of the past is asked about on a page with the action below the verdict, and what matched first', async () => {
    for (let count = 1; count <= 8; count++) await fixture.mail({ subject: `Later ${count}` });
    const { page, complaints } = await fixture.open(`#/why/${fixture.server.mailboxId}?subject=Newsletter`);
    await page.getByText('One mail matches.').waitFor();
    const parts = page.locator('.diagnosis').locator('.verdict, .form-actions, h2');
    expect((await parts.allInnerTexts()).slice(0, 3)).toEqual([
      'One mail matches.',
      'Send a mail that matches',
      'Matches',
    ]);
    const others = page.getByRole('heading', { name: /^Other mail to/ }).locator('xpath=..');
    expect(await others.getByRole('listitem').count()).toBe(5);
    await others.getByRole('button', { name: /^\d+ more$/ }).click();
    expect(await others.getByRole('listitem').count()).toBeGreaterThan(8);
    // Every mail meets no condition at all.
    await page.getByRole('textbox', { name: 'Subject has' }).fill('');
    await page.getByRole('button', { name: 'Ask' }).click();
    await page.getByText(/^\d+ mails came here\.$/).waitFor();
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('of the past names a text message by its words, because it has no subject', async () => {
    const { server } = fixture;
    const account = `AC${'0'.repeat(32)}`;
    await fetch(`${server.url}/providers/twilio/2010-04-01/Accounts/${account}/Messages.json`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`${account}:any`).toString('base64')}` },
      body: new URLSearchParams({ From: '+12025550100', To: '+12025550101', Body: 'Your code is 482913' }),
    });
    const { page } = await fixture.open(`#/why/${server.mailboxId}?body=Welcome`);
    await page.locator('.diagnosis').getByRole('link', { name: 'Your code is 482913' }).first().waitFor();
    await page.context().close();
  });

  test('that no mail can satisfy is told so, and nothing is sent', async () => {
    void hold(60, { query: 'is:starred' }).catch(() => {});
    const { page } = await fixture.open('#/waiting');
    const card = page
      .getByRole('region', { name: 'A test that waits' })
      .filter({ has: page.locator('.chips', { hasText: 'is:starred' }) });
    await card.getByRole('button', { name: 'Send a mail that matches' }).click();
    await page.getByText('No mail that arrives now can meet the condition query is:starred.').waitFor();
    await page.context().close();
  });
});
