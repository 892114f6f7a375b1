import { Buffer } from 'node:buffer';
import { Resend } from 'resend';
import { describe, expect } from 'vitest';
import { json } from '../http/support.ts';
import { test as base, type TestServer } from '../support/mailcap.ts';
import { type Detail, detailOf, messagesOf, receiver } from './support.ts';

const test = base.extend(
  'resend',
  ({ mailcap }) => new Resend('re_any', { baseUrl: `${mailcap.url}/providers/resend` }),
);

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

function ok<T>({ data, error }: { data: T | null; error: unknown }): T {
  expect(error).toBeNull();
  return data as T;
}

async function waitFor(server: TestServer, mailboxId: string): Promise<Detail> {
  const found = await json<{ id: string }>(server.api(`/v1/mailboxes/${mailboxId}/messages/await?timeout=10`));
  return detailOf(server, mailboxId, found.id);
}

describe('emails.send', () => {
  test('the mail is in the mailbox of its recipient, with its code', async ({ mailcap, mailbox, resend }) => {
    const sent = ok(
      await resend.emails.send({
        from: 'Acme <hello@acme.test>',
        to: mailbox.address('ada'),
        subject: 'Your code',
        html: '<p>Your code is <b>482913</b></p>',
        text: 'Your code is 482913',
      }),
    );
    expect(sent.id).toMatch(UUID);
    const mail = await waitFor(mailcap, mailbox.id);
    expect(mail).toMatchObject({
      from: 'Acme <hello@acme.test>',
      to: mailbox.address('ada'),
      subject: 'Your code',
      textBody: 'Your code is 482913',
      htmlBody: '<p>Your code is <b>482913</b></p>',
      envelopeFrom: 'hello@acme.test',
    });
    expect(mail.facts).toMatchObject({
      source: 'provider',
      provider: { name: 'resend', id: sent.id },
      codes: [{ code: '482913' }],
    });
  });

  test('each recipient of to, cc and bcc gets it in its mailbox, and nobody sees bcc', async ({ mailcap, resend }) => {
    const [one, two, three] = [await mailcap.addMailbox(), await mailcap.addMailbox(), await mailcap.addMailbox()];
    ok(
      await resend.emails.send({
        from: 'hello@acme.test',
        to: ['"Lovelace, Ada" <ada@'.concat(`${one.subdomain}.${mailcap.mailDomain}>`)],
        cc: two.address(),
        bcc: [three.address()],
        replyTo: 'help@acme.test',
        subject: 'Hi',
        text: 'Hello',
      }),
    );
    for (const mailbox of [one, two, three]) {
      const [only, ...others] = await messagesOf(mailcap, mailbox.id);
      expect(others).toEqual([]);
      expect((await detailOf(mailcap, mailbox.id, only?.id ?? '')).raw).not.toContain(three.address());
    }
    const [copy] = await messagesOf(mailcap, three.id);
    expect(await detailOf(mailcap, three.id, copy?.id ?? '')).toMatchObject({
      cc: two.address(),
      bcc: three.address(),
      replyTo: 'help@acme.test',
    });
  });

  test('files, inline files, header fields and tags are in the mail', async ({ mailcap, mailbox, resend }) => {
    const sent = ok(
      await resend.emails.send({
        from: 'hello@acme.test',
        to: mailbox.address(),
        subject: 'Files',
        html: '<img src="cid:logo">',
        attachments: [
          { filename: '../Grüße "1".txt', content: Buffer.from('Grüße') },
          { filename: 'logo.png', content: Buffer.from('png').toString('base64'), contentId: 'logo' },
        ],
        headers: { 'X-Entity-Ref-ID': '42', 'List-Unsubscribe': '<https://acme.test/u>' },
        tags: [{ name: 'category', value: 'welcome' }],
      }),
    );
    const mail = await waitFor(mailcap, mailbox.id);
    expect(mail['attachments']).toMatchObject([
      { filename: 'logo.png', contentType: 'image/png', contentId: 'logo', isInline: true, sizeBytes: 3 },
      { filename: '../Grüße "1".txt', contentType: 'text/plain', isInline: false, sizeBytes: 7 },
    ]);
    expect(mail.raw).toMatch(/^X-Entity-Ref-ID: 42\r$/m);
    expect(mail.raw).toMatch(/^List-Unsubscribe: <https:\/\/acme\.test\/u>\r$/m);
    expect(mail.raw).toMatch(new RegExp(`^Message-ID: <${sent.id}@email\\.amazonses\\.com>\\r$`, 'm'));
    const found = await json<{ items: { id: string }[] }>(
      mailcap.api(`/_mailcap/mailboxes/${mailbox.id}/messages?q=header:x-resend-tag=category=welcome`),
    );
    expect(found.items.map(({ id }) => id)).toEqual([mail.facts.id]);
  });

  test('the message shows the request without the key, and the answer', async ({ mailcap, mailbox, resend }) => {
    const { id } = ok(
      await resend.emails.send({ from: 'a@acme.test', to: mailbox.address(), subject: 'Hi', text: 'Hello' }),
    );
    const { facts } = await waitFor(mailcap, mailbox.id);
    expect(facts.transcript[0]).toBe('C: POST /emails HTTP/1.1');
    expect(facts.transcript).toContain('C: Authorization: (left out)');
    expect(facts.transcript.join('\n')).not.toContain('re_any');
    expect(facts.transcript.slice(-2)).toEqual(['S: HTTP/1.1 200', `S: {"id":"${id}"}`]);
  });

  test.for([
    [{ from: undefined }, 'missing_required_field', 'Missing `from` field.'],
    [{ to: [] }, 'missing_required_field', 'Missing `to` field.'],
    [{ subject: undefined }, 'missing_required_field', 'Missing `subject` field.'],
    [{ text: undefined }, 'validation_error', 'Missing `html` or `text` field.'],
    [{ from: 'nobody' }, 'invalid_from_address', 'Invalid `from` field.'],
    [{ to: ['nobody'] }, 'validation_error', 'Invalid `to` field.'],
    [{ cc: ['a@x.test\r\nBcc: b@x.test'] }, 'validation_error', 'Invalid `cc` field.'],
    [{ from: 'A\r\nX: y <a@x.test>' }, 'invalid_from_address', 'Invalid `from` field.'],
    [{ subject: 'Hi\r\nBcc: b@x.test' }, 'validation_error', '`subject`'],
    [{ headers: { 'X-A': 'b\r\nBcc: c@x.test' } }, 'validation_error', 'headers.X-A'],
    [{ headers: { 'X-A\r\nBcc': 'c@x.test' } }, 'validation_error', 'can’t be set'],
    [{ headers: { 'Content-Type': 'text/html' } }, 'validation_error', 'headers.Content-Type'],
    [{ attachments: [{ filename: 'a\r\nb', content: 'YQ==' }] }, 'invalid_attachment', '`filename`'],
    [{ attachments: [{ filename: 'a' }] }, 'invalid_attachment', '`content` or `path`'],
    [{ attachments: [{ path: 'http://127.0.0.1/secret' }] }, 'invalid_attachment', 'fetches no file'],
    [{ tags: [{ name: 'a b', value: 'c' }] }, 'validation_error', 'ASCII'],
    [{ scheduledAt: 'some day' }, 'validation_error', '`scheduled_at`'],
    [{ scheduledAt: '2026-02-30' }, 'validation_error', '`scheduled_at`'],
    [{ scheduledAt: '2026-13-01T10:00:00Z' }, 'validation_error', '`scheduled_at`'],
    [{ to: Array.from({ length: 51 }, (_, i) => `a${i}@x.test`) }, 'validation_error', 'at most 50'],
  ] as const)(
    '%j is refused with %s, and nothing is stored',
    async ([change, name, message], { mailcap, mailbox, resend }) => {
      const payload = { from: 'a@acme.test', to: mailbox.address(), subject: 'Hi', text: 'Hello', ...change };
      // The types of the SDK refuse most of these.
      const { data, error } = await resend.emails.send(payload as unknown as Parameters<typeof resend.emails.send>[0]);
      expect(data).toBeNull();
      expect(error).toMatchObject({ name, statusCode: 422 });
      expect(error?.message).toContain(message);
      expect(await messagesOf(mailcap, mailbox.id)).toEqual([]);
    },
  );
});

