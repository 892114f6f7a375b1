import { createPublicKey, verify } from 'node:crypto';
import sgMail from '@sendgrid/mail';
import { describe, expect } from 'vitest';
import { json } from '../http/support.ts';
import { test as base, type TestServer } from '../support/mailcap.ts';
import { messagesOf, receiver, theOnly } from './support.ts';

const test = base.extend('sendgrid', ({ mailcap }) => {
  // The declarations of the SDK have neither its class nor its client.
  const { MailService } = sgMail as unknown as { MailService: new () => typeof sgMail };
  const service = new MailService();
  service.setApiKey('SG.any');
  const { client } = service as unknown as { client: { setDefaultRequest(name: string, value: string): void } };
  client.setDefaultRequest('baseUrl', `${mailcap.url}/providers/sendgrid/`);
  return service;
});

const base64 = (text: string) => Buffer.from(text).toString('base64');

/** Calls a part of the API for which the package has no method. */
function call<T>(server: TestServer, method: string, path: string, body?: unknown): Promise<T> {
  const headers = { authorization: 'Bearer SG.any', 'content-type': 'application/json' };
  return json<T>(
    fetch(`${server.url}/providers/sendgrid${path}`, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }),
  );
}

describe('send', () => {
  test('the mail is in the mailbox of its recipient', async ({ mailcap, mailbox, sendgrid }) => {
    const [response] = await sendgrid.send({
      from: { email: 'hello@acme.test', name: 'Acme, Inc.' },
      to: `Ada <${mailbox.address('ada')}>`,
      bcc: mailbox.address('hidden'),
      replyTo: 'help@acme.test',
      subject: 'Your code',
      text: 'Your code is 482913',
      html: '<p>Your code is <b>482913</b></p><img src="cid:logo">',
      attachments: [
        { content: base64('Grüße'), filename: 'Grüße.txt', type: 'text/plain', disposition: 'attachment' },
        {
          content: base64('png'),
          filename: 'logo.png',
          type: 'image/png',
          disposition: 'inline',
          content_id: 'logo',
        } as never,
      ],
      headers: { 'X-Custom': 'yes' },
      categories: ['welcome'],
      customArgs: { order: '42' },
    });
    expect(response.statusCode).toBe(202);
    const mail = await theOnly(mailcap, mailbox.id);
    expect(mail).toMatchObject({
      from: '"Acme, Inc." <hello@acme.test>',
      bcc: mailbox.address('hidden'),
      replyTo: 'help@acme.test',
      textBody: 'Your code is 482913',
      facts: { provider: { name: 'sendgrid', id: response.headers['x-message-id'] }, codes: [{ code: '482913' }] },
    });
    expect(mail['attachments']).toMatchObject([
      { filename: 'logo.png', isInline: true, contentId: 'logo' },
      { filename: 'Grüße.txt', sizeBytes: 7 },
    ]);
    expect(mail.raw).toMatch(/^X-Custom: yes\r$/m);
    expect(mail.raw).toMatch(/^X-SG-Category: welcome\r$/im);
    expect(mail.facts.transcript.join('\n')).not.toContain('SG.any');
  });

  test('each personalization is a mail of its own, with its substitutions', async ({ mailcap, mailbox, sendgrid }) => {
    await sendgrid.send({
      from: 'a@acme.test',
      subject: 'Hello -name-',
      substitutionWrappers: ['-', '-'],
      text: 'Hello -name-',
      personalizations: [
        { to: mailbox.address('one'), substitutions: { name: 'Ada' } },
        { to: mailbox.address('two'), substitutions: { name: 'Bob' } },
      ],
    });
    expect((await messagesOf(mailcap, mailbox.id)).map(({ subject }) => subject).sort()).toEqual([
      'Hello Ada',
      'Hello Bob',
    ]);
  });

  test('sendMultiple sends one to each', async ({ mailcap, mailbox, sendgrid }) => {
    const to = [mailbox.address('one'), mailbox.address('two')];
    await sendgrid.sendMultiple({ from: 'a@acme.test', to, subject: 'Hi', text: 'Hello' });
    expect((await messagesOf(mailcap, mailbox.id)).map((one) => one.to).sort()).toEqual(to);
  });

  test('in the sandbox nothing is sent', async ({ mailcap, mailbox, sendgrid }) => {
    const mail = { from: 'a@acme.test', to: mailbox.address(), subject: 'Hi', text: 'Hello' };
    const [response] = await sendgrid.send({ ...mail, mailSettings: { sandboxMode: { enable: true } } });
    expect(response.statusCode).toBe(200);
    expect(await messagesOf(mailcap, mailbox.id)).toEqual([]);
  });

  test('a scheduled mail comes at its time, and a cancelled batch never', async ({ mailcap, mailbox, sendgrid }) => {
    const mail = {
      from: 'a@acme.test',
      to: mailbox.address(),
      text: 'Hello',
      sendAt: Math.floor(Date.now() / 1_000) + 3_600,
    };
    const { batch_id: batchId } = await call<{ batch_id: string }>(mailcap, 'POST', '/v3/mail/batch');
    await sendgrid.send({ ...mail, subject: 'cancelled', batchId });
    await sendgrid.send({ ...mail, subject: 'later' });
    await call(mailcap, 'POST', '/v3/user/scheduled_sends', { batch_id: batchId, status: 'cancel' });
    expect(await messagesOf(mailcap, mailbox.id)).toEqual([]);
    await mailcap.api('/_mailcap/clock', { method: 'PUT', json: { offsetSeconds: 3_700 } });
    await expect
      .poll(async () => (await messagesOf(mailcap, mailbox.id)).map(({ subject }) => subject))
      .toEqual(['later']);
    await mailcap.api('/_mailcap/clock', { method: 'PUT', json: { offsetSeconds: 0 } });
  });

  const TO = [{ to: [{ email: 'a@x.test' }] }];
  test.for([
    [{ personalizations: [] }, 'personalizations'],
    [{ personalizations: [{ to: [] }] }, 'personalizations.0.to'],
    [{ personalizations: [{ to: [{ email: 'nobody' }] }] }, 'personalizations.0.to.0.email'],
    [
      { personalizations: [{ to: [{ email: 'a@x.test', name: 'A\r\nBcc: b@x.test' }] }] },
      'personalizations.0.to.0.email',
    ],
    [{ personalizations: [{ to: [{ email: 'a@x.test' }], cc: [{ email: 'A@x.test' }] }] }, 'personalizations.0'],
    [{ from: undefined }, 'from'],
    [{ from: { email: 'nobody' } }, 'from.email'],
    [{ subject: undefined }, 'subject'],
    [{ subject: 'Hi\r\nBcc: b@x.test' }, 'personalizations.0.subject'],
    [{ subject: 'é'.repeat(2_000_000) }, 'personalizations.0.subject'],
    [
      {
        subject: 'Hi -a-',
        personalizations: [{ to: [{ email: 'a@x.test' }], substitutions: { '-a-': 'a\r\nBcc: b@x.test' } }],
      },
      'personalizations.0.subject',
    ],
    [{ reply_to: { email: 'a@x.test' }, reply_to_list: [{ email: 'b@x.test' }] }, 'reply_to_list'],
    [{ custom_args: { a: 'b'.repeat(10_001) } }, 'custom_args'],
    [{ content: undefined }, 'content'],
    [{ content: [{ type: 'text/plain', value: '' }] }, 'content.0.value'],
    [
      {
        content: [
          { type: 'text/html', value: 'a' },
          { type: 'text/plain', value: 'b' },
        ],
      },
      'content.1.type',
    ],
    [{ headers: { 'Content-Type': 'text/html' } }, 'personalizations.0.headers'],
    [{ headers: { X: 'a\r\nBcc: b@x.test' } }, 'personalizations.0.headers'],
    [{ custom_args: { a: 'b\r\nBcc: c@x.test' } }, 'personalizations.0.custom_args'],
    [{ attachments: [{ content: '???', filename: 'a' }] }, 'attachments.0.content'],
    [{ attachments: [{ content: 'YQ==', filename: 'a\r\nb' }] }, 'attachments.0.filename'],
    [{ template_id: 'd-none' }, 'template_id'],
    [{ send_at: 'soon' }, 'personalizations.0.send_at'],
    [{ personalizations: [...TO, { to: [] }] }, 'personalizations.1.to'],
    [{ personalizations: Array.from({ length: 1_001 }, () => TO[0]) }, 'personalizations'],
  ] as const)('%j is refused at %s, and nothing is stored', async ([change, field], { mailcap }) => {
    const before = await mailcap.ctx.store.read.counts();
    const mail = {
      from: { email: 'a@acme.test' },
      personalizations: TO,
      subject: 'Hi',
      content: [{ type: 'text/plain', value: 'Hello' }],
      ...change,
    };
    const { errors } = await call<{ errors: { field: string }[] }>(mailcap, 'POST', '/v3/mail/send', mail);
    expect(errors).toMatchObject([{ field }]);
    expect((await mailcap.ctx.store.read.counts()).messages).toBe(before.messages);
  });

  test('a thousand personalizations are a thousand mails', async ({ mailcap, mailbox }) => {
    const personalizations = Array.from({ length: 1_000 }, (_, i) => ({
      to: [{ email: mailbox.address(`user${i}`) }],
    }));
    const mail = {
      from: { email: 'a@acme.test' },
      personalizations,
      subject: 'Hi',
      content: [{ type: 'text/plain', value: 'Hello' }],
    };
    const headers = { authorization: 'Bearer SG.any', 'content-type': 'application/json' };
    const response = await fetch(`${mailcap.url}/providers/sendgrid/v3/mail/send`, {
      method: 'POST',
      headers,
      body: JSON.stringify(mail),
    });
    expect(response.status).toBe(202);
    const read = mailcap.ctx.store.read;
    expect(await read.messages.count(mailbox.id, { realNow: Date.now(), serverOffsetMs: 0 })).toBe(1_000);
  });
});

