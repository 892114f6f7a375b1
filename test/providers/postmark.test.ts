import { Errors, ServerClient } from 'postmark';
import { describe, expect } from 'vitest';
import { test as base, startServer } from '../support/mailcap.ts';
import { messagesOf, receiver, theOnly } from './support.ts';

const test = base.extend('postmark', ({ mailcap }) => {
  const requestHost = `${new URL(mailcap.url).host}/providers/postmark`;
  return new ServerClient('any-token', { useHttps: false, requestHost });
});

const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('sendEmail', () => {
  test('the mail is in the mailbox of its recipient, with its files, header fields and metadata', async ({
    mailcap,
    mailbox,
    postmark,
  }) => {
    const sent = await postmark.sendEmail({
      From: '"Acme, Inc." <hello@acme.test>',
      To: `"Lovelace, Ada" <${mailbox.address('ada')}>, ${mailbox.address('bob')}`,
      Bcc: mailbox.address('hidden'),
      ReplyTo: 'help@acme.test',
      Subject: 'Your code',
      TextBody: 'Your code is 482913',
      HtmlBody: '<p>Your code is <b>482913</b></p><img src="cid:logo">',
      Tag: 'welcome',
      Metadata: { 'order-id': '42' },
      Headers: [{ Name: 'X-Custom', Value: 'yes' }],
      Attachments: [
        { Name: 'Grüße.txt', Content: base64('Grüße'), ContentType: 'text/plain', ContentID: null },
        { Name: 'logo.png', Content: base64('png'), ContentType: 'image/png', ContentID: 'cid:logo' },
      ],
    });
    expect(sent).toMatchObject({
      ErrorCode: 0,
      Message: 'OK',
      To: `${mailbox.address('ada')}, ${mailbox.address('bob')}`,
    });
    const mail = await theOnly(mailcap, mailbox.id);
    expect(mail).toMatchObject({
      from: '"Acme, Inc." <hello@acme.test>',
      bcc: mailbox.address('hidden'),
      subject: 'Your code',
      textBody: 'Your code is 482913',
      facts: { provider: { name: 'postmark', id: sent.MessageID }, codes: [{ code: '482913' }] },
    });
    expect(mail['attachments']).toMatchObject([
      { filename: 'logo.png', contentId: 'logo', isInline: true },
      { filename: 'Grüße.txt', sizeBytes: 7 },
    ]);
    expect(mail.raw).toMatch(/^X-PM-Tag: welcome\r$/im);
    expect(mail.raw).toMatch(/^X-PM-Metadata-order-id: 42\r$/im);
    expect(mail.raw).toMatch(/^X-Custom: yes\r$/m);
    expect(mail.raw).toContain(`Message-ID: <${sent.MessageID}@mtasv.net>`);
    expect(mail.facts.transcript.join('\n')).not.toContain('any-token');
  });

  test.for([
    [{ From: '' }, 300, /'From' address is missing/],
    [{ From: 'nobody' }, 300, /Invalid 'From'/],
    [{ To: '' }, 300, /Zero recipients/],
    [{ To: 'nobody' }, 300, /Illegal email address/],
    [{ Cc: 'a@x.test\r\nBcc: b@x.test' }, 300, /'Cc'/],
    [{ Subject: 'Hi\r\nBcc: b@x.test' }, 300, /'Subject'/],
    [{ TextBody: undefined }, 300, /TextBody or HtmlBody/],
    [{ Tag: 'a\nb' }, 300, /'Tag'/],
    [{ Metadata: { 'a\nb': 'c' } }, 300, /Metadata/],
    [{ Headers: [{ Name: 'X', Value: 'y\r\nBcc: z@x.test' }] }, 300, /Headers.X is a header/],
    [{ Attachments: [{ Name: 'a\r\nb', Content: 'YQ==', ContentType: 'text/plain' }] }, 300, /Attachments.0/],
    [{ Attachments: [{ Name: 'a', Content: '???', ContentType: 'text/plain' }] }, 300, /Attachments.0/],
    [{ To: Array.from({ length: 51 }, (_, i) => `a${i}@x.test`).join() }, 300, /Too many recipients/],
  ] as const)(
    '%j is refused with code %i, and nothing is stored',
    async ([change, code, message], { mailcap, mailbox, postmark }) => {
      const email = { From: 'a@acme.test', To: mailbox.address(), Subject: 'Hi', TextBody: 'Hello', ...change };
      const refused = await postmark
        .sendEmail(email as unknown as Parameters<typeof postmark.sendEmail>[0])
        .catch((error: unknown) => error);
      expect(refused).toMatchObject({ statusCode: 422, code });
      expect(String(refused)).toMatch(message);
      expect(await messagesOf(mailcap, mailbox.id)).toEqual([]);
    },
  );

  test('without a token the request is refused', async ({ mailcap }) => {
    const response = await fetch(`${mailcap.url}/providers/postmark/email`, { method: 'POST' });
    expect([response.status, await response.json()]).toMatchObject([401, { ErrorCode: 10 }]);
  });

  test('an inactive recipient is refused until its suppression is deleted', async ({ mailcap, mailbox, postmark }) => {
    const email = { From: 'a@acme.test', To: mailbox.address(), Subject: 'Hi', TextBody: 'Hello' };
    const Suppressions = [{ EmailAddress: mailbox.address() }];
    await postmark.createSuppressions('outbound', { Suppressions });
    const refused = await postmark.sendEmail(email).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(Errors.InactiveRecipientsError);
    expect(refused).toMatchObject({ recipients: [mailbox.address()] });
    expect((await postmark.getSuppressions('outbound')).Suppressions.map(({ EmailAddress }) => EmailAddress)).toContain(
      mailbox.address(),
    );
    await postmark.deleteSuppressions('outbound', { Suppressions });
    await postmark.sendEmail(email);
    expect(await messagesOf(mailcap, mailbox.id)).toHaveLength(1);
  });
});

