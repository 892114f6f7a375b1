import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { json } from '../../http/support.ts';
import { unless } from '../../support/unless.ts';
import { clipboard, type InboxFixture, NO_BROWSER, openInbox, unreadIn } from './open-inbox.ts';

unless(describe, NO_BROWSER)('the web inbox', { timeout: 180_000 }, () => {
  let fixture: InboxFixture;
  beforeAll(async () => {
    fixture = await openInbox();
  }, 180_000);
  afterAll(() => fixture[Symbol.asyncDispose]());
  beforeEach(async () => {
    for (const context of fixture.browser.contexts()) await context.close();
    await fixture.server.reset();
  });

  test('an inbox without mail says how to send the first, and shows it when it comes', async () => {
    const { page, complaints } = await fixture.open();
    await page.getByRole('heading', { name: 'Send the first mail' }).waitFor();
    await fixture.mail({ subject: 'The first' });
    await page.getByRole('option', { name: /The first/ }).waitFor();
    await expect.poll(() => unreadIn(page)).toBe(1);
    expect(complaints).toEqual([]);
  });

  test('the keyboard alone opens a message, copies its code, shows its headers, and closes it', async () => {
    await fixture.mail({ subject: 'Older' });
    await fixture.mail({ subject: 'With a code', text: 'Your code is 730218.' });
    await fixture.mail({ subject: 'Newest' });
    const { page, complaints } = await fixture.open();
    await page.getByRole('option', { name: /Newest/ }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'With a code' }).waitFor();
    await page.getByRole('button', { name: 'Copy code: the code' }).waitFor();
    await page.keyboard.press('c');
    await expect.poll(() => clipboard(page)).toBe('730218');
    await page.keyboard.press('h');
    await page.getByRole('tab', { name: 'Headers', selected: true }).waitFor();
    await page.keyboard.press('n');
    await page.getByRole('heading', { name: 'Older' }).waitFor();
    // The headers are loaded on their own. Asked for after the deletion, they would be gone.
    await page.getByRole('tabpanel').getByText('Older', { exact: true }).waitFor();
    await page.keyboard.press('d');
    await page.getByText('deleted.').waitFor();
    await expect.poll(() => page.getByRole('option', { name: /Older/ }).count()).toBe(0);
    expect(await page.getByRole('option').count()).toBe(2);
    expect(complaints).toEqual([]);
  });

  test('new mail does not move what is read: it is counted, and shown when asked for', async () => {
    for (const n of [1, 2, 3]) await fixture.mail({ subject: `Mail ${n}` });
    const { page } = await fixture.open();
    await page.getByRole('option', { name: /Mail 3/ }).click();
    await page.getByRole('heading', { name: 'Mail 3' }).waitFor();
    await fixture.mail({ subject: 'Mail 4' });
    await fixture.mail({ subject: 'Mail 5' });
    await page.getByRole('button', { name: '2 new' }).waitFor();
    expect(await page.getByRole('option').first().textContent()).toContain('Mail 3');
    await page.getByRole('button', { name: '2 new' }).click();
    await expect.poll(() => page.getByRole('option').first().textContent()).toContain('Mail 5');
    await page.getByRole('heading', { name: 'Mail 3' }).waitFor();
  });

  test('a search filters the list, stands in the address, and goes on with what comes', async () => {
    await fixture.mail({ subject: 'Invoice 1' });
    await fixture.mail({ subject: 'Welcome' });
    const { page } = await fixture.open();
    await page.getByRole('option', { name: /Welcome/ }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('subject:invoice');
    await expect.poll(() => page.getByRole('option').count()).toBe(1);
    await expect.poll(() => new URL(page.url()).hash).toContain('q=subject%3Ainvoice');
    await fixture.mail({ subject: 'Invoice 2' });
    await fixture.mail({ subject: 'Something else' });
    await page.getByRole('option', { name: /Invoice 2/ }).waitFor();
    await expect.poll(() => page.getByRole('option').count()).toBe(2);
  });

  test('several messages are selected with shift and ctrl, marked as read and deleted', async () => {
    for (const n of [1, 2, 3, 4]) await fixture.mail({ subject: `Mail ${n}` });
    const { page } = await fixture.open();
    const row = (n: number) => page.getByRole('option', { name: new RegExp(`Mail ${n}`) });
    await row(4).click({ modifiers: ['ControlOrMeta'] });
    await row(2).click({ modifiers: ['Shift'] });
    await page.getByText('3 selected').waitFor();
    await page.getByRole('button', { name: 'Mark read' }).click();
    await expect.poll(() => unreadIn(page)).toBe(1);
    await row(3).click({ modifiers: ['ControlOrMeta'] });
    await row(2).click({ modifiers: ['ControlOrMeta'] });
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await expect.poll(() => page.getByRole('option').count()).toBe(2);
    expect(await subjects(fixture)).toEqual(['Mail 4', 'Mail 3', 'Mail 2', 'Mail 1']);
    // Who leaves the page wants no more time to undo it.
    await page.close();
    await expect.poll(() => subjects(fixture)).toEqual(['Mail 4', 'Mail 1']);
  });

  test('a message leads to the list of its conversation', async () => {
    await fixture.mail({ subject: 'Help', messageId: '<a@x.test>' });
    await fixture.mail({ subject: 'Other' });
    await fixture.mail({ subject: 'Re: Help', references: '<a@x.test>', inReplyTo: '<a@x.test>' });
    const { page } = await fixture.open();
    await page.getByRole('option', { name: /Re: Help/ }).click();
    await page.getByRole('link', { name: 'Show as a list' }).click();
    await expect.poll(() => page.getByRole('option').count()).toBe(2);
    await page.getByRole('option', { name: /Other/ }).waitFor({ state: 'detached' });
    await fixture.mail({ subject: 'Re: Re: Help', references: '<a@x.test>' });
    await expect.poll(() => page.getByRole('option').count()).toBe(3);
  });

  test('tags are added and removed in the head of a message, and one that the server refuses is taken back', async () => {
    await fixture.mail({ subject: 'To tag' });
    const { page } = await fixture.open();
    await page.getByRole('option', { name: /To tag/ }).click();
    await page.keyboard.press('T');
    const field = page.getByRole('textbox', { name: 'Add a tag' });
    await page.locator('#new-tag:focus').waitFor();
    await field.fill('spring, urgent');
    await field.press('Enter');
    await page.getByRole('option', { name: /To tag.*spring.*urgent/ }).waitFor();
    await page.getByRole('button', { name: 'Remove the tag spring' }).click();
    await page.getByRole('link', { name: 'spring' }).waitFor({ state: 'detached' });
    const tagged = async (query: string) =>
      (await json<{ total: number }>(fixture.server.api(`/_mailcap/messages?query=${query}`))).total;
    await expect.poll(() => tagged('tag:urgent')).toBe(1);
    await expect.poll(() => tagged('tag:spring')).toBe(0);
    await field.fill('no/tag');
    await field.press('Enter');
    await page
      .getByText(/tag/i)
      .filter({ hasText: /letters/ })
      .waitFor();
    await page.getByRole('link', { name: 'no/tag' }).waitFor({ state: 'detached' });
    await field.fill('half');
    await field.press('Escape');
    expect(await field.inputValue()).toBe('');
    await page.getByRole('link', { name: 'urgent' }).click();
    await expect.poll(() => page.getByRole('option').count()).toBe(1);
  });

  test('a deletion is undone by its button or by z, and its message is open again', async () => {
    for (const n of [1, 2, 3]) await fixture.mail({ subject: `Mail ${n}` });
    const { page } = await fixture.open();
    await page.getByRole('option', { name: /Mail 2/ }).click();
    await page.getByRole('heading', { name: 'Mail 2' }).waitFor();
    const counted = page.locator('.count-all');
    await expect.poll(() => counted.textContent()).toBe('3 messages');
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    // The next message opens in its place.
    await page.getByRole('heading', { name: 'Mail 1' }).waitFor();
    expect(await page.getByRole('option').count()).toBe(2);
    expect(await counted.textContent()).toBe('2 messages');
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('heading', { name: 'Mail 2' }).waitFor();
    expect(await counted.textContent()).toBe('3 messages');
    expect(await page.getByRole('option').allTextContents()).toEqual([
      expect.stringContaining('Mail 3'),
      expect.stringContaining('Mail 2'),
      expect.stringContaining('Mail 1'),
    ]);
    await page.keyboard.press('d');
    await page.getByRole('heading', { name: 'Mail 1' }).waitFor();
    await page.keyboard.press('z');
    await page.getByRole('heading', { name: 'Mail 2' }).waitFor();
    await page.keyboard.press('z');
    expect(await page.getByRole('option').count()).toBe(3);
    expect(await subjects(fixture)).toEqual(['Mail 3', 'Mail 2', 'Mail 1']);
  });

  test('a deleted message is deleted on the server after ten seconds', async () => {
    await fixture.mail({ subject: 'To go' });
    const { page } = await fixture.open();
    await page.getByRole('option', { name: /To go/ }).waitFor();
    const counted = page.locator('.count-all');
    await expect.poll(() => counted.textContent()).toBe('1 message');
    await page.clock.install();
    await page.keyboard.press('d');
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    expect(await counted.textContent()).toBe('0 messages');
    await page.clock.fastForward(5_000);
    expect(await subjects(fixture)).toEqual(['To go']);
    await page.clock.fastForward(5_500);
    await expect.poll(() => subjects(fixture)).toEqual([]);
    expect(await counted.textContent()).toBe('0 messages');
    await expect.poll(() => page.getByRole('button', { name: 'Undo' }).count()).toBe(0);
  });

  test('every state has an address: back, forward and a copy of it lead to the same view', async () => {
    await fixture.mail({ subject: 'Somewhere', html: '<p>Hello</p>' });
    const { page, context } = await fixture.open();
    await page.getByRole('option', { name: /Somewhere/ }).click();
    await page.getByRole('tab', { name: 'Delivery' }).click();
    await page.getByText('Envelope from').waitFor();
    const address = page.url();
    await page.getByRole('link', { name: 'Timeline' }).first().click();
    await page.getByRole('heading', { name: 'Timeline' }).waitFor();
    await page.goBack();
    await page.getByText('Envelope from').waitFor();
    const other = await context.newPage();
    await other.goto(address);
    await other.getByText('Envelope from').waitFor();
    await other.getByRole('tab', { name: 'Parts' }).click();
    await other.getByRole('button', { name: /^2 text\/html/ }).click();
    await expect.poll(() => other.url()).toContain('/parts?part=2');
    await other.reload();
    await other.getByRole('button', { name: /^2 text\/html/, pressed: true }).waitFor();
    const [{ id }] = (
      await json<{ items: [{ id: string }] }>(
        fixture.server.api(`/_mailcap/mailboxes/${fixture.server.mailboxId}/messages`),
      )
    ).items;
    await other.goto(`${fixture.server.url}/#/messages/${id}`);
    await other.getByRole('heading', { name: 'Somewhere' }).waitFor();
  });

  test('each page, each mail and each search has a title of its own, before which the unread are counted', async () => {
    const { server } = fixture;
    await fixture.mail({ subject: 'Read' });
    await fixture.mail({ subject: 'Unread' });
    const { page } = await fixture.open();
    const titles: string[] = [];
    const note = async (wanted: RegExp) => {
      await expect.poll(() => page.title()).toMatch(wanted);
      titles.push((await page.title()).replace(/^\(\d+\) /, ''));
    };
    await note(/^\(2\) Inbox · mailcap$/);
    await page.getByRole('option', { name: /Read/ }).last().click();
    await note(/^\(1\) Read · mailcap$/);
    const webhook = await json<{ id: string; url: string }>(
      server.api(`/_mailcap/workspaces/${server.workspaceId}/webhooks`, { json: { name: 'Builds' } }),
    );
    await fetch(`${webhook.url}/push`, { method: 'POST' });
    const { items } = await json<{ items: [{ id: string }] }>(server.api(`/_mailcap/webhooks/${webhook.id}/requests`));
    for (const [hash, wanted] of [
      [`#/mail/${server.mailboxId}?q=subject:x`, /subject:x · Inbox/],
      ['#/mail/all', /All mailboxes/],
      ['#/webhooks', /Webhooks/],
      [`#/webhooks/${webhook.id}`, /Builds/],
      [`#/webhooks/${webhook.id}/${items[0].id}`, /POST \/push/],
      ['#/timeline', /Timeline/],
      ['#/waiting', /Waiting tests/],
      ['#/outbound', /Sends/],
      ['#/outbound/compose', /Compose/],
      ['#/authenticators', /Authenticators/],
      ['#/tools/clock', /Clock/],
    ] as const) {
      await page.goto(`${server.url}/${hash}`);
      await note(wanted);
    }
    expect(new Set(titles).size).toBe(titles.length);
  });

  test('two pages agree: what is read in one is read in the other', async () => {
    await fixture.mail({ subject: 'Both' });
    const { page, context } = await fixture.open();
    const other = await context.newPage();
    await other.goto(`${fixture.server.url}/`);
    await other.getByRole('option', { name: /Both/ }).waitFor();
    await page.getByRole('option', { name: /Both/ }).click();
    await expect.poll(() => unreadIn(page)).toBe(0);
    await expect.poll(() => unreadIn(other)).toBe(0);
  });

  test('a mailbox of a test that ended stays in grey', async () => {
    const made = await json<{ id: string }>(
      fixture.server.api(`/_mailcap/workspaces/${fixture.server.workspaceId}/mailboxes`, {
        json: { name: 'Of a test' },
      }),
    );
    const { page } = await fixture.open();
    await page.getByRole('link', { name: 'Of a test' }).waitFor();
    await fixture.server.api(`/_mailcap/mailboxes/${made.id}`, { method: 'DELETE' });
    await page.getByRole('link', { name: /Of a test.*done/ }).click();
    await page.getByRole('heading', { name: 'This mailbox was deleted' }).waitFor();
  });

  test('the palette finds places by a part of their name, and the help lists the keys', async () => {
    const { page } = await fixture.open();
    await page.getByRole('link', { name: 'Webhooks' }).first().waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('fault');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'No fault rules' }).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).getByText('copy the code').waitFor();
    // Each key is told once, though the list has some of the page's.
    expect(await page.getByRole('dialog', { name: 'Keys' }).getByText('this help').count()).toBe(1);
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
  });

  test('the palette offers with few letters what has them in its name, and never mailboxes of tests alone', async () => {
    const { server } = fixture;
    for (let count = 1; count <= 12; count++)
      await server.api(`/_mailcap/workspaces/${server.workspaceId}/mailboxes`, {
        json: { name: `shop › deletes its account ${count}` },
      });
    await fixture.mail({ subject: 'Delivery on Monday' });
    await fixture.mail({ subject: 'About something else', text: 'The delivery, described.' });
    const { page, complaints } = await fixture.open();
    await page
      .getByRole('option', { name: /Delivery/ })
      .first()
      .click();
    await page.getByRole('heading', { name: 'Delivery on Monday' }).waitFor();
    await page.locator('#message').press('Control+k');
    await page.getByRole('combobox').fill('del');
    const found = page.getByRole('dialog').getByRole('option');
    await found.filter({ hasText: 'Mail of Shop' }).waitFor();
    const names = await found.locator('span:first-child').allInnerTexts();
    expect(names.slice(0, 2)).toEqual(['Delete', 'Undo a deletion, within ten seconds']);
    expect(names.filter((name) => name.startsWith('shop ›')).length).toBe(4);
    expect(names.slice(6)).toEqual(['Delivery on Monday', 'Search all mail for “del”']);
    await page.getByRole('combobox').fill('ru');
    await expect
      .poll(() => found.locator('span:first-child').allInnerTexts())
      .toEqual(['Runs', 'Search all mail for “ru”']);
    expect(complaints).toEqual([]);
  });

  test('the palette finds mails of all mailboxes, and has every action on the message', async () => {
    await fixture.mail({ subject: 'The unicorn', text: 'Your code is 481516.' });
    await fixture.mail({ subject: 'Newer' });
    const { page, complaints } = await fixture.open();
    await page.getByRole('option', { name: /Newer/ }).waitFor();
    // What is typed before the code of the palette is there is kept.
    await page.keyboard.press('Control+k');
    await page.keyboard.type('unicorn');
    await page
      .getByRole('dialog')
      .getByRole('option', { name: /The unicorn/ })
      .click();
    await page.getByRole('heading', { name: 'The unicorn' }).waitFor();
    await page.locator('#message').focus();
    const offered = async (text: string) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox').fill(text);
      const names = await page.getByRole('dialog').getByRole('option').allTextContents();
      await page.keyboard.press('Escape');
      await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
      return names.join(' | ');
    };
    for (const [text, wanted] of [
      ['copy the code', /Copy the code/],
      ['delete', /Delete/],
      ['show the headers', /Show the headers/],
      ['show the source', /Show the source/],
      ['relay', /Send through the relay/],
      ['mark all', /Mark all as read/],
      ['star', /Star, or remove the star/],
      ['compare', /Compare two/],
      ['from:x', /Search all mail for “from:x”/],
    ] as const)
      expect(await offered(text)).toMatch(wanted);
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('copy the code');
    await page.keyboard.press('Enter');
    await expect.poll(() => clipboard(page)).toBe('481516');
    expect(complaints.filter((one) => !one.includes('400'))).toEqual([]);
  });

  test('on a phone one pane is shown at a time, and nothing is wider than the screen', async () => {
    await fixture.mail({ subject: 'On the go', html: '<p>Hello</p>' });
    const { page } = await fixture.open('', { width: 390, height: 844 });
    await page.getByRole('option', { name: /On the go/ }).click();
    await page.getByRole('heading', { name: 'On the go' }).waitFor();
    expect(await page.getByRole('option', { name: /On the go/ }).count()).toBe(0);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    await page.getByRole('button', { name: 'Back to the list' }).click();
    await page.getByRole('option', { name: /On the go/ }).waitFor();
  });

  test('a form adds a fault rule, which works and shows how often it was applied', async () => {
    const { page } = await fixture.open('#/tools/faults');
    await page.getByLabel('how often').fill('1');
    await page.getByRole('button', { name: 'Add the rule' }).click();
    await page.getByRole('cell', { name: /451/ }).waitFor();
    await expect(fixture.mail({ subject: 'Refused' })).rejects.toThrow('451');
    await page.getByRole('button', { name: 'Refresh' }).click();
    await expect.poll(() => page.locator('tbody tr td:nth-child(5)').textContent()).toBe('0');
    await fixture.server.api('/_mailcap/faults', { method: 'PUT', json: [] });
  });

  test('a sign-in mail has the current code of its account beside it, and other mails have none', async () => {
    const { server } = fixture;
    await server.api(`/_mailcap/workspaces/${server.workspaceId}/authenticators`, {
      json: { name: 'Shop (ada@inbox.mailcap.example.com)', secret: 'GEZDGNBVGY3TQOJQ' },
    });
    await fixture.mail({ subject: 'For Grace', to: 'grace@inbox.mailcap.example.com', text: 'Your code is 481516.' });
    await fixture.mail({ subject: 'For Ada', text: 'Your code is 730218.' });
    const { page } = await fixture.open();
    await page.getByRole('option', { name: /For Ada/ }).click();
    const factor = page.getByRole('region', { name: 'Second factor' });
    await factor.getByText('Shop (ada@inbox.mailcap.example.com)').waitFor();
    const copy = factor.getByRole('button', { name: /current code/ });
    await copy.waitFor();
    // The code can change between a look at it and the click.
    const shown = async () => (await factor.getByLabel('Code', { exact: true }).innerText()).replace(/\s/g, '');
    const codes = [await shown()];
    await copy.click();
    codes.push(await shown());
    expect(codes).toContain(await clipboard(page));
    expect(codes[0]).toMatch(/^\d{6}$/);
    await page.getByRole('option', { name: /For Grace/ }).click();
    await page.getByRole('heading', { name: 'For Grace' }).waitFor();
    await expect.poll(() => factor.count()).toBe(0);
  });

  test('every view shows a shifted clock, and can set it back', async () => {
    const { page } = await fixture.open('#/tools/clock');
    await page.getByRole('button', { name: '1 day on' }).click();
    await page.getByText('The clock is shifted:').waitFor();
    await page.getByRole('link', { name: 'Webhooks' }).first().click();
    await page.getByRole('status').getByRole('button', { name: 'Real time' }).click();
    await expect.poll(() => page.getByText('The clock is shifted:').count()).toBe(0);
    expect(await json(fixture.server.api('/_mailcap/clock'))).toMatchObject({ offsetSeconds: 0 });
  });

  test('the timeline shows the last hour, however the clock is shifted', async () => {
    const { server } = fixture;
    for (const offsetSeconds of [30 * 86_400, -30 * 86_400]) {
      await server.api('/_mailcap/clock', { method: 'PUT', json: { offsetSeconds } });
      await fixture.mail({ subject: `Shifted by ${offsetSeconds}`, text: 'Hello.' });
      const { page, context } = await fixture.open('#/timeline');
      await page.getByText('The clock is shifted').waitFor();
      await page.reload();
      await page.getByText(`Shifted by ${offsetSeconds} `).first().waitFor();
      await context.close();
    }
    await server.api('/_mailcap/clock', { method: 'PUT', json: { offsetSeconds: 0 } });
  });

  test('a key without captured requests is issued by the form, which says what other keys may do', async () => {
    const { page } = await fixture.open('#/tools/keys');
    await page.getByText(/A key reads and deletes every captured request of its workspace/).waitFor();
    await page.getByLabel('Name of a new key').fill('narrow');
    await page.getByLabel('Captured requests').selectOption({ label: 'None' });
    await page.getByRole('button', { name: 'Issue' }).click();
    const key = await page.locator('.made-key code').textContent();
    const row = page.getByRole('row', { name: /narrow/ });
    expect(await row.getByRole('cell').first().textContent()).toBe('all mailboxes');
    const statusOf = async (path: string) =>
      (await fetch(`${fixture.server.url}${path}`, { headers: { authorization: `Bearer ${key}` } })).status;
    expect([await statusOf('/v1/mailboxes'), await statusOf('/v1/webhooks')]).toEqual([200, 404]);
    const other = page.getByRole('row', { name: /development/ });
    expect(await other.getByRole('cell').first().textContent()).toBe('all mailboxes, all captured requests');
  });

  test('a webhook is made, takes a request, and its request is copied as curl that sends the same', async () => {
    const { page } = await fixture.open('#/webhooks');
    await page.getByRole('button', { name: 'New webhook' }).click();
    await page.getByLabel('Name').fill('Builds');
    await page.getByRole('button', { name: 'Create' }).click();
    const url = (await page.locator('.address').textContent()) ?? '';
    await fetch(`${url}/push?ref=main`, { method: 'PUT', headers: { 'x-it': "it's" }, body: '{"ok":true}' });
    await page.getByRole('option', { name: /push/ }).click();
    await page.getByText('"ok"').waitFor();
    const tabs = await page.getByRole('tab').allInnerTexts();
    expect(tabs.map((name) => name.replace(/\s*\d+$/, ''))).toEqual([
      'Body',
      'Headers',
      'Difference',
      'Signature',
      'Forward',
    ]);
    await page.keyboard.press('c');
    await expect.poll(() => clipboard(page)).toContain('curl');
    const command = await clipboard(page);
    const { execFile } = await import('node:child_process');
    await new Promise((resolve) => execFile('sh', ['-c', command], resolve));
    await expect.poll(() => page.getByRole('option').count()).toBe(2);
    const [first, second] = await page.getByRole('option').allTextContents();
    expect(first?.replace(/\d\d:\d\d/, '')).toBe(second?.replace(/\d\d:\d\d/, ''));
  });

  test('names that a sender chose are shown as text', async () => {
    const hostile = '<img src=x onerror="document.title=1">\u202egnp.exe';
    await fixture.mail({ from: { name: hostile, address: 'a@b.test' }, subject: hostile, text: hostile });
    const { page, complaints } = await fixture.open();
    await page.getByRole('option').first().click();
    await page.getByRole('heading', { name: /img src=x/ }).waitFor();
    expect(await page.locator('main img').count()).toBe(0);
    expect(await page.locator('main').innerText()).not.toContain('\u202e');
    await expect.poll(() => unreadIn(page)).toBe(0);
    expect(complaints).toEqual([]);
  });
});

async function subjects({ server }: InboxFixture): Promise<string[]> {
  const { items } = await json<{ items: { subject: string }[] }>(
    server.api(`/_mailcap/mailboxes/${server.mailboxId}/messages`),
  );
  return items.map(({ subject }) => subject);
}