test('the SDK’s error has the errors of the answer', async ({ sendgrid }) => {
  const refused = await sendgrid
    .send({ from: 'a@acme.test', to: 'nobody', subject: 'Hi', text: 'Hello' })
    .catch((error: unknown) => error);
  expect(refused).toMatchObject({
    code: 400,
    response: { body: { errors: [{ field: 'personalizations.0.to.0.email' }] } },
  });
});

test('a dynamic template is rendered with the data of each personalization', async ({ mailcap, mailbox, sendgrid }) => {
  const { id } = await call<{ id: string }>(mailcap, 'POST', '/v3/templates', {
    name: 'receipt',
    generation: 'dynamic',
  });
  await call(mailcap, 'POST', `/v3/templates/${id}/versions`, {
    name: 'first',
    subject: 'Receipt {{order.number}}',
    html_content:
      '<p>{{name}} {{{raw}}}</p>{{#if vip}}VIP{{else}}guest{{/if}}{{#each items}}[{{@index}} {{this.title}}{{#unless @last}},{{/unless}}]{{/each}}{{#equals plan "pro"}}Pro{{/equals}}{{insert city "default=nowhere"}}',
    plain_content: 'Thanks {{name}}',
  });
  const dynamicTemplateData = {
    order: { number: 7 },
    name: '<Ada>',
    raw: '<b>',
    vip: false,
    items: [{ title: 'Tea' }, { title: 'Cake' }],
    plan: 'pro',
  };
  await sendgrid.send({ from: 'a@acme.test', to: mailbox.address(), templateId: id, dynamicTemplateData });
  expect(await theOnly(mailcap, mailbox.id)).toMatchObject({
    subject: 'Receipt 7',
    htmlBody: '<p>&lt;Ada&gt; <b></p>guest[0 Tea,][1 Cake]Pronowhere',
    textBody: 'Thanks <Ada>',
  });
});

