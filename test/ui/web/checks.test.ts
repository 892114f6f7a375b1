import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { unless } from '../../support/unless.ts';
import { type InboxFixture, NO_BROWSER, openInbox } from './open-inbox.ts';

unless(describe, NO_BROWSER)('the checks of a message', { timeout: 180_000 }, () => {
  let fixture: InboxFixture;
  beforeAll(async () => {
    fixture = await openInbox();
  }, 180_000);
  afterAll(() => fixture[Symbol.asyncDispose]());

  test('a tab lists them, and a finding shows its place in the source', async () => {
    await fixture.mail({
      subject: 'Faulty',
      headers: { 'List-Unsubscribe': 'https://shop.test/u' },
      html: '<html lang="en"><title>T</title>\n<p>Hi {{name}}</p>\n<div style="display:flex">x</div></html>',
    });
    const { page, complaints } = await fixture.open();
    await page.getByRole('option', { name: /Faulty/ }).click();
    await page.getByRole('tab', { name: 'Checks' }).click();
    await page.getByText(/^2 errors, .* mail clients, with data of caniemail\.com from /).waitFor();
    const finding = page.getByRole('listitem').filter({ hasText: 'placeholder:{{name}}' });
    await finding.getByText('Pass the value to the template').waitFor();
    await finding.getByRole('button', { name: 'html 2:7' }).click();
    await page.getByRole('heading', { name: 'The decoded HTML, line 2' }).waitFor();
    expect(await page.locator('pre.source mark').textContent()).toBe('{{name}}');
    const header = page.getByRole('listitem').filter({ hasText: 'unsubscribe-invalid' });
    await header.getByRole('button', { name: /^source/ }).click();
    await page.getByRole('heading', { name: /The raw message/ }).waitFor();
    await expect
      .poll(() => page.locator('pre.source mark').textContent())
      .toBe('List-Unsubscribe: https://shop.test/u');
    expect(complaints).toEqual([]);
  });
});
