import { APIClient, SendEmailRequest, verifyRequestSignature } from 'customerio-node';
import { describe, expect } from 'vitest';
import { test as base, type TestServer } from '../support/mailcap.ts';
import { messagesOf, receiver, theOnly } from './support.ts';

function clientOf({ url }: Pick<TestServer, 'url'>): APIClient {
  return new APIClient('any-key', { url: `${url}/providers/customerio/v1` });
}

const test = base.extend('customerio', ({ mailcap }) => clientOf(mailcap));

const MAIL = { from: 'Shop <a@acme.test>', subject: 'Hi', body: '<p>Hello</p>', identifiers: { email: 'a@x.test' } };

describe('sendEmail', () => {
  test('the mail is in the mailbox of its recipient', async ({ mailcap, mailbox, customerio }) => {
    const request = new SendEmailRequest({
      ...MAIL,
      to: `"Lovelace, Ada" <${mailbox.address('ada')}>, ${mailbox.address('bob')}`,
      bcc: mailbox.address('hidden'),
      reply_to: 'help@acme.test',
      body: '<p>Your code is {{trigger.code}}</p>',
      body_plain: 'Your code is {{ trigger.code }}',
      message_data: { code: '482913' },
      headers: { 'X-Order': '42' } as never,
    });
    request.attach('Grüße.txt', Buffer.from('Hallo'));
    const sent = (await customerio.sendEmail(request)) as unknown as { delivery_id: string; queued_at: number };
    expect(sent.queued_at).toBeGreaterThan(1_700_000_000);
    const mail = await theOnly(mailcap, mailbox.id);
    expect(mail).toMatchObject({
      to: `"Lovelace, Ada" <${mailbox.address('ada')}>, ${mailbox.address('bob')}`,
      bcc: mailbox.address('hidden'),
      replyTo: 'help@acme.test',
      textBody: 'Your code is 482913',
      facts: { provider: { name: 'customerio', id: sent.delivery_id }, codes: [{ code: '482913' }] },
    });
    expect(mail['attachments']).toMatchObject([{ filename: 'Grüße.txt', sizeBytes: 5 }]);
    expect(mail.raw).toMatch(/^X-Order: 42\r$/m);
    expect(mail.facts.transcript.join('\n')).not.toContain('any-key');
    expect(await customerio.getMessage(sent.delivery_id)).toMatchObject({
      message: { id: sent.delivery_id, subject: 'Hi', metrics: { delivered: expect.any(Number) } },
    });
    expect(await customerio.getArchivedMessage(sent.delivery_id)).toMatchObject({
      archived_message: { body: expect.stringContaining('482913') },
    });
  });

  test('a mail of a template has its data, in which codes and links are found', async ({
    mailcap,
    mailbox,
    customerio,
  }) => {
    const { identifiers } = MAIL;
    const message_data = { code: '482913', link: 'https://shop.example/reset/1' };
    await customerio.sendEmail(
      new SendEmailRequest({ to: mailbox.address(), transactional_message_id: 'welcome', identifiers, message_data }),
    );
    expect(await theOnly(mailcap, mailbox.id)).toMatchObject({
      subject: 'Transactional message welcome',
      facts: { codes: [{ code: '482913' }], links: [{ url: 'https://shop.example/reset/1' }] },
    });
  });

  test('a scheduled mail comes when the clock reaches its time', async ({ mailcap, mailbox, customerio }) => {
    const send_at = Math.floor(Date.now() / 1_000) + 3_600;
    await customerio.sendEmail(new SendEmailRequest({ ...MAIL, to: mailbox.address(), send_at }));
    expect(await messagesOf(mailcap, mailbox.id)).toEqual([]);
    await mailcap.api('/_mailcap/clock', { method: 'PUT', json: { offsetSeconds: 3_700 } });
    await expect.poll(async () => (await messagesOf(mailcap, mailbox.id)).length).toBe(1);
    await mailcap.api('/_mailcap/clock', { method: 'PUT', json: { offsetSeconds: 0 } });
  });

  test.for([
    [{ from: 'nobody' }, /'from' is not a valid/],
    [{ to: 'nobody' }, /'to' is not a valid/],
    [{ to: '' }, /'to' is required/],
    [{ bcc: 'a@x.test\r\nTo: b@x.test' }, /'bcc'/],
    [{ subject: 'Hi\r\nBcc: b@x.test' }, /'subject'/],
    [{ body: '' }, /'body' is required/],
    [{ body: '{% if trigger.vip %}' }, /no {% … %}/],
    [{ identifiers: {} }, /'identifiers' is required/],
    [{ headers: { 'X-A': 'a\r\nBcc: b@x.test' } }, /'headers.X-A'/],
    [{ send_at: -1 }, /'send_at' must be/],
    [{ send_at: Math.floor(Date.now() / 1_000) + 91 * 86_400 }, /'send_at' is more than 90 days/],
  ] as const)('%j is refused, and nothing is stored', async ([change, message], { mailcap, mailbox, customerio }) => {
    const request = new SendEmailRequest({ ...MAIL, to: mailbox.address(), ...(change as object) });
    await expect(customerio.sendEmail(request)).rejects.toMatchObject({ statusCode: 400, message });
    expect(await messagesOf(mailcap, mailbox.id)).toEqual([]);
  });

  test('without a key it is unauthorized', async ({ mailcap }) => {
    const response = await fetch(`${mailcap.url}/providers/customerio/v1/send/email`, { method: 'POST' });
    expect([response.status, await response.json()]).toEqual([401, { meta: { error: 'unauthorized' } }]);
  });
});

