import { describe, expect, test as plain } from 'vitest';
import { startServer, test } from '../support/mailcap.ts';
import { addWorkspace, json, mail, outcome, put, putMail, type Summary } from './support.ts';

const NOT_FOUND = { status: 404, body: { error: 'not_found' } };

describe('settings', () => {
  test('PATCH changes the given ones of name, retention, outboundEnabled and allowlist', async ({
    mailcap,
    mailbox,
  }) => {
    const change = (body: unknown) =>
      outcome(mailcap.api(`/_mailcap/mailboxes/${mailbox.id}`, { method: 'PATCH', json: body }));
    const before = await change({});
    expect(before).toMatchObject({
      status: 200,
      body: { allowlist: [`*.${mailcap.mailDomain}`], outboundEnabled: true },
    });
    const changes = { name: ' New ', retentionDays: 2, outboundEnabled: false, allowlist: ['a@x.test', ' *.y.test '] };
    expect(await change(changes)).toEqual({
      status: 200,
      body: {
        ...(before.body as object),
        name: 'New',
        retentionDays: 2,
        outboundEnabled: false,
        allowlist: ['a@x.test', '*.y.test'],
      },
    });
    expect(await change({ name: null })).toMatchObject({ body: { name: 'New' } });
  });

  test.for([
    [{ name: ' ' }, { error: 'invalid_name' }],
    [{ retentionDays: 91 }, { error: 'invalid_retention', max: 90 }],
    [{ retentionDays: '2' }, { error: 'invalid_retention', max: 90 }],
    [{ outboundEnabled: 'yes' }, { error: 'invalid_outbound_enabled' }],
    [{ allowlist: 'a@x.test' }, { error: 'invalid_allowlist' }],
    [{ allowlist: ['x.test'] }, { error: 'invalid_allowlist' }],
    [{ allowlist: ['a@x.test', 'ada*@x.test'] }, { error: 'invalid_allowlist' }],
    [{ allowlist: [5] }, { error: 'invalid_allowlist' }],
    [{ allowlist: Array.from({ length: 1_001 }, (_, i) => `a${i}@x.test`) }, { error: 'invalid_allowlist' }],
  ] as const)('%j is 400 %j', async ([request, body], { mailcap, mailbox }) => {
    const answer = mailcap.api(`/_mailcap/mailboxes/${mailbox.id}`, { method: 'PATCH', json: request });
    expect(await outcome(answer)).toEqual({ status: 400, body });
  });

  test('DELETE removes a mailbox with its mail; the inbox can’t be deleted', async ({ mailcap, mailbox }) => {
    const { id } = await putMail(mailcap, mailbox.id);
    expect((await mailcap.api(`/_mailcap/mailboxes/${mailbox.id}`, { method: 'DELETE' })).status).toBe(204);
    expect(await outcome(mailcap.api(`/_mailcap/messages/${id}`))).toEqual(NOT_FOUND);
    expect(await outcome(mailcap.api(`/_mailcap/mailboxes/${mailbox.id}`, { method: 'DELETE' }))).toEqual(NOT_FOUND);
    expect(await outcome(mailcap.api(`/_mailcap/mailboxes/${mailcap.mailboxId}`, { method: 'DELETE' }))).toEqual({
      status: 409,
      body: { error: 'seeded_mailbox' },
    });
  });
});

describe('search', () => {
  test('looks at subject, from, to and body text, in any case, newest first, and pages', async ({
    mailcap,
    mailbox,
  }) => {
    const subject = await putMail(mailcap, mailbox.id, { Subject: 'Needle in the subject' });
    const from = await putMail(mailcap, mailbox.id, { From: 'needle@x.test' });
    const to = await putMail(mailcap, mailbox.id, { To: '"Needle" <a@x.test>' });
    const text = await putMail(mailcap, mailbox.id, {}, 'there is a nEEdle here');
    const html = await putMail(mailcap, mailbox.id, { 'Content-Type': 'text/html' }, '<p class="x">nee<b>dle</b></p>');
    for (let i = 0; i < 40; i++) await putMail(mailcap, mailbox.id, { Subject: `hay ${i}` }, 'hay');
    const search = async (query: string) =>
      (await json<{ items: Summary[] }>(mailcap.api(`/_mailcap/mailboxes/${mailbox.id}/messages?${query}`))).items.map(
        ({ id }) => id,
      );
    expect(await search('query=NEEDLE')).toEqual([html, text, to, from, subject].map(({ id }) => id));
    expect(await search('query=needle&limit=2')).toEqual([html.id, text.id]);
    expect(await search(`query=needle&limit=2&before=${text.id}`)).toEqual([to.id, from.id]);
    expect(await search('query=class')).toEqual([]);
    expect(await search('query=')).toHaveLength(45);
    expect(await search('limit=3')).toHaveLength(3);
  });

  test('takes the parameters of the list', async ({ mailcap, mailbox }) => {
    const answer = mailcap.api(`/_mailcap/mailboxes/${mailbox.id}/messages?limit=x`);
    expect(await outcome(answer)).toEqual({ status: 400, body: { error: 'invalid_limit' } });
  });
});

