import { describe, expect } from 'vitest';
import { Wire } from '../smtp/wire.ts';
import { test } from '../support/mailcap.ts';
import { addKey, addWorkspace, json, mail, outcome, put, putMail, type Summary } from './support.ts';

const NOT_FOUND = { status: 404, body: { error: 'not_found' } };

test('a damaged name damages no other one, for the bcc rule and for the APIs of other mail catchers', async ({
  mailcap,
  mailbox,
}) => {
  const [bb, carol] = ['bb', 'carol'].map((name) => `${name}@${mailbox.address().split('@')[1]}`);
  const wire = await Wire.hello(mailcap.smtp.port);
  const content = `To: 111(aaa）<${bb}>, ${carol}\r\nSubject: damaged\r\n\r\nhi`;
  expect(await wire.mail([bb ?? '', carol ?? ''], content)).toMatch(/^250 /);
  wire.close();
  const [summary] = await json<Summary[]>(mailcap.api(`/v1/mailboxes/${mailbox.id}/messages`));
  const id = summary?.id;
  expect(await json(mailcap.api(`/v1/mailboxes/${mailbox.id}/messages/${id}`))).toMatchObject({ bcc: null });
  expect(await json(mailcap.api(`/api/v1/message/${id}`))).toMatchObject({
    To: [
      { Name: '111(aaa）', Address: bb },
      { Name: '', Address: carol },
    ],
    Bcc: [],
  });
});

describe('list', () => {
  test('has every field of MessageSummaryResponse and no other', async ({ mailcap, mailbox }) => {
    const raw = mail({ From: '"Shop, Inc." <shop@x.test>', To: 'A <a@x.test>, b@x.test', Subject: 'Hi there' });
    await put(mailcap, mailbox.id, raw);
    expect(await json(mailcap.api(`/v1/mailboxes/${mailbox.id}/messages`))).toEqual([
      {
        id: expect.stringMatching(/^[0-9A-HJKMNP-TV-Z]{26}$/),
        from: '"Shop, Inc." <shop@x.test>',
        to: 'A <a@x.test>, b@x.test',
        subject: 'Hi there',
        receivedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/),
        sizeBytes: raw.length,
        attachmentCount: 0,
      },
    ]);
  });

  test('a field that the mail lacks is null', async ({ mailcap, mailbox }) => {
    await put(mailcap, mailbox.id, 'X-Nothing: here\r\n\r\nbody');
    expect(await json(mailcap.api(`/v1/mailboxes/${mailbox.id}/messages`))).toMatchObject([
      { from: null, to: null, subject: null },
    ]);
  });

  test('is newest first, pages backwards by before, and stays stable while mail arrives', async ({
    mailcap,
    mailbox,
  }) => {
    const ids: string[] = [];
    for (let i = 0; i < 7; i++) ids.unshift((await putMail(mailcap, mailbox.id, { Subject: `${i}` })).id);
    const page = async (query: string) =>
      (await json<Summary[]>(mailcap.api(`/v1/mailboxes/${mailbox.id}/messages${query}`))).map(({ id }) => id);
    expect(await page('')).toEqual(ids);
    expect(await page('?limit=3')).toEqual(ids.slice(0, 3));
    await putMail(mailcap, mailbox.id);
    expect(await page(`?limit=3&before=${ids[2]}`)).toEqual(ids.slice(3, 6));
    expect(await page(`?limit=3&before=${ids[5]?.toLowerCase()}`)).toEqual(ids.slice(6));
    expect(await page(`?before=${ids[6]}`)).toEqual([]);
    // A ULID without a message here is a valid position too.
    expect(await page('?before=7ZZZZZZZZZZZZZZZZZZZZZZZZZ&limit=200')).toHaveLength(8);
    expect(await page('?before=00000000000000000000000000')).toEqual([]);
  });

  test('limit defaults to 50, and is clamped to 1 to 200', async ({ mailcap, mailbox }) => {
    for (let i = 0; i < 203; i++) await putMail(mailcap, mailbox.id);
    const count = async (query: string) =>
      (await json<Summary[]>(mailcap.api(`/v1/mailboxes/${mailbox.id}/messages${query}`))).length;
    expect(await count('')).toBe(50);
    expect(await count('?limit=0')).toBe(1);
    expect(await count('?limit=-3')).toBe(1);
    expect(await count('?limit=201')).toBe(200);
    expect(await count('?limit=99999999999999999999999')).toBe(200);
    expect(await count('?limit=5&limit=7')).toBe(7);
    // Empty parameters count as absent.
    expect(await count('?limit=&before=')).toBe(50);
  });

  test.for([
    ['limit=x', 'invalid_limit'],
    ['limit=1.5', 'invalid_limit'],
    ['limit=1e2', 'invalid_limit'],
    ['limit=0x10', 'invalid_limit'],
    ['before=x', 'invalid_before'],
    ['limit=x&before=x', 'invalid_limit'],
  ] as const)('%s is 400 %s', async ([query, error], { mailcap, mailbox }) => {
    expect(await outcome(mailcap.api(`/v1/mailboxes/${mailbox.id}/messages?${query}`))).toEqual({
      status: 400,
      body: { error },
    });
  });

  test('messages past their retention are gone the moment they expire', async ({ mailcap }) => {
    const mailbox = await mailcap.addMailbox({ retentionDays: 1 });
    const { id } = await putMail(mailcap, mailbox.id);
    const get = () => mailcap.api(`/v1/mailboxes/${mailbox.id}/messages/${id}`);
    expect((await get()).status).toBe(200);
    mailcap.ctx.clock.setOffsetMs(86_400_000);
    expect(await json(mailcap.api(`/v1/mailboxes/${mailbox.id}/messages`))).toEqual([]);
    expect((await get()).status).toBe(404);
    mailcap.ctx.clock.setOffsetMs(0);
  });
});

