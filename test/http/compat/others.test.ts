import { once } from 'node:events';
import { describe, expect, test as plain } from 'vitest';
import { WebSocket } from 'ws';
import { ulidOfUuid, uuidOf } from '../../../src/domain/ids.ts';
import { scriptedRelay } from '../../relay/scripted-relay.ts';
import { startServer, type TestServer, test } from '../../support/mailcap.ts';
import { json } from '../support.ts';
import { sendAll } from './mails.ts';

const CSV = 'a,b\r\n1,2';

function mail(subject: string, to: string): Buffer {
  return Buffer.from(
    [
      'From: Shop <shop@sender.test>',
      `To: Ada <${to}>`,
      `Subject: ${subject}`,
      'MIME-Version: 1.0',
      'Content-Type: multipart/mixed; boundary=m',
      '',
      '--m',
      'Content-Type: multipart/alternative; boundary=a',
      '',
      '--a',
      'Content-Type: text/plain; charset=utf-8',
      'Content-Transfer-Encoding: quoted-printable',
      '',
      'Code 481516 Gr=C3=BC=C3=9Fe',
      '--a',
      'Content-Type: text/html; charset=utf-8',
      '',
      '<p>Code <b>481516</b></p>',
      '--a--',
      '--m',
      'Content-Type: text/csv; name=orders.csv',
      'Content-Disposition: attachment; filename=orders.csv',
      'Content-Transfer-Encoding: base64',
      '',
      Buffer.from(CSV).toString('base64'),
      '--m--',
      '',
    ].join('\r\n'),
  );
}

/** Delivers mails to recipients, one after the other. */
async function deliver(
  server: TestServer,
  ...mails: readonly (readonly [subject: string, to: string])[]
): Promise<void> {
  const sent = mails.map(([subject, to]) => ({
    name: subject,
    mailFrom: 'bounce@sender.test',
    rcptTo: [to],
    bytes: mail(subject, to),
  }));
  await sendAll(server.smtp.port, sent);
}

const body = async (url: string, init?: RequestInit) => {
  const answer = await fetch(url, init);
  return [answer.status, answer.headers.get('content-type'), await answer.text()];
};
const post = (value?: unknown): RequestInit => ({
  method: 'POST',
  ...(value === undefined ? {} : { body: JSON.stringify(value) }),
});

describe('MailCatcher', () => {
  interface Listed {
    readonly id: string;
  }

  plain('lists, shows and deletes messages, and tells of both', async () => {
    await using server = await startServer();
    const { url } = server;
    const socket = new WebSocket(`${url.replace('http:', 'ws:')}/messages`);
    await once(socket, 'open');
    const told: unknown[] = [];
    socket.on('message', (data) => {
      told.push(JSON.parse(String(data)));
      socket.emit('told');
    });
    await deliver(server, ['One', 'ada@x.test'], ['Two', 'bob@x.test']);
    const list = await json<Listed[]>(fetch(`${url}/messages`));
    expect(list).toMatchObject([
      {
        sender: '<bounce@sender.test>',
        recipients: ['<ada@x.test>'],
        subject: 'One',
        size: expect.stringMatching(/^\d+$/),
      },
      { subject: 'Two' },
    ]);
    const [id, other] = list.map((one) => one.id);
    const details = await json(fetch(`${url}/messages/${id}.json`));
    expect(details).toMatchObject({
      ...{ id, type: 'multipart/mixed', formats: ['source', 'html', 'plain'] },
      attachments: [{ cid: '2', type: 'text/csv', filename: 'orders.csv', size: CSV.length }],
    });
    expect(await body(`${url}/messages/${id}.plain`)).toEqual([200, 'text/plain; charset=utf-8', 'Code 481516 Grüße']);
    expect((await body(`${url}/messages/${id}.html`))[2]).toContain('<b>481516</b>');
    expect((await body(`${url}/messages/${id}.source`))[2]).toBe(mail('One', 'ada@x.test').toString());
    expect((await body(`${url}/messages/${id}.eml`))[1]).toBe('message/rfc822');
    expect((await body(`${url}/messages/${id}/parts/2`)).slice(1)).toEqual(['text/csv', CSV]);
    for (const path of [`${id}.pdf`, 'nobody.json', `${id}/parts/9`])
      expect([path, (await fetch(`${url}/messages/${path}`)).status]).toEqual([path, 404]);
    expect((await fetch(`${url}/messages/${other}`, { method: 'DELETE' })).status).toBe(204);
    expect((await fetch(`${url}/messages/${other}`, { method: 'DELETE' })).status).toBe(404);
    expect((await fetch(`${url}/messages`, { method: 'DELETE' })).status).toBe(204);
    expect(await json(fetch(`${url}/messages`))).toEqual([]);
    while (told.length < 4) await once(socket, 'told');
    expect(told).toMatchObject([
      { type: 'add', message: { id, subject: 'One' } },
      { type: 'add', message: { id: other } },
      { type: 'remove', id: other },
      { type: 'clear' },
    ]);
    socket.terminate();
  });
});

