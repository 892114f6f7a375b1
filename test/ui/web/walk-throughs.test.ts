import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { json } from '../../http/support.ts';
import { unless } from '../../support/unless.ts';
import { type InboxFixture, NO_BROWSER, openInbox } from './open-inbox.ts';

// These tests use the page as a new user without help does, by its visible texts.

const FOUND_WITHIN_MS = 20_000;

unless(describe, NO_BROWSER)('found without any help text', () => {
  let fixture: InboxFixture;
  beforeAll(async () => {
    fixture = await openInbox();
  }, 180_000);
  afterAll(() => fixture[Symbol.asyncDispose]());

  test('the code of a mail', { timeout: 180_000 }, async () => {
    await fixture.mail({ subject: 'Your sign-in code', text: 'Your sign-in code is 481516.' });
    const { page, complaints } = await fixture.open();
    const startedAt = performance.now();
    const row = page.getByRole('option', { name: /Your sign-in code/ });
    // The code is in the list before any message is opened.
    await row.getByText('481516', { exact: true }).waitFor();
    await row.click();
    await page.getByRole('button', { name: 'Copy code: the code' }).click();
    await page
      .getByRole('button', { name: /the code/ })
      .getByText('Copied')
      .waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('481516');
    expect(performance.now() - startedAt).toBeLessThan(FOUND_WITHIN_MS);
    expect(complaints).toEqual([]);
  });

  test('why a test waits', { timeout: 180_000 }, async () => {
    const { server } = fixture;
    const path = `/v1/mailboxes/${server.mailboxId}/messages/await?subject=Welcome&timeout=30`;
    const call = new AbortController();
    const held = server.api(path, { signal: call.signal }).catch(() => null);
    await fixture.mail({ subject: 'Welkom, Ada' });
    const { page } = await fixture.open();
    const startedAt = performance.now();
    await page
      .getByRole('link', { name: /Waiting tests/ })
      .first()
      .click();
    const card = page.getByRole('region', { name: 'A test that waits' });
    await card.getByText('Mail came, but none of it matches.').waitFor();
    // The mail that nearly matched is named, with the condition on which it failed, and what it has in its place.
    const miss = card.getByRole('listitem').filter({ has: page.getByRole('link', { name: 'Welkom, Ada' }) });
    await miss.getByText('only the subject differs').waitFor();
    const said = (await miss.locator('dl').innerText()).replace(/\s+/g, ' ');
    expect(said).toBe('wanted Welcome the subject has Welkom, Ada');
    expect(await miss.locator('dl mark').allInnerTexts()).toEqual(['come', 'kom,']);
    expect(performance.now() - startedAt).toBeLessThan(FOUND_WITHIN_MS);
    call.abort();
    await held;
  });

  test('what is different about the second webhook', { timeout: 180_000 }, async () => {
    const { server } = fixture;
    const webhook = await json<{ url: string }>(
      server.api(`/_mailcap/workspaces/${server.workspaceId}/webhooks`, { json: { name: 'Payments' } }),
    );
    const post = (body: object) =>
      fetch(webhook.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    await post({ type: 'payment', amount: 1200 });
    await post({ type: 'payment', amount: 1250 });
    const { page } = await fixture.open();
    const startedAt = performance.now();
    await page.getByRole('link', { name: 'Webhooks' }).first().click();
    await page.getByRole('link', { name: /Payments/ }).click();
    await page.getByRole('option').first().click();
    await page.getByRole('tab', { name: 'Difference' }).click();
    const lines = page.locator('.diff');
    await lines.locator('.new', { hasText: '"amount": 1250' }).waitFor();
    await lines.locator('.gone', { hasText: '"amount": 1200' }).waitFor();
    expect(performance.now() - startedAt).toBeLessThan(FOUND_WITHIN_MS);
  });

  test('a mail’s look on a phone', { timeout: 180_000 }, async () => {
    await fixture.mail({ subject: 'Newsletter', html: '<h1>News</h1><p>For you.</p>' });
    const { page } = await fixture.open();
    const startedAt = performance.now();
    await page.getByRole('option', { name: /Newsletter/ }).click();
    await page.getByRole('button', { name: 'Phone' }).click();
    const frame = page.locator('iframe');
    await page.frameLocator('iframe').getByRole('heading', { name: 'News' }).waitFor();
    expect((await frame.boundingBox())?.width).toBe(390);
    expect(performance.now() - startedAt).toBeLessThan(FOUND_WITHIN_MS);
  });
});
