import type { Page } from '@playwright/test';
import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { json } from '../../http/support.ts';
import { unless } from '../../support/unless.ts';
import { type InboxFixture, NO_BROWSER, openInbox } from './open-inbox.ts';

/** Above this, a reader sees that something moved. Chromium counts the share of the window, times the way. */
const SEEN = 0.003;

// The page keeps a place for what it loads later, or loads it together with what stands below.
unless(describe, NO_BROWSER)('a page that loads', { timeout: 120_000 }, () => {
  let fixture: InboxFixture;
  beforeAll(async () => {
    fixture = await openInbox();
    for (const answer of [0, 1, 2])
      await fixture.mail({
        subject: answer === 0 ? 'A question' : 'Re: A question',
        text: `The text of ${answer}`,
        messageId: `<${answer}@shop.test>`,
        ...(answer > 0 && { references: ['<0@shop.test>'] }),
      });
  }, 180_000);
  afterAll(() => fixture[Symbol.asyncDispose]());

  /** Opens a page that counts what moves, after `hold` has chosen which answers come late. */
  const load = async (hash: string, width: number, hold: (page: Page) => Promise<void>) => {
    const { page, complaints } = await fixture.open('', { width, height: 800 });
    await page.goto('about:blank');
    await page.addInitScript(`
      window.shifted = 0;
      new PerformanceObserver((list) => {
        for (const { value } of list.getEntries()) window.shifted += value;
      }).observe({ type: 'layout-shift', buffered: true });
    `);
    await hold(page);
    await page.goto(`${fixture.server.url}/${hash}`);
    return { page, complaints };
  };
  /** Holds the answers to requests until `open` is called. */
  const gate = (url: string | RegExp) => {
    let open = () => {};
    const opened = new Promise<void>((done) => {
      open = done;
    });
    const hold = async (page: Page) => {
      await page.route(url, async (route) => {
        await opened;
        await route.continue();
      });
    };
    return { hold, open };
  };
  const shifted = async (page: Page) => {
    // A shift is told after the frame that has it.
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done)))');
    return Number(await page.evaluate('window.shifted'));
  };
  const newest = async () => {
    const response = await fetch(`${fixture.server.url}/_mailcap/messages?limit=1`);
    return ((await response.json()) as { items: { id: string; mailboxId: string }[] }).items[0]?.id ?? '';
  };

  test.each([390, 1_440])('shows a conversation together with its text, %i pixels wide', async (width) => {
    const id = await newest();
    const { page, complaints } = await load(`#/mail/${fixture.server.mailboxId}/${id}`, width, async (page) => {
      const thread = page.waitForResponse(`**/_mailcap/messages/${id}/thread`).then((answer) => answer.finished());
      await page.route(`**/_mailcap/messages/${id}`, async (route) => {
        await thread;
        await route.continue();
      });
    });
    await page.getByText('The text of 2').locator('visible=true').last().waitFor();
    await page.getByRole('navigation', { name: 'Conversation' }).waitFor();
    expect(await shifted(page)).toBeLessThan(SEEN);
    expect(complaints).toEqual([]);
  });

  test('shows the text of a message whose conversation takes long', async () => {
    const id = await newest();
    const { hold, open } = gate('**/thread');
    const { page } = await load(`#/messages/${id}`, 1_440, hold);
    await page.locator('.view-text').getByText('The text of 2').waitFor();
    expect(await page.getByRole('navigation', { name: 'Conversation' }).count()).toBe(0);
    open();
    await page.getByRole('navigation', { name: 'Conversation' }).waitFor();
  });

  test('shows a message by its address alone without a move of the list beside it', async () => {
    const id = await newest();
    const { hold, open } = gate(`**/_mailcap/messages/${id}`);
    const { page, complaints } = await load(`#/messages/${id}`, 1_440, hold);
    const field = page.getByRole('searchbox', { name: /Search/ });
    await field.waitFor();
    const before = (await field.boundingBox())?.y;
    open();
    await page.locator('.view-text').getByText('The text of 2').waitFor();
    await page.getByRole('heading', { name: 'Inbox' }).waitFor();
    expect((await field.boundingBox())?.y).toBe(before);
    expect(await shifted(page)).toBeLessThan(SEEN);
    expect(complaints).toEqual([]);
  });

  test('shows the mailboxes of tests in the order of their run at once, below the others', async () => {
    const { server } = fixture;
    const run = ulid();
    const name = 'playwright worker 0 (process 7 of 0123456789abcdef)';
    const worker = await json<{ id: string }>(server.api('/_mailcap/workspaces', { json: { name } }));
    for (let test = 0; test < 8; test++) {
      const path = `/_mailcap/workspaces/${worker.id}/mailboxes`;
      const mailbox = await json<{ id: string }>(server.api(path, { json: { name: `shop ${test}` } }));
      await server.api(`/_mailcap/runs/${run}/tests/${ulid()}`, {
        method: 'PUT',
        json: {
          ...{ runner: 'playwright', project: 'shop', file: 'a.ts', titles: ['shop', `pays ${test}`], attempt: 1 },
          ...{ worker: '0', outcome: test === 5 ? 'failed' : 'passed', error: null, waits: [] },
          ...{ startedAt: new Date().toISOString(), endedAt: new Date().toISOString(), mailboxIds: [mailbox.id] },
        },
      });
    }
    const { hold, open } = gate('**/_mailcap/runs');
    const { page, complaints } = await load('', 1_440, hold);
    const sidebar = page.getByRole('region', { name: 'Mailboxes' });
    await sidebar.getByRole('link', { name: /^Inbox/ }).waitFor();
    expect(await sidebar.getByText('shop 5').count()).toBe(0);
    open();
    await sidebar.getByText('shop 5').waitFor();
    expect(await shifted(page)).toBeLessThan(SEEN);
    expect(complaints).toEqual([]);
    // A server that tells no runs hides no mailbox.
    await page.route('**/_mailcap/runs', (route) => route.abort());
    await page.reload();
    await sidebar.getByText('shop 5').waitFor();
  });

  test('shows the results of a search where their placeholders stood', async () => {
    const { hold, open } = gate(/\/messages\?.*query=/);
    const { page, complaints } = await load(`#/mail/${fixture.server.mailboxId}?q=question`, 390, hold);
    await page.locator('.bone').first().waitFor();
    open();
    await page.getByRole('option', { name: 'Re: A question' }).first().waitFor();
    expect(await shifted(page)).toBeLessThan(SEEN);
    expect(complaints).toEqual([]);
  });

  test('offers to look further back in the timeline once there is something above', async () => {
    const { hold, open } = gate(/\/_mailcap\/events\?/);
    const { page, complaints } = await load('#/timeline', 390, hold);
    await page.getByRole('status', { name: 'Loading' }).waitFor();
    expect(await page.getByRole('button', { name: 'Look further back' }).count()).toBe(0);
    open();
    await page.getByRole('button', { name: 'Look further back' }).waitFor();
    expect(await shifted(page)).toBeLessThan(SEEN);
    expect(complaints).toEqual([]);
  });
});
