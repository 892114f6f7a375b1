import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { unless } from '../../support/unless.ts';
import { type InboxFixture, NO_BROWSER, openInbox } from './open-inbox.ts';

// A mouse rests on a row for some 100 ms before it presses, and a press takes some 80 to become a click. In this time the
// page loads and draws the message.
unless(describe, NO_BROWSER)('a row that the mouse points at or presses', { timeout: 120_000 }, () => {
  let fixture: InboxFixture;
  beforeAll(async () => {
    fixture = await openInbox();
  }, 180_000);
  afterAll(() => fixture[Symbol.asyncDispose]());

  const press = async (subject: string) => {
    await fixture.mail({ subject, html: `<p>The text of ${subject}</p>` });
    const { page, complaints } = await fixture.open();
    const row = page.getByRole('option', { name: subject });
    await row.hover();
    await page.mouse.down();
    await page.locator('.message[hidden] iframe').waitFor({ state: 'attached' });
    return { page, complaints, row };
  };
  const isRead = (row: { getAttribute(name: string): Promise<string | null> }) =>
    row.getAttribute('class').then((names) => !names?.split(' ').includes('unread'));

  test('is opened by its click with the frame that the press loaded, at its top, and is read then', async () => {
    const { page, complaints, row } = await press('Clicked');
    const frame = await page.locator('.message[hidden] iframe').elementHandle();
    expect(await isRead(row)).toBe(false);
    expect(await page.getByRole('heading', { name: 'Clicked' }).isVisible()).toBe(false);
    await page.mouse.up();
    await page.getByRole('heading', { name: 'Clicked', exact: true }).waitFor();
    await page.frameLocator('.view iframe').getByText('The text of Clicked').waitFor();
    expect(await frame?.isVisible()).toBe(true);
    await expect.poll(() => isRead(row)).toBe(true);
    expect(await page.locator('.message').count()).toBe(1);
    expect(complaints).toEqual([]);
  });

  test('is loaded if the mouse stays on it, and no row is that passes below a mouse that does not move', async () => {
    await using own = await openInbox();
    const { page, complaints } = await own.open();
    const loaded: string[] = [];
    page.on('request', (request) => {
      const id = /messages\/(\w+)\/content/.exec(request.url())?.[1];
      if (id !== undefined) loaded.push(id);
    });
    await page.getByRole('heading', { name: 'Send the first mail' }).waitFor();
    await page.mouse.move(700, 140);
    for (const subject of ['First', 'Second', 'Third', 'Fourth']) {
      await own.mail({ subject, text: 'Hello' });
      await page.getByRole('option', { name: subject }).waitFor();
    }
    const row = page.getByRole('option', { name: 'Second' });
    const id = (await row.getAttribute('id'))?.replace('row-', '');
    await row.hover();
    await page.locator('.message[hidden]').waitFor({ state: 'attached' });
    expect(await page.locator('.row:hover').count()).toBe(1);
    expect(loaded).toEqual([id]);
    expect(await isRead(row)).toBe(false);
    expect(complaints).toEqual([]);
  });

  // The effects of a component run after its frame is painted, and a busy browser paints late.
  test('is drawn when the last of its code arrives after its pane was drawn and before the effects ran', async () => {
    await fixture.mail({ subject: 'Late', html: '<p>The text</p>' });
    const { page } = await fixture.open();
    await page.route('**/views-*.css', async (route) => {
      await page.locator('.message-pane.nothing').waitFor({ state: 'detached' });
      await route.continue();
    });
    const row = page.getByRole('option', { name: 'Late' });
    await row.waitFor();
    await page.evaluate(`{
      const [wait, frame] = [setTimeout, requestAnimationFrame];
      window.setTimeout = (act, ms = 0, ...more) => wait(act, ms + 2000, ...more);
      window.requestAnimationFrame = (act) => wait(() => frame(act), 2000);
    }`);
    await row.hover();
    await page.mouse.down();
    await page.locator('.message[hidden] iframe').waitFor({ state: 'attached' });
  });

  test('stays unread if the mouse leaves it before the button goes up, and its message is forgotten', async () => {
    const { page, complaints, row } = await press('Left');
    await page.mouse.move(2, 2);
    await page.mouse.up();
    await page.locator('.message').waitFor({ state: 'detached' });
    expect(await isRead(row)).toBe(false);
    expect(page.url()).not.toContain('/message');
    expect(complaints).toEqual([]);
  });

  test('forgets its message if another client deletes it', async () => {
    const { page } = await press('Deleted');
    await fixture.server.api('/_mailcap/messages?query=subject:Deleted', { method: 'DELETE' });
    await page.locator('.message').waitFor({ state: 'detached' });
    await page.mouse.up();
    expect(await page.getByRole('heading', { name: 'Deleted' }).count()).toBe(0);
  });
});
