import { setTimeout as pause } from 'node:timers/promises';
import type { Page } from '@playwright/test';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { MailboxId, MessageId } from '../../../src/domain/ids.ts';
import type { Message } from '../../../src/domain/message.ts';
import { startServer } from '../../support/mailcap.ts';
import { at } from '../../support/moment.ts';
import { BY_DAY, IS_NIGHT } from '../../support/night.ts';
import { unless } from '../../support/unless.ts';
import { type InboxFixture, NO_BROWSER, openInbox } from './open-inbox.ts';

/** The messages of one transaction of a flood, and the time between two, in milliseconds. */
const SMALL_GROUP = 30;
const GROUP = IS_NIGHT ? 100 : SMALL_GROUP;
const GROUP_MS = 25;
/** The rows that are looked at after a flood: more than the first page. */
const ROWS = IS_NIGHT ? 300 : 60;

unless(describe, NO_BROWSER)('a flood of mail', { timeout: 180_000 }, () => {
  let fixture: InboxFixture;
  let sample: Message;
  let sent = 0;
  /** The number of the message that was deleted, or 0. */
  let gone = 0;
  beforeEach(async () => {
    fixture = await openInbox();
    sent = 1;
    gone = 0;
    await fixture.mail({ subject: 'Mail 1.' });
    const { ctx, mailboxId } = fixture.server;
    const [first] = await ctx.store.read.messages.page(mailboxId as MailboxId, { limit: 1, now: at(ctx.clock.now()) });
    if (first === undefined) throw new Error('no mail came');
    sample = first;
  });
  afterEach(() => fixture[Symbol.asyncDispose]());

  /** Lets mail arrive until a promise is settled. */
  async function floodUntil(reached: Promise<unknown>, group = GROUP): Promise<void> {
    const { ctx } = fixture.server;
    let isReached = false;
    const watch = reached.finally(() => {
      isReached = true;
    });
    // It is awaited after the last group. Until then nobody else takes its failure.
    watch.catch(() => {});
    const bytes = await ctx.store.blobs.read(sample.raw);
    while (!isReached) {
      await ctx.store.transaction(async (tx) => {
        for (let n = 0; n < group; n++) {
          const id = ctx.ids.next<MessageId>(ctx.clock.now());
          // Messages with the same bytes are copies of one mail, which are one row.
          const raw = await ctx.store.blobs.put(bytes);
          await tx.messages.insert({ ...sample, id, raw, subject: `Mail ${++sent}.` });
        }
      });
      await pause(GROUP_MS);
    }
    await watch;
  }

  /** Opens the page. `looks` waits for looks at the newest rows, which the page takes in place of its feed. */
  async function watched() {
    const opened = await fixture.open();
    const { page } = opened;
    await page.getByRole('option', { name: /Mail 1\./ }).waitFor();
    const looks = async (count: number) => {
      for (let seen = 0; seen < count; seen++)
        await page.waitForResponse(
          (response) => response.url().includes('/messages?') && !response.url().includes('before='),
        );
    };
    return { ...opened, looks };
  }

  /** Waits until the page tells the number of all messages. */
  async function counted(page: Page): Promise<void> {
    await page.getByText(`${sent.toLocaleString('en')} messages`).waitFor();
  }

  /** Scrolls through the newest rows one after another, without a gap but where one was deleted. */
  async function scrollThrough(page: Page, count: number): Promise<void> {
    const numbers = new Set<number>();
    await page.getByRole('listbox').hover();
    while (numbers.size < count) {
      const next = nth(numbers.size);
      await page.getByRole('option', { name: new RegExp(`Mail ${next}\\.`) }).waitFor();
      for (const text of await page.getByRole('option').allInnerTexts()) {
        const number = Number(/Mail (\d+)\./.exec(text)?.[1]);
        if (number <= next) numbers.add(number);
      }
      await page.mouse.wheel(0, 300);
    }
    expect([...numbers].sort((a, b) => b - a)).toEqual(Array.from(numbers, (_, index) => nth(index)));
  }

  /** Returns the number of a message by its place among the newest. */
  function nth(index: number): number {
    const number = sent - index;
    return number <= gone ? number - 1 : number;
  }

  test('is shown by its newest page while it lasts, and completely afterwards', async () => {
    const { page, looks, complaints } = await watched();
    await Promise.all([page.waitForEvent('websocket'), floodUntil(looks(2))]);
    await counted(page);
    await expect.poll(() => page.title()).toContain(`(${sent.toLocaleString('en')})`);
    await scrollThrough(page, ROWS);
    // The feed tells single messages again.
    await fixture.mail({ subject: 'After the flood' });
    await page.getByRole('button', { name: '1 new' }).click();
    await page.getByRole('option', { name: /After the flood/ }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('is followed also if something is deleted in it', async () => {
    const { page, looks } = await watched();
    const { ctx, mailboxId } = fixture.server;
    await floodUntil(
      looks(2).then(async () => {
        const [newest] = await ctx.store.read.messages.page(mailboxId as MailboxId, {
          limit: 1,
          now: at(ctx.clock.now()),
        });
        const of = `${fixture.server.url}/_mailcap/messages/${newest?.id}`;
        expect((await fetch(of, { method: 'DELETE' })).status).toBeLessThan(300);
        gone = Number(/\d+/.exec(newest?.subject ?? '')?.[0]);
      }),
    );
    await page.getByText(`${(sent - 1).toLocaleString('en')} messages`).waitFor();
    await expect.poll(() => page.title()).toContain(`(${(sent - 1).toLocaleString('en')})`);
    await scrollThrough(page, ROWS);
  });

  unless(test, BY_DAY)('moves nothing that a reader opened: new mail waits above it', async () => {
    const { page, looks } = await watched();
    // The feed tells the page of each message while one is open, which takes longer than a look at the newest.
    await floodUntil(
      looks(2).then(async () => {
        await page.getByRole('option').nth(3).click();
        await page.getByRole('button', { name: /new$/ }).waitFor();
      }),
      SMALL_GROUP,
    );
    const shown = await page.getByRole('option', { selected: true }).innerText();
    await counted(page);
    expect(await page.getByRole('option', { selected: true }).innerText()).toBe(shown);
    const newestShown = Number(/Mail (\d+)\./.exec(await page.getByRole('option').first().innerText())?.[1]);
    const all = page.getByRole('button', { name: `${(sent - newestShown).toLocaleString('en')} new` });
    await all.click({ timeout: 120_000 });
    await scrollThrough(page, ROWS);
  });

  unless(test, BY_DAY)('ends with a reset', async () => {
    const { page, looks } = await watched();
    await floodUntil(looks(1));
    const reset = await fetch(`${fixture.server.url}/_mailcap/reset`, { method: 'POST' });
    expect(reset.status).toBeLessThan(300);
    await page.getByRole('heading', { name: 'Send the first mail' }).waitFor();
    await fixture.mail({ subject: 'After the reset' });
    await page.getByRole('option', { name: /After the reset/ }).waitFor();
    expect(await page.getByRole('option').count()).toBe(1);
  });

  unless(test, BY_DAY)('shows that the server is gone, and then the server that comes in its place', async () => {
    const { page, looks } = await watched();
    await floodUntil(looks(1));
    await fixture.server.close();
    await page.getByText('Not connected:').waitFor();
    // Loaded messages stay readable.
    expect(await page.getByRole('option').count()).toBeGreaterThan(10);
    await using _next = await startServer({ port: Number(new URL(fixture.server.url).port) });
    await page.getByRole('heading', { name: 'Send the first mail' }).waitFor();
    expect(await page.getByText('Not connected:').count()).toBe(0);
  });
});
