import { MailtrapClient, verifyWebhookSignature } from 'mailtrap';
import { describe, expect } from 'vitest';
import { test as base, type TestServer } from '../support/mailcap.ts';
import { messagesOf, receiver, theOnly } from './support.ts';

/** The SDK has no option for its address: its axios instance sends the requests elsewhere. */
function clientOf({ url }: Pick<TestServer, 'url'>, options: object = {}): MailtrapClient {
  const client = new MailtrapClient({ token: 'any-token', accountId: 1, ...options });
  const { interceptors } = Reflect.get(client, 'axios') as {
    interceptors: { request: { use(change: (config: { url: string }) => object): void } };
  };
  interceptors.request.use((config) => ({
    ...config,
    url: config.url.replace(/^https:\/\/[^/]+/, `${url}/providers/mailtrap`),
  }));
  return client;
}

const test = base.extend('mailtrap', ({ mailcap }) => clientOf(mailcap));

const FROM = { email: 'hello@acme.test', name: 'Acme' };

describe('send', () => {
  test('the mail is in the mailbox of its recipient', async ({ mailcap, mailbox, mailtrap }) => {
    const sent = await mailtrap.send({
      from: FROM,
      to: [{ email: mailbox.address('ada'), name: 'Lovelace, Ada' }],
      bcc: [{ email: mailbox.address('hidden') }],
      reply_to: { email: 'help@acme.test' },
      subject: 'Your code',
      text: 'Your code is 482913',
      html: '<p>Your code is 482913</p><img src="cid:logo">',
      category: 'welcome',
      custom_variables: { order: 42 },
      headers: { 'X-Custom': 'yes' },
      attachments: [
        { filename: 'Grüße.txt', content: Buffer.from('Grüße'), type: 'text/plain' },
        {
          filename: 'logo.png',
          content: Buffer.from('png'),
          type: 'image/png',
          disposition: 'inline',
          content_id: 'logo',
        },
      ],
    });
    // Each recipient has an id of its own.
    expect(sent).toMatchObject({ success: true });
    expect(new Set(sent.message_ids).size).toBe(2);
    for (const id of sent.message_ids) expect(id).toMatch(/^[0-9a-f-]{36}$/);
    const mail = await theOnly(mailcap, mailbox.id);
    expect(mail).toMatchObject({
      to: `"Lovelace, Ada" <${mailbox.address('ada')}>`,
      bcc: mailbox.address('hidden'),
      replyTo: 'help@acme.test',
      facts: { provider: { name: 'mailtrap', id: sent.message_ids[0] }, codes: [{ code: '482913' }] },
    });
    expect(mail['attachments']).toMatchObject([
      { filename: 'logo.png', isInline: true, contentId: 'logo' },
      { filename: 'Grüße.txt', sizeBytes: 7 },
    ]);
    expect(mail.raw).toMatch(/^X-MT-Category: welcome\r$/im);
    expect(mail.raw).toMatch(/^X-Custom: yes\r$/m);
    expect(mail.facts.transcript.join('\n')).not.toContain('any-token');
  });

  test('the sandbox of Mailtrap sends too', async ({ mailcap, mailbox }) => {
    const sandbox = clientOf(mailcap, { sandbox: true, testInboxId: 7 });
    await sandbox.send({ from: FROM, to: [{ email: mailbox.address() }], subject: 'Sandbox', text: 'Hello' });
    expect(await theOnly(mailcap, mailbox.id)).toMatchObject({ subject: 'Sandbox' });
  });

  test('of a batch each mail is sent or refused by itself', async ({ mailcap, mailbox, mailtrap }) => {
    const { responses } = await mailtrap.batchSend({
      base: { from: FROM, subject: 'Base', text: 'Hello' } as never,
      requests: [{ to: [{ email: mailbox.address('one') }], subject: 'Own' }, { to: [{ email: 'nobody' }] }],
    });
    expect(responses).toMatchObject([
      { success: true },
      { success: false, errors: ["'to.0.email' is not a valid email address"] },
    ]);
    expect(await theOnly(mailcap, mailbox.id)).toMatchObject({
      subject: 'Own',
      textBody: expect.stringMatching(/^Hello\s*$/),
    });
  });

  test('a template is merged by Handlebars', async ({ mailcap, mailbox, mailtrap }) => {
    const made = await mailtrap.templates.create({
      name: 'Welcome',
      category: 'welcome',
      subject: 'Hello {{name}}',
      body_html: '<p>{{name}}{{#if vip}}!{{/if}}</p>',
    });
    await mailtrap.templates.update(made.id, { subject: 'Hi {{name}}' });
    await mailtrap.send({
      from: FROM,
      to: [{ email: mailbox.address() }],
      template_uuid: made.uuid,
      template_variables: { name: '<Ada>', vip: true },
    });
    expect(await theOnly(mailcap, mailbox.id)).toMatchObject({
      subject: 'Hi <Ada>',
      htmlBody: expect.stringContaining('<p>&lt;Ada&gt;!</p>'),
    });
    await mailtrap.templates.delete(made.id);
    await expect(mailtrap.templates.get(made.id)).rejects.toThrow('Not Found');
  });

  test.for([
    [{ from: undefined }, /'from' is required/],
    [{ from: { email: 'nobody' } }, /'from.email' is not a valid email/],
    [{ to: [] }, /'to' is required/],
    [{ cc: [{ email: 'a@x.test', name: 'A\r\nBcc: b@x.test' }] }, /'cc.0.email'/],
    [{ subject: '' }, /'subject' is required/],
    [{ subject: 'Hi\r\nBcc: b@x.test' }, /'subject' holds a line break/],
    [{ text: '' }, /must specify either 'text' or 'html'/],
    [{ category: 'a\r\nBcc: b@x.test' }, /'category' holds a line break/],
    [{ custom_variables: { a: 'x'.repeat(1_001) } }, /'custom_variables' are too large/],
    [{ headers: { 'X-A': 'a\r\nBcc: b@x.test' } }, /'headers.X-A' is a header/],
    [{ attachments: [{ filename: 'a.txt', content: '%' }] }, /'attachments.0.content' must be base64/],
    [{ template_uuid: 'none' }, /'subject' is not allowed with 'template_uuid'/],
  ] as const)('%j is refused, and nothing is stored', async ([change, message], { mailcap, mailbox, mailtrap }) => {
    const mail = { from: FROM, to: [{ email: mailbox.address() }], subject: 'Hi', text: 'Hello', ...change };
    await expect(mailtrap.send(mail as never)).rejects.toThrow(message);
    expect(await messagesOf(mailcap, mailbox.id)).toEqual([]);
  });

  test('without a token it is unauthorized', async ({ mailcap }) => {
    const response = await fetch(`${mailcap.url}/providers/mailtrap/api/send`, { method: 'POST' });
    expect([response.status, await response.json()]).toEqual([401, { success: false, errors: ['Unauthorized'] }]);
  });
});