describe('idempotency keys', () => {
  test('a repeated request gets the first answer, and the mail comes once', async ({ mailcap, mailbox, resend }) => {
    const email = { from: 'a@acme.test', to: mailbox.address(), subject: 'Hi', text: 'Hello' };
    const once = { idempotencyKey: `welcome/${mailbox.id}` };
    const [first, second] = await Promise.all([resend.emails.send(email, once), resend.emails.send(email, once)]);
    expect(ok(first)).toEqual(ok(second));
    expect(await messagesOf(mailcap, mailbox.id)).toHaveLength(1);
    const other = await resend.emails.send({ ...email, subject: 'Other' }, once);
    expect(other.error).toMatchObject({ statusCode: 409, name: 'invalid_idempotent_request' });
    expect(await messagesOf(mailcap, mailbox.id)).toHaveLength(1);
  });

  test('a key has at most 256 characters', async ({ mailcap, mailbox, resend }) => {
    const email = { from: 'a@acme.test', to: mailbox.address(), subject: 'Hi', text: 'Hello' };
    const { error } = await resend.emails.send(email, { idempotencyKey: 'k'.repeat(257) });
    expect(error).toMatchObject({ statusCode: 400, name: 'invalid_idempotency_key' });
    expect(await messagesOf(mailcap, mailbox.id)).toEqual([]);
    ok(await resend.emails.send(email, { idempotencyKey: 'k'.repeat(256) }));
    expect(await messagesOf(mailcap, mailbox.id)).toHaveLength(1);
  });
});