test('of a batch the good emails are sent, and each other one has its error', async ({
  mailcap,
  mailbox,
  postmark,
}) => {
  const email = { From: 'a@acme.test', To: mailbox.address(), Subject: 'one', TextBody: 'Hello' };
  const answers = await postmark.sendEmailBatch([email, { ...email, To: 'nobody' }, { ...email, Subject: 'two' }]);
  expect(answers.map(({ ErrorCode }) => ErrorCode)).toEqual([0, 300, 0]);
  expect((await messagesOf(mailcap, mailbox.id)).map(({ subject }) => subject).sort()).toEqual(['one', 'two']);
});

describe('templates', () => {
  const MODEL = { name: 'Ada & Bob', items: [{ title: 'Tea' }, { title: 'Cake' }], company: { name: 'Acme' } };

  test('an email is made of a template, by its number or its alias', async ({ mailcap, mailbox, postmark }) => {
    const { TemplateId } = await postmark.createTemplate({
      Name: 'Welcome',
      Alias: `welcome-${mailbox.subdomain}`,
      Subject: 'Hello {{name}}',
      HtmlBody:
        '<p>{{name}}</p>{{#items}}<li>{{title}}</li>{{/items}}{{^nothing}}{{#company}}{{name}}{{/company}}{{/nothing}}',
      TextBody: '{{#each items}}{{title}} {{/each}}{{missing}}',
    });
    const email = { From: 'a@acme.test', To: mailbox.address(), TemplateModel: MODEL };
    await postmark.sendEmailWithTemplate({ ...email, TemplateId });
    const mail = await theOnly(mailcap, mailbox.id);
    expect(mail).toMatchObject({
      subject: 'Hello Ada &amp; Bob',
      htmlBody: '<p>Ada &amp; Bob</p><li>Tea</li><li>Cake</li>Acme',
      textBody: expect.stringMatching(/^Tea Cake ?$/),
    });
    const [answer] = await postmark.sendEmailBatchWithTemplates([
      { ...email, TemplateAlias: `welcome-${mailbox.subdomain}` },
    ]);
    expect(answer).toMatchObject({ ErrorCode: 0 });
    expect((await postmark.getTemplates()).Templates.map((one) => one.TemplateId)).toContain(TemplateId);
    await postmark.editTemplate(TemplateId, { Subject: 'Bye' });
    expect(await postmark.getTemplate(TemplateId)).toMatchObject({ Name: 'Welcome', Subject: 'Bye' });
    await postmark.deleteTemplate(TemplateId);
    await expect(postmark.sendEmailWithTemplate({ ...email, TemplateId })).rejects.toMatchObject({ code: 1101 });
  });

  test.for([
    '{{constructor.constructor}}',
    '{{__proto__.polluted}}',
    '{{#with toString}}x{{/with}}',
    '{{name.constructor.name}}',
  ])('the template %s reaches nothing but its data', async (HtmlBody, { postmark }) => {
    const validated = await postmark.validateTemplate({
      Subject: '',
      HtmlBody,
      TextBody: '',
      TestRenderModel: { name: 'Ada' },
    });
    expect(validated.HtmlBody.RenderedContent).toBe('');
  });

  test.for([
    ['{{#each items}}', /parsed/],
    ['{{lookup items 0}}', /no helper lookup/],
    ['{{> partial}}', /no PartialStatement/],
    [`${'{{#each items}}'.repeat(9)}x${'{{/each}}'.repeat(9)}`, /100,000 steps/],
  ] as const)('the template %s is refused', async ([HtmlBody, message], { postmark }) => {
    const flat = { items: Array.from({ length: 30 }, (_, n) => n) };
    const validated = await postmark.validateTemplate({ Subject: '', HtmlBody, TextBody: '', TestRenderModel: flat });
    expect(validated.HtmlBody).toMatchObject({ ContentIsValid: false });
    expect(JSON.stringify(validated.HtmlBody.ValidationErrors)).toMatch(message);
  });
});

