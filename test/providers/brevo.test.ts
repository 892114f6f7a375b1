import { BrevoClient } from '@getbrevo/brevo';
import { describe, expect } from 'vitest';
import { test as base } from '../support/mailcap.ts';
import { messagesOf, receiver, theOnly } from './support.ts';

const test = base.extend(
  'brevo',
  ({ mailcap }) =>
    new BrevoClient({ apiKey: 'xkeysib-any', baseUrl: `${mailcap.url}/providers/brevo/v3`, maxRetries: 0 }),
);

const SENDER = { email: 'hello@acme.test', name: 'Acme' };

describe('sendTransacEmail', () => {
  test('the mail is in the mailbox of its recipient', async ({ mailcap, mailbox, brevo }) => {
    const { messageId } = await brevo.transactionalEmails.sendTransacEmail({
      sender: SENDER,
      to: [{ email: mailbox.address('ada'), name: 'Lovelace, Ada' }],
      bcc: [{ email: mailbox.address('hidden') }],
      replyTo: { email: 'help@acme.test' },
      subject: 'Your code',
      htmlContent: '<p>Your code is <b>{{params.code}}</b></p>',
      textContent: 'Your code is {{ params.code }}',
      params: { code: '482913' },
      headers: { 'X-Mailin-custom': 'order:42' },
      tags: ['welcome'],
      attachment: [{ name: 'Grüße.txt', content: Buffer.from('Grüße').toString('base64') }],
    });
    const mail = await theOnly(mailcap, mailbox.id);
    expect(mail).toMatchObject({
      to: `"Lovelace, Ada" <${mailbox.address('ada')}>`,
      bcc: mailbox.address('hidden'),
      replyTo: 'help@acme.test',
      textBody: 'Your code is 482913',
      facts: { provider: { name: 'brevo' }, codes: [{ code: '482913' }] },
    });
    expect(mail['attachments']).toMatchObject([{ filename: 'Grüße.txt', sizeBytes: 7 }]);
    expect(mail.raw).toContain(`Message-ID: ${messageId}`);
    expect(mail.raw).toMatch(/^X-Mailin-Tag: welcome\r$/m);
    expect(mail.facts.transcript.join('\n')).not.toContain('xkeysib-any');
  });

  test('versions are mails of their own', async ({ mailcap, mailbox, brevo }) => {
    const sent = await brevo.transactionalEmails.sendTransacEmail({
      sender: SENDER,
      subject: 'Hello {{params.name}}',
      htmlContent: '<p>Hello {{params.name}}</p>',
      params: { name: 'you' },
      messageVersions: [
        { to: [{ email: mailbox.address('one') }], params: { name: 'Ada' } },
        { to: [{ email: mailbox.address('two') }] },
      ],
    });
    expect(sent.messageIds).toHaveLength(2);
    const mails = await messagesOf(mailcap, mailbox.id);
    expect(mails.map(({ to, subject }) => `${to} ${subject}`).sort()).toEqual([
      `${mailbox.address('one')} Hello Ada`,
      `${mailbox.address('two')} Hello you`,
    ]);
  });

  test('a stored template has the sender and the subject', async ({ mailcap, mailbox, brevo }) => {
    const { id } = await brevo.transactionalEmails.createSmtpTemplate({
      sender: SENDER,
      templateName: 'Welcome',
      subject: 'Hello {{params.name}}',
      htmlContent: '<p>{{params.name}}, {{contact.EMAIL}}</p>',
    });
    await brevo.transactionalEmails.updateSmtpTemplate({ templateId: id, subject: 'Hi {{params.name}}' });
    const to = [{ email: mailbox.address() }];
    await brevo.transactionalEmails.sendTransacEmail({ templateId: id, to, params: { name: '<Ada>' } });
    expect(await theOnly(mailcap, mailbox.id)).toMatchObject({
      subject: 'Hi <Ada>',
      from: 'Acme <hello@acme.test>',
      htmlBody: expect.stringContaining(`<p>&lt;Ada&gt;, ${mailbox.address()}</p>`),
    });
    expect(await brevo.transactionalEmails.getSmtpTemplate({ templateId: id })).toMatchObject({ id, name: 'Welcome' });
    await brevo.transactionalEmails.deleteSmtpTemplate({ templateId: id });
    await expect(brevo.transactionalEmails.sendTransacEmail({ templateId: id, to })).rejects.toMatchObject({
      statusCode: 404,
      body: { code: 'document_not_found' },
    });
  });

  test('a scheduled mail can be cancelled by its Message-ID', async ({ mailcap, mailbox, brevo }) => {
    const scheduledAt = new Date(Date.now() + 3_600_000).toISOString();
    const mail = { sender: SENDER, to: [{ email: mailbox.address() }], subject: 'Later', textContent: 'Hello' };
    const sent = await brevo.transactionalEmails.sendTransacEmail({ ...mail, scheduledAt });
    const identifier = sent.messageId ?? '';
    expect(await brevo.transactionalEmails.getScheduledEmailById({ identifier })).toMatchObject({ status: 'queued' });
    await brevo.transactionalEmails.deleteScheduledEmailById({ identifier });
    await expect(brevo.transactionalEmails.getScheduledEmailById({ identifier })).rejects.toMatchObject({
      statusCode: 404,
    });
    expect(await messagesOf(mailcap, mailbox.id)).toEqual([]);
  });

  test.for([
    [{ sender: undefined }, 'missing_parameter', /sender is missing/],
    [{ sender: { email: 'nobody' } }, 'invalid_parameter', /sender.email is not a valid email/],
    [{ sender: { id: 3 } }, 'invalid_parameter', /keeps no senders/],
    [{ to: [] }, 'missing_parameter', /to is missing/],
    [{ to: [{ email: 'nobody' }] }, 'invalid_parameter', /to.0.email/],
    [{ cc: [{ email: 'a@x.test', name: 'A\r\nBcc: b@x.test' }] }, 'invalid_parameter', /cc.0.email/],
    [{ subject: 'Hi\r\nBcc: b@x.test' }, 'invalid_parameter', /subject holds a line break/],
    [{ tags: ['a\r\nBcc: b@x.test'] }, 'invalid_parameter', /tags.0 holds a line break/],
    [{ textContent: '' }, 'missing_parameter', /htmlContent is missing/],
    [{ headers: { 'X-A': 'a\r\nBcc: b@x.test' } }, 'invalid_parameter', /headers.X-A is a header that can’t be set/],
    [{ attachment: [{ name: 'a.txt', content: '%' }] }, 'invalid_parameter', /attachment.0.content must be base64/],
    [{ attachment: [{ name: 'a.txt', url: 'http://x.test' }] }, 'invalid_parameter', /fetches no file/],
    [{ scheduledAt: 'soon' }, 'invalid_parameter', /scheduledAt/],
    [{ params: {}, textContent: '{% if a %}b{% endif %}' }, 'invalid_parameter', /merges/],
    [{ params: {}, textContent: '{{#each' }, 'invalid_parameter', /can’t be parsed/],
    [{ to: Array.from({ length: 100 }, (_, i) => ({ email: `a${i}@x.test` })) }, 'invalid_parameter', /too many/],
  ] as const)('%j is refused, and nothing is stored', async ([change, code, message], { mailcap, mailbox, brevo }) => {
    const mail = { sender: SENDER, to: [{ email: mailbox.address() }], subject: 'Hi', textContent: 'Hello' };
    const given = { ...mail, ...change } as never;
    const refused = await brevo.transactionalEmails.sendTransacEmail(given).catch((error: unknown) => error);
    expect(refused).toMatchObject({ statusCode: 400, body: { code, message: expect.stringMatching(message) } });
    expect(await messagesOf(mailcap, mailbox.id)).toEqual([]);
  });

  test('without a key it is unauthorized', async ({ mailcap }) => {
    const response = await fetch(`${mailcap.url}/providers/brevo/v3/smtp/email`, { method: 'POST' });
    expect([response.status, await response.json()]).toMatchObject([401, { code: 'unauthorized' }]);
  });
});

