import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { receiver } from '../../providers/support.ts';
import { unless } from '../../support/unless.ts';
import { violationsOn } from './axe.ts';
import { clipboard, type InboxFixture, NO_BROWSER, openInbox } from './open-inbox.ts';

const PNG = Buffer.from('R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==', 'base64');
const ICS =
  'BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nSUMMARY:Retro\r\nDTSTART:20261130T140000Z\r\nLOCATION:Room 4\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n';
const HOSTILE = '<img src=x onerror="document.title=1">';

unless(describe, NO_BROWSER)('the pane of a message', { timeout: 180_000 }, () => {
  let fixture: InboxFixture;
  beforeAll(async () => {
    fixture = await openInbox();
    await fixture.mail({ subject: 'Older' });
    await fixture.mail({
      subject: 'Attached',
      cc: 'cc@x.test',
      date: new Date('2020-11-24T10:00:00Z'),
      attachments: [
        { filename: 'logo.gif', content: PNG },
        { filename: 'orders.csv', content: `id,name\n1,"Ada, Lovelace"\n2,${HOSTILE}\n` },
        { filename: 'event.json', content: '{"type":"invoice.paid"}' },
        { filename: 'invite.ics', content: ICS },
        { filename: 'notes.txt', content: 'First line' },
        { filename: 'no.pdf', content: '<script>1</script>', contentType: 'application/pdf' },
        { filename: 'seventh.zip', content: 'x' },
      ],
    });
  }, 180_000);
  afterAll(() => fixture[Symbol.asyncDispose]());

  const opened = async (width = 1_440) => {
    const { page, complaints, context } = await fixture.open('', { width });
    await page.getByRole('option', { name: /Attached/ }).click();
    await page.getByRole('heading', { name: 'Attached', exact: true }).waitFor();
    return { page, complaints, context };
  };

  test('tells the webhooks of the app at a mail provider what the reader did, and says so if there is none', async () => {
    const { server } = fixture;
    await using app = await receiver();
    const call = async (path: string, body: object) => {
      const headers = { 'content-type': 'application/json', authorization: 'Bearer re_any' };
      const answer = await fetch(`${server.url}/providers/resend${path}`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      });
      expect(answer.ok).toBe(true);
    };
    await call('/webhooks', { endpoint: app.url, events: ['email.opened', 'email.clicked'] });
    const html = '<p>Hello. <a href="https://acme.test/orders/7">Your order</a></p>';
    await call('/emails', { from: 'a@acme.test', to: 'ada@inbox.mailcap.example.com', subject: 'By Resend', html });
    const { page, complaints } = await fixture.open();
    await page.getByRole('option', { name: /By Resend/ }).click();
    await page.frameLocator('.view iframe').getByText('Your order').waitFor();
    const told = page.getByRole('dialog', { name: 'Tell the app what the reader did' });
    const open = async () => {
      await page.locator('.message-head .menu summary').click();
      await page.getByRole('button', { name: /Tell the app that it was opened/ }).click();
      await told.waitFor();
    };
    await open();
    // Resend tells nobody that a reader unsubscribed.
    expect(await told.getByRole('combobox', { name: 'The reader' }).locator('option').allTextContents()).toEqual([
      'opens the mail',
      'follows a link',
      'calls it spam',
    ]);
    expect(await violationsOn(page)).toEqual([]);
    await told.getByRole('combobox', { name: 'The reader' }).selectOption('follows a link');
    expect(await told.getByRole('combobox', { name: 'Link' }).inputValue()).toBe('https://acme.test/orders/7');
    await told.getByRole('button', { name: 'Tell the app' }).click();
    await page.getByText('1 request to the app is on the way.').waitFor();
    await app.received(1);
    expect(JSON.parse(app.requests[0]?.body ?? '')).toMatchObject({
      type: 'email.clicked',
      data: { click: { link: 'https://acme.test/orders/7' } },
    });
    await open();
    await told.getByRole('combobox', { name: 'The reader' }).selectOption('calls it spam');
    await told.getByRole('button', { name: 'Tell the app' }).click();
    await page.getByText('Nobody was told: the app has no webhook at Resend for this.').waitFor();
    // A mail by SMTP has nobody to tell.
    await page.getByRole('option', { name: /Attached/ }).click();
    await page.getByRole('heading', { name: 'Attached', exact: true }).waitFor();
    await page.locator('.message-head .menu summary').click();
    expect(await page.getByRole('button', { name: /Tell the app/ }).count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test('has attachments below the text, each shown by its kind, and the rest behind a button', async () => {
    const { page, complaints, context } = await opened();
    const below = page.getByRole('region', { name: 'Attachments' });
    await below.getByRole('heading', { name: '7 attachments' }).waitFor();
    expect(await below.getByRole('listitem').count()).toBe(6);
    const show = (name: string) => below.getByRole('button', { name: `Preview ${name}` }).click();
    await show('orders.csv');
    await below.getByRole('cell', { name: 'Ada, Lovelace' }).waitFor();
    await below.getByRole('cell', { name: HOSTILE }).waitFor();
    expect(await page.locator('main img[onerror]').count()).toBe(0);
    await show('event.json');
    await below.getByText('"invoice.paid"').waitFor();
    await show('invite.ics');
    await below.getByText('Room 4').waitFor();
    await show('notes.txt');
    await below.getByText('First line').waitFor();
    await show('logo.gif');
    await below.getByRole('img', { name: 'logo.gif', exact: true }).waitFor();
    // A file that only calls itself a PDF does not become a page of this server.
    await below.getByRole('button', { name: 'Open no.pdf' }).click();
    await page.getByText('The file is no PDF, whatever its type says.').waitFor();
    expect(context.pages().length).toBe(1);
    expect(await violationsOn(page)).toEqual([]);
    await below.getByRole('button', { name: '1 more' }).click();
    await page.getByRole('tab', { name: 'Attachments', selected: true }).waitFor();
    expect(await page.getByText('seventh.zip').count()).toBe(1);
    expect(complaints).toEqual([]);
    await context.close();
  });

  test('shows a file in the charset that its part names, says which one was guessed, and decodes each part', async () => {
    const latin = Buffer.from('id,name\n1,J\xfcrgen\n', 'latin1');
    const tasks = 'BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nSUMMARY:F\xeate\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n';
    const parts: readonly (readonly [head: string, body: Buffer])[] = [
      ['text/plain; charset=utf-8', Buffer.from('Über alles')],
      ['text/csv; charset=iso-8859-1; name=told.csv', latin],
      ['text/csv; name=untold.csv', Buffer.concat([latin, Buffer.from([0x80])])],
      ['text/calendar; charset=iso-8859-1; name=fete.ics', Buffer.from(tasks, 'latin1')],
    ];
    const written = parts.flatMap(([type, body], index) => [
      Buffer.from(
        `--x\r\nContent-Type: ${type}\r\nContent-Transfer-Encoding: 8bit\r\n${index > 0 ? 'Content-Disposition: attachment\r\n' : ''}\r\n`,
      ),
      body,
      Buffer.from('\r\n'),
    ]);
    const head = 'Subject: In charsets\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n';
    await fixture.mail({ raw: Buffer.concat([Buffer.from(head), ...written, Buffer.from('--x--\r\n')]) });
    const { page, complaints, context } = await fixture.open();
    await page.getByRole('option', { name: /In charsets/ }).click();
    const below = page.getByRole('region', { name: 'Attachments' });
    const show = (name: string) => below.getByRole('button', { name: `Preview ${name}` }).click();
    await show('told.csv');
    await below.getByRole('cell', { name: 'Jürgen' }).waitFor();
    expect(await below.getByText('read as').count()).toBe(0);
    await show('fete.ics');
    await below.getByText('Fête').waitFor();
    await show('untold.csv');
    await below.getByRole('cell', { name: '€' }).waitFor();
    await below.getByText('The mail names no charset: read as Windows-1252.').waitFor();
    await page.getByRole('tab', { name: 'Parts' }).click();
    await page.getByRole('region', { name: 'Part' }).getByText('Über alles').waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  test('opens a message on a full disk without an alarm, and leaves it unread', async () => {
    await fixture.mail({ subject: 'On a full disk' });
    const { page, context } = await fixture.open();
    const refusals: string[] = [];
    await page.route('**/_mailcap/messages', async (route) => {
      if (route.request().method() !== 'PATCH') return route.continue();
      refusals.push(route.request().postData() ?? '');
      await route.fulfill({ status: 503, json: { error: 'disk_full', status: 'disk_full', version: '0.1.0' } });
    });
    const row = page.getByRole('option', { name: /On a full disk/ });
    await row.click();
    await page.getByRole('heading', { name: 'On a full disk' }).waitFor();
    await expect.poll(() => refusals.length).toBe(1);
    await expect.poll(() => row.getAttribute('class')).toContain('unread');
    expect(await page.locator('.notice').count()).toBe(0);
    // A reader who asks for a mark is told that there is none.
    await page.locator('#message').press('s');
    await page
      .locator('.notice')
      .getByText(/disk .*full/i)
      .waitFor();
    await context.close();
  });

  test('shows the tasks, journals and busy times of a calendar', async () => {
    const content = [
      ...[
        'BEGIN:VCALENDAR',
        'BEGIN:VTODO',
        'SUMMARY:Send the tax form',
        'DUE;VALUE=DATE:20270415',
        'STATUS:IN-PROCESS',
      ],
      ...['END:VTODO', 'BEGIN:VJOURNAL', 'SUMMARY:Minutes', 'END:VJOURNAL', 'BEGIN:VFREEBUSY'],
      ...['FREEBUSY:20270101T100000Z/PT1H,20270102T100000Z/PT1H', 'END:VFREEBUSY', 'END:VCALENDAR', ''],
    ].join('\r\n');
    await fixture.mail({ subject: 'Other than events', attachments: [{ filename: 'work.ics', content }] });
    const { page, complaints, context } = await fixture.open();
    await page.getByRole('option', { name: /Other than events/ }).click();
    const below = page.getByRole('region', { name: 'Attachments' });
    await below.getByRole('button', { name: 'Preview work.ics' }).click();
    const items = below.locator('.preview-large > ul > li');
    await expect.poll(() => items.count()).toBe(3);
    expect((await items.allInnerTexts()).map((text) => text.split(/\s*\n\s*/))).toEqual([
      ['Send the tax form', 'Kind', 'task', 'Status', 'in-process', 'Due', '2027-04-15'],
      ['Minutes', 'Kind', 'journal'],
      ['Busy times', 'Busy', '2 periods'],
    ]);
    expect(await violationsOn(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await context.close();
  });

  test('tells of an invitation what it asks, and who invites whom by name', async () => {
    const content = await readFile('test/corpus/calendars/notes-request.ics');
    await fixture.mail({ subject: 'Invitation', icalEvent: { method: 'REQUEST', content } });
    const { page, complaints, context } = await fixture.open();
    await page.getByRole('option', { name: /Invitation/ }).click();
    const below = page.getByRole('region', { name: 'Attachments' });
    // The mailer added it as text/calendar and as a file, and it is one invitation.
    await below.getByRole('heading', { name: '1 attachment' }).waitFor();
    await page.getByRole('tab', { name: 'Attachments 1' }).waitFor();
    await below.getByRole('button', { name: 'Download invite.ics' }).waitFor();
    await below.getByRole('button', { name: 'Preview invite.ics' }).click();
    const facts = below.locator('.facts');
    const row = (name: string) => facts.locator('> div', { hasText: name }).locator('dd');
    await facts.getByText('REQUEST: invites, or changes an invitation').waitFor();
    expect(await row('Organizer').innerText()).toBe('iCal Chair/CoffeeBean <iCalChair@coffeebean.com>');
    expect(await row('Guests').getByRole('listitem').allInnerTexts()).toEqual([
      'iCal Chair/CoffeeBean <iCalChair@coffeebean.com> · accepted',
      'iCal Participant/CoffeeBean <iCalParticipant@coffeebean.com>',
    ]);
    expect(await violationsOn(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await context.close();
  });

  test.each([390, 820, 1_440])(
    'has a brief head with all recipients and two actions at %i px, and details when asked',
    async (width) => {
      const { page, context } = await opened(width);
      const head = page.locator('.message-head');
      const people = head.locator('.people');
      expect(await head.getByRole('button').count()).toBeLessThanOrEqual(4);
      if (width > 800) expect((await people.locator('> div').first().boundingBox())?.height).toBeLessThan(30);
      expect(await people.innerText()).toMatch(/Cc\s+cc@x\.test/);
      expect(await people.innerText()).not.toContain('Date');
      await head.getByRole('button', { name: 'Details' }).click();
      await expect.poll(() => people.innerText()).toMatch(/Date\s+24 Nov 2020/);
      expect(await people.innerText()).toMatch(/Cc\s+cc@x\.test/);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      await head.getByRole('button', { name: 'Less' }).click();
      await expect.poll(() => people.innerText()).not.toContain('Date');
      await context.close();
    },
  );

  test('has its other actions in a menu, which closes by Escape, after a choice and by a click elsewhere', async () => {
    const { page, context } = await opened();
    const dots = page.getByLabel('More actions on the message');
    const star = page.locator('.menu-items').getByRole('button', { name: /^Star/ });
    await dots.click();
    await star.waitFor();
    expect(await violationsOn(page)).toEqual([]);
    // The server has no relay.
    expect(await page.locator('.menu-items').getByText('relay').count()).toBe(0);
    await page.keyboard.press('Escape');
    await expect.poll(() => star.count()).toBe(0);
    expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe(
      'More actions on the message',
    );
    // Escape closed the menu alone.
    await page.getByRole('heading', { name: 'Attached', exact: true }).waitFor();
    await dots.click();
    await page.getByRole('button', { name: 'Copy the link' }).click();
    await page.getByText('Copied the link').waitFor();
    expect(await clipboard(page)).toContain('/#/messages/');
    await expect.poll(() => star.count()).toBe(0);
    await dots.click();
    await page.getByRole('tab', { name: 'Headers' }).click();
    await expect.poll(() => star.count()).toBe(0);
    await context.close();
  });

  test('names the invisible characters of a text, and shows where they are', async () => {
    await fixture.mail({ subject: 'Hidden', text: 'pass\u200bword and \u00adsoft' });
    const { page, context } = await fixture.open();
    await page.getByRole('option', { name: /Hidden/ }).click();
    await page.getByText('2 invisible characters: U+200B, U+00AD').waitFor();
    expect(await page.locator('.text-body').textContent()).toContain('password and soft');
    await page.getByRole('button', { name: 'Show them' }).click();
    await expect.poll(() => page.locator('.text-body').textContent()).toContain('pass[U+200B]word and [U+00AD]soft');
    await context.close();
  });

  test('names the invisible characters of a subject, and shows where they are', async () => {
    await fixture.mail({ subject: 'Pay\u202ement\u200b due' });
    const { page, context } = await fixture.open();
    await page.getByRole('option', { name: /Payment due/ }).click();
    await page.getByRole('heading', { name: 'Payment due', exact: true }).waitFor();
    await page.getByText('2 invisible characters in the subject: U+202E, U+200B').waitFor();
    await page.getByRole('button', { name: 'Show them' }).click();
    await page.getByRole('heading', { name: 'Pay[U+202E]ment[U+200B] due' }).waitFor();
    await context.close();
  });

  test('opens the next message after a deletion by its button, and the keys work on', async () => {
    const { page, context } = await opened();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('heading', { name: 'Older' }).waitFor();
    expect(await page.evaluate('document.activeElement === document.body')).toBe(false);
    await page.keyboard.press('z');
    await page.getByRole('heading', { name: 'Attached', exact: true }).waitFor();
    await context.close();
  });
});
