import { createHmac } from 'node:crypto';
import { Attachment, EmailParams, EmailWebhookEventType, MailerSend, Recipient, Sender } from 'mailersend';
import { describe, expect } from 'vitest';
import { json } from '../http/support.ts';
import { test as base, type TestServer } from '../support/mailcap.ts';
import { messagesOf, receiver, theOnly } from './support.ts';

/** The SDK has no option for its address: each of its parts holds it. */
function clientOf({ url }: Pick<TestServer, 'url'>): MailerSend {
  const client = new MailerSend({ apiKey: 'mlsn.any' });
  const { email } = client;
  for (const part of [email, email.webhook, email.template, email.schedule, email.message, email.recipient])
    Object.assign(part, { baseUrl: `${url}/providers/mailersend/v1` });
  return client;
}

const test = base.extend('mailersend', ({ mailcap }) => clientOf(mailcap));

const FROM = new Sender('hello@acme.test', 'Acme');

function paramsTo(...addresses: string[]): EmailParams {
  return new EmailParams()
    .setFrom(FROM)
    .setTo(addresses.map((address) => new Recipient(address)))
    .setSubject('Hello {{ name }}')
    .setText('Your code is 482913, {{ name }}')
    .setHtml('<p>Your code is 482913, {{ name }}</p>');
}

describe('email.send', () => {
  test('the mail is in the mailbox of its recipient', async ({ mailcap, mailbox, mailersend }) => {
    const params = paramsTo(mailbox.address('ada'))
      .setBcc([new Recipient(mailbox.address('hidden'))])
      .setReplyTo(new Sender('help@acme.test'))
      .setTags(['welcome'])
      .setAttachments([
        new Attachment(Buffer.from('Grüße').toString('base64'), 'Grüße.txt'),
        new Attachment(Buffer.from('png').toString('base64'), 'logo.png', 'inline', 'logo'),
      ])
      .setPersonalization([{ email: mailbox.address('ada'), data: { name: '<Ada>' } }]);
    const { statusCode, headers } = await mailersend.email.send(params);
    expect(statusCode).toBe(202);
    const mail = await theOnly(mailcap, mailbox.id);
    expect(mail).toMatchObject({
      subject: 'Hello <Ada>',
      bcc: mailbox.address('hidden'),
      textBody: 'Your code is 482913, <Ada>',
      htmlBody: expect.stringContaining('482913, &lt;Ada&gt;'),
      facts: { provider: { name: 'mailersend', id: headers['x-message-id'] }, codes: [{ code: '482913' }] },
    });
    expect(mail['attachments']).toMatchObject([
      { filename: 'logo.png', isInline: true, contentId: 'logo' },
      { filename: 'Grüße.txt', sizeBytes: 7 },
    ]);
    expect(mail.raw).toMatch(/^X-MailerSend-Tag: welcome\r$/im);
    expect(await mailersend.email.message.single(headers['x-message-id'])).toMatchObject({
      body: { data: { emails: [{ subject: 'Hello <Ada>', status: 'delivered' }] } },
    });
  });

  test('with personalization each recipient gets a mail of its own', async ({ mailcap, mailbox, mailersend }) => {
    const [one, two] = [mailbox.address('one'), mailbox.address('two')];
    await mailersend.email.send(paramsTo(one, two).setPersonalization([{ email: one, data: { name: 'Ada' } }]));
    const mails = await messagesOf(mailcap, mailbox.id);
    expect(mails.map(({ to, subject }) => `${to} ${subject}`).sort()).toEqual([`${one} Hello Ada`, `${two} Hello`]);
  });

  test('a bulk is sent as a whole, and a template is merged', async ({ mailcap, mailbox, mailersend }) => {
    const { body } = await mailersend.email.template.create({
      name: 'Welcome',
      html: '<b>{{ name }}</b>',
      text: '{{ name }}',
    });
    const templated = new EmailParams()
      .setFrom(FROM)
      .setTo([new Recipient(mailbox.address('two'))])
      .setTemplateId(body.data.id)
      .setPersonalization([{ email: mailbox.address('two'), data: { name: 'Bob' } }]);
    const bulk = await mailersend.email.sendBulk([paramsTo(mailbox.address('one')), templated]);
    expect(bulk.statusCode).toBe(202);
    const status = await mailersend.email.getBulkStatus(bulk.body.bulk_email_id);
    expect(status.body.data).toMatchObject({
      state: 'completed',
      total_recipients_count: 2,
      messages_id: [/./, /./].map((one) => expect.stringMatching(one)),
    });
    const [newest] = await messagesOf(mailcap, mailbox.id);
    expect(newest).toMatchObject({ subject: 'Welcome' });
    const wrong = [paramsTo(mailbox.address('one')), paramsTo('nobody')];
    await expect(mailersend.email.sendBulk(wrong)).rejects.toMatchObject({ statusCode: 422 });
    expect(await messagesOf(mailcap, mailbox.id)).toHaveLength(2);
  });

  test('a scheduled mail waits, and can be cancelled', async ({ mailcap, mailbox, mailersend }) => {
    const { headers } = await mailersend.email.send(
      paramsTo(mailbox.address()).setSendAt(Math.floor(Date.now() / 1_000) + 3_600),
    );
    const id = headers['x-message-id'];
    expect(await mailersend.email.schedule.single(id)).toMatchObject({ body: { data: { status: 'scheduled' } } });
    expect((await mailersend.email.schedule.delete(id)).statusCode).toBe(204);
    await expect(mailersend.email.schedule.delete(id)).rejects.toMatchObject({ statusCode: 404 });
    expect(await messagesOf(mailcap, mailbox.id)).toEqual([]);
  });

  test.for([
    [{ from: undefined }, 'from.email', /is required/],
    [{ from: { email: 'nobody' } }, 'from.email', /not a valid email/],
    [{ to: [] }, 'to', /is required/],
    [{ to: [{ email: 'nobody' }] }, 'to.0.email', /not a valid email/],
    [{ subject: '' }, 'subject', /is required/],
    [{ subject: 'Hi\r\nBcc: b@x.test' }, 'subject', /line break/],
    [{ text: '', html: '' }, 'text', /required/],
    [{ template_id: 'none' }, 'template_id', /invalid/],
    [{ tags: ['1', '2', '3', '4', '5', '6'] }, 'tags', /too many/],
    [{ headers: [{ name: 'X-A', value: 'a\r\nBcc: b@x.test' }] }, 'headers.X-A', /header/],
    [{ list_unsubscribe: '<x>\r\nBcc: b@x.test' }, 'list_unsubscribe', /line break/],
    [{ attachments: [{ content: 'YQ==', filename: '' }] }, 'attachments.0.filename', /name of a file/],
    [{ personalization: [{ email: 'a@x.test' }] }, 'personalization.0.data', /object/],
    [
      { personalization: [{ email: 'a@x.test', data: {} }], text: '{% if a %}b{% endif %}' },
      'personalization',
      /alone/,
    ],
    [{ personalization: [{ email: 'a@x.test', data: {} }], text: '{{#if' }, 'personalization', /can’t be parsed/],
    [{ send_at: 1e12 }, 'send_at', /72 hours/],
  ] as const)(
    '%j is refused, and nothing is stored',
    async ([change, field, sentence], { mailcap, mailbox, mailersend }) => {
      const mail = { from: FROM, to: [{ email: mailbox.address() }], subject: 'Hi', text: 'Hello', ...change };
      const refused = await mailersend.email.send(mail as never).catch((error: unknown) => error);
      expect(refused).toMatchObject({
        statusCode: 422,
        body: { errors: { [field]: [expect.stringMatching(sentence)] } },
      });
      expect(await messagesOf(mailcap, mailbox.id)).toEqual([]);
    },
  );

  test('without a key it is unauthenticated', async ({ mailcap }) => {
    const response = await fetch(`${mailcap.url}/providers/mailersend/v1/email`, { method: 'POST' });
    expect([response.status, await response.json()]).toEqual([401, { message: 'Unauthenticated.' }]);
  });
});