test('what was sent is listed, shown and dumped', async ({ mailbox, postmark }) => {
  const { MessageID } = await postmark.sendEmail({
    From: 'a@acme.test',
    To: mailbox.address(),
    Subject: 'Shown',
    TextBody: 'Hello',
    Tag: mailbox.subdomain,
  });
  const listed = await postmark.getOutboundMessages({ tag: mailbox.subdomain });
  expect(listed).toMatchObject({ TotalCount: 1, Messages: [{ MessageID, Subject: 'Shown' }] });
  expect(await postmark.getOutboundMessageDetails(MessageID)).toMatchObject({
    MessageID,
    TextBody: expect.stringContaining('Hello'),
  });
  expect((await postmark.getOutboundMessageDump(MessageID)).Body).toContain('Subject: Shown');
  await expect(postmark.getOutboundMessageDetails('00000000-0000-7000-8000-000000000000')).rejects.toMatchObject({
    code: 701,
  });
});

test('the app gets deliveries and bounces, with its password and headers', async ({ mailbox, postmark }) => {
  await using app = await receiver();
  const { ID } = await postmark.createWebhook({
    Url: app.url,
    HttpAuth: { Username: 'user', Password: 'secret' },
    HttpHeaders: [{ Name: 'X-From', Value: 'postmark' }],
    Triggers: { Delivery: { Enabled: true }, Bounce: { Enabled: true, IncludeContent: false } },
  });
  const email = { From: 'a@acme.test', Subject: 'Hi', TextBody: 'Hello', Metadata: { order: '7' } };
  const sent = await postmark.sendEmail({ ...email, To: mailbox.address() });
  const bounced = await postmark.sendEmail({ ...email, To: 'hardbounce@bounce-testing.postmarkapp.com' });
  await app.received(2);
  const events = app.requests
    .map(({ body }) => JSON.parse(body))
    .sort((one, other) => (one.RecordType < other.RecordType ? -1 : 1));
  expect(events).toMatchObject([
    {
      RecordType: 'Bounce',
      Type: 'HardBounce',
      MessageID: bounced.MessageID,
      Email: 'hardbounce@bounce-testing.postmarkapp.com',
    },
    { RecordType: 'Delivery', MessageID: sent.MessageID, Recipient: mailbox.address(), Metadata: { order: '7' } },
  ]);
  expect(app.requests[0]?.headers).toMatchObject({
    authorization: `Basic ${base64('user:secret')}`,
    'x-from': 'postmark',
  });
  await postmark.deleteWebhook(ID);
  await expect(postmark.getWebhook(ID)).rejects.toMatchObject({ code: 1200 });
});