describe('batch', () => {
  test('each email of a batch comes', async ({ mailcap, mailbox, resend }) => {
    const email = (subject: string) => ({ from: 'a@acme.test', to: mailbox.address(), subject, text: 'Hello' });
    const { data } = ok(await resend.batch.send([email('one'), email('two')]));
    expect(data).toHaveLength(2);
    expect((await messagesOf(mailcap, mailbox.id)).map(({ subject }) => subject).sort()).toEqual(['one', 'two']);
  });

  test('with an invalid email nothing is sent, or with permissive validation the others', async ({
    mailcap,
    mailbox,
    resend,
  }) => {
    const good = { from: 'a@acme.test', to: mailbox.address(), subject: 'good', text: 'Hello' };
    const emails = [good, { ...good, to: 'nobody' }];
    expect((await resend.batch.send(emails)).error).toMatchObject({ name: 'validation_error' });
    expect(await messagesOf(mailcap, mailbox.id)).toEqual([]);
    const sent = ok(await resend.batch.send(emails, { batchValidation: 'permissive' }));
    expect(sent).toMatchObject({ data: [{ id: expect.any(String) }], errors: [{ index: 1 }] });
    expect((await messagesOf(mailcap, mailbox.id)).map(({ subject }) => subject)).toEqual(['good']);
  });
});

describe('scheduled emails', () => {
  const inAnHour = (mailcap: TestServer, minutes: number) =>
    mailcap.api('/_mailcap/clock', { method: 'PUT', json: { offsetSeconds: minutes * 60 } });

  test('an email comes when the clock reaches its time, and not before', async ({ resend, mailcap, mailbox }) => {
    const scheduledAt = new Date(Date.now() + 3_600_000).toISOString();
    const email = { from: 'a@acme.test', to: mailbox.address(), subject: 'Later', text: 'Hello', scheduledAt };
    const { id } = ok(await resend.emails.send(email));
    expect(ok(await resend.emails.get(id))).toMatchObject({ last_event: 'scheduled', text: 'Hello' });
    expect(await messagesOf(mailcap, mailbox.id)).toEqual([]);
    await inAnHour(mailcap, 61);
    expect(await waitFor(mailcap, mailbox.id)).toMatchObject({ subject: 'Later', facts: { provider: { id } } });
    expect(ok(await resend.emails.get(id))).toMatchObject({
      last_event: 'delivered',
      text: expect.stringMatching(/^Hello\n?$/),
    });
    await inAnHour(mailcap, 0);
  });

  test('a cancelled one never comes, and a moved one comes later', async ({ resend, mailcap, mailbox }) => {
    const email = { from: 'a@acme.test', to: mailbox.address(), text: 'Hello', scheduledAt: 'in 1 hour' };
    const cancelled = ok(await resend.emails.send({ ...email, subject: 'cancelled' }));
    const moved = ok(await resend.emails.send({ ...email, subject: 'moved' }));
    const due = ok(await resend.emails.send({ ...email, subject: 'due' }));
    expect(ok(await resend.emails.cancel(cancelled.id))).toEqual({ object: 'email', id: cancelled.id });
    ok(await resend.emails.update({ id: moved.id, scheduledAt: new Date(Date.now() + 2 * 3_600_000).toISOString() }));
    await inAnHour(mailcap, 61);
    expect((await waitFor(mailcap, mailbox.id)).facts.provider?.id).toBe(due.id);
    await inAnHour(mailcap, 121);
    await expect
      .poll(async () => (await messagesOf(mailcap, mailbox.id)).map(({ subject }) => subject))
      .toEqual(['moved', 'due']);
    expect(ok(await resend.emails.get(cancelled.id))).toMatchObject({ last_event: 'canceled' });
    expect((await resend.emails.cancel(due.id)).error).toMatchObject({ name: 'validation_error' });
    await inAnHour(mailcap, 0);
  });
});

