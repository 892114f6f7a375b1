import mailhogClient from 'mailhog';
import { MailpitClient } from 'mailpit-api';
import { describe, expect } from 'vitest';
import { test } from '../../support/mailcap.ts';
import { json } from '../support.ts';
import { sendAll } from './mails.ts';

const FILE = Buffer.from('a,b\r\n1,2\r\n');

function mailTo(to: string, subject: string): Buffer {
  return Buffer.from(
    [
      'From: Shop <shop@sender.test>',
      `To: ${to}`,
      `Subject: ${subject}`,
      'MIME-Version: 1.0',
      'Content-Type: multipart/mixed; boundary="m"',
      '',
      '--m',
      'Content-Type: text/plain; charset=utf-8',
      'Content-Transfer-Encoding: quoted-printable',
      '',
      'Ihr Code: 481516. Gr=C3=BC=C3=9Fe',
      '--m',
      'Content-Type: text/html; charset=utf-8',
      '',
      '<p>Ihr Code: <b>481516</b> <a href="https://shop.test/in">Anmelden</a></p><script>alert(1)</script>',
      '--m',
      'Content-Type: text/csv; name="orders.csv"',
      'Content-Disposition: attachment; filename="orders.csv"',
      'Content-Transfer-Encoding: base64',
      '',
      FILE.toString('base64'),
      '--m--',
      '',
    ].join('\r\n'),
  );
}

async function deliver(port: number, to: string, subject: string): Promise<void> {
  await sendAll(port, [{ name: subject, mailFrom: 'bounce@sender.test', rcptTo: [to], bytes: mailTo(to, subject) }]);
}

describe('mailpit-api, the client for Mailpit', () => {
  test('waits for a message and reads all of it', async ({ mailcap }) => {
    const client = new MailpitClient(mailcap.url);
    await deliver(mailcap.smtp.port, 'ada@anywhere.test', 'Welcome, Ada');
    const query = 'to:ada@anywhere.test subject:"welcome, ada"';
    const message = await client.waitForMessage({ query });
    expect(message).toMatchObject({
      Subject: 'Welcome, Ada',
      From: { Name: 'Shop', Address: 'shop@sender.test' },
      To: [{ Name: '', Address: 'ada@anywhere.test' }],
      ReturnPath: 'bounce@sender.test',
      Tags: [],
      Inline: [],
      Attachments: [{ FileName: 'orders.csv', ContentType: 'text/csv', Size: FILE.length }],
    });
    expect(message.Text).toContain('Ihr Code: 481516. Grüße');
    expect(message.HTML).toContain('<b>481516</b>');
    const file = await client.getMessageAttachment(message.ID, message.Attachments[0]?.PartID ?? '');
    expect(Buffer.from(await file.arrayBuffer())).toEqual(FILE);
    expect(await client.getMessageHeaders(message.ID)).toMatchObject({ Subject: ['Welcome, Ada'] });
    expect(await client.getMessageSource(message.ID)).toBe(mailTo('ada@anywhere.test', 'Welcome, Ada').toString());
    expect(await client.getMessageSummary('latest')).toEqual(message);
    const html = await client.renderMessageHTML(message.ID);
    expect(html).toContain('<b>481516</b>');
    expect(html).not.toContain('<script>');
    expect(await client.renderMessageText('latest')).toContain('481516');
    await client.deleteMessagesBySearch({ query });
    expect(await client.searchMessages({ query })).toMatchObject({ messages_count: 0, messages: [] });
  });

  test('lists pages with their totals, and deletes some or all', async ({ mailcap }) => {
    const client = new MailpitClient(mailcap.url);
    await client.deleteMessages();
    for (let number = 1; number <= 5; number++) await deliver(mailcap.smtp.port, 'b@x.test', `Number ${number}`);
    const page = await client.listMessages(1, 2);
    expect(page).toMatchObject({ total: 5, messages_count: 5, unread: 5, start: 1, count: 2, tags: [] });
    expect(page.messages.map(({ Subject }) => Subject)).toEqual(['Number 4', 'Number 3']);
    const found = await client.searchMessages({ query: 'subject:number !subject:3', start: 3, limit: 2 });
    expect(found).toMatchObject({ total: 5, messages_count: 4, start: 3 });
    expect(found.messages.map(({ Subject }) => Subject)).toEqual(['Number 1']);
    expect((await client.listMessages(5)).messages).toEqual([]);
    await client.deleteMessages({ IDs: page.messages.map(({ ID }) => ID) });
    expect((await client.listMessages()).messages.map(({ Subject }) => Subject)).toEqual([
      'Number 5',
      'Number 2',
      'Number 1',
    ]);
    expect((await client.getInfo()).Messages).toBe(3);
    await client.deleteMessages();
    expect((await client.listMessages()).total).toBe(0);
    await expect(client.getMessageSummary()).rejects.toThrow('404');
  });

  test('marks messages as read and tags them, and counts both', async ({ mailcap }) => {
    const client = new MailpitClient(mailcap.url);
    await client.deleteMessages();
    for (const subject of ['One', 'Two', 'Three']) await deliver(mailcap.smtp.port, 'marks@anywhere.test', subject);
    const listed = async () =>
      (await client.listMessages()).messages.map(({ Subject, Read, Tags }) => [Subject, Read, Tags]);
    expect(await client.listMessages()).toMatchObject({ total: 3, unread: 3, messages_unread: 3, tags: [] });
    const { messages } = await client.listMessages();
    const [three, two, one] = messages.map(({ ID }) => ID);
    await client.getMessageHeaders(one);
    await client.getMessageSource(one);
    expect((await client.getInfo()).Unread).toBe(3);
    await client.getMessageSummary(one);
    expect((await client.getInfo()).Unread).toBe(2);
    await client.renderMessageText(two);
    expect(await client.setTags({ IDs: [one ?? '', two ?? ''], Tags: ['News', 'a,b', 'news', '!'] })).toBe('ok');
    expect(await listed()).toEqual([
      ['Three', false, []],
      ['Two', true, ['a b', 'News']],
      ['One', true, ['a b', 'News']],
    ]);
    expect(await client.searchMessages({ query: 'tag:NEWS is:read' })).toMatchObject({
      ...{ total: 3, unread: 1, messages_count: 2, messages_unread: 0 },
      tags: ['a b', 'News'],
    });
    expect(await client.searchMessages({ query: 'to:marks' })).toMatchObject({ messages_count: 3, messages_unread: 1 });
    expect(await client.getInfo()).toMatchObject({ Messages: 3, Unread: 1, Tags: { 'a b': 2, News: 2 } });
    expect(await client.renameTag('News', 'news')).toBe('ok');
    expect(await client.renameTag('a b', 'c')).toBe('ok');
    expect(await client.getTags()).toEqual(['c', 'news']);
    await expect(client.renameTag('c', 'News')).rejects.toThrow(/400/);
    await expect(client.renameTag('unknown', 'x')).rejects.toThrow(/400/);
    await expect(client.renameTag('c', '!!')).rejects.toThrow(/400/);
    expect(await client.deleteTag('C')).toBe('ok');
    await expect(client.deleteTag('c')).rejects.toThrow(/400/);
    expect((await client.getMessageSummary(one)).Tags).toEqual(['news']);
    expect(await client.setReadStatus({ Read: false, IDs: [one ?? '', 'unknown'] })).toBe('ok');
    expect(await client.setReadStatus({ Read: false, Search: 'subject:two' })).toBe('ok');
    expect((await client.getInfo()).Unread).toBe(3);
    await expect(client.setReadStatus({ Read: true, IDs: [three ?? ''], Search: 'x' })).rejects.toThrow(/400/);
    expect(await client.setReadStatus({ Read: true })).toBe('ok');
    expect((await client.getInfo()).Unread).toBe(0);
    expect(await client.setReadStatus({ Read: false })).toBe('ok');
    expect((await client.searchMessages({ query: 'is:unread' })).messages_count).toBe(3);
    await client.setTags({ IDs: messages.map(({ ID }) => ID), Tags: [] });
    expect(await client.getTags()).toEqual([]);
  });
});