test('the app gets events that the SDK verifies', async ({ mailcap, mailbox, mailtrap }) => {
  await using app = await receiver();
  const { data } = await mailtrap.webhooks.create({
    url: app.url,
    webhook_type: 'email_sending',
    sending_stream: 'transactional',
    event_types: ['delivery', 'bounce', 'reject'],
  });
  const bounce = `bounce@simulator.${mailcap.mailDomain}`;
  const mail = { from: FROM, to: [{ email: mailbox.address() }, { email: bounce }], subject: 'Hi', text: 'Hello' };
  const sent = await mailtrap.send({ ...mail, custom_variables: { order: 42 } });
  await app.received(2);
  const told = app.requests.flatMap(({ headers, body }) => {
    expect(verifyWebhookSignature(body, String(headers['mailtrap-signature']), data.signing_secret)).toBe(true);
    return (JSON.parse(body) as { events: { event: string; email: string; message_id: string }[] }).events;
  });
  expect(told.map(({ event, email }) => `${event} ${email}`).sort()).toEqual([
    `bounce ${bounce}`,
    `delivery ${mailbox.address()}`,
  ]);
  const ids = new Map(told.map(({ email, message_id }) => [email, message_id]));
  expect([ids.get(mailbox.address()), ids.get(bounce)]).toEqual(sent.message_ids);
  expect(told[0]).toMatchObject({ custom_variables: { order: 42 } });
  expect((await mailtrap.webhooks.get(data.id)).data).not.toHaveProperty('signing_secret');

  await mailtrap.suppressions.create({ email: mailbox.address(), domain_id: 1, sending_stream: 'transactional' });
  const before = await messagesOf(mailcap, mailbox.id);
  await mailtrap.send({ ...mail, to: [{ email: mailbox.address() }] });
  await app.received(3);
  expect(JSON.parse(app.requests[2]?.body ?? '').events).toMatchObject([{ event: 'reject', email: mailbox.address() }]);
  expect(await messagesOf(mailcap, mailbox.id)).toEqual(before);
  const [entry] = await mailtrap.suppressions.getList({ email: mailbox.address() });
  await mailtrap.suppressions.delete(entry?.id ?? '');
  expect(await mailtrap.suppressions.getList({ email: mailbox.address() })).toEqual([]);
  await mailtrap.webhooks.delete(data.id);
});
