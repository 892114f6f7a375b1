import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { json } from '../../http/support.ts';
import { unless } from '../../support/unless.ts';
import { type InboxFixture, NO_BROWSER, openInbox } from './open-inbox.ts';

/** Finds elements that are wider than their box, where the reader can't scroll to the rest. */
const OVERFLOWING = `[...document.querySelectorAll('main *')].flatMap((element) => {
  const { overflowX, display } = getComputedStyle(element);
  const counts = overflowX === 'visible' && display !== 'inline' && !element.closest('svg, .sr, .check, iframe');
  const { scrollWidth, clientWidth } = element;
  return counts && clientWidth > 0 && scrollWidth > clientWidth + 1 ? [element.tagName + '.' + element.className] : [];
})`;
const LONG = 'a-name-that-a-program-put-together-of-a-file-a-test-and-a-number-and-that-has-no-blank';

unless(describe, NO_BROWSER)('long words', { timeout: 180_000 }, () => {
  let fixture: InboxFixture;
  beforeAll(async () => {
    fixture = await openInbox();
  }, 180_000);
  afterAll(() => fixture[Symbol.asyncDispose]());

  test.each([390, 820, 1_440])('widen no view at %i px', async (width) => {
    const { server } = fixture;
    const workspace = `/_mailcap/workspaces/${server.workspaceId}`;
    const mailbox = await json<{ id: string }>(
      server.api(`${workspace}/mailboxes`, {
        json: { name: `${width} › a test with a name of many words › signs up` },
      }),
    );
    await fixture.mail({ subject: LONG, from: `"${LONG}" <a@x.test>` });
    const messages = await json<{ items: [{ id: string }] }>(
      server.api(`/_mailcap/mailboxes/${server.mailboxId}/messages`),
    );
    const webhook = await json<{ id: string; url: string }>(
      server.api(`${workspace}/webhooks`, { json: { name: LONG } }),
    );
    await fetch(webhook.url, { method: 'POST', headers: { 'x-signature': `sha256=${'0'.repeat(64)}` }, body: '{}' });
    const requests = await json<{ items: [{ id: string }] }>(server.api(`/_mailcap/webhooks/${webhook.id}/requests`));
    await server.api(`${workspace}/authenticators`, {
      json: { name: 'Account of Ada', uri: `otpauth://totp/${LONG}?secret=GEZDGNBVGY3TQOJQ&issuer=${LONG}` },
    });
    const { page, context } = await fixture.open('', { width });
    const wide: string[] = [];
    for (const [hash, wait] of [
      [`#/mail/${mailbox.id}`, '.empty'],
      [`#/mail/${server.mailboxId}`, '.row'],
      [`#/compare/${messages.items[0].id}`, '.compare .empty, .pick-other .cards'],
      ['#/timeline', '.timeline'],
      ['#/webhooks', '.cards'],
      [`#/webhooks/${webhook.id}?form=script`, '.message-pane .form'],
      [`#/webhooks/${webhook.id}/${requests.items[0].id}/signature`, '.view .form'],
      ['#/authenticators', '.codes .code'],
    ] as const) {
      await page.goto(`${server.url}/${hash}`);
      await page.locator(wait).first().waitFor();
      if (hash.endsWith('/signature')) {
        await page.getByLabel('Secret').fill('hush');
        await page.getByRole('button', { name: 'Check the signature' }).click();
        await page.getByText('The signature is wrong').waitFor();
      }
      for (const one of await page.evaluate<string[]>(OVERFLOWING)) wide.push(`${hash}: ${one}`);
    }
    expect(wide).toEqual([]);
    // The name of an account is read as words, and not letter below letter.
    expect((await page.getByText('Account of Ada').first().boundingBox())?.height).toBeLessThan(30);
    await context.close();
  });

  test.each([390, 820, 1_440])(
    'a long subject takes three lines at %i px, and is read in full when asked',
    async (width) => {
      const subject = `${'Your order of many things, and one more that nobody asked for, '.repeat(12)}arrives`;
      const inner = `Subject: ${subject}\r\n\r\nx`;
      await fixture.mail({
        subject,
        attachments: [{ contentType: 'message/rfc822', filename: 'a.eml', content: inner }],
      });
      const { page, context, complaints } = await fixture.open('', { width });
      await page
        .getByRole('option', { name: /^Your order|Your order of many/ })
        .first()
        .click();
      const heading = page.locator('.message:not([hidden]) h1, .way-back + .message-head h1');
      const lines = () =>
        page.evaluate(`(() => {
        const h1 = document.querySelector('.message:not([hidden]) h1, .way-back + .message-head h1');
        return Math.round(h1.clientHeight / Number.parseFloat(getComputedStyle(h1).lineHeight));
      })()`);
      for (const place of ['the message', 'the mail attached to it']) {
        await heading.waitFor();
        expect(await lines(), place).toBe(3);
        await page.getByRole('button', { name: 'Show the whole subject' }).click();
        await expect.poll(() => heading.innerText()).toMatch(/arrives$/);
        expect(await lines(), place).toBeGreaterThan(4);
        await page.getByRole('button', { name: 'Show less of the subject' }).click();
        await expect.poll(lines).toBe(3);
        if (place === 'the message') await page.getByRole('button', { name: 'Open a.eml' }).click();
        await page.locator('.way-back').waitFor();
      }
      expect(complaints).toEqual([]);
      await context.close();
    },
  );

  test('a short subject has no button', async () => {
    await fixture.mail({ subject: 'Short' });
    const { page, context } = await fixture.open();
    await page.getByRole('option', { name: 'Short' }).click();
    await page.getByRole('heading', { name: 'Short' }).waitFor();
    expect(await page.getByRole('button', { name: /subject/ }).count()).toBe(0);
    await context.close();
  });

  test('selected messages stay where they are', async () => {
    for (const subject of ['One', 'Two', 'Three']) await fixture.mail({ subject });
    for (const width of [390, 820, 1_440]) {
      const { page, context } = await fixture.open('', { width });
      const rows = page.getByRole('option');
      await rows.nth(2).waitFor();
      const before = (await rows.nth(2).boundingBox())?.y;
      for (const at of [0, 1]) {
        await rows.nth(at).hover();
        await rows.nth(at).locator('.check').click();
      }
      await page.getByText('2 selected').waitFor();
      expect((await rows.nth(2).boundingBox())?.y, `at ${width} px`).toBe(before);
      expect((await page.getByRole('button', { name: 'Delete' }).boundingBox())?.y).toBeLessThan(before ?? 0);
      await context.close();
    }
  });
});
