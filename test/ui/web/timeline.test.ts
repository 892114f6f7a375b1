import { describe, expect, test } from 'vitest';
import { json } from '../../http/support.ts';
import { unless } from '../../support/unless.ts';
import { NO_BROWSER, openInbox } from './open-inbox.ts';

unless(describe, NO_BROWSER)('the timeline', () => {
  test('asks once for the newest of a burst, again for more of them, and for a mailbox and a kind until it has them', async () => {
    await using fixture = await openInbox();
    const { server } = fixture;
    const quiet = await json<{ id: string }>(
      server.api(`/_mailcap/workspaces/${server.workspaceId}/mailboxes`, { json: { name: 'Quiet' } }),
    );
    const put = (mailboxId: string, subject: string) =>
      server.api(`/_mailcap/mailboxes/${mailboxId}/messages`, { method: 'POST', body: `Subject: ${subject}\r\n\r\nx` });
    await put(quiet.id, 'Before the burst');
    const burst = Array.from({ length: 1_100 }, (_, n) => `Burst ${n}`);
    while (burst.length > 0) await Promise.all(burst.splice(0, 50).map((subject) => put(server.mailboxId, subject)));

    const { page, complaints } = await fixture.open();
    const asked: string[] = [];
    page.on('request', (request) => {
      const { pathname, search } = new URL(request.url());
      if (pathname === '/_mailcap/events') asked.push(search);
    });
    await page.locator('.row').first().waitFor();
    await page.goto(`${server.url}/#/timeline`);
    const lines = page.locator('.timeline li');
    await expect.poll(() => lines.count()).toBe(200);
    expect(asked).toHaveLength(1);
    expect(await lines.first().textContent()).toMatch(/Burst 10\d\d/);

    await page.getByRole('button', { name: 'More' }).click();
    await expect.poll(() => lines.count()).toBe(400);
    await page.getByRole('button', { name: 'More' }).click();
    await expect.poll(() => lines.count()).toBe(600);
    expect(asked).toHaveLength(3);

    await page.getByRole('button', { name: 'Mailboxes' }).click();
    await lines.filter({ hasText: 'Mailbox created' }).waitFor();
    expect(await lines.count()).toBe(1);
    await page.goto(`${server.url}/#/timeline?mailbox=${quiet.id}`);
    await lines.filter({ hasText: 'Before the burst' }).waitFor();
    expect(asked.at(-1)).toContain(quiet.id);
    expect(complaints).toEqual([]);
  });
});