test('the app gets events that its public key verifies', async ({ mailcap, mailbox, sendgrid }) => {
  await using app = await receiver();
  const settings = '/v3/user/webhooks/event/settings';
  const { id } = await call<{ id: string }>(mailcap, 'POST', settings, {
    url: app.url,
    enabled: true,
    delivered: true,
    bounce: true,
  });
  const { public_key } = await call<{ public_key: string }>(mailcap, 'PATCH', `${settings}/signed/${id}`, {
    enabled: true,
  });
  const mail = { from: 'a@acme.test', subject: 'Hi', text: 'Hello', customArgs: { order: '42' } };
  await sendgrid.send({ ...mail, to: mailbox.address() });
  await sendgrid.send({ ...mail, to: `bounce@simulator.${mailcap.mailDomain}` });
  await app.received(2);
  const key = createPublicKey({ key: Buffer.from(public_key, 'base64'), format: 'der', type: 'spki' });
  const events = app.requests.flatMap(({ headers, body }) => {
    const [signature, timestamp] = ['signature', 'timestamp'].map((name) =>
      String(headers[`x-twilio-email-event-webhook-${name}`]),
    );
    expect(verify('sha256', Buffer.from(timestamp + body), key, Buffer.from(signature ?? '', 'base64'))).toBe(true);
    return JSON.parse(body) as { event: string; email: string; order: string }[];
  });
  expect(events.sort((one, other) => (one.event < other.event ? -1 : 1))).toMatchObject([
    { event: 'bounce', email: `bounce@simulator.${mailcap.mailDomain}`, order: '42' },
    { event: 'delivered', email: mailbox.address() },
  ]);
});

test('a bounce is read as a list of one, and none as an empty list', async ({ mailcap, mailbox }) => {
  const address = mailbox.address('bounced');
  const headers = { authorization: `Basic ${base64('api:any')}`, 'content-type': 'application/json' };
  const bounces = `${mailcap.url}/providers/mailgun/v3/acme.test/bounces`;
  await fetch(bounces, { method: 'POST', headers, body: JSON.stringify([{ address }]) });
  const read = async (path: string) => {
    const response = await fetch(`${mailcap.url}/providers/${path}/${address}`, {
      headers: { authorization: 'Bearer any', 'api-key': 'any', 'api-token': 'any' },
    });
    return [response.status, await response.json()];
  };
  expect(await read('sendgrid/v3/suppression/bounces')).toMatchObject([200, [{ email: address, status: '5.1.1' }]]);
  expect(await read('sendgrid/v3/suppression/spam_reports')).toEqual([200, []]);
  // These APIs list the addresses, and read no single one.
  expect(await read('brevo/v3/smtp/blockedContacts')).toMatchObject([405, {}]);
  expect(await read('mailtrap/api/accounts/1/suppressions')).toMatchObject([405, {}]);
});
