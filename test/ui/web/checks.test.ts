import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
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
    await page.getByText(/^2 errors, .* mail programs, with data of caniemail\.com from /).waitFor();
    const finding = page.getByRole('listitem').filter({ hasText: 'placeholder:{{name}}' });
    await finding.getByText('Pass the value to the template').waitFor();
    await finding.getByRole('button', { name: 'HTML, line 2' }).click();
    await page.getByRole('heading', { name: 'The decoded HTML, line 2' }).waitFor();
    expect(await page.locator('pre.source mark').textContent()).toBe('{{name}}');
    const header = page.getByRole('listitem').filter({ hasText: 'unsubscribe-invalid' });
    await header.getByRole('button', { name: /^Source, line/ }).click();
    await page.getByRole('heading', { name: /The raw message/ }).waitFor();
    await expect
      .poll(() => page.locator('pre.source mark').textContent())
      .toBe('List-Unsubscribe: https://shop.test/u');
    expect(complaints).toEqual([]);
  });

  test('the HTML has a score and a table by feature and mail program, whose features lead to the source', async () => {
    await fixture.mail({
      subject: 'Half supported',
      html: '<html lang="en"><title>T</title>\n<p>Hello</p>\n<div style="display:grid">x</div></html>',
    });
    const { page, complaints } = await fixture.open();
    await page.getByRole('option', { name: /Half supported/ }).click();
    await page.getByRole('tab', { name: 'Checks' }).click();
    // Grid is on one of four elements, and Gmail's and Outlook's programs lack it.
    const score = await page.getByRole('status', { name: 'Score' }).textContent();
    expect(Number.parseInt(score ?? '', 10)).toBeGreaterThan(75);
    expect(Number.parseInt(score ?? '', 10)).toBeLessThan(100);
    const table = page.getByRole('region', { name: 'Features that are not supported everywhere' });
    expect(await table.getByRole('columnheader').allTextContents()).toEqual([
      'Feature',
      'Place',
      'Apple Mail',
      'Gmail',
      'Outlook',
      'Yahoo! Mail',
    ]);
    const row = table.getByRole('row', { name: /display:grid/ });
    const cells = await row.getByRole('cell').allTextContents();
    expect(cells[1]).toContain('supported');
    expect(cells.join(' ')).toMatch(/not supported in \d of \d: .*Outlook \(Windows\)/);
    await row.getByRole('button', { name: 'line 3' }).click();
    await page.getByRole('heading', { name: 'The decoded HTML, line 3' }).waitFor();
    expect(await page.locator('pre.source mark').textContent()).toContain('display:grid');
    // In a narrow pane the programs stand below the feature, and nothing is beside the edge.
    await page.setViewportSize({ width: 820, height: 900 });
    const wider =
      '(() => { const { scrollWidth, clientWidth } = document.querySelector(".scrolled"); return scrollWidth - clientWidth; })()';
    expect(await page.evaluate(wider)).toBe(0);
    await page.setViewportSize({ width: 1_440, height: 900 });
    await page.getByRole('button', { name: 'All mail programs' }).click();
    await page.locator('.support td[data-label*="Thunderbird"]').first().waitFor();
    expect(await page.evaluate(wider)).toBe(0);
    expect(complaints).toEqual([]);
  });

  test('links are requested after a click alone, links that do something one by one, and redirects are shown', async () => {
    const asked: string[] = [];
    const site = createServer(({ method, url }, answer) => {
      asked.push(`${method} ${url}`);
      if (url === '/moved') answer.writeHead(301, { location: '/gone' });
      else answer.statusCode = url === '/gone' ? 410 : 200;
      answer.end();
    });
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void site.close());
    const { port } = site.address() as AddressInfo;
    const at = `http://127.0.0.1:${port}`;
    await fixture.mail({
      subject: 'With links',
      html: `<a href="${at}/prices">Our prices</a> <a href="${at}/moved">News</a>
        <a href="${at}/verify?token=a1b2c3d4e5f6a7b8">Verify your address</a>
        <a href="mailto:help@shop.test">Write to us</a> <a href="http://127.0.0.1:9/old">Our old shop</a> <img src="${at}/pixel.png" alt="">`,
    });
    const { page, complaints } = await fixture.open();
    await page.getByRole('option', { name: /With links/ }).click();
    await page.getByRole('tab', { name: 'Links' }).click();
    const rows = page.locator('.mail-links > li');
    const kinds = async () => (await rows.locator('.kind').allTextContents()).map((kind) => kind.trim());
    await expect.poll(kinds).toEqual(['Link', 'Link', 'Verify', 'Link', 'Picture', 'Link']);
    await page.getByText('Nothing was requested yet.').waitFor();
    expect(asked).toEqual([]);
    await page.getByRole('button', { name: 'Check 4 addresses' }).click();
    await page.getByText('4 addresses checked, 2 broken.').waitFor();
    expect(asked.sort()).toEqual(['HEAD /gone', 'HEAD /moved', 'HEAD /pixel.png', 'HEAD /prices']);
    expect(await rows.nth(1).textContent()).toContain(`→ ${at}/gone`);
    expect(await rows.nth(1).locator('.tone').textContent()).toBe('Gone for good 410');
    expect(await rows.nth(0).locator('.tone').textContent()).toBe('Works 200');
    expect(await rows.nth(3).locator('.tone').textContent()).toBe('Nothing listens there');
    expect(await rows.nth(5).textContent()).toContain('help@shop.test');
    await rows.nth(2).getByRole('button', { name: 'Check', exact: true }).click();
    await page.getByText('5 addresses checked, 2 broken.').waitFor();
    expect(asked).toContain('HEAD /verify?token=a1b2c3d4e5f6a7b8');
    expect(complaints).toEqual([]);
  });
});
