import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { json } from '../../http/support.ts';
import { unless } from '../../support/unless.ts';
import { type InboxFixture, NO_BROWSER, openInbox } from './open-inbox.ts';

unless(describe, NO_BROWSER)('the web inbox, looked at closely,', { timeout: 120_000 }, () => {
  let fixture: InboxFixture;
  beforeAll(async () => {
    fixture = await openInbox();
    await fixture.mail({ subject: 'The one before' });
    await fixture.mail({ subject: 'Welcome', text: 'All of this text', html: '<p>All of this text</p>' });
  }, 180_000);
  afterAll(() => fixture[Symbol.asyncDispose]());

  test('chooses the text of a message with ctrl a, and nothing around it', async () => {
    const { page, complaints } = await fixture.open();
    await page.getByRole('option', { name: 'Welcome' }).click();
    await page.getByRole('tab', { name: 'Text' }).click();
    await page.locator('.view-text').getByText('All of this text').waitFor();
    await page.keyboard.press('Control+a');
    expect(String(await page.evaluate('String(getSelection())')).trim()).toBe('All of this text');
    expect(complaints).toEqual([]);
  });

  test('finds in a mail with HTML alone the words that its reader sees', async () => {
    await fixture.mail({
      subject: 'With HTML alone',
      text: undefined,
      html: '<style>p { color: navy }</style><p>Your s&uuml;sser <b>or</b>der<span style="display:none"> Zq</span> is on its way</p>',
    });
    const { page, complaints } = await fixture.open();
    await page.getByRole('option', { name: 'With HTML alone' }).click();
    const frame = page.locator('.message:not([hidden]) iframe');
    await frame.waitFor();
    await page.locator('#message').press('/');
    const field = page.getByRole('searchbox', { name: 'Find in this text' });
    for (const [words, said] of [
      ['süsser order', '1 of 1'],
      ['navy', 'not found'],
      ['zq', 'not found'],
      // The controls of the hidden HTML are not part of the text.
      ['outlook', 'not found'],
    ] as const) {
      await field.fill(words);
      await page.locator('.find-bar').getByText(said).waitFor();
    }
    await page.getByText('The words of the HTML').waitFor();
    expect(page.url()).not.toContain('tab=');
    await page.keyboard.press('Escape');
    await page.getByText('The words of the HTML').waitFor({ state: 'detached' });
    await frame.waitFor();
    expect(complaints).toEqual([]);
  });

  test('finds in Parts the text that its reader sees, and says where a text is encoded', async () => {
    const text = `Grüße an alle, ${'die dabei waren '.repeat(8)}und an Ada.`;
    await fixture.mail({ subject: 'Encoded', text, html: `<p>${text}</p>`, textEncoding: 'quoted-printable' });
    const { page, complaints } = await fixture.open();
    await page.getByRole('option', { name: 'Encoded' }).click();
    await page.getByRole('tab', { name: 'Parts' }).click();
    await page.getByText('Decoded from quoted-printable and utf-8').waitFor();
    await page.locator('#message').press('/');
    const bar = page.locator('.find-bar');
    await page.getByRole('searchbox', { name: 'Find in this text' }).fill('grüße an alle, die dabei');
    await bar.getByText('1 of 1').waitFor();
    await page.getByRole('button', { name: 'As it came' }).click();
    await bar.getByText('This part is encoded.').waitFor();
    await page.getByRole('tab', { name: 'Source' }).click();
    await bar.getByText('Texts are encoded in the source. Parts shows them decoded.').waitFor();
    await page.getByRole('tab', { name: 'Text' }).click();
    await bar.getByText('1 of 1').waitFor();
    expect(complaints).toEqual([]);
  });

  test('keeps every tab of a message where it is when another is chosen', async () => {
    const { page } = await fixture.open();
    await page.getByRole('option', { name: 'Welcome' }).click();
    const places = () =>
      page.evaluate(`[...document.querySelectorAll('[role=tab]')].map((tab) => tab.getBoundingClientRect().x)`);
    await page.getByRole('tab', { name: 'Checks' }).waitFor();
    const before = await places();
    for (const name of ['Source', 'Checks', 'HTML']) {
      await page.getByRole('tab', { name }).click();
      expect(await places()).toEqual(before);
    }
  });

  test('tells the exact time at which a message came, among its details', async () => {
    const { page } = await fixture.open();
    await page.getByRole('option', { name: 'Welcome' }).click();
    await page.getByRole('button', { name: 'Details' }).click();
    const received = page.locator('.people > div', { hasText: 'Received' });
    expect(await received.innerText()).toMatch(/today, \d\d:\d\d:\d\d · (now|\d+ s|\d+ min|just)/);
  });

  test('says no more of a message when the next one opens, and keeps the focus in the page after undo by the mouse', async () => {
    const { page, complaints } = await fixture.open();
    await page.getByRole('option', { name: 'Welcome' }).click();
    await page.getByRole('heading', { name: 'Welcome' }).waitFor();
    await page.locator('#message').press('y');
    await page.locator('.notice').waitFor();
    await page.locator('#message').press('n');
    await page.getByRole('heading', { name: 'The one before' }).waitFor();
    expect(await page.locator('.notice').count()).toBe(0);
    await page.locator('#message').press('d');
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.locator('.notice').getByText('1 message put back.').waitFor();
    await page.getByRole('heading', { name: 'The one before' }).waitFor();
    expect(await page.evaluate('document.activeElement.closest("main") !== null')).toBe(true);
    expect(complaints).toEqual([]);
  });

  test('says of a mailbox that is gone why, and where to look', async () => {
    const { page } = await fixture.open(`#/mail/${ulid()}`);
    await page.getByRole('heading', { name: 'This mailbox was deleted' }).waitFor();
    expect(await page.getByRole('button', { name: 'Mark all as read' }).isDisabled()).toBe(true);
    await page.getByRole('link', { name: 'Show the runs' }).click();
    await page.getByRole('heading', { name: 'Runs' }).waitFor();
  });

  test('says of a webhook that is gone why, and shows one that was made a moment ago', async () => {
    const { page, complaints } = await fixture.open(`#/webhooks/${ulid()}`);
    await page.getByRole('heading', { name: 'This webhook was deleted' }).waitFor();
    await page.getByRole('link', { name: 'Show the webhooks' }).click();
    await page.getByRole('button', { name: 'New webhook' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Orders');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Orders' }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('describes a field with its hint, which is not part of its name', async () => {
    const { page } = await fixture.open('#/authenticators');
    await page.getByRole('button', { name: 'New authenticator' }).click();
    const field = page.getByRole('textbox', { name: 'Secret', exact: true });
    const hint = await field.getAttribute('aria-describedby');
    expect(await page.locator(`[id="${hint}"]`).innerText()).toBe('Or an otpauth:// address');
  });

  test('puts the focus into the first field of a new webhook and of a new authenticator', async () => {
    for (const [part, button] of [
      ['webhooks', 'New webhook'],
      ['authenticators', 'New authenticator'],
    ] as const) {
      const { page } = await fixture.open(`#/${part}`);
      await page.getByRole('button', { name: button }).click();
      await expect
        .poll(() => page.evaluate('document.activeElement.closest("label")?.innerText'), { timeout: 30_000 })
        .toBe('Name');
    }
  });

  test('closes the form of a replay with escape, and only then the request', async () => {
    const { server } = fixture;
    const path = `/_mailcap/workspaces/${server.workspaceId}/webhooks`;
    const webhook = await json<{ id: string; url: string }>(server.api(path, { json: { name: 'Payments' } }));
    await fetch(webhook.url, { method: 'POST', body: 'x' });
    const { page } = await fixture.open(`#/webhooks/${webhook.id}`);
    await page.getByRole('option').first().click();
    await page.getByRole('button', { name: 'Replay to…' }).click();
    const field = page.getByRole('textbox', { name: 'Send it once to' });
    await field.waitFor();
    await page.keyboard.press('Escape');
    await field.waitFor({ state: 'detached' });
    await page.getByRole('tab', { name: 'Headers' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('tab', { name: 'Headers' }).waitFor({ state: 'detached' });
  });

  test('opens the last attempt at a test by its name, and says once why it failed', async () => {
    const { server } = fixture;
    const [run, first, last, other] = [ulid(), ulid(), ulid(), ulid()];
    const name = 'playwright worker 0 (process 7 of 0123456789abcdef)';
    const worker = await json<{ id: string }>(server.api('/_mailcap/workspaces', { json: { name } }));
    const boxes = `/_mailcap/workspaces/${worker.id}/mailboxes`;
    const mailbox = await json<{ id: string }>(server.api(boxes, { json: { name: 'Pays' } }));
    const startedAt = new Date().toISOString();
    const why = 'No message matched.\nThe handle has received nothing.';
    const wait = { at: startedAt, call: 'waitForCode', filter: '{}', tookMs: 5, outcome: why };
    for (const [id, title, attempt] of [
      [first, 'pays', 1],
      [last, 'pays', 2],
      [other, 'orders', 1],
    ] as const)
      await server.api(`/_mailcap/runs/${run}/tests/${id}`, {
        method: 'PUT',
        json: {
          ...{ runner: 'playwright', project: 'shop', file: 'a.ts', titles: ['shop', title], attempt, worker: '0' },
          ...{ outcome: 'failed', error: `WaitTimeoutError: ${why}`, waits: [wait], startedAt, endedAt: startedAt },
          ...{ mailboxIds: id === last ? [mailbox.id] : [] },
        },
      });
    const { page, complaints } = await fixture.open(`#/runs/${run}`);
    await page.locator('.tests').getByRole('link', { name: 'shop › pays' }).click();
    await expect.poll(() => page.url()).toMatch(new RegExp(`${last}$`));
    await page.locator('.test-facts').waitFor();
    expect(await page.locator('.test-facts').getByText('The handle has received nothing').count()).toBe(1);
    await page.locator('.mailbox-lines').getByText('a test failed').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.test-facts').waitFor({ state: 'detached' });
    await expect.poll(() => page.url()).toMatch(new RegExp(`${run}$`));
    expect(complaints).toEqual([]);
    await page.goto(`${server.url}/#/runs/${ulid()}`);
    await page.getByRole('heading', { name: 'This run is gone' }).waitFor();
  });

  test('says of a file that only calls itself a picture that it cannot be shown', async () => {
    await fixture.mail({ subject: 'No picture', attachments: [{ filename: 'photo.png', content: 'not a picture' }] });
    const { page, complaints } = await fixture.open();
    await page.getByRole('option', { name: 'No picture' }).click();
    await page.getByRole('button', { name: 'Preview photo.png' }).click();
    await page.getByText("The file can't be shown: it is no picture of its type, or it is damaged.").waitFor();
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('keeps the field for a tag from what stands before it, with forced colours', async () => {
    const { page } = await fixture.open();
    await page.emulateMedia({ forcedColors: 'active' });
    await page.getByRole('option', { name: 'Welcome' }).click();
    await page.locator('#new-tag').waitFor();
    const gap =
      'document.querySelector("#new-tag").getBoundingClientRect().left - document.querySelector(".message .people dd .faint").getBoundingClientRect().right';
    await expect.poll(() => page.evaluate(gap)).toBeGreaterThanOrEqual(4);
    await page.context().close();
  });

  test('leaves no field of a fault alone on its row on a tablet', async () => {
    const { page } = await fixture.open('#/tools/faults', { width: 820 });
    await page.getByLabel('How often').waitFor();
    const rows =
      '(() => { const tops = [...document.querySelectorAll(".roomy > .field")].map((one) => Math.round(one.getBoundingClientRect().top)); return [...new Set(tops)].map((top) => tops.filter((one) => one === top).length); })()';
    expect(await page.evaluate(rows)).toEqual([2, 2]);
    await page.getByLabel('The server will').selectOption({ index: 1 });
    const counts = (await page.evaluate(rows)) as number[];
    expect(Math.min(...counts)).toBeGreaterThan(1);
    await page.context().close();
  });

  test('breaks no address of what a test waited for on a phone', async () => {
    const [run, attempt] = [ulid(), ulid()];
    const outcome = 'A mail to grace.hopper@inbox.mailcap.example.com came, and its subject did not match';
    const told = await fixture.server.api(`/_mailcap/runs/${run}/tests/${attempt}`, {
      method: 'PUT',
      json: {
        ...{
          runner: 'playwright',
          project: 'shop',
          file: 'tests/shop.spec.ts',
          titles: ['waits'],
          attempt: 1,
          worker: '0',
        },
        ...{ outcome: 'failed', startedAt: '2026-11-20T15:55:00.000Z', endedAt: '2026-11-20T15:55:09.000Z' },
        ...{ mailboxIds: [], error: 'Error: none' },
        waits: [
          { at: '2026-11-20T15:55:01.000Z', call: 'waitForMessage', filter: '{ to: "grace" }', tookMs: 5000, outcome },
        ],
      },
    });
    expect(told.status).toBe(200);
    const { page } = await fixture.open(`#/runs/${run}/${attempt}`, { width: 390 });
    await page.getByText(outcome).waitFor();
    // The row has no more lines than its words need.
    const box = await page.locator('.wait-outcome').boundingBox();
    expect(box?.width).toBeGreaterThan(200);
    expect(box?.height).toBeLessThan(120);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    await page.context().close();
  });

  test('tells the day of what happened on another day than today in the timeline', async () => {
    await using shifted = await openInbox();
    await shifted.mail({ subject: 'On the first day' });
    const { page, complaints } = await shifted.open();
    await page.getByRole('option', { name: 'On the first day' }).waitFor();
    await shifted.server.api('/_mailcap/clock', { method: 'PUT', json: { offsetSeconds: 172_800 } });
    await shifted.mail({ subject: 'On the third day' });
    await page.goto(`${shifted.server.url}/#/timeline`);
    const time = (subject: string) => page.locator('.timeline li', { hasText: subject }).locator('time').innerText();
    await expect.poll(() => time('On the third day')).toMatch(/^[\d:.]+$/);
    await expect.poll(() => time('On the first day')).toMatch(/^\w{3} \d{1,2} \w{3}( \d{4})?\s+[\d:.]+$/);
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});