test('the app gets events that the SDK verifies', async ({ mailcap, mailbox, customerio }) => {
  await using app = await receiver();
  const events = ['email_delivered', 'email_bounced', 'email_dropped'];
  const made = (await customerio.createReportingWebhook({
    name: 'app',
    endpoint: app.url,
    events,
  } as never)) as unknown;
  const { id, signing_secret: signingSecret } = made as { id: number; signing_secret: string };
  const bounce = `bounce@simulator.${mailcap.mailDomain}`;
  await customerio.sendEmail(new SendEmailRequest({ ...MAIL, to: `${mailbox.address()}, ${bounce}` }));
  await app.received(2);
  await customerio.createSuppression('bounces', mailbox.address());
  await customerio.sendEmail(new SendEmailRequest({ ...MAIL, to: mailbox.address() }));
  await app.received(3);
  for (const { headers, body } of app.requests) {
    const [timestamp, signature] = [headers['x-cio-timestamp'], headers['x-cio-signature']];
    expect(verifyRequestSignature({ signingSecret, timestamp: String(timestamp), body, signature } as never)).toBe(
      true,
    );
  }
  expect(app.requests.map(({ body }) => JSON.parse(body) as { metric: string; data: object })).toMatchObject([
    { object_type: 'email', metric: 'delivered', data: { recipient: mailbox.address() } },
    { metric: 'bounced', data: { recipient: bounce, failure_message: expect.any(String) } },
    { metric: 'dropped', data: { recipient: mailbox.address() } },
  ]);
  expect(await customerio.getSuppressions('bounces')).toMatchObject({
    category: 'bounces',
    suppressions: expect.arrayContaining([expect.objectContaining({ email: mailbox.address() })]),
  });
  await customerio.deleteSuppression('bounces', mailbox.address());
  await expect(customerio.deleteSuppression('bounces', mailbox.address())).rejects.toMatchObject({ statusCode: 404 });
  await customerio.updateReportingWebhook(id, { disabled: true } as never);
  expect(await customerio.getReportingWebhook(id)).toMatchObject({ id, disabled: true, events });
  expect(await customerio.getReportingWebhook(id)).not.toHaveProperty('signing_secret');
  await customerio.deleteReportingWebhook(id);
  await expect(customerio.getReportingWebhook(id)).rejects.toMatchObject({ statusCode: 404 });
});