describe('Inbucket', () => {
  interface Listed {
    readonly id: string;
  }

  plain('has a mailbox for each recipient, by the part before the @ or by the address', async () => {
    await using server = await startServer();
    const api = `${server.url}/api/v1/mailbox`;
    await deliver(server, ['One', 'ada@x.test'], ['Two', 'Ada+news@y.test'], ['Other', 'adam@x.test']);
    const list = (name: string) => json<Listed[]>(fetch(`${api}/${encodeURIComponent(name)}`));
    const all = await list('ada');
    expect(all).toMatchObject([
      { mailbox: 'ada', subject: 'One', from: 'Shop <shop@sender.test>', to: ['Ada <ada@x.test>'], seen: false },
      { subject: 'Two' },
    ]);
    expect(await list('ADA+other')).toHaveLength(2);
    expect(await list('ada@y.test')).toMatchObject([{ mailbox: 'ada@y.test', subject: 'Two' }]);
    expect(await list('nobody')).toEqual([]);
    expect((await fetch(`${api}/no%20body`)).status).toBe(400);
    const [one, two] = all.map(({ id }) => id);
    const message = await json<{ attachments: { 'download-link': string }[] }>(fetch(`${api}/ada/latest`));
    expect(message).toMatchObject({
      id: two,
      body: { text: 'Code 481516 Grüße', html: '<p>Code <b>481516</b></p>' },
      header: { Subject: ['Two'], 'Mime-Version': ['1.0'] },
      attachments: [{ filename: 'orders.csv', 'content-type': 'text/csv' }],
    });
    expect((await body(message.attachments[0]?.['download-link'] ?? ''))[2]).toBe(CSV);
    expect((await body(`${api}/ada/${one}/source`))[2]).toBe(mail('One', 'ada@x.test').toString());
    expect(await body(`${api}/bob/${one}`)).toEqual([404, 'text/plain', '404 page not found']);
    expect(await json(fetch(`${api}/ada/${one}`, { method: 'PATCH', body: '{"seen":true}' }))).toBe('OK');
    expect(await list('ada')).toMatchObject([{ seen: true }, { seen: false }]);
    expect(await json(fetch(`${api}/ada/${two}`, { method: 'PATCH' }))).toBe('OK');
    expect(await list('ada')).toMatchObject([{ seen: true }, { seen: true }]);
    expect(await json(fetch(`${api}/ada/${one}`, { method: 'DELETE' }))).toBe('OK');
    expect(await list('ada')).toHaveLength(1);
    expect(await json(fetch(`${api}/ada`, { method: 'DELETE' }))).toBe('OK');
    expect(await list('ada')).toEqual([]);
    expect(await list('adam')).toHaveLength(1);
  });

  plain.each([
    [1, '', { mailbox: 'ada', subject: 'One' }],
    [1, '/ada', { mailbox: 'ada', subject: 'One' }],
    [2, '', { variant: 'message-stored', header: { mailbox: 'ada', subject: 'One' } }],
    [2, '/ada', { variant: 'message-stored', header: { mailbox: 'ada', subject: 'One' } }],
  ])('version %i of the monitor at messages%s tells a new message', async (version, rest, told) => {
    await using server = await startServer();
    const socket = new WebSocket(`${server.url.replace('http:', 'ws:')}/api/v${version}/monitor/messages${rest}`);
    await once(socket, 'open');
    const next = once(socket, 'message');
    await deliver(server, ...(rest === '' ? [] : [['Else', 'bob@x.test'] as const]), ['One', 'ada@x.test']);
    expect(JSON.parse(String((await next)[0]))).toMatchObject(told);
    socket.terminate();
  });
});

