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
});
