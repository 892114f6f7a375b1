import type { Browser, BrowserContextOptions, Page } from '@playwright/test';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { documentation } from '../../src/documentation.ts';
import { sharedBrowser } from '../support/browser.ts';
import { startServer, type TestServer } from '../support/mailcap.ts';
import { byDay } from '../support/night.ts';
import { lacking } from '../support/programs.ts';
import { unless } from '../support/unless.ts';

const PATHS = byDay(['', ...(documentation()?.pages ?? []).map(({ name }) => `/${name}`)], (path) =>
  ['', '/playwright', '/api', '/checks'].includes(path),
);

unless(describe, lacking('chromium'))('the documentation in a browser', () => {
  let server: TestServer;
  let browser: Browser;

  beforeAll(async () => {
    server = await startServer();
    browser = await sharedBrowser();
  }, 180_000);
  afterAll(async () => {
    await Promise.all(browser.contexts().map((context) => context.close()));
    await server.close();
  });

  /** Opens a page. Any complaint in its console, and any request to elsewhere, is noted. */
  async function open(
    path: string,
    options: BrowserContextOptions = {},
  ): Promise<{ page: Page; complaints: string[] }> {
    const context = await browser.newContext({ viewport: { width: 1_440, height: 900 }, ...options });
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page.on('request', (request) => {
      if (!request.url().startsWith(server.url)) complaints.push(request.url());
    });
    await page.goto(`${server.url}/docs${path}`);
    return { page, complaints };
  }

  test('the search box finds while somebody types, and its keys lead to the part that was found', async () => {
    const { page, complaints } = await open('/vitest');
    await page.keyboard.press('/');
    await page.keyboard.type('kind of a link');
    const first = page.getByRole('option').first();
    await first.filter({ hasText: 'The kind of a link' }).waitFor();
    await page.keyboard.press('ArrowDown');
    expect(await first.getAttribute('aria-selected')).toBe('true');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${server.url}/docs/links#the-kind-of-a-link`);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('nothingofthekind');
    await page.getByText('No page has these words.').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('#found').waitFor({ state: 'hidden' });
    expect(complaints).toEqual([]);
  });

  test('what somebody chose stays chosen when the answer to the last letter comes after it', async () => {
    const { page } = await open('/vitest');
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(/find\.json\?q=kind\+of\+a\+link$/, async (route) => {
      await released;
      await route.continue();
    });
    await page.keyboard.press('/');
    await page.keyboard.type('kind of a lin');
    const first = page.getByRole('option').filter({ hasText: 'The kind of a link' }).first();
    await first.waitFor();
    // A further letter, whose answer is held.
    const answered = page.waitForResponse(/q=kind\+of\+a\+link$/);
    await page.keyboard.type('k');
    await page.keyboard.press('ArrowDown');
    const chosen = page.locator('#found a[aria-selected=true]');
    const href = await chosen.getAttribute('href');
    release();
    await (await answered).finished();
    await expect.poll(() => chosen.count()).toBe(1);
    expect(await chosen.getAttribute('href')).toBe(href);
    await page.keyboard.press('Enter');
    await page.waitForURL(`${server.url}${href}`);
  });

  test('the search works without JavaScript too', async () => {
    const { page } = await open('', { javaScriptEnabled: false });
    await page.getByRole('combobox').fill('starttls');
    await page.getByRole('combobox').press('Enter');
    await page.waitForURL(`${server.url}/docs/find?q=starttls`);
    await page.locator('.found a[href="/docs/tls"]').waitFor();
  });

  test('code is copied as it stands in the source', async () => {
    const { page } = await open('/vitest', { permissions: ['clipboard-read', 'clipboard-write'] });
    await page.getByRole('button', { name: 'Copy' }).first().click();
    await page.getByText('Copied').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(
      /^import \{ expect, test \} from 'mailcap\/vitest';\n/,
    );
  });

  test.for(PATHS)('/docs%s is no wider than a phone, and the list of pages is folded there', async (path) => {
    const { page, complaints } = await open(path, { viewport: { width: 390, height: 844 }, colorScheme: 'dark' });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    const link = page.locator('.pages a[href="/docs/faults"]');
    expect(await link.isVisible()).toBe(false);
    await page.locator('.pages summary').click();
    expect(await link.isVisible()).toBe(true);
    expect(complaints).toEqual([]);
  });
});
