import { afterEach, describe, expect, test } from 'vitest';
import { json } from '../../http/support.ts';
import { newDirectory } from '../../store/directory.ts';
import { unless } from '../../support/unless.ts';
import { type InboxFixture, NO_BROWSER, openInbox } from './open-inbox.ts';

const COUNT = 100;

unless(describe, NO_BROWSER)('the copies of mails in the list', { timeout: 180_000 }, () => {
  let fixture: InboxFixture;
  afterEach(() => fixture[Symbol.asyncDispose]());

  /** Creates further mailboxes and returns an address in each, and in the first one. */
  async function addresses(...names: string[]): Promise<string[]> {
    const path = `/_mailcap/workspaces/${fixture.server.workspaceId}/mailboxes`;
    const made: string[] = [];
    for (const name of names) {
      const subdomain = `copies-${name.toLowerCase()}`;
      await fixture.server.api(path, { json: { name, subdomain } });
      made.push(`ada@${subdomain}.mailcap.example.com`);
    }
    return ['ada@inbox.mailcap.example.com', ...made];
  }

  test('a hundred mails of three copies each are a hundred rows, which are reached without a jump', async () => {
    fixture = await openInbox({ limits: 'off' });
    const to = await addresses('Sales', 'Support');
    for (let n = 1; n <= COUNT; n++) await fixture.mail({ subject: `Mail ${n}.`, to });
    const { page, complaints } = await fixture.open('#/mail/all', { width: 1_200 });
    await page.getByText('300 messages').waitFor();
    await page.getByRole('option', { name: /Mail 100\./ }).waitFor();
    await page.getByRole('listbox').hover();
    const seen = new Set<number>();
    const turns = { made: 0 };
    const list = page.locator('.rows');
    const top = () => page.evaluate<number>("document.querySelector('.rows').scrollTop");
    const end = () =>
      page.evaluate<number>(
        "(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)(document.querySelector('.rows'))",
      );
    while (!seen.has(1)) {
      // The row that belongs at the top of the list stands there, whatever has been loaded meanwhile.
      const first = COUNT - (await top()) / 60;
      await list.getByRole('option', { name: new RegExp(`Mail ${first}\\.`) }).waitFor();
      for (const text of await page.getByRole('option').allInnerTexts())
        seen.add(Number(/Mail (\d+)\./.exec(text)?.[1]));
      const before = await top();
      await page.mouse.wheel(0, 300);
      turns.made++;
      await expect.poll(top).toBe(Math.min(before + 300, await end()));
      expect(turns.made).toBeLessThan(60);
    }
    expect([...seen].sort((a, b) => a - b)).toEqual(Array.from({ length: COUNT }, (_none, at) => at + 1));
    expect(await page.evaluate<number>("document.querySelector('.rows').scrollHeight")).toBe(COUNT * 60);
    expect(complaints).toEqual([]);
  });

  test('stay one row when the server frees space, and what comes then moves nothing', async () => {
    fixture = await openInbox({ limits: 'off', ephemeral: false, dataDir: newDirectory() });
    const { server } = fixture;
    const to = await addresses('Sales');
    for (let n = 1; n <= 5; n++) await fixture.mail({ subject: `Mail ${n}.`, to });
    // It takes most of the store, which is written anew once it has left.
    await fixture.mail({
      subject: 'Leaves',
      to,
      attachments: [{ filename: 'large.bin', content: Buffer.alloc(1 << 20, 'x') }],
    });
    const keys = async () => {
      const { items } = await json<{ items: readonly { subject: string; copyKey: string }[] }>(
        server.api('/_mailcap/messages?query=subject:Mail'),
      );
      return items.map(({ subject, copyKey }) => `${subject} ${copyKey}`);
    };
    const { page } = await fixture.open('#/mail/all', { width: 1_200 });
    const rows = page.getByRole('option');
    await rows.filter({ hasText: 'Mail 1.' }).waitFor();
    expect(await page.locator('.copies').allTextContents()).toEqual(Array(6).fill('2 copies, folded'));
    await rows.filter({ hasText: 'Mail 3.' }).click();
    await page.getByRole('heading', { name: 'Mail 3.' }).waitFor();
    const before = await keys();
    await server.api('/_mailcap/messages?query=subject:Leaves', { method: 'DELETE' });
    await expect.poll(() => rows.count()).toBe(5);
    await server.ctx.store.reclaim();
    const after = await keys();
    expect(after).toHaveLength(before.length);
    expect(after).not.toEqual(before);
    const subjects = async () => (await rows.allInnerTexts()).map((text) => /Mail \d/.exec(text)?.[0]);
    expect(await subjects()).toEqual(['Mail 5', 'Mail 4', 'Mail 3', 'Mail 2', 'Mail 1']);
    await fixture.mail({ subject: 'Mail 6.', to });
    await page.getByRole('button', { name: '1 new' }).waitFor();
    expect(await subjects()).toEqual(['Mail 5', 'Mail 4', 'Mail 3', 'Mail 2', 'Mail 1']);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: '1 new' }).click();
    await expect.poll(subjects).toEqual(['Mail 6', 'Mail 5', 'Mail 4', 'Mail 3', 'Mail 2', 'Mail 1']);
    await expect.poll(() => page.locator('.copies').allTextContents()).toEqual(Array(6).fill('2 copies, folded'));
    // What is done to the row is still done to both copies.
    await rows.filter({ hasText: 'Mail 3.' }).click();
    await page.getByRole('heading', { name: 'Mail 3.' }).waitFor();
    await page.keyboard.press('d');
    await expect.poll(subjects).not.toContain('Mail 3');
    await page.goto('about:blank');
    await expect.poll(async () => (await keys()).filter((key) => key.startsWith('Mail 3.'))).toEqual([]);
  });
});
