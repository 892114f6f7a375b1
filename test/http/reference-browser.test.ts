import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Browser, Page } from '@playwright/test';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sharedBrowser } from '../support/browser.ts';
import { startServer, type TestServer } from '../support/mailcap.ts';
import { lacking } from '../support/programs.ts';
import { unless } from '../support/unless.ts';
import { json, putMail } from './support.ts';

const run = promisify(execFile);

unless(describe, lacking('chromium'))('/docs/reference in a browser', () => {
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

  /** Opens the page of an operation. Any complaint in its console fails the test. */
  async function open(hash: string, options: { width?: number } = {}): Promise<{ page: Page; complaints: string[] }> {
    const { origin } = new URL(server.url);
    const context = await browser.newContext({ viewport: { width: options.width ?? 1_440, height: 900 } });
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin });
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    await page.goto(`${server.url}/docs/reference${hash}`);
    return { page, complaints };
  }

  test('an operation is tried with the seeded key, and its answer shown', async () => {
    await putMail(server, server.mailboxId, { Subject: '<b>Your code</b>' });
    const { page, complaints } = await open('#listMessages');
    const operation = page.locator('#listMessages');
    await operation.locator('[name=limit]').fill('1');
    await operation.getByRole('button', { name: 'Try it' }).click();
    const response = operation.locator('.response');
    await response.locator('p').waitFor();
    expect(await response.locator('p').textContent()).toMatch(/^200 OK · \d+ ms$/);
    const shown: unknown = JSON.parse((await response.locator('pre').textContent()) ?? '');
    expect(shown).toMatchObject([{ subject: '<b>Your code</b>' }]);
    expect(await response.locator('b').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test('operations that change something can be tried too, in both APIs', async () => {
    const { page, complaints } = await open('#createMailbox');
    await page.locator('#createMailbox textarea').fill('{"name":"From the page"}');
    await page.locator('#createMailbox').getByRole('button', { name: 'Try it' }).click();
    await page.locator('#createMailbox .response .ok').waitFor();
    await page.goto(`${server.url}/docs/reference#putMessage`);
    await page.locator('#putMessage').getByRole('button', { name: 'Try it' }).click();
    await page.locator('#putMessage .response .ok').waitFor();
    const listed = await json<{ name: string }[]>(server.api('/v1/mailboxes'));
    const names = listed.map(({ name }) => name);
    expect(names).toContain('From the page');
    expect(complaints).toEqual([]);
  });

  test('a copied command runs as it is', async () => {
    const { page } = await open('#createWebhook');
    const operation = page.locator('#createWebhook');
    await operation.locator('textarea').fill(`{"name":"it's"}`);
    // The page hides the key, but the copied command contains it.
    expect(await operation.locator('.curl').textContent()).not.toContain(server.apiKey);
    await operation.getByRole('button', { name: 'Copy' }).click();
    await operation.getByText('Copied').waitFor();
    const command = await page.evaluate('navigator.clipboard.readText()');
    const { stdout } = await run('sh', ['-c', String(command)]);
    expect(JSON.parse(stdout)).toMatchObject({ name: "it's", responseStatus: 200 });
  });

  test('every operation can be tried and copied', async () => {
    const { page } = await open('');
    const counts = await page.evaluate(
      `['.operation', '.send:not([hidden])', '.copy:not([hidden])'].map((part) => document.querySelectorAll(part).length)`,
    );
    const [operations, tries, copies] = counts as number[]; // the script returns three numbers
    expect(operations).toBeGreaterThan(60);
    expect([tries, copies]).toEqual([operations, operations]);
  });

  test('on a phone the navigation is folded, leads to an operation, and nothing is wider than the screen', async () => {
    const { page, complaints } = await open('', { width: 390 });
    const link = page.locator('nav a[href="#awaitMessage"]');
    expect(await link.isVisible()).toBe(false);
    await page.locator('nav summary').click();
    await link.click();
    expect(await link.isVisible()).toBe(false);
    await page.locator('#awaitMessage').getByRole('button', { name: 'Try it' }).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    expect(complaints).toEqual([]);
  });

  test('the filter shows the operations that contain its words', async () => {
    const { page } = await open('');
    await page.locator('#filter').fill('await');
    const left = await page
      .locator('nav li:not([hidden]) a')
      .evaluateAll((links) => links.map((link) => new URL(String(Reflect.get(link, 'href'))).hash));
    expect(left).toEqual(expect.arrayContaining(['#awaitMessage', '#awaitRequest', '#listWaits']));
    expect(left).not.toContain('#listMailboxes');
  });
});
