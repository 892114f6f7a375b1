import * as v1 from '@aws-sdk/client-ses';
import * as v2 from '@aws-sdk/client-sesv2';
import nodemailer from 'nodemailer';
import { describe, expect } from 'vitest';
import { test as base } from '../support/mailcap.ts';
import { messagesOf, theOnly } from './support.ts';

const options = (url: string) => ({
  endpoint: `${url}/providers/ses`,
  region: 'eu-west-1',
  credentials: { accessKeyId: 'AKIAANYKEY', secretAccessKey: 'any' },
  maxAttempts: 1,
});
const test = base
  .extend('ses', ({ mailcap }) => new v2.SESv2Client(options(mailcap.url)))
  .extend('old', ({ mailcap }) => new v1.SESClient(options(mailcap.url)));

const text = (Data: string) => ({ Data });

describe('version 2', () => {
  test('the mail is in the mailbox of its recipient', async ({ mailcap, mailbox, ses }) => {
    const { MessageId } = await ses.send(
      new v2.SendEmailCommand({
        FromEmailAddress: 'Acme <hello@acme.test>',
        Destination: {
          ToAddresses: [`"Lovelace, Ada" <${mailbox.address('ada')}>`],
          BccAddresses: [mailbox.address('hidden')],
        },
        ReplyToAddresses: ['help@acme.test'],
        Content: {
          Simple: {
            Subject: text('Your code'),
            Body: {
              Text: text('Your code is 482913'),
              Html: text('<p>Your code is <b>482913</b></p><img src="cid:logo">'),
            },
            Headers: [{ Name: 'X-Custom', Value: 'yes' }],
            Attachments: [
              { FileName: 'Grüße.txt', RawContent: Buffer.from('Grüße'), ContentType: 'text/plain' },
              {
                FileName: 'logo.png',
                RawContent: Buffer.from('png'),
                ContentType: 'image/png',
                ContentDisposition: 'INLINE',
                ContentId: 'logo',
              },
            ],
          },
        },
        EmailTags: [{ Name: 'campaign', Value: 'welcome' }],
      }),
    );
    const mail = await theOnly(mailcap, mailbox.id);
    expect(mail).toMatchObject({
      from: 'Acme <hello@acme.test>',
      bcc: mailbox.address('hidden'),
      replyTo: 'help@acme.test',
      textBody: 'Your code is 482913',
      facts: { provider: { name: 'ses', id: MessageId }, codes: [{ code: '482913' }] },
    });
    expect(mail['attachments']).toMatchObject([
      { filename: 'logo.png', isInline: true, contentId: 'logo' },
      { filename: 'Grüße.txt', sizeBytes: 7 },
    ]);
    expect(mail.raw.replace(/\r\n /g, ' ')).toContain(`Message-ID: <${MessageId}@eu-west-1.amazonses.com>`);
    expect(mail.raw).toMatch(/^X-Custom: yes\r$/m);
    expect(mail.raw).toMatch(/^X-SES-MESSAGE-TAGS: campaign=welcome\r$/im);
    expect(mail.facts.transcript.join('\n')).not.toContain('AKIAANYKEY');
  });

  test.for([
    ['base64', `=?utf-8?B?${Buffer.from('Zoë, 日本').toString('base64')}?=`],
    ['quoted-printable', '=?UTF-8?Q?Zo=C3=AB=2C_=E6=97=A5=E6=9C=AC?='],
    ['Latin-1 in quotes', `"=?iso-8859-1?Q?Zo=EB?=, =?utf-8?B?${Buffer.from('日本').toString('base64')}?="`],
  ])('a name in other letters is an encoded word, in %s', async ([, name], { mailcap, mailbox, ses, old }) => {
    const to = `${name} <${mailbox.address()}>`;
    const Body = { Text: text('Hello') };
    const simple = { Subject: text('Hi'), Body };
    const email = { FromEmailAddress: `${name} <hello@acme.test>`, Destination: { ToAddresses: [to] } };
    await ses.send(new v2.SendEmailCommand({ ...email, ReplyToAddresses: [to], Content: { Simple: simple } }));
    const first = await theOnly(mailcap, mailbox.id);
    expect(first).toMatchObject({ from: '"Zoë, 日本" <hello@acme.test>', to: `"Zoë, 日本" <${mailbox.address()}>` });
    const source = { Source: `${name} <hello@acme.test>`, Destination: { ToAddresses: [to] } };
    await old.send(new v1.SendEmailCommand({ ...source, Message: simple }));
    const [second] = await messagesOf(mailcap, mailbox.id);
    expect(second).toMatchObject({ from: '"Zoë, 日本" <hello@acme.test>' });
  });

  test('an encoded word with a line break adds no header field', async ({ mailcap, mailbox, ses }) => {
    const FromEmailAddress = '=?utf-8?Q?Ada=0D=0ABcc:_hidden=40x.test?= <hello@acme.test>';
    const Content = { Simple: { Subject: text('Hi'), Body: { Text: text('Hello') } } };
    const Destination = { ToAddresses: [mailbox.address()] };
    await ses.send(new v2.SendEmailCommand({ FromEmailAddress, Destination, Content }));
    expect((await theOnly(mailcap, mailbox.id)).raw).not.toMatch(/^Bcc:/m);
  });

  test('Nodemailer’s transport for SES sends its own bytes', async ({ mailcap, mailbox, ses }) => {
    const transport = nodemailer.createTransport({
      SES: { sesClient: ses, SendEmailCommand: v2.SendEmailCommand },
    } as never);
    const mail = {
      from: 'a@acme.test',
      to: mailbox.address('ada'),
      bcc: mailbox.address('hidden'),
      subject: 'By Nodemailer',
      text: 'Hello',
    };
    const { messageId } = await transport.sendMail(mail);
    const got = await theOnly(mailcap, mailbox.id);
    expect(got).toMatchObject({
      subject: 'By Nodemailer',
      bcc: mailbox.address('hidden'),
      envelopeFrom: 'a@acme.test',
    });
    expect(got.raw).not.toContain('hidden@');
    expect(messageId).toContain(got.facts.provider?.id ?? 'none');
  });

  test('templates are stored, rendered one by one and in bulk', async ({ mailcap, mailbox, ses }) => {
    const TemplateName = `welcome-${mailbox.subdomain}`;
    const TemplateContent = {
      Subject: 'Hello {{name}}',
      Text: 'Hello {{name}} <{{{name}}}>',
      Html: '{{#each items}}<li>{{this}}</li>{{/each}}',
    };
    await ses.send(new v2.CreateEmailTemplateCommand({ TemplateName, TemplateContent }));
    await expect(ses.send(new v2.CreateEmailTemplateCommand({ TemplateName, TemplateContent }))).rejects.toMatchObject({
      name: 'AlreadyExistsException',
    });
    expect(await ses.send(new v2.GetEmailTemplateCommand({ TemplateName }))).toMatchObject({ TemplateContent });
    const { TemplatesMetadata } = await ses.send(new v2.ListEmailTemplatesCommand({}));
    expect(TemplatesMetadata).toContainEqual({ TemplateName, CreatedTimestamp: expect.any(Date) });
    const email = { FromEmailAddress: 'a@acme.test' };
    const Destination = { ToAddresses: [mailbox.address()] };
    const TemplateData = JSON.stringify({ name: 'Ada & Bob', items: ['Tea'] });
    await ses.send(
      new v2.SendEmailCommand({ ...email, Destination, Content: { Template: { TemplateName, TemplateData } } }),
    );
    expect(await theOnly(mailcap, mailbox.id)).toMatchObject({
      subject: 'Hello Ada & Bob',
      textBody: 'Hello Ada & Bob <Ada & Bob>',
      htmlBody: '<li>Tea</li>',
    });
    const replacing = (name: string) => ({
      ReplacementTemplate: { ReplacementTemplateData: JSON.stringify({ name }) },
    });
    const { BulkEmailEntryResults } = await ses.send(
      new v2.SendBulkEmailCommand({
        ...email,
        DefaultContent: { Template: { TemplateName, TemplateData } },
        BulkEmailEntries: [
          { Destination, ReplacementEmailContent: replacing('one') },
          { Destination, ReplacementEmailContent: replacing('two') },
        ],
      }),
    );
    expect(BulkEmailEntryResults?.map(({ Status }) => Status)).toEqual(['SUCCESS', 'SUCCESS']);
    expect((await messagesOf(mailcap, mailbox.id)).map(({ subject }) => subject).sort()).toEqual([
      'Hello Ada & Bob',
      'Hello one',
      'Hello two',
    ]);
    const missing = new v2.SendEmailCommand({
      ...email,
      Destination,
      Content: { Template: { TemplateName, TemplateData: '{}' } },
    });
    await expect(ses.send(missing)).rejects.toThrow("Attribute 'name' is not present");
    await ses.send(new v2.DeleteEmailTemplateCommand({ TemplateName }));
    await expect(ses.send(missing)).rejects.toMatchObject({ name: 'NotFoundException' });
  });

  test.for([
    [{ FromEmailAddress: undefined }, /sender is missing/],
    [{ FromEmailAddress: 'nobody' }, /Missing final '@domain'/],
    [{ Destination: {} }, /no recipients/],
    [{ Destination: { ToAddresses: ['nobody'] } }, /Missing final '@domain'/],
    [{ Destination: { ToAddresses: ['a@x.test\r\nBcc: b@x.test'] } }, /Missing final '@domain'/],
    [{ Destination: { ToAddresses: Array.from({ length: 51 }, (_, i) => `a${i}@x.test`) } }, /exceeds 50/],
    [{ Content: { Simple: { Subject: text('a\r\nBcc: b@x.test'), Body: { Text: text('b') } } } }, /line break/],
    [{ Content: { Simple: { Subject: text('é'.repeat(100_000)), Body: { Text: text('b') } } } }, /2,000 characters/],
    [{ Content: { Simple: { Subject: text('a'), Body: {} } } }, /neither Text nor Html/],
    [{ Content: {} }, /Simple, Raw or Template/],
    [{ Content: { Raw: { Data: Buffer.from('') } } }, /raw message/],
    [
      {
        Content: {
          Simple: { Subject: text('a'), Body: { Text: text('b') }, Headers: [{ Name: 'X', Value: 'a\r\nB: c' }] },
        },
      },
      /header "X"/,
    ],
    [{ EmailTags: [{ Name: 'a b', Value: 'c' }] }, /tag/],
  ] as const)('%j is refused, and nothing is stored', async ([change, message], { mailcap, mailbox, ses }) => {
    const Content = { Simple: { Subject: text('Hi'), Body: { Text: text('Hello') } } };
    const input = {
      FromEmailAddress: 'a@acme.test',
      Destination: { ToAddresses: [mailbox.address()] },
      Content,
      ...change,
    };
    const refused = await ses.send(new v2.SendEmailCommand(input as never)).catch((error: unknown) => error);
    expect(refused).toMatchObject({ name: 'BadRequestException', message: expect.stringMatching(message) });
    expect(await messagesOf(mailcap, mailbox.id)).toEqual([]);
  });

  test('account, identities and the suppression list answer', async ({ mailbox, ses }) => {
    expect(await ses.send(new v2.GetAccountCommand({}))).toMatchObject({
      SendingEnabled: true,
      ProductionAccessEnabled: true,
    });
    await ses.send(new v2.CreateEmailIdentityCommand({ EmailIdentity: 'ses.test' }));
    expect(await ses.send(new v2.GetEmailIdentityCommand({ EmailIdentity: 'ses.test' }))).toMatchObject({
      VerifiedForSendingStatus: true,
    });
    expect(
      (await ses.send(new v2.ListEmailIdentitiesCommand({}))).EmailIdentities?.map(({ IdentityName }) => IdentityName),
    ).toContain('ses.test');
    await ses.send(new v2.DeleteEmailIdentityCommand({ EmailIdentity: 'ses.test' }));
    const EmailAddress = mailbox.address();
    await ses.send(new v2.PutSuppressedDestinationCommand({ EmailAddress, Reason: 'BOUNCE' }));
    const { SuppressedDestination } = await ses.send(new v2.GetSuppressedDestinationCommand({ EmailAddress }));
    expect(SuppressedDestination).toMatchObject({ EmailAddress, Reason: 'BOUNCE' });
    await ses.send(new v2.DeleteSuppressedDestinationCommand({ EmailAddress }));
    await expect(ses.send(new v2.GetSuppressedDestinationCommand({ EmailAddress }))).rejects.toMatchObject({
      name: 'NotFoundException',
    });
  });
});