describe('MailSlurper', () => {
  interface Page {
    readonly mailItems: readonly { readonly id: string; readonly attachments: readonly { readonly id: string }[] }[];
  }

  plain('lists pages, finds, shows and deletes', async () => {
    await using server = await startServer();
    const { url } = server;
    await deliver(server, ['One', 'ada@x.test'], ['Two', 'bob@x.test']);
    const page = await json<Page>(fetch(`${url}/mail?pageNumber=1`));
    expect(page).toMatchObject({
      ...{ totalPages: 1, totalRecords: 2 },
      mailItems: [
        { subject: 'Two' },
        { subject: 'One', fromAddress: 'bounce@sender.test', toAddresses: ['ada@x.test'] },
      ],
    });
    expect(await json(fetch(`${url}/mail?orderby=dateSent&dir=asc`))).toMatchObject({
      mailItems: [{ subject: 'One' }, {}],
    });
    expect(await json(fetch(`${url}/mail?to=bob%40x.test`))).toMatchObject({
      totalRecords: 1,
      mailItems: [{ subject: 'Two' }],
    });
    expect(await json(fetch(`${url}/mail?message=481516&from=shop`))).toMatchObject({ totalRecords: 2 });
    expect(await json(fetch(`${url}/mail?pageNumber=2`))).toMatchObject({ mailItems: [], totalRecords: 2 });
    expect((await fetch(`${url}/mail?pageNumber=x`)).status).toBe(400);
    expect(await json(fetch(`${url}/mailcount`))).toEqual({ mailCount: 2 });
    const { id = '', attachments = [] } = page.mailItems[0] ?? {};
    expect(id).toMatch(/^[0-9a-f]{8}-/);
    expect(await json(fetch(`${url}/mail/${id}`))).toMatchObject({ id, body: '<p>Code <b>481516</b></p>' });
    expect((await body(`${url}/mail/${id}/message`))[2]).toContain('<b>481516</b>');
    expect((await body(`${url}/mail/${id}/messageraw`))[2]).toBe(mail('Two', 'bob@x.test').toString());
    expect((await body(`${url}/mail/${id}/attachment/${attachments[0]?.id}`))[2]).toBe(CSV);
    expect((await fetch(`${url}/mail/00000000-0000-0000-0000-000000000000`)).status).toBe(404);
    const prune = (pruneCode: string) => body(`${url}/mail`, { method: 'DELETE', body: JSON.stringify({ pruneCode }) });
    expect((await prune('some'))[0]).toBe(400);
    expect((await prune('2wksplus'))[2]).toBe('0');
    expect((await prune('all'))[2]).toBe('2');
    expect(await json(fetch(`${url}/mailcount`))).toEqual({ mailCount: 0 });
  });
});