describe('get', () => {
  const RAW = [
    'From: Shop <shop@x.test>',
    'To: user@box.test',
    'Cc: copy@box.test',
    'Reply-To: help@x.test',
    'Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=',
    'X-Twice: one',
    'X-Twice: two',
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    'Content-Type: multipart/alternative; boundary=c',
    '',
    '--c',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: quoted-printable',
    '',
    'Hallo W=C3=B6rld',
    '--c',
    'Content-Type: text/html',
    '',
    '<p>Hallo</p>',
    '--c--',
    '--b',
    'Content-Type: application/pdf',
    'Content-Disposition: attachment; filename="a.pdf"',
    'Content-Transfer-Encoding: base64',
    '',
    'UERG',
    '--b--',
    '',
  ].join('\r\n');

  test('has every field of MessageDetailResponse and no other', async ({ mailcap, mailbox }) => {
    const { id } = await json<Summary>(put(mailcap, mailbox.id, RAW));
    const detail = await json<Record<string, unknown>>(mailcap.api(`/v1/mailboxes/${mailbox.id}/messages/${id}`));
    expect(detail).toEqual({
      id,
      from: 'Shop <shop@x.test>',
      to: 'user@box.test',
      cc: 'copy@box.test',
      bcc: null,
      replyTo: 'help@x.test',
      subject: 'Grüße',
      textBody: expect.stringContaining('Hallo Wörld'),
      htmlBody: expect.stringContaining('<p>Hallo</p>'),
      headersJson: expect.any(String),
      spfResult: 'none',
      envelopeFrom: null,
      remoteIp: expect.stringMatching(/127\.0\.0\.1$/),
      receivedAt: expect.stringMatching(/\+00:00$/),
      sizeBytes: RAW.length,
      attachments: [
        {
          id: expect.any(String),
          filename: 'a.pdf',
          contentType: 'application/pdf',
          contentId: null,
          isInline: false,
          sizeBytes: 3,
          virusScanStatus: 0,
        },
      ],
    });
    expect(JSON.parse(String(detail['headersJson']))).toMatchObject({ 'x-twice': ['one', 'two'], subject: 'Grüße' });
  });

  test('neither body is derived from the other', async ({ mailcap, mailbox }) => {
    const get = async (type: string) => {
      const { id } = await putMail(mailcap, mailbox.id, { 'Content-Type': type }, '<b>x</b>');
      return json(mailcap.api(`/v1/mailboxes/${mailbox.id}/messages/${id}`));
    };
    expect(await get('text/html')).toMatchObject({ textBody: null, htmlBody: expect.stringContaining('<b>x</b>') });
    expect(await get('text/plain')).toMatchObject({ textBody: expect.stringContaining('<b>x</b>'), htmlBody: null });
  });

  test('a message is not found under another mailbox', async ({ mailcap, mailbox }) => {
    const { id } = await putMail(mailcap, mailbox.id);
    expect((await mailcap.api(`/v1/mailboxes/${mailbox.id.toLowerCase()}/messages/${id.toLowerCase()}`)).status).toBe(
      200,
    );
    expect(await outcome(mailcap.api(`/v1/mailboxes/${mailcap.mailboxId}/messages/${id}`))).toEqual(NOT_FOUND);
  });
});

test('all three answer 404 outside the key’s scope, before any parameter is looked at', async ({
  mailcap,
  mailbox,
}) => {
  const { id } = await putMail(mailcap, mailbox.id);
  const other = await addWorkspace(mailcap);
  const narrow = await addKey(mailcap, mailcap.workspaceId, { mailboxes: [mailcap.mailboxId] });
  for (const key of [other.key, narrow]) {
    const headers = { authorization: `Bearer ${key}` };
    for (const path of ['?limit=x', '/await?timeout=x', `/${id}`]) {
      expect(await outcome(mailcap.api(`/v1/mailboxes/${mailbox.id}/messages${path}`, { headers }))).toEqual(NOT_FOUND);
    }
  }
  const headers = { authorization: `Bearer ${narrow}` };
  expect((await mailcap.api(`/v1/mailboxes/${mailcap.mailboxId}/messages`, { headers })).status).toBe(200);
});
