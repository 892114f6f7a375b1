import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { json } from '../../http/support.ts';
import { unless } from '../../support/unless.ts';
import { violationsOn } from './axe.ts';
import { type InboxFixture, NO_BROWSER, openInbox } from './open-inbox.ts';

unless(describe, NO_BROWSER)('the pages over the whole width', { timeout: 180_000 }, () => {
  let fixture: InboxFixture;
  let webhook: { readonly id: string; readonly url: string };
  beforeAll(async () => {
    fixture = await openInbox({ plan: 'business' });
    const { server } = fixture;
    webhook = await json(server.api(`/_mailcap/workspaces/${server.workspaceId}/webhooks`, { json: { name: 'Pay' } }));
    for (const type of ['charge.refunded', 'invoice.paid'])
      await fetch(`${webhook.url}/stripe`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ type, data: { object: { id: `of_${type}` } } }),
      });
    await server.api(`/_mailcap/mailboxes/${server.mailboxId}/send`, {
      json: {
        from: 'app@inbox.mailcap.example.com',
        to: 'bob@inbox.mailcap.example.com',
        subject: 'Receipt',
        textBody: 'x',
      },
    });
    await server.api('/_mailcap/faults', {
      json: { stage: 'rcpt', match: { to: 'nobody@*' }, action: { reply: '550 5.1.1 refused on purpose' } },
    });
    await fixture.mail({ subject: 'Refused', to: 'nobody@inbox.mailcap.example.com' }).catch(() => {});
  }, 180_000);
  afterAll(() => fixture[Symbol.asyncDispose]());

  test('tell requests of one path apart by their events, and mails by their subjects', async () => {
    const { page, complaints } = await fixture.open(`#/webhooks/${webhook.id}`, { width: 1_920 });
    const row = page.getByRole('option', { name: /charge\.refunded of_charge\.refunded application\/json/ });
    await row.waitFor();
    expect((await row.boundingBox())?.width).toBeGreaterThan(1_600);
    await page.getByRole('option', { name: /invoice\.paid/ }).waitFor();
    await page.goto(`${fixture.server.url}/#/timeline`);
    await page.locator('.timeline li', { hasText: /POST \/stripe charge\.refunded of_charge/ }).waitFor();
    await page.locator('.timeline li', { hasText: /Send delivered: Receipt/ }).waitFor();
    expect((await page.locator('.timeline').boundingBox())?.width).toBeGreaterThan(1_500);
    await page.goto(`${fixture.server.url}/#/outbound`);
    await page.getByRole('link', { name: 'Receipt' }).click();
    await page.getByRole('heading', { name: 'Receipt' }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('open the SMTP session of a refusal at its line', async () => {
    const { page } = await fixture.open('#/timeline');
    const line = page.locator('.timeline li', { hasText: '550 5.1.1 refused on purpose' });
    await line.getByText('Its SMTP session').click();
    await expect.poll(() => line.locator('mark').textContent()).toBe('S: 550 5.1.1 refused on purpose\n');
    await line.getByText('C: RCPT TO:<nobody@inbox.mailcap.example.com>').waitFor();
    expect(await violationsOn(page)).toEqual([]);
  });
});