describe('smtp4dev', () => {
  interface Page {
    readonly results: readonly { readonly id: string }[];
  }

  plain('lists pages, shows parts, marks, imports and deletes', async () => {
    await using server = await startServer();
    const api = `${server.url}/api/messages`;
    await deliver(server, ['One', 'ada@x.test'], ['Two', 'bob@x.test'], ['Three', 'ada@x.test']);
    const list = (query = '') => json<Page>(fetch(`${server.url}/api/Messages${query}`));
    const page = await list('?pageSize=2');
    expect(page).toMatchObject({
      ...{ currentPage: 1, pageCount: 2, pageSize: 2, rowCount: 3, firstRowOnPage: 1, lastRowOnPage: 2 },
      results: [
        { subject: 'Three', isUnread: true, attachmentCount: 1 },
        { subject: 'Two', to: ['bob@x.test'] },
      ],
    });
    expect(await list('?pageSize=2&page=2&sortIsDescending=false')).toMatchObject({ results: [{ subject: 'Three' }] });
    expect(await list('?searchTerms=two')).toMatchObject({ rowCount: 1, results: [{ subject: 'Two' }] });
    const id = page.results[0]?.id ?? '';
    const message = await json(fetch(`${api}/${id}`));
    expect(message).toMatchObject({
      ...{ id, from: 'Shop <shop@sender.test>', to: ['"Ada" <ada@x.test>'], hasHtmlBody: true, hasPlainTextBody: true },
      headers: [{ name: 'From' }, {}, { name: 'Subject', value: 'Three' }, { name: 'MIME-Version' }, {}],
      parts: [
        {
          ...{ id: '0', name: '0 - multipart/mixed' },
          childParts: [
            {
              id: '1',
              childParts: [
                { id: '2', name: '2 - text/plain' },
                { id: '3', name: '3 - text/html' },
              ],
            },
            { id: '4', name: 'orders.csv - text/csv', isAttachment: true },
          ],
          attachments: [{ fileName: 'orders.csv', id: '4' }],
        },
      ],
    });
    expect((await body(`${api}/${id}/part/4/content?download=true`)).slice(1)).toEqual(['text/csv', CSV]);
    expect((await body(`${api}/${id}/part/2/source`))[2]).toBe('Code 481516 Grüße');
    expect((await body(`${api}/${id}/part/2/raw`))[2]).toContain(
      'Content-Transfer-Encoding: quoted-printable\r\n\r\nCode',
    );
    expect((await body(`${api}/${id}/part/9/content`))[0]).toBe(404);
    expect((await body(`${api}/${id}/plaintext`))[2]).toBe('Code 481516 Grüße');
    expect((await body(`${api}/${id}/source`))[2]).toBe('<p>Code <b>481516</b></p>');
    expect((await body(`${api}/${id}/html`))[2]).toContain('<b>481516</b>');
    expect((await body(`${api}/${id}/raw`))[2]).toBe(mail('Three', 'ada@x.test').toString());
    expect((await body(`${api}/${id}/download`))[1]).toBe('message/rfc822');
    const { results } = await list();
    const newer = await json(fetch(`${api}/new?lastSeenMessageId=${results.at(-1)?.id}`));
    expect(newer).toMatchObject([{ subject: 'Three' }, { subject: 'Two' }]);
    expect((await fetch(`${api}/${id}/markRead`, post())).status).toBe(200);
    expect(await list('?pageSize=1')).toMatchObject({ results: [{ isUnread: false }] });
    expect((await fetch(`${api}/markAllRead`, post())).status).toBe(200);
    expect(await list()).toMatchObject({ results: [{ isUnread: false }, { isUnread: false }, { isUnread: false }] });
    const imported = await fetch(api, {
      method: 'PUT',
      headers: { 'content-type': 'message/rfc822' },
      body: 'Subject: In\r\n\r\nx',
    });
    expect(await json(fetch(`${api}/${(await imported.json()) as string}`))).toMatchObject({ subject: 'In' });
    expect((await fetch(`${api}?mailboxName=Nobody`)).status).toBe(404);
    expect(await json(fetch(`${server.url}/api/Mailboxes`))).toEqual(expect.arrayContaining([{ name: 'Default' }]));
    expect((await fetch(`${api}/${id}`, { method: 'DELETE' })).status).toBe(200);
    expect((await fetch(`${api}/*`, { method: 'DELETE' })).status).toBe(200);
    expect(await list()).toMatchObject({ rowCount: 0, results: [] });
  });

  plain('relays to the recipients, or to others, and tells a refusal', async () => {
    await using relay = await scriptedRelay({
      rcpt: (address) => (/^bob/.test(address) ? '550 5.1.1 No Bob' : '250 Ok'),
    });
    await using server = await startServer({ relay: relay.url });
    await deliver(server, ['One', 'ada@x.test']);
    const { results } = await json<Page>(fetch(`${server.url}/api/messages`));
    const to = (addresses: readonly string[]) =>
      body(`${server.url}/api/messages/${results[0]?.id}/relay`, post({ overrideRecipientAddresses: addresses }));
    expect((await to([]))[0]).toBe(200);
    expect((await to(['eve@x.test']))[0]).toBe(200);
    expect(relay.taken).toMatchObject([{ rcptTo: ['ada@x.test'] }, { rcptTo: ['eve@x.test'] }]);
    expect(await to(['bob@x.test'])).toMatchObject([400, {}, expect.stringMatching(/bob@x\.test: 550 5\.1\.1 No Bob/)]);
  });
});

