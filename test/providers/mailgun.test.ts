import { createHmac } from 'node:crypto';
import Mailgun from 'mailgun.js';
import { describe, expect } from 'vitest';
import { test as base } from '../support/mailcap.ts';
import { messagesOf, receiver, theOnly } from './support.ts';

const test = base.extend('mailgun', ({ mailcap }) =>
  new Mailgun(FormData).client({ username: 'api', key: 'any-key', url: `${mailcap.url}/providers/mailgun` }),
);

const DOMAIN = 'mg.acme.test';

describe('messages.create', () => {
  test('the numbered fields of PHP are lists', async ({ mailcap, mailbox }) => {
    const form = new FormData();
    const fields = {
      from: 'a@acme.test',
      'to[0]': mailbox.address('one'),
      'to[1]': mailbox.address('two'),
      subject: 'PHP',
    };
    for (const [name, value] of Object.entries({ ...fields, text: 'Hello', 'o:tag[]': 'first', 'v:a[0]': 'kept' }))
      form.append(name, value);
    form.append('attachment[0]', new Blob(['hello']), 'a.txt');
    form.append('attachment[1]', new Blob(['world!']), 'b.txt');
    const headers = { authorization: `Basic ${Buffer.from('api:any').toString('base64')}` };
    const url = `${mailcap.url}/providers/mailgun/v3/${DOMAIN}/messages`;
    expect((await fetch(url, { method: 'POST', headers, body: form })).status).toBe(200);
    const mail = await theOnly(mailcap, mailbox.id);
    expect(mail['to']).toBe(`${mailbox.address('one')}, ${mailbox.address('two')}`);
    expect(mail['attachments']).toMatchObject([
      { filename: 'a.txt', sizeBytes: 5 },
      { filename: 'b.txt', sizeBytes: 6 },
    ]);
    expect(mail.raw).toMatch(/^X-Mailgun-Tag: first\r$/m);
    // =5B0=5D is [0] in a header field.
    expect(mail.raw).toMatch(/a=5B0=5D|a\[0\]/);
  });

  test('the mail is in the mailbox of its recipient', async ({ mailcap, mailbox, mailgun }) => {
    const sent = await mailgun.messages.create(DOMAIN, {
      from: 'Acme <hello@acme.test>',
      to: [`"Lovelace, Ada" <${mailbox.address('ada')}>`, mailbox.address('bob')],
      bcc: mailbox.address('hidden'),
      subject: 'Your code',
      text: 'Your code is 482913',
      html: '<p>Your code is <b>482913</b></p><img src="cid:logo.png">',
      'h:Reply-To': 'help@acme.test',
      'h:X-Custom': 'yes',
      'v:order': '42',
      'o:tag': ['welcome', 'first'],
      attachment: { data: Buffer.from('Grüße'), filename: 'Grüße.txt', contentType: 'text/plain' },
      inline: { data: Buffer.from('png'), filename: 'logo.png', contentType: 'image/png' },
    });
    expect(sent).toMatchObject({
      status: 200,
      message: 'Queued. Thank you.',
      id: expect.stringMatching(/^<[a-z0-9]{26}@mg\.acme\.test>$/),
    });
    const mail = await theOnly(mailcap, mailbox.id);
    expect(mail).toMatchObject({
      to: `"Lovelace, Ada" <${mailbox.address('ada')}>, ${mailbox.address('bob')}`,
      bcc: mailbox.address('hidden'),
      replyTo: 'help@acme.test',
      textBody: 'Your code is 482913',
      facts: { provider: { name: 'mailgun' }, codes: [{ code: '482913' }] },
    });
    expect(mail['attachments']).toMatchObject([
      { filename: 'logo.png', isInline: true, contentId: 'logo.png' },
      { filename: 'Grüße.txt', sizeBytes: 7 },
    ]);
    expect(mail.raw).toContain(`Message-ID: ${sent.id}`);
    expect(mail.raw).toMatch(/^X-Mailgun-Tag: first\r$/m);
    expect(mail.raw).toMatch(/^X-Mailgun-Variables: \S/m);
    expect(mail.facts.transcript).toContain('C: v:order: 42');
    expect(mail.facts.transcript.join('\n')).not.toContain(Buffer.from('api:any-key').toString('base64'));
  });

  test('with recipient variables each recipient gets a mail of its own', async ({ mailcap, mailbox, mailgun }) => {
    const [one, two] = [mailbox.address('one'), mailbox.address('two')];
    await mailgun.messages.create(DOMAIN, {
      from: 'a@acme.test',
      to: [one, two],
      subject: 'Hello %recipient.name%',
      text: 'Hello %recipient.name%, %recipient.missing%',
      'recipient-variables': JSON.stringify({ [one]: { name: 'Ada' }, [two]: { name: 'Bob' } }),
    });
    const mails = await messagesOf(mailcap, mailbox.id);
    expect(mails.map(({ to, subject }) => `${to} ${subject}`).sort()).toEqual([`${one} Hello Ada`, `${two} Hello Bob`]);
  });

  test('recipient variables are put into custom variables, and the recipient into texts', async ({
    mailcap,
    mailbox,
    mailgun,
  }) => {
    const ada = mailbox.address('ada');
    const fields =
      '%recipient% | %recipient_email% | %recipient_name% | %recipient_fname% | %recipient_lname% | %recipient_x%';
    await mailgun.messages.create(DOMAIN, {
      ...{ from: 'a@acme.test', to: [`Ada King Lovelace <${ada}>`], subject: 'Hi', text: fields },
      'v:order': '%recipient.id%',
      'recipient-variables': JSON.stringify({ [ada]: { id: 42 } }),
    });
    const { textBody, raw } = await theOnly(mailcap, mailbox.id);
    const names = 'Ada King Lovelace | Ada | King Lovelace';
    expect(String(textBody).trim()).toBe(`Ada King Lovelace <${ada}> | ${ada} | ${names} | %recipient_x%`);
    expect(raw).toContain('X-Mailgun-Variables: =?UTF-8?Q?=7B=22order=22=3A=2242=22=7D?=');
    const { items } = await mailgun.events.get(DOMAIN, { event: 'delivered' });
    expect(items.find(({ recipient }) => recipient === ada)).toMatchObject({ 'user-variables': { order: '42' } });
  });

  test('a mail that the app composed is kept as it is, without Bcc', async ({ mailcap, mailbox, mailgun }) => {
    const message = `From: Me <me@acme.test>\r\nTo: ${mailbox.address()}\r\nBcc: hidden@x.test\r\nSubject: Composed\r\n\r\nBody\r\n`;
    const { id } = await mailgun.messages.create(DOMAIN, { to: mailbox.address(), message });
    const mail = await theOnly(mailcap, mailbox.id);
    expect(mail.raw).toBe(
      `Message-ID: ${id}\r\nFrom: Me <me@acme.test>\r\nTo: ${mailbox.address()}\r\nSubject: Composed\r\n\r\nBody\r\n`,
    );
    expect(mail).toMatchObject({ envelopeFrom: 'me@acme.test' });
  });

  test('a template is rendered with the variables', async ({ mailcap, mailbox, mailgun }) => {
    const name = `welcome-${mailbox.subdomain}`;
    await mailgun.domains.domainTemplates.create(DOMAIN, {
      name,
      description: '',
      template: '<p>Hello {{name}}{{#if vip}}!{{/if}}</p>',
    });
    const variables = JSON.stringify({ name: '<Ada>', vip: true });
    await mailgun.messages.create(DOMAIN, {
      from: 'a@acme.test',
      to: mailbox.address(),
      subject: 'Hi',
      template: name,
      't:variables': variables,
    });
    expect(await theOnly(mailcap, mailbox.id)).toMatchObject({
      htmlBody: expect.stringContaining('<p>Hello &lt;Ada&gt;!</p>'),
    });
    await expect(
      mailgun.messages.create(DOMAIN, { from: 'a@acme.test', to: mailbox.address(), template: 'none' }),
    ).rejects.toMatchObject({ status: 404 });
  });

  test('a scheduled mail comes when the clock reaches its time', async ({ mailcap, mailbox, mailgun }) => {
    const at = new Date(Date.now() + 3_600_000).toUTCString();
    await mailgun.messages.create(DOMAIN, {
      from: 'a@acme.test',
      to: mailbox.address(),
      subject: 'Later',
      text: 'Hello',
      'o:deliverytime': at,
    });
    expect(await messagesOf(mailcap, mailbox.id)).toEqual([]);
    await mailcap.api('/_mailcap/clock', { method: 'PUT', json: { offsetSeconds: 3_700 } });
    await expect.poll(async () => (await messagesOf(mailcap, mailbox.id)).length).toBe(1);
    await mailcap.api('/_mailcap/clock', { method: 'PUT', json: { offsetSeconds: 0 } });
  });

  test.for([
    [{ from: '' }, /from parameter is missing/],
    [{ from: 'nobody' }, /'from' parameter is not a valid address/],
    [{ to: '' }, /to parameter is missing/],
    [{ to: 'nobody' }, /'to' parameter is not a valid address/],
    [{ cc: 'a@x.test\r\nBcc: b@x.test' }, /'cc' parameter/],
    [{ subject: 'Hi\r\nBcc: b@x.test' }, /subject/],
    [{ text: '' }, /Need at least one of 'text', 'html'/],
    [{ 'h:X-A': 'a\r\nBcc: b@x.test' }, /header "X-A"/],
    [{ 'h:Content-Type': 'text/html' }, /header "Content-Type"/],
    [{ 'recipient-variables': '{' }, /recipient-variables/],
    [{ 'o:deliverytime': 'soon' }, /o:deliverytime/],
    [{ to: Array.from({ length: 1_001 }, (_, i) => `a${i}@x.test`) }, /more than 1000 recipients/],
  ] as const)('%j is refused, and nothing is stored', async ([change, message], { mailcap, mailbox, mailgun }) => {
    const data = { from: 'a@acme.test', to: mailbox.address(), subject: 'Hi', text: 'Hello', ...change };
    const refused = await mailgun.messages.create(DOMAIN, data as never).catch((error: unknown) => error);
    expect(refused).toMatchObject({ status: 400, details: expect.stringMatching(message) });
    expect(await messagesOf(mailcap, mailbox.id)).toEqual([]);
  });

  test('without a key it is forbidden', async ({ mailcap }) => {
    const response = await fetch(`${mailcap.url}/providers/mailgun/v3/${DOMAIN}/messages`, { method: 'POST' });
    expect([response.status, await response.text()]).toEqual([401, 'Forbidden']);
  });
});