describe('mailhog, the client for MailHog', () => {
  test('finds, decodes and deletes messages', async ({ mailcap }) => {
    const { hostname, port } = new URL(mailcap.url);
    const client = mailhogClient({ host: hostname, port: Number(port), basePath: '/api' });
    await client.deleteAll();
    await deliver(mailcap.smtp.port, 'grace@anywhere.test', 'First');
    await deliver(mailcap.smtp.port, 'grace@anywhere.test', 'Second');
    await deliver(mailcap.smtp.port, 'linus@anywhere.test', 'Third');
    const list = await client.messages(1, 1);
    expect(list).toMatchObject({ total: 3, count: 1, start: 1 });
    expect(list?.items[0]?.subject).toBe('Second');
    const latest = await client.latestTo('GRACE@anywhere');
    expect([latest?.subject, latest?.from, latest?.to]).toEqual([
      'Second',
      'Shop <shop@sender.test>',
      'grace@anywhere.test',
    ]);
    expect(latest?.text).toBe('Ihr Code: 481516. Grüße');
    expect(latest?.html).toContain('<b>481516</b>');
    expect(latest?.attachments.map(({ name, type }) => [name, type])).toEqual([
      ['orders.csv', 'text/csv; name="orders.csv"'],
    ]);
    expect(latest).toMatchObject({
      Raw: { Data: mailTo('grace@anywhere.test', 'Second').toString().replace(/\r\n$/, '') },
    });
    expect((await client.latestContaining('Grüße'))?.subject).toBe('Third');
    expect((await client.latestFrom('bounce@'))?.subject).toBe('Third');
    expect(await client.search('nobody', 'to')).toMatchObject({ total: 0, count: 0, items: [] });
    await client.deleteMessage(latest?.ID ?? '');
    expect((await client.messages())?.items.map(({ subject }) => subject)).toEqual(['Third', 'First']);
    await client.deleteAll();
    expect(await client.messages()).toMatchObject({ total: 0, items: [] });
  });
});

describe('the calls of cypress-mailpit', () => {
  test('are answered, also with two slashes in the path', async ({ mailcap }) => {
    await deliver(mailcap.smtp.port, 'cy@anywhere.test', 'For Cypress');
    const get = (path: string) => json<{ ID: string; messages_count: number }>(fetch(mailcap.url + path));
    const found = await get('/api/v1/search?query=subject%3AFor%20Cypress&start=0&limit=50');
    expect(found.messages_count).toBe(1);
    expect((await get('/api/v1/search?query=to%3Acy%40anywhere.test&start=0&limit=50')).messages_count).toBe(1);
    const { ID } = await get('/api/v1/message/latest');
    const page = await fetch(`${mailcap.url}//view/${ID}.html`);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(await page.text()).toContain('481516');
    expect(await (await fetch(`${mailcap.url}//view/${ID}.txt`)).text()).toContain('Grüße');
    await fetch(`${mailcap.url}/api/v1/search?query=subject%3ACypress`, { method: 'DELETE' });
    expect((await get('/api/v1/search?query=subject%3ACypress')).messages_count).toBe(0);
  });
});