describe('put', () => {
  test('is 201 with the summary; the bytes are kept exactly', async ({ mailcap, mailbox }) => {
    const bytes = Buffer.concat([Buffer.from(mail({ Subject: 'put' })), Buffer.from([0, 255, 10, 13, 10])]);
    const response = await put(mailcap, mailbox.id, bytes);
    expect(response.status).toBe(201);
    const summary = await json<Summary>(response);
    expect(summary).toMatchObject({ subject: 'put', sizeBytes: bytes.length });
    const kept = await mailcap.api(`/_mailcap/messages/${summary.id}/raw`);
    expect(Buffer.from(await kept.arrayBuffer()).equals(bytes)).toBe(true);
  });

  test.for(['message/rfc822', 'application/octet-stream', 'text/plain;charset=UTF-8', ''])(
    'the content type %j is taken',
    async (type, { mailcap, mailbox }) => {
      const body = new Blob([mail({})], { type });
      const response = await mailcap.api(`/_mailcap/mailboxes/${mailbox.id}/messages`, { method: 'POST', body });
      expect(response.status).toBe(201);
    },
  );

  test('JSON and forms are 415, an empty body 400, an unknown mailbox 404', async ({ mailcap, mailbox }) => {
    const post = (id: string, type: string, body: string) =>
      outcome(
        mailcap.api(`/_mailcap/mailboxes/${id}/messages`, { method: 'POST', headers: { 'content-type': type }, body }),
      );
    const unsupported = { status: 415, body: { error: 'unsupported_media_type' } };
    expect(await post(mailbox.id, 'application/json', '{}')).toEqual(unsupported);
    expect(await post(mailbox.id, 'multipart/form-data; boundary=x', '--x--')).toEqual(unsupported);
    expect(await post(mailbox.id, 'message/rfc822', '')).toEqual({ status: 400, body: { error: 'invalid_body' } });
    expect(await post('01JD5Z3V8W0123456789ABCDEF', 'message/rfc822', mail({}))).toEqual(NOT_FOUND);
  });

  plain('over the size that SMTP takes it is 413, and nothing is kept', async () => {
    await using server = await startServer({ smtpSize: 10_000 });
    const large = mail({}, 'a'.repeat(20_000));
    const refused = { status: 413, body: { error: 'payload_too_large' } };
    expect(await outcome(put(server, server.mailboxId, large))).toEqual(refused);
    const chunked = server.api(`/_mailcap/mailboxes/${server.mailboxId}/messages`, {
      method: 'POST',
      headers: { 'content-type': 'message/rfc822' },
      body: new Blob([large]).stream(),
      duplex: 'half',
    } as RequestInit);
    expect(await outcome(chunked)).toEqual(refused);
    expect(await json(server.api(`/v1/mailboxes/${server.mailboxId}/messages`))).toEqual([]);
    expect(await server.ctx.store.read.counts()).toMatchObject({ messages: 0, storedBytes: 0 });
  });

  plain('past the day’s number it is 429, past the storage 402', async () => {
    const plans = { free: { inboundPerMailboxPerDay: 2, storageBytes: 2_000 } };
    await using server = await startServer({ plans, plan: 'free', limits: 'cloud' });
    const large = mail({}, 'a'.repeat(3_000));
    expect(await outcome(put(server, server.mailboxId, large))).toEqual({
      status: 402,
      body: { error: 'storage_limit_reached', limit_bytes: 2_000 },
    });
    await putMail(server, server.mailboxId);
    await putMail(server, server.mailboxId);
    expect(await outcome(put(server, server.mailboxId, mail({})))).toEqual({
      status: 429,
      body: { error: 'daily_inbound_limit_reached', limit: 2 },
    });
    const other = await addWorkspace(server, { plan: 'free', limits: 'off' });
    const mailbox = await json<{ id: string }>(
      server.api(`/v1/workspaces/${other.id}/mailboxes`, { json: { name: 'lifted' }, headers: other.headers }),
    );
    for (let i = 0; i < 3; i++) await putMail(server, mailbox.id);
  });
});

test('DELETE messages empties the mailbox and keeps it', async ({ mailcap, mailbox }) => {
  await putMail(mailcap, mailbox.id);
  await putMail(mailcap, mailbox.id);
  const kept = await putMail(mailcap, mailcap.mailboxId);
  expect((await mailcap.api(`/_mailcap/mailboxes/${mailbox.id}/messages`, { method: 'DELETE' })).status).toBe(204);
  expect(await json(mailcap.api(`/v1/mailboxes/${mailbox.id}/messages`))).toEqual([]);
  expect((await mailcap.api(`/_mailcap/messages/${kept.id}`)).status).toBe(200);
});
