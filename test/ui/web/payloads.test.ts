import type { BrowserContext, Locator } from '@playwright/test';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { json } from '../../http/support.ts';
import { byDay } from '../../support/night.ts';
import { unless } from '../../support/unless.ts';
import { type InboxFixture, NO_BROWSER, openInbox } from './open-inbox.ts';
import { scriptPayloads } from './payloads.ts';

const MARK = '4711';
const ALL = scriptPayloads(`console.log(${MARK}),alert(${MARK})`);
/** By day every third, so that each family of payloads has some. */
const PAYLOADS = byDay(ALL, (_payload, at) => at % 3 === 0);

unless(describe, NO_BROWSER)('HTML that is known to run scripts', { timeout: 300_000 }, () => {
  let fixture: InboxFixture;
  beforeAll(async () => {
    fixture = await openInbox({}, ['--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1']);
  }, 180_000);
  afterAll(() => fixture[Symbol.asyncDispose]());
  beforeEach(async () => {
    for (const context of fixture.browser.contexts()) await context.close();
    await fixture.server.reset();
  });

  const idsOf = async (count: number): Promise<string[]> => {
    const path = `/_mailcap/mailboxes/${fixture.server.mailboxId}/messages?limit=200`;
    const { items } = await json<{ items: { id: string; subject: string }[] }>(fixture.server.api(path));
    expect(items.length).toBe(count);
    return items.reverse().map(({ id }) => id);
  };

  test('is noticed by this test if it runs, so an empty log means something', async () => {
    const context = await fixture.browser.newContext();
    const log = watch(context, 'nowhere:');
    const page = await context.newPage();
    for (const [name, html] of ALL.filter(([name]) => /^(script|image that fails|svg that loads|video)$/.test(name))) {
      log.ran.splice(0);
      await page.setContent(html, { waitUntil: 'commit' });
      await expect.poll(() => log.ran.length, { message: name }).toBeGreaterThan(0);
    }
  });

  test('does not run as the HTML of a mail, also if links and buttons are clicked, and makes no request', async () => {
    for (const [at, [name, html]] of PAYLOADS.entries())
      await fixture.mail({ subject: name, html: `<h1>Mail ${at}</h1>${html}` });
    const ids = await idsOf(PAYLOADS.length);
    const { page, context } = await fixture.open();
    const log = watch(context, fixture.server.url);
    for (const [at, id] of ids.entries()) {
      await page.goto(`${fixture.server.url}/#/mail/${fixture.server.mailboxId}/${id}/html`);
      const frame = page.frameLocator('.view iframe');
      await frame.getByRole('heading', { name: `Mail ${at}`, exact: true }).waitFor();
      await clickAll(frame.locator('a, area, button, input, summary, text'));
      expect(await page.locator('.app').count(), `our page is there after ${PAYLOADS[at]?.[0]}`).toBe(1);
    }
    expect(log.ran).toEqual([]);
    expect(log.strangers).toEqual([]);
  });

  test('does not run as the HTML of an attached mail, and makes no request', async () => {
    const some = PAYLOADS.filter((_payload, at) => at % 4 === 0);
    await fixture.mail({
      subject: 'Outer',
      attachments: some.map(([name, html], at) => ({
        contentType: 'message/rfc822',
        content: `Subject: ${name}\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<h1>Mail ${at}</h1>${html}`,
      })),
    });
    const [id = ''] = await idsOf(1);
    const { attachments } = await json<{ attachments: { id: string }[] }>(
      fixture.server.api(`/_mailcap/messages/${id}/content`),
    );
    expect(attachments).toHaveLength(some.length);
    const { page, context } = await fixture.open();
    const log = watch(context, fixture.server.url);
    for (const [at, attached] of attachments.entries()) {
      await page.goto(`${fixture.server.url}/#/mail/${fixture.server.mailboxId}/${id}/html?attached=${attached.id}`);
      const frame = page.frameLocator('.view iframe');
      await frame.getByRole('heading', { name: `Mail ${at}`, exact: true }).waitFor();
      await clickAll(frame.locator('a, area, button, input, summary, text'));
      expect(await page.locator('.app').count(), `our page is there after ${some[at]?.[0]}`).toBe(1);
      expect(await foreignElements(page)).toBe(0);
    }
    expect(log.ran).toEqual([]);
    expect(log.strangers).toEqual([]);
  });

  test('does not run in a subject, a name, a file name, a header or a text, which are shown as they were written', async () => {
    const some = PAYLOADS.map(([, html]) => html.replace(/\p{Cc}/gu, ' '));
    for (const [at, text] of some.entries())
      await fixture.mail({
        subject: text,
        from: { name: text, address: 'a@b.test' },
        to: { name: text, address: 'ada@inbox.mailcap.example.com' },
        headers: { 'X-Payload': text, 'List-Unsubscribe': `<javascript:${MARK}>` },
        text: `${text}\nhttps://shop.test/"onmouseover="alert(${MARK})`,
        ...(at % 8 === 0 && {
          attachments: [
            { filename: text, content: 'x' },
            { filename: 'x.svg', content: text },
          ],
        }),
      });
    const ids = await idsOf(some.length);
    const { page, context } = await fixture.open();
    const log = watch(context, fixture.server.url);
    for (const id of ids.filter((_id, at) => at % 8 === 0))
      for (const tab of ['text', 'headers', 'parts', 'source', 'attachments', 'delivery', 'checks']) {
        await page.goto(`${fixture.server.url}/#/mail/${fixture.server.mailboxId}/${id}/${tab}`);
        await page.locator(`.view-${tab} > *`).first().waitFor();
        expect(await foreignElements(page)).toBe(0);
      }
    for (const [at, id] of ids.entries()) {
      await page.goto(`${fixture.server.url}/#/mail/${fixture.server.mailboxId}/${id}/text`);
      const expected = (some[at] ?? '').replace(/\s+/g, ' ').trim().slice(0, 20);
      await page.locator('.message-head h1', { hasText: expected }).waitFor();
    }
    for (const hash of ['#/timeline', `#/why/${fixture.server.mailboxId}`, '']) {
      await page.goto(`${fixture.server.url}/${hash}`);
      await page.locator('main h1').first().waitFor();
      expect(await foreignElements(page)).toBe(0);
    }
    expect(log.ran).toEqual([]);
    expect(log.strangers).toEqual([]);
  });

  test('does not run in names that a test or an app chose: mailboxes, webhooks, requests, accounts', async () => {
    const { server } = fixture;
    const text = '<img src=x: onerror=alert(4711)>\u202e"\'><svg/onload=alert(4711)>';
    const workspace = `/_mailcap/workspaces/${server.workspaceId}`;
    await server.api(`${workspace}/mailboxes`, { json: { name: text.slice(0, 60) } });
    const webhook = await json<{ id: string; url: string }>(
      server.api(`${workspace}/webhooks`, { json: { name: text.slice(0, 60) } }),
    );
    await fetch(`${webhook.url}/${encodeURIComponent(text)}?${encodeURIComponent(text)}=1`, {
      method: 'POST',
      headers: { 'content-type': 'text/html', 'x-payload': text.replace('\u202e', '') },
      body: text,
    });
    await server.api(`${workspace}/authenticators`, {
      json: { name: text.slice(0, 60), secret: 'GEZDGNBVGY3TQOJQ' },
    });
    const { items } = await json<{ items: [{ id: string }] }>(server.api(`/_mailcap/webhooks/${webhook.id}/requests`));
    const request = `#/webhooks/${webhook.id}/${items[0].id}`;
    const { page, context } = await fixture.open();
    const log = watch(context, server.url);
    for (const hash of [
      ...['body', 'headers', 'difference', 'signature', 'forward'].map((tab) => `${request}/${tab}`),
      ...[
        '#/webhooks',
        '#/authenticators',
        '#/timeline',
        '#/waiting',
        '#/tools/workspaces',
        '#/tools/faults',
        '#/outbound/compose',
      ],
    ]) {
      await page.goto(`${server.url}/${hash}`);
      await page.locator('main h1').first().waitFor();
      expect(await foreignElements(page), hash).toBe(0);
      expect(await page.locator('body').innerText(), hash).not.toContain('\u202e');
    }
    await page.keyboard.press('Control+k');
    await page.keyboard.type('img');
    await page
      .locator('dialog')
      .getByRole('option', { name: /img src=x/ })
      .waitFor();
    expect(await foreignElements(page)).toBe(0);
    expect(log.ran).toEqual([]);
    expect(log.strangers).toEqual([]);
  });
});