describe('version 1', () => {
  const Message = { Subject: text('Your code'), Body: { Text: text('Your code is 482913') } };

  test('SendEmail, SendRawEmail and SendTemplatedEmail send', async ({ mailcap, mailbox, old }) => {
    const Destination = { ToAddresses: [mailbox.address('ada')], CcAddresses: [mailbox.address('bob')] };
    const { MessageId } = await old.send(
      new v1.SendEmailCommand({
        Source: 'Acme <a@acme.test>',
        Destination,
        Message,
        Tags: [{ Name: 'a', Value: 'b' }],
      }),
    );
    expect(await theOnly(mailcap, mailbox.id)).toMatchObject({
      subject: 'Your code',
      cc: mailbox.address('bob'),
      facts: { provider: { id: MessageId } },
    });
    const raw = `From: a@acme.test\r\nTo: ${mailbox.address()}\r\nSubject: Raw\r\n\r\nBody\r\n`;
    await old.send(new v1.SendRawEmailCommand({ RawMessage: { Data: Buffer.from(raw) } }));
    const TemplateName = `old-${mailbox.subdomain}`;
    await old.send(
      new v1.CreateTemplateCommand({
        Template: { TemplateName, SubjectPart: 'For {{name}} & <co>', TextPart: 'Hello {{name}}' },
      }),
    );
    expect((await old.send(new v1.GetTemplateCommand({ TemplateName }))).Template).toMatchObject({
      SubjectPart: 'For {{name}} & <co>',
    });
    await old.send(
      new v1.SendTemplatedEmailCommand({
        Source: 'a@acme.test',
        Destination,
        Template: TemplateName,
        TemplateData: '{"name":"Ada"}',
      }),
    );
    expect((await messagesOf(mailcap, mailbox.id)).map(({ subject }) => subject)).toEqual([
      'For Ada & <co>',
      'Raw',
      'Your code',
    ]);
  });

  test('refusals have its codes, and quota and identities answer', async ({ mailcap, mailbox, old }) => {
    const send = (ToAddresses: string[]) =>
      old.send(new v1.SendEmailCommand({ Source: 'a@acme.test', Destination: { ToAddresses }, Message }));
    await expect(send(['nobody <&>'])).rejects.toMatchObject({ Code: 'InvalidParameterValue' });
    const unknown = new v1.SendTemplatedEmailCommand({
      Source: 'a@acme.test',
      Destination: { ToAddresses: [mailbox.address()] },
      Template: 'none',
      TemplateData: '{}',
    });
    await expect(old.send(unknown)).rejects.toMatchObject({ name: 'TemplateDoesNotExistException' });
    expect(await old.send(new v1.GetSendQuotaCommand({}))).toMatchObject({ MaxSendRate: 1_000 });
    await old.send(new v1.VerifyDomainIdentityCommand({ Domain: 'old.test' }));
    expect((await old.send(new v1.ListIdentitiesCommand({}))).Identities).toContain('old.test');
    const response = await fetch(`${mailcap.url}/providers/ses/`, {
      method: 'POST',
      body: new URLSearchParams({ Action: 'SendEmail' }),
    });
    expect([response.status, await response.text()]).toEqual([
      403,
      expect.stringContaining('<Code>MissingAuthenticationToken</Code>'),
    ]);
    expect(await messagesOf(mailcap, mailbox.id)).toEqual([]);
  });
  test('a request may come to the root, because the SDK for Java drops the path of its endpoint', async ({
    mailcap,
    mailbox,
  }) => {
    const client = new v1.SESClient({ ...options(''), endpoint: mailcap.url });
    const Destination = { ToAddresses: [mailbox.address()] };
    const { MessageId } = await client.send(new v1.SendEmailCommand({ Source: 'a@acme.test', Destination, Message }));
    expect((await theOnly(mailcap, mailbox.id)).facts.provider?.id).toBe(MessageId);
    expect((await fetch(mailcap.url, { method: 'POST' })).status).toBe(405);
  });
});