test('the app gets events that the secret of the webhook verifies', async ({ mailcap, mailbox, mailersend }) => {
  await using app = await receiver();
  const { SENT, DELIVERED, HARD_BOUNCED } = EmailWebhookEventType;
  const made = await mailersend.email.webhook.create({
    url: app.url,
    name: 'All',
    events: [SENT, DELIVERED, HARD_BOUNCED],
    domain_id: 'any',
  } as never);
  const { id, secret } = made.body.data;
  await mailersend.email.send(paramsTo(mailbox.address(), `bounce@simulator.${mailcap.mailDomain}`));
  await app.received(4);
  const told = app.requests.map(({ headers, body }) => {
    expect(headers['signature']).toBe(createHmac('sha256', secret).update(body).digest('hex'));
    return JSON.parse(body) as { type: string; data: { email: { recipient: { email: string } } } };
  });
  expect(told.map(({ type, data }) => `${type} ${data.email.recipient.email.split('@')[0]}`).sort()).toEqual(
    [
      `activity.delivered ${mailbox.address().split('@')[0]}`,
      'activity.hard_bounced bounce',
      'activity.sent bounce',
      `activity.sent ${mailbox.address().split('@')[0]}`,
    ].sort(),
  );
  expect((await mailersend.email.webhook.update(id, { enabled: false })).body.data).toMatchObject({
    enabled: false,
    secret,
  });
  expect((await mailersend.email.webhook.delete(id)).statusCode).toBe(204);
});

test('a suppressed recipient gets nothing, and the answer says so', async ({ mailcap, mailbox, mailersend }) => {
  const path = `${mailcap.url}/providers/mailersend/v1/suppressions/hard-bounces`;
  const headers = { authorization: 'Bearer any', 'content-type': 'application/json' };
  const body = JSON.stringify({ domain_id: 'any', recipients: [mailbox.address()] });
  expect((await fetch(path, { method: 'POST', headers, body })).status).toBe(201);
  expect((await mailersend.email.send(paramsTo(mailbox.address()))).body).toMatchObject({
    warnings: [{ type: 'ALL_SUPPRESSED', recipients: [{ email: mailbox.address(), reasons: ['hard_bounced'] }] }],
  });
  expect(await messagesOf(mailcap, mailbox.id)).toEqual([]);
  const listed = await json<{ data: { id: string; recipient: { email: string } }[] }>(fetch(path, { headers }));
  const ids = listed.data.filter(({ recipient }) => recipient.email === mailbox.address()).map(({ id }) => id);
  expect((await fetch(path, { method: 'DELETE', headers, body: JSON.stringify({ ids }) })).status).toBe(204);
  await mailersend.email.send(paramsTo(mailbox.address()));
  expect(await messagesOf(mailcap, mailbox.id)).toHaveLength(1);
});