test('events and suppressions are listed', async ({ mailcap, mailbox, mailgun }) => {
  const domain = `${mailbox.subdomain}.acme.test`;
  await mailgun.messages.create(domain, { from: 'a@acme.test', to: mailbox.address(), subject: 'Hi', text: 'Hello' });
  await mailgun.messages.create(domain, {
    from: 'a@acme.test',
    to: `bounce@simulator.${mailcap.mailDomain}`,
    subject: 'Hi',
    text: 'Hello',
  });
  const { items } = await mailgun.events.get(domain, { event: 'failed OR delivered' });
  expect(items.map(({ event, recipient }) => `${event} ${recipient}`)).toEqual([
    `failed bounce@simulator.${mailcap.mailDomain}`,
    `delivered ${mailbox.address()}`,
  ]);
  await mailgun.suppressions.create(domain, 'bounces', [{ address: mailbox.address() }]);
  expect(await mailgun.suppressions.get(domain, 'bounces', mailbox.address())).toMatchObject({
    address: mailbox.address(),
  });
  await expect(mailgun.suppressions.get(domain, 'complaints', mailbox.address())).rejects.toMatchObject({
    ...{ status: 404, details: 'Address not found in complaints table' },
  });
  await mailgun.suppressions.destroy(domain, 'bounces', mailbox.address());
  await expect(mailgun.suppressions.get(domain, 'bounces', mailbox.address())).rejects.toMatchObject({ status: 404 });
});