/** The pauses before the second try and the later ones, as Postmark documents them, in minutes. */
const PAUSES = { Bounce: [1, 5, 10, 10, 10, 15, 30, 60, 120, 360], Delivery: [1, 5, 15] } as const;

test.for([
  ['Bounce', 'hardbounce', PAUSES.Bounce],
  ['SpamComplaint', 'spamcomplaint', PAUSES.Bounce],
  ['Delivery', 'spamcomplaint', PAUSES.Delivery],
] as const)(
  'a %s that the app does not take comes again after the pauses of Postmark',
  async ([name, address, pauses]) => {
    // The clock of a server of its own moves.
    await using mailcap = await startServer();
    await using app = await receiver(() => 500);
    const requestHost = `${new URL(mailcap.url).host}/providers/postmark`;
    const postmark = new ServerClient('any', { useHttps: false, requestHost });
    await postmark.createWebhook({ Url: app.url, Triggers: { [name]: { Enabled: true } } as never });
    const To = `${address}@bounce-testing.postmarkapp.com`;
    await postmark.sendEmail({ From: 'a@acme.test', To, Subject: 'Hi', TextBody: 'Hello' });
    const waiting = async () =>
      (await mailcap.ctx.store.read.providerRecords.due()).filter(({ kind }) => kind === 'events');
    let offsetSeconds = 0;
    for (const [tries, minutes] of pauses.entries()) {
      await app.received(tries + 1);
      await expect.poll(async () => (await waiting())[0]?.data['number']).toBe(tries + 2);
      const early = offsetSeconds + 60 * minutes - 30;
      offsetSeconds += 60 * minutes;
      await mailcap.api('/_mailcap/clock', { method: 'PUT', json: { offsetSeconds: early } });
      const [next] = await waiting();
      expect(next?.dueAt).toBeGreaterThan(mailcap.ctx.clock.now());
      await mailcap.api('/_mailcap/clock', { method: 'PUT', json: { offsetSeconds } });
    }
    await app.received(pauses.length + 1);
    await expect.poll(waiting).toEqual([]);
    expect(app.requests).toHaveLength(pauses.length + 1);
  },
);

test('an event that the app answers with 403 does not come again', async () => {
  await using mailcap = await startServer();
  await using app = await receiver(() => 403);
  const requestHost = `${new URL(mailcap.url).host}/providers/postmark`;
  const postmark = new ServerClient('any', { useHttps: false, requestHost });
  await postmark.createWebhook({ Url: app.url, Triggers: { Bounce: { Enabled: true } } as never });
  const To = 'hardbounce@bounce-testing.postmarkapp.com';
  await postmark.sendEmail({ From: 'a@acme.test', To, Subject: 'Hi', TextBody: 'Hello' });
  await app.received(1);
  await expect.poll(() => mailcap.ctx.store.read.providerRecords.due()).toEqual([]);
});

test.for([
  ['HttpAuth', 'user:secret', 403],
  ['HttpAuth', { Password: 'x'.repeat(2_000) }, 1201],
  ['Triggers', ['Delivery'], 403],
  ['Triggers', { Open: 'x'.repeat(3_000) }, 1201],
  ['HttpHeaders', { 'X-From': 'postmark' }, 403],
  ['HttpHeaders', [{ Name: 'X-From', Value: 'a\r\nb' }], 1201],
  ['Url', 'file:///etc/passwd', 1201],
] as const)(
  'a webhook with the %s %j is refused, and nothing is stored',
  async ([field, value, code], { postmark }) => {
    const before = await postmark.getWebhooks();
    const made = postmark.createWebhook({ Url: 'http://acme.test/', [field]: value } as never);
    await expect(made).rejects.toMatchObject({ code, message: expect.stringContaining(field) });
    expect(await postmark.getWebhooks()).toEqual(before);
  },
);