test('the webhook gets the events, with its token and headers', async ({ mailcap, mailbox, brevo }) => {
  await using app = await receiver();
  const events = ['request', 'delivered', 'hardBounce', 'blocked'] as const;
  const { id } = await brevo.webhooks.createWebhook({
    url: app.url,
    type: 'transactional',
    events: [...events],
    auth: { type: 'bearer', token: 'let-me-in' },
    headers: [{ key: 'X-From', value: 'brevo' }],
  });
  const bounce = `bounce@simulator.${mailcap.mailDomain}`;
  await brevo.transactionalEmails.sendTransacEmail({
    sender: SENDER,
    to: [{ email: mailbox.address() }, { email: bounce }],
    subject: 'Hi',
    textContent: 'Hello',
    tags: ['welcome'],
  });
  await app.received(4);
  expect(app.requests[0]?.headers).toMatchObject({ authorization: 'Bearer let-me-in', 'x-from': 'brevo' });
  const told = app.requests.map(({ body }) => JSON.parse(body) as { event: string; email: string });
  expect(told.map(({ event, email }) => `${event} ${email}`).sort()).toEqual(
    [
      `request ${mailbox.address()}`,
      `request ${bounce}`,
      `delivered ${mailbox.address()}`,
      `hard_bounce ${bounce}`,
    ].sort(),
  );
  expect(told[0]).toMatchObject({
    id,
    tags: ['welcome'],
    subject: 'Hi',
    'message-id': expect.stringMatching(/^<.*>$/),
  });
  await brevo.webhooks.deleteWebhook({ webhookId: id });
  await expect(brevo.webhooks.getWebhook({ webhookId: id })).rejects.toMatchObject({ statusCode: 404 });
});

test('mail to a suppressed address is blocked until the block is lifted', async ({ mailcap, mailbox, brevo }) => {
  await mailcap.api(`/_mailcap/workspaces/${mailcap.workspaceId}/suppression`, {
    json: { recipient: mailbox.address(), reason: 'bounce' },
  });
  await using app = await receiver();
  const { id } = await brevo.webhooks.createWebhook({ url: app.url, type: 'transactional', events: ['blocked'] });
  const mail = { sender: SENDER, to: [{ email: mailbox.address() }], subject: 'Hi', textContent: 'Hello' };
  await brevo.transactionalEmails.sendTransacEmail(mail);
  await app.received(1);
  expect(JSON.parse(app.requests[0]?.body ?? '')).toMatchObject({ event: 'blocked', email: mailbox.address() });
  expect(await messagesOf(mailcap, mailbox.id)).toEqual([]);
  await brevo.transactionalEmails.unblockOrResubscribeATransactionalContact({ email: mailbox.address() });
  await brevo.transactionalEmails.sendTransacEmail(mail);
  expect(await messagesOf(mailcap, mailbox.id)).toHaveLength(1);
  await brevo.webhooks.deleteWebhook({ webhookId: id });
});