describe('what was sent', () => {
  test('is listed in pages, the newest first', async ({ mailcap, mailbox }) => {
    const { key } = await ownWorkspace(mailcap);
    const resend = new Resend(key, { baseUrl: `${mailcap.url}/providers/resend` });
    const ids: string[] = [];
    for (const subject of ['1', '2', '3'])
      ids.unshift(ok(await resend.emails.send({ from: 'a@acme.test', to: mailbox.address(), subject, text: 'Hi' })).id);
    const pageOf = async (options: object) => {
      const { data, has_more } = ok(await resend.emails.list(options));
      return [data.map(({ id }) => ids.indexOf(id)), has_more];
    };
    expect(await pageOf({ limit: 2 })).toEqual([[0, 1], true]);
    expect(await pageOf({ limit: 2, after: ids[1] })).toEqual([[2], false]);
    expect(await pageOf({ limit: 1, before: ids[2] })).toEqual([[1], true]);
    expect((await resend.emails.get('00000000-0000-7000-8000-000000000000')).error).toMatchObject({
      statusCode: 404,
      name: 'not_found',
    });
  });

  test('a page begins at an id, also at one that is gone, and never at anything else', async ({ resend }) => {
    const gone = '01a21a1b-3bd9-7799-84f0-1829f3497a3a';
    expect(ok(await resend.emails.list({ before: gone })).object).toBe('list');
    for (const options of [{ after: 'x' }, { before: '1' }])
      expect((await resend.emails.list(options)).error).toMatchObject({ statusCode: 422, name: 'invalid_parameter' });
  });

  test('domains are added, found and removed', async ({ resend }) => {
    const { id } = ok(await resend.domains.create({ name: 'acme.test' }));
    expect(ok(await resend.domains.list()).data).toMatchObject([{ id, name: 'acme.test', status: 'verified' }]);
    expect(ok(await resend.domains.get(id))).toMatchObject({ name: 'acme.test' });
    ok(await resend.domains.verify(id));
    ok(await resend.domains.remove(id));
    expect((await resend.domains.get(id)).error).toMatchObject({ name: 'not_found' });
    expect((await resend.domains.create({ name: 'no domain' })).error).toMatchObject({ name: 'validation_error' });
  });
});

describe('events', () => {
  test('the app gets signed events of a mail, and of one that bounces', async ({ mailcap, mailbox, resend }) => {
    await using app = await receiver();
    const events = ['email.sent', 'email.delivered', 'email.bounced'] as const;
    const { id, signing_secret } = ok(await resend.webhooks.create({ endpoint: app.url, events: [...events] }));
    const email = { from: 'a@acme.test', subject: 'Hi', text: 'Hello' };
    const sent = ok(await resend.emails.send({ ...email, to: mailbox.address() }));
    const bounced = ok(await resend.emails.send({ ...email, to: 'bounced+label@resend.dev' }));
    await app.received(4);
    const verified = app.requests.map(({ headers, body }) =>
      resend.webhooks.verify({
        payload: body,
        headers: {
          id: String(headers['svix-id']),
          timestamp: String(headers['svix-timestamp']),
          signature: String(headers['svix-signature']),
        },
        webhookSecret: signing_secret,
      }),
    ) as { type: string; data: { email_id: string; to: string[] } }[];
    const told = verified.map(({ type, data }) => `${type} ${data.email_id}`).sort();
    expect(told).toEqual(
      [
        `email.bounced ${bounced.id}`,
        `email.delivered ${sent.id}`,
        `email.sent ${bounced.id}`,
        `email.sent ${sent.id}`,
      ].sort(),
    );
    expect(ok(await resend.emails.get(bounced.id)).last_event).toBe('bounced');
    ok(await resend.webhooks.remove(id));
    ok(await resend.emails.send({ ...email, to: mailbox.address() }));
    expect(await mailcap.ctx.store.read.providerRecords.due()).toEqual([]);
  });

  test('an event that the app refused comes again when the clock has passed the pause', async ({
    mailcap,
    mailbox,
    resend,
  }) => {
    await using app = await receiver((number) => (number === 1 ? 500 : 200));
    const { id } = ok(await resend.webhooks.create({ endpoint: app.url, events: ['email.sent'] }));
    ok(await resend.emails.send({ from: 'a@acme.test', to: mailbox.address(), subject: 'Hi', text: 'Hello' }));
    await app.received(1);
    await expect
      .poll(async () => (await mailcap.ctx.store.read.providerRecords.due()).map(({ data }) => data['number']))
      .toEqual([2]);
    await mailcap.api('/_mailcap/clock', { method: 'PUT', json: { offsetSeconds: 6 } });
    await app.received(2);
    expect(app.requests[1]?.body).toBe(app.requests[0]?.body);
    await mailcap.api('/_mailcap/clock', { method: 'PUT', json: { offsetSeconds: 0 } });
    ok(await resend.webhooks.remove(id));
  });
});

/** Creates a workspace of its own, so that a list holds nothing of other tests. */
async function ownWorkspace(server: TestServer): Promise<{ key: string }> {
  const { id } = await json<{ id: string }>(server.api('/_mailcap/workspaces', { json: {} }));
  return json<{ key: string }>(server.api(`/_mailcap/workspaces/${id}/keys`, { json: {} }));
}
