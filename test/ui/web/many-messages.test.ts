import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { MailboxId, MessageId } from '../../../src/domain/ids.ts';
import { at as moment } from '../../support/moment.ts';
import { unless } from '../../support/unless.ts';
import { type InboxFixture, NO_BROWSER, openInbox } from './open-inbox.ts';

const MANY = 100_000;
const CHUNK = 5_000;

unless(describe, NO_BROWSER)('a mailbox of 100,000 messages', { timeout: 300_000 }, () => {
  let fixture: InboxFixture;
  beforeAll(async () => {
    fixture = await openInbox();
    const { ctx, mailboxId } = fixture.server;
    await fixture.mail({ subject: 'The oldest' });
    // A test gives the id that the server has told it.
    const [first] = await ctx.store.read.messages.page(mailboxId as MailboxId, {
      limit: 1,
      now: moment(ctx.clock.now()),
    });
    if (first === undefined) throw new Error('no mail came');
    const at = ctx.clock.now();
    const bytes = await ctx.store.blobs.read(first.raw);
    for (let from = 1; from < MANY; from += CHUNK)
      await ctx.store.transaction(async (tx) => {
        for (let n = from; n < Math.min(from + CHUNK, MANY - 1); n++) {
          // Messages with the same bytes are copies of one mail, which are one row.
          const raw = await ctx.store.blobs.put(bytes);
          await tx.messages.insert({ ...first, id: ctx.ids.next<MessageId>(at), raw, subject: `Mail ${n}` });
        }
      });
    await fixture.mail({ subject: 'The newest' });
  }, 300_000);
  afterAll(() => fixture[Symbol.asyncDispose]());

  test('is listed page by page, draws one screen of rows, and scrolls through the next pages', async () => {
    const { page } = await fixture.open('', { width: 1_200 });
    await page.getByRole('option', { name: /The newest/ }).waitFor();
    await page.getByText('100,000 messages').waitFor();
    const elements = () => page.evaluate<number>("document.querySelectorAll('*').length");
    expect(await elements()).toBeLessThan(400);
    const list = page.getByRole('listbox');
    // The next page is loaded once the reader turns to the list, before any scroll.
    const nextPage = page.waitForResponse((response) => response.url().includes('before='));
    await list.hover();
    await nextPage;
    for (let screen = 1; screen <= 20; screen++) {
      await page.mouse.wheel(0, 600);
      // Ten rows of 60 px each: the row that now stands at the top is in sight.
      await list.getByRole('option', { name: new RegExp(`Mail ${MANY - 1 - 10 * screen}\\b`) }).waitFor();
    }
    expect(await elements()).toBeLessThan(400);
    // Mail that comes moves nothing of what is read.
    const top = () => page.evaluate<number>("document.querySelector('.rows').scrollTop");
    const before = await top();
    // No turn of the wheel was lost at the end of a page.
    expect(before).toBe(20 * 600);
    await fixture.mail({ subject: 'Newer still' });
    await page.getByRole('button', { name: '1 new' }).waitFor();
    expect(await top()).toBe(before);
    await page.getByRole('button', { name: '1 new' }).click();
    await page.getByRole('option', { name: /Newer still/ }).waitFor();
    expect(await elements()).toBeLessThan(400);
  });

  test('is drawn again for each mail, and the page keeps nothing of the earlier drawing', async () => {
    const { page } = await fixture.open();
    const show = async (subject: string) => {
      await fixture.mail({ subject });
      await page.getByRole('option', { name: subject, exact: false }).waitFor();
    };
    for (let n = 1; n <= 5; n++) await show(`Watched ${n}.`);
    const before = await page.evaluate<number>(REACHED);
    expect(before).toBeGreaterThan(100);
    for (let n = 6; n <= 25; n++) await show(`Watched ${n}.`);
    // Each mail draws the list anew. Twenty kept trees of ten rows are over 1,500 nodes.
    expect(await page.evaluate<number>(REACHED)).toBeLessThan(before + 500);
  });
});

/** Counts the nodes of Preact's trees that can be reached from the page's root: they name their children `__k`. */
const REACHED = `(() => {
  const seen = new Set();
  const left = [document.getElementById('root').__k];
  let nodes = 0;
  while (left.length > 0) {
    const one = left.pop();
    if (one === null || typeof one !== 'object' || one instanceof Node || seen.has(one)) continue;
    seen.add(one);
    if ('__k' in one) nodes++;
    left.push(...Object.values(one));
  }
  return nodes;
})()`;