describe('MailDev', () => {
  const SAME = ['a,b', 'c,d'];
  const twins = Buffer.from(
    [
      'Subject: Twins',
      'Message-ID: <m1@x.test>',
      'In-Reply-To: <m0@x.test>',
      'X-Priority: 1',
      'Content-Type: multipart/mixed; boundary=m',
      '',
      ...SAME.flatMap((text) => [
        '--m',
        'Content-Type: text/csv',
        'Content-Disposition: attachment; filename=a.csv',
        '',
        text,
      ]),
      '--m--',
      '',
    ].join('\r\n'),
  );
  interface Email {
    readonly id: string;
    readonly attachments: readonly { readonly generatedFileName: string }[] | null;
  }

  test('two files of equal name and size have each its own address', async ({ mailcap }) => {
    await sendAll(mailcap.smtp.port, [{ name: 't', mailFrom: 'a@x.test', rcptTo: ['twins@x.test'], bytes: twins }]);
    const [email] = await json<Email[]>(fetch(`${mailcap.url}/api/email?subject=Twins`));
    const names = email?.attachments?.map(({ generatedFileName }) => generatedFileName) ?? [];
    const read = (name: string) => body(`${mailcap.url}/email/${email?.id}/attachment/${name}`);
    expect(await Promise.all(names.map(async (name) => (await read(name))[2]))).toEqual(SAME);
  });

  test('/email has the fields of version 2 beside those of version 3', async ({ mailcap }) => {
    await sendAll(mailcap.smtp.port, [
      { name: 't', mailFrom: 'a@x.test', rcptTo: ['v2@x.test'], bytes: twins },
      { name: 'p', mailFrom: 'a@x.test', rcptTo: ['v2@x.test'], bytes: Buffer.from('Subject: Plain\r\n\r\nx\r\n') },
    ]);
    const [email] = await json<Email[]>(fetch(`${mailcap.url}/email?envelope.to.address=v2%40x.test&subject=Twins`));
    expect(email).toMatchObject({
      ...{ messageId: 'm1@x.test', inReplyTo: ['m0@x.test'], priority: 'high' },
      envelope: { from: { address: 'a@x.test', args: false }, to: [{ address: 'v2@x.test', args: false }] },
      attachments: [
        {
          fileName: 'a.csv',
          filename: 'a.csv',
          length: 3,
          checksum: 'b345e1dc09f20fdefdea469f09167892',
          transformed: true,
        },
        { checksum: expect.not.stringMatching(/^b345/) },
      ],
    });
    const [text] = await json<Email[]>(fetch(`${mailcap.url}/email?subject=Plain`));
    expect(text).toMatchObject({ attachments: null, priority: 'normal' });
  });

  test('without a relay it says so, and /config tells it', async ({ mailcap }) => {
    await fetch(`${mailcap.url}/email/all`, { method: 'DELETE' });
    await sendAll(mailcap.smtp.port, [{ name: 't', mailFrom: 'a@x.test', rcptTo: ['r@x.test'], bytes: twins }]);
    const [email] = await json<Email[]>(fetch(`${mailcap.url}/api/email?envelope.to.address=r%40x.test`));
    const answer = await fetch(`${mailcap.url}/email/${email?.id}/relay`, post());
    expect([answer.status, await answer.json()]).toEqual([500, { error: 'Outgoing mail not configured' }]);
    for (const path of ['/config', '/api/config'])
      expect(await json(fetch(mailcap.url + path))).toMatchObject({
        isOutgoingEnabled: false,
        smtpPort: mailcap.smtp.port,
      });
    const summary = (query: string) => json(fetch(`${mailcap.url}/email/summary?unread=true&${query}`));
    expect(await summary('search=twins')).toMatchObject({ items: [{}] });
    await fetch(`${mailcap.url}/email/read-all`, { method: 'PATCH' });
    expect(await summary('')).toMatchObject({ items: [], total: 0, unread: 0 });
  });

  plain('relays to the envelope, or to one address', async () => {
    await using relay = await scriptedRelay({});
    await using server = await startServer({ relay: relay.url });
    await deliver(server, ['One', 'ada@x.test']);
    const [email] = await json<Email[]>(fetch(`${server.url}/email`));
    const to = (path: string) => body(`${server.url}/email/${email?.id}/relay${path}`, post());
    expect(await to('')).toMatchObject([200, {}, 'true']);
    expect(await to('/eve@x.test')).toMatchObject([200, {}, 'true']);
    expect(await to('/nobody')).toMatchObject([400, {}, '{"error":"Incorrect email address provided: nobody"}']);
    expect(relay.taken).toMatchObject([{ rcptTo: ['ada@x.test'] }, { rcptTo: ['eve@x.test'] }]);
  });
});

plain('a ULID has one form as a UUID', () => {
  for (const id of ['01KAH7R0ZD6E4N1KX3M5P7R9S2', '00000000000000000000000000', '7ZZZZZZZZZZZZZZZZZZZZZZZZZ'])
    expect(ulidOfUuid(uuidOf(id as never))).toBe(id);
  expect(uuidOf('7ZZZZZZZZZZZZZZZZZZZZZZZZZ' as never)).toBe('ffffffff-ffff-ffff-ffff-ffffffffffff');
  for (const text of ['', 'x', '01KAH7R0ZD6E4N1KX3M5P7R9S2', 'fffffffff-fff-ffff-ffff-ffffffffffff'])
    expect(ulidOfUuid(text)).toBeNull();
});