test('a webhook is changed only if it is there', async ({ mailgun }) => {
  const domain = 'changed.acme.test';
  const change = (url: string) => mailgun.webhooks.update(domain, 'delivered', url);
  await expect(change('http://one.test/')).rejects.toMatchObject({ status: 404, details: 'Webhook not found' });
  expect(await mailgun.webhooks.list(domain, {})).toEqual({});
  await mailgun.webhooks.create(domain, 'delivered', 'http://one.test/', false);
  await change('http://two.test/');
  expect(await mailgun.webhooks.list(domain, {})).toEqual({ delivered: { urls: ['http://two.test/'] } });
});

test('one template is read, and with its version if the app asks for it', async ({ mailgun }) => {
  const { domainTemplates } = mailgun.domains;
  await expect(domainTemplates.get(DOMAIN, 'read')).rejects.toMatchObject({ status: 404 });
  const template = 'Hello {{name}}';
  await domainTemplates.create(DOMAIN, { name: 'Read', description: 'Greets', template });
  const plain = await domainTemplates.get(DOMAIN, 'read');
  expect(plain).toMatchObject({ name: 'read', description: 'Greets' });
  expect(plain.version).toBeUndefined();
  const active = await domainTemplates.get(DOMAIN, 'read', { active: 'yes' as never });
  expect(active.version).toMatchObject({ tag: 'initial', template, engine: 'handlebars', active: true });
  await expect(domainTemplates.get('other.test', 'read')).rejects.toMatchObject({ status: 404 });
});

test('the app gets events that the signing key verifies', async ({ mailcap, mailbox, mailgun }) => {
  await using app = await receiver();
  const domain = `${mailbox.subdomain}.acme.test`;
  await mailgun.webhooks.create(domain, 'delivered', app.url, false);
  await mailgun.webhooks.create(domain, 'permanent_fail', app.url, false);
  const mail = { from: 'a@acme.test', subject: 'Hi', text: 'Hello', 'v:order': '42' };
  await mailgun.messages.create(domain, { ...mail, to: mailbox.address() });
  await mailgun.messages.create(domain, { ...mail, to: `bounce@simulator.${mailcap.mailDomain}` });
  await app.received(2);
  const headers = { authorization: `Basic ${Buffer.from('api:any').toString('base64')}` };
  const answer = await fetch(`${mailcap.url}/providers/mailgun/v5/accounts/http_signing_key`, { headers });
  const { http_signing_key: key } = (await answer.json()) as { http_signing_key: string };
  const events = app.requests.map(({ body }) => {
    const { signature, 'event-data': data } = JSON.parse(body);
    expect(
      createHmac('sha256', key)
        .update(signature.timestamp + signature.token)
        .digest('hex'),
    ).toBe(signature.signature);
    return data as { event: string };
  });
  expect(events.sort((one, other) => (one.event < other.event ? -1 : 1))).toMatchObject([
    { event: 'delivered', recipient: mailbox.address(), 'user-variables': { order: '42' } },
    { event: 'failed', severity: 'permanent' },
  ]);
  await mailgun.webhooks.destroy(domain, 'delivered');
  await expect(mailgun.webhooks.get(domain, 'delivered' as never)).rejects.toMatchObject({ status: 404 });
});
