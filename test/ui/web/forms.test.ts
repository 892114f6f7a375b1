import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { json } from '../../http/support.ts';
import { receiver } from '../../providers/support.ts';
import { unless } from '../../support/unless.ts';
import { violationsOn } from './axe.ts';
import { type InboxFixture, NO_BROWSER, openInbox } from './open-inbox.ts';

unless(describe, NO_BROWSER)('the forms of the web inbox', { timeout: 180_000 }, () => {
  let fixture: InboxFixture;
  beforeAll(async () => {
    fixture = await openInbox({ plan: 'business' });
  }, 180_000);
  afterAll(() => fixture[Symbol.asyncDispose]());

  test.each([
    ['#/webhooks?form=new', [['Name', 'Builds']], 'Create', '/webhooks'],
    ['#/tools/keys', [['Name of a new key', 'twice']], 'Issue', '/keys'],
    ['#/tools/workspaces', [['Name of a new workspace', 'Twice']], 'Create', '/workspaces'],
    ['#/tools/faults', [], 'Add the rule', '/faults'],
    ['#/outbound/suppression', [['Address', 'ada@x.test']], 'Suppress', '/suppression'],
    [
      '#/outbound/compose',
      [
        ['To', 'bob@inbox.mailcap.example.com'],
        ['Text', 'Once'],
      ],
      'Send',
      '/send',
    ],
    [
      '#/authenticators?form=new',
      [
        ['Name', 'Shop'],
        ['Secret', 'GEZDGNBVGY3TQOJQ'],
      ],
      'Create',
      '/authenticators',
    ],
  ] as const)('at %s sends one request for a double click', async (hash, fields, button, path) => {
    const { page, context } = await fixture.open(hash);
    let sent = 0;
    await page.route('**/_mailcap/**', async (route) => {
      if (route.request().method() === 'POST' && new URL(route.request().url()).pathname.endsWith(path)) sent += 1;
      await route.continue();
    });
    for (const [label, text] of fields) await page.locator('main').getByLabel(label).first().fill(text);
    const answered = page.waitForResponse((response) => response.request().method() === 'POST');
    await page.getByRole('button', { name: button }).first().dblclick();
    await answered;
    await page.waitForLoadState('networkidle');
    expect(sent).toBe(1);
    await fixture.server.api('/_mailcap/faults', { method: 'PUT', json: [] });
    await context.close();
  });

  test('a refusal stands in the form, in the words of the page', async () => {
    const { page, context } = await fixture.open('#/authenticators?form=new');
    await page.getByLabel('Name').fill('Shop');
    await page.getByLabel('Secret').fill('no base32!');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('alert').getByText('The secret must be base32').waitFor();
    await page.goto(`${fixture.server.url}/#/outbound/compose`);
    await page.locator('main').getByLabel('To').fill('somebody@elsewhere.test');
    await page.locator('main').getByLabel('Text').fill('Hello');
    await page.getByRole('button', { name: 'Send' }).click();
    const refusal = page.getByRole('alert').getByText('The allowlist of the mailbox does not contain');
    await refusal.waitFor();
    expect(await refusal.textContent()).not.toMatch(/config|--|`/);
    const { items } = await json<{ items: unknown[] }>(
      fixture.server.api(`/_mailcap/mailboxes/${fixture.server.mailboxId}/messages`),
    );
    expect(items.length).toBeLessThan(3);
    await context.close();
  });

  test('a reply begins with its addresses and the quoted text, takes files, and joins the conversation', async () => {
    await fixture.mail({
      ...{ subject: 'Please answer', text: 'Which one?', messageId: '<question@shop.test>' },
      replyTo: 'answers@inbox.mailcap.example.com',
    });
    const { page, context, complaints } = await fixture.open();
    await page.getByRole('option', { name: /Please answer/ }).click();
    await page.getByLabel('More actions on the message').click();
    await page.getByRole('button', { name: 'Reply' }).click();
    const form = page.locator('.form');
    await expect
      .poll(() => form.getByRole('textbox', { name: /^To/ }).inputValue())
      .toBe('answers@inbox.mailcap.example.com');
    expect(await form.getByLabel('Sender').inputValue()).toBe('ada@inbox.mailcap.example.com');
    expect(await form.getByLabel('Subject').inputValue()).toBe('Re: Please answer');
    const text = form.getByLabel('Text');
    expect(await text.inputValue()).toBe('\n\nShop <shop@shop.test> wrote:\n> Which one?\n');
    await text.fill(`The second.${await text.inputValue()}`);
    const choose = form.getByLabel('Attachments').first();
    await choose.setInputFiles({ name: 'wrong.txt', mimeType: 'text/plain', buffer: Buffer.from('x') });
    await choose.setInputFiles({ name: 'list.csv', mimeType: 'text/csv', buffer: Buffer.from('a,b') });
    await form.getByRole('button', { name: 'Remove wrong.txt' }).click();
    // The field itself has no file any more, and does not say so beside the list of those that were chosen.
    expect(await page.evaluate(`getComputedStyle(document.querySelector('[type=file]')).color`)).toBe(
      'rgba(0, 0, 0, 0)',
    );
    await form.getByLabel('Cc').fill('grace@inbox.mailcap.example.com');
    await form.getByRole('button', { name: 'Send' }).click();
    await page.getByText('Sent to answers@inbox.mailcap.example.com, grace@inbox.mailcap.example.com.').waitFor();
    await page.getByRole('link', { name: 'Re: Please answer' }).click();
    await page.getByRole('heading', { name: /^Conversation of [23]/ }).waitFor();
    await page.locator('.view').getByText('The second.').waitFor();
    await page.getByRole('tab', { name: 'Headers' }).click();
    await page.getByRole('row', { name: /In-Reply-To <question@shop\.test>/i }).waitFor();
    await page.getByRole('tab', { name: 'Attachments' }).click();
    await page.getByText('list.csv').first().waitFor();
    expect(await page.getByText('wrong.txt').count()).toBe(0);
    expect(complaints).toEqual([]);
    await context.close();
  });

  test('a text is answered as the phone, and the app gets the request of Twilio', async () => {
    await using app = await receiver();
    const account = `AC${'0'.repeat(32)}`;
    const post = (path: string, fields: Record<string, string>) =>
      fetch(`${fixture.server.url}/providers/twilio/2010-04-01/Accounts/${account}/${path}.json`, {
        method: 'POST',
        headers: { authorization: `Basic ${Buffer.from(`${account}:any`).toString('base64')}` },
        body: new URLSearchParams(fields),
      });
    await post('IncomingPhoneNumbers', { PhoneNumber: '+12025550100', SmsUrl: app.url });
    await post('Messages', { From: '+12025550100', To: '+12025550101', Body: 'Shall we come?' });
    const { page, context, complaints } = await fixture.open();
    await page.getByRole('option', { name: /Shall we come/ }).click();
    await page.getByLabel('More actions on the message').click();
    await page.getByRole('button', { name: 'Reply' }).click();
    await page.getByText('The phone +12025550101 answers').waitFor();
    expect(await violationsOn(page)).toEqual([]);
    await page.locator('.form').getByLabel('Text').fill('YES');
    await page.locator('.form').getByRole('button', { name: 'Send' }).click();
    await app.received(1);
    const told = new URLSearchParams(app.requests[0]?.body);
    expect([told.get('From'), told.get('To'), told.get('Body')]).toEqual(['+12025550101', '+12025550100', 'YES']);
    await page.getByText('Shall we come?').first().waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  test('a mail is composed with Cc and HTML', async () => {
    const { page, context } = await fixture.open('#/outbound/compose');
    const form = page.locator('main form');
    await form.getByLabel('To').fill('bob@inbox.mailcap.example.com');
    await form.getByLabel('Cc').fill('carol@inbox.mailcap.example.com');
    await form.getByLabel('Subject').fill('Composed');
    await form.getByLabel('HTML').fill('<h1>Composed HTML</h1>');
    await form.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('link', { name: 'Composed' }).click();
    await page.frameLocator('.view iframe').getByRole('heading', { name: 'Composed HTML' }).waitFor();
    await page.getByRole('button', { name: 'Details' }).click();
    await page.locator('.people').getByText('carol@inbox.mailcap.example.com').waitFor();
    await context.close();
  });

  test('a mail that was not sent yet is there after a look at another page, until it is discarded or sent', async () => {
    const { page, context } = await fixture.open('#/outbound/compose');
    await page.getByLabel('Subject').fill('Half written');
    await page.getByLabel('Text').fill('To be continued');
    await page.getByRole('link', { name: 'Runs' }).click();
    await page.getByRole('heading', { name: 'Runs' }).waitFor();
    await page.goBack();
    await expect.poll(() => page.getByLabel('Subject').inputValue()).toBe('Half written');
    expect(await page.getByLabel('Text').inputValue()).toBe('To be continued');
    await page.getByRole('button', { name: 'Discard' }).click();
    expect(await page.getByLabel('Subject').inputValue()).toBe('');
    expect(await page.getByRole('button', { name: 'Discard' }).count()).toBe(0);
    await page.locator('main form').getByLabel('To').fill('draft@inbox.mailcap.example.com');
    await page.getByLabel('Text').fill('Sent');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.waitForURL(/outbound\/(?!compose)/);
    await page.goto(`${fixture.server.url}/#/outbound/compose`);
    await expect.poll(() => page.getByLabel('Text').inputValue()).toBe('');
    await context.close();
  });

  test('a mailbox is created and changed beside its mail: name, addresses, retention, sending and allowlist', async () => {
    const { server } = fixture;
    const { page, context, complaints } = await fixture.open();
    await page.getByRole('button', { name: 'New mailbox' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Orders');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'Orders' }).waitFor();
    await page.getByLabel('Actions on the mailbox').click();
    await page.getByRole('button', { name: 'Settings' }).click();
    await dialog.getByLabel('Name').fill('Orders of the shop');
    await dialog.getByLabel('Further addresses').fill('sales@shop.example\n*@orders.example');
    await dialog.getByLabel('Recipients that it may send to').fill('*.shop.example');
    await dialog.getByLabel('Days that mail is kept').fill('3');
    expect(await violationsOn(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Orders of the shop' }).waitFor();
    const all = await json<{ name: string }[]>(server.api('/_mailcap/mailboxes'));
    expect(all.find(({ name }) => name === 'Orders of the shop')).toMatchObject({
      addresses: ['sales@shop.example', '*@orders.example'],
      allowlist: ['*.shop.example'],
      retentionDays: 3,
    });
    await fixture.mail({ subject: 'By its address', to: 'sales@shop.example' });
    await page.getByRole('option', { name: /By its address/ }).waitFor();
    // Another mailbox cannot have the address, and the form says who has it.
    await page.getByRole('link', { name: 'Inbox' }).click();
    await page.getByRole('heading', { name: 'Inbox' }).waitFor();
    await page.getByLabel('Actions on the mailbox').click();
    await page.getByRole('button', { name: 'Settings' }).click();
    await dialog.getByLabel('Further addresses').fill('sales@shop.example');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('alert').getByText('The mailbox "Orders of the shop" claims sales@shop.example.').waitFor();
    expect(complaints.filter((one) => !/40\d/.test(one))).toEqual([]);
    await context.close();
  });

  test('a captured request is sent once to another URL, with its method, path, headers and exact body', async () => {
    const { server } = fixture;
    const got: { method: string; url: string; header: string; body: string }[] = [];
    const app = createServer((request, response) => {
      let body = '';
      request.setEncoding('latin1');
      request.on('data', (chunk: string) => {
        body += chunk;
      });
      request.on('end', () => {
        const { method = '', url = '', headers } = request;
        got.push({ method, url, header: String(headers['x-mark']), body });
        response.writeHead(202).end('taken');
      });
    });
    await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve));
    const { port } = app.address() as AddressInfo;
    const webhook = await json<{ id: string; url: string }>(
      server.api(`/_mailcap/workspaces/${server.workspaceId}/webhooks`, { json: { name: 'No forward' } }),
    );
    const form = new FormData();
    form.set('name', 'Ada');
    form.set('file', new Blob([Uint8Array.from([0, 255, 13, 10, 45, 45])]), 'ü.bin');
    await fetch(`${webhook.url}/in/put?x=1`, { method: 'PUT', headers: { 'x-mark': 'it' }, body: form });
    const { page, context, complaints } = await fixture.open(`#/webhooks/${webhook.id}`);
    await page.getByRole('option', { name: /in\/put/ }).click();
    // The fields of the form are read, and a file can be saved as it was sent.
    await page.getByRole('row', { name: /name Ada/ }).waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'ü.bin, 6 B' }).click();
    expect([...(await readFile(await (await download).path()))]).toEqual([0, 255, 13, 10, 45, 45]);
    await page.keyboard.press('r');
    await page.getByLabel('Send it once to').fill(`http://127.0.0.1:${port}/app`);
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText(/^Answered 202 after \d+ ms\.$/).waitFor();
    expect(got).toMatchObject([{ method: 'PUT', url: '/app/in/put?x=1', header: 'it' }]);
    expect(got[0]?.body).toContain('\u0000\u00ff\r\n--\r\n');
    app.close();
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByRole('alert').waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  test('a captured request shows JSON with every digit that came, and of 9 MB of it the start', async () => {
    const { server } = fixture;
    const webhook = await json<{ id: string; url: string }>(
      server.api(`/_mailcap/workspaces/${server.workspaceId}/webhooks`, { json: { name: 'Long' } }),
    );
    const bodies = [
      ['small', '{"id":12345678901234567890,"price":1.10,"twice":1,"twice":2}', '"id": 12345678901234567890'],
      ['text', JSON.stringify({ a: 'x"'.repeat(3_000_000) }), 'Only the first 200 KB are shown.'],
      [
        'list',
        JSON.stringify(Array.from({ length: 1_000_000 }, (_none, at) => at)),
        'Only the first 200 KB are shown.',
      ],
    ] as const;
    for (const [name, body] of bodies)
      await fetch(`${webhook.url}/${name}`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    const { page, context, complaints } = await fixture.open(`#/webhooks/${webhook.id}`);
    for (const [name, , shown] of bodies) {
      await page.getByRole('option', { name: new RegExp(`/${name}`) }).click();
      await page.getByText(shown).waitFor();
      expect(await page.locator('.body-text').innerText()).toMatch(/^[[{]\n/);
    }
    expect(complaints).toEqual([]);
    await context.close();
  });
});