/** Logs each script of a payload that runs in any page of a context, and each request that is not for `ours`. */
function watch(context: BrowserContext, ours: string): { ran: string[]; strangers: string[] } {
  const ran: string[] = [];
  const strangers: string[] = [];
  context.on('console', (message) => void (message.text() === MARK && ran.push(message.location().url)));
  context.on('dialog', (dialog) => {
    ran.push(dialog.message());
    void dialog.dismiss().catch(() => {});
  });
  context.on('request', (request) => {
    if (/^(https?|wss?|ftp):/.test(request.url()) && !request.url().startsWith(ours)) strangers.push(request.url());
  });
  return { ran, strangers };
}

/** Returns how many elements there are that only a payload could have made. */
async function foreignElements(page: { locator(selector: string): { count(): Promise<number> } }): Promise<number> {
  return page
    .locator(
      'body script:not([src^="/assets/"]):not(#first[type="application/json"]), #first > *, #first ~ #first, [onerror], [onload], [onbegin], img[src^="x"], embed, object, a[href^="javascript:" i], math, form[action]',
    )
    .count();
}

async function clickAll(all: Locator): Promise<void> {
  for (let at = Math.min(4, await all.count()) - 1; at >= 0; at--)
    await all
      .nth(at)
      .click({ timeout: 400, force: true, noWaitAfter: true })
      .catch(() => {});
}
