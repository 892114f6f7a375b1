import { execFile } from 'node:child_process';
import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import * as v1 from '@aws-sdk/client-ses';
import * as sns from '@aws-sdk/client-sns';
import { ComparerType, Inbound, InboundFilterType, MailerSend } from 'mailersend';
import Mailgun from 'mailgun.js';
import nodemailer from 'nodemailer';
import { ServerClient } from 'postmark';
import { expect } from 'vitest';
import { python } from '../clients/programs.ts';
import { json } from '../http/support.ts';
import { startServer, type TestServer, test } from '../support/mailcap.ts';
import { BY_DAY } from '../support/night.ts';
import { lacking } from '../support/programs.ts';
import { unless } from '../support/unless.ts';
import { receiver } from './support.ts';

type App = Awaited<ReturnType<typeof receiver>>;
const FILE = Buffer.from('Grüße').toString('base64');
const PNG = Buffer.from('89504e470d0a1a0a', 'hex');

/** The URL of an app, with the user name and password that it asks for. */
const secured = ({ url }: App) => url.replace('://', '://user:pass@');

/** Has each provider bring the mail for a domain of its own to an app. Returns Mailgun’s signing key. */
async function bringTo(server: TestServer, apps: Readonly<Record<'sendgrid' | 'mailgun' | 'postmark' | 'ses', App>>) {
  const { url } = server;
  const { sendgrid, postmark } = apps;
  const settings = { hostname: 'sendgrid.acme.test', url: secured(sendgrid) };
  const made = await fetch(`${url}/providers/sendgrid/v3/user/webhooks/parse/settings`, {
    method: 'POST',
    headers: { authorization: 'Bearer any', 'content-type': 'application/json' },
    body: JSON.stringify(settings),
  });
  expect(await made.json()).toEqual({ ...settings, spam_check: false, send_raw: false });
  const mailgun = new Mailgun(FormData).client({ username: 'api', key: 'any', url: `${url}/providers/mailgun` });
  const route = await mailgun.routes.create({
    ...{ priority: 0, description: 'app', expression: 'match_recipient(".*@mailgun.acme.test")' },
    action: [`forward("${secured(apps.mailgun)}")`, 'stop()'],
  });
  expect(await mailgun.routes.get(route.id)).toMatchObject({ expression: 'match_recipient(".*@mailgun.acme.test")' });
  const requestHost = `${new URL(url).host}/providers/postmark`;
  const client = new ServerClient('any', { useHttps: false, requestHost });
  const edited = await client.editServer({ InboundHookUrl: secured(postmark), InboundDomain: 'postmark.acme.test' });
  expect(edited).toMatchObject({ InboundHookUrl: secured(postmark), InboundDomain: 'postmark.acme.test' });
  const options = { region: 'us-east-1', credentials: { accessKeyId: 'any', secretAccessKey: 'any' } };
  const topics = new sns.SNSClient({ ...options, endpoint: `${url}/providers/sns` });
  const { TopicArn = '' } = await topics.send(new sns.CreateTopicCommand({ Name: 'inbound' }));
  await topics.send(new sns.SubscribeCommand({ TopicArn, Protocol: 'http', Endpoint: secured(apps.ses) }));
  await apps.ses.received(1);
  const { Token } = JSON.parse(apps.ses.requests[0]?.body ?? '{}') as { Token: string };
  await topics.send(new sns.ConfirmSubscriptionCommand({ TopicArn, Token }));
  const ses = new v1.SESClient({ ...options, endpoint: `${url}/providers/ses` });
  await ses.send(new v1.CreateReceiptRuleSetCommand({ RuleSetName: 'all' }));
  const Actions = [{ SNSAction: { TopicArn, Encoding: v1.SNSActionEncoding.Base64 } }];
  const Rule = { Name: 'app', Enabled: true, Recipients: ['ses.acme.test'], Actions };
  await ses.send(new v1.CreateReceiptRuleCommand({ RuleSetName: 'all', Rule }));
  await ses.send(new v1.SetActiveReceiptRuleSetCommand({ RuleSetName: 'all' }));
  expect((await ses.send(new v1.DescribeActiveReceiptRuleSetCommand({}))).Rules).toMatchObject([Rule]);
  const key = await fetch(`${url}/providers/mailgun/v5/accounts/http_signing_key`, {
    headers: { authorization: `Basic ${Buffer.from('api:any').toString('base64')}` },
  });
  return ((await key.json()) as { http_signing_key: string }).http_signing_key;
}

/** Sends a mail with a file and a picture by SMTP. */
async function sendTo(server: TestServer, to: readonly string[]) {
  const transport = nodemailer.createTransport({ ...server.smtp, secure: false });
  const { messageId } = await transport.sendMail({
    envelope: { from: 'bounces@sender.test', to: [...to] },
    from: 'Zoë <zoe@sender.test>',
    to: [...to],
    subject: 'Re: Ihre Frage ✓',
    text: 'Ja, gern.\n\nOn Monday Acme wrote:\n> Noch da?',
    html: '<p>Ja, gern.</p><img src="cid:logo">',
    attachments: [
      { filename: 'Grüße.txt', content: 'Grüße', contentType: 'text/plain' },
      { filename: 'logo.png', content: PNG, cid: 'logo' },
    ],
  });
  return messageId;
}

test('mail for the addresses of the app comes to the app as each provider brings it', async ({ mailcap }) => {
  await using sendgrid = await receiver();
  await using mailgun = await receiver();
  await using postmark = await receiver();
  await using ses = await receiver();
  const signingKey = await bringTo(mailcap, { sendgrid, mailgun, postmark, ses });
  const to = ['sendgrid', 'mailgun', 'postmark', 'ses'].map((name) => `support+7@${name}.acme.test`);
  const messageId = await sendTo(mailcap, to);
  await Promise.all([sendgrid.received(1), mailgun.received(1), postmark.received(1), ses.received(2)]);
  const basic = `Basic ${Buffer.from('user:pass').toString('base64')}`;
  for (const { requests } of [sendgrid, mailgun, postmark, ses])
    expect(requests.at(-1)?.headers.authorization).toBe(basic);

  const formAt = async (app: App) => {
    const [{ headers, bytes } = { headers: {}, bytes: Buffer.alloc(0) }] = app.requests;
    const type = { 'content-type': headers['content-type'] ?? '' };
    return new Response(new Uint8Array(bytes), { headers: type }).formData();
  };
  const parse = await formAt(sendgrid);
  expect(Object.fromEntries([...parse].filter(([, value]) => typeof value === 'string'))).toMatchObject({
    from: 'Zoë <zoe@sender.test>',
    subject: 'Re: Ihre Frage ✓',
    envelope: JSON.stringify({ to: [to[0]], from: 'bounces@sender.test' }),
    attachments: '2',
    headers: expect.stringContaining(messageId),
    text: expect.stringContaining('Ja, gern.'),
  });
  const fileNames = ['attachment1', 'attachment2'].map((name) => (parse.get(name) as File).name);
  expect(fileNames.sort()).toEqual(['Grüße.txt', 'logo.png']);
  expect(JSON.parse(String(parse.get('content-ids')))).toEqual({ logo: expect.stringMatching(/^attachment[12]$/) });

  const route = await formAt(mailgun);
  const text = (name: string) => String(route.get(name));
  expect(text('recipient')).toBe(to[1]);
  expect(text('sender')).toBe('bounces@sender.test');
  expect(text('stripped-text')).toBe('Ja, gern.');
  expect(text('signature')).toBe(
    createHmac('sha256', signingKey)
      .update(text('timestamp') + text('token'))
      .digest('hex'),
  );
  expect(JSON.parse(text('message-headers'))).toContainEqual(['Message-Id', messageId]);

  expect(JSON.parse(postmark.requests[0]?.body ?? '{}')).toMatchObject({
    FromFull: { Email: 'zoe@sender.test', Name: 'Zoë', MailboxHash: '' },
    OriginalRecipient: to[2],
    MailboxHash: '7',
    StrippedTextReply: 'Ja, gern.',
    Headers: expect.arrayContaining([{ Name: 'Return-Path', Value: '<bounces@sender.test>' }]),
    Subject: 'Re: Ihre Frage ✓',
    Attachments: expect.arrayContaining([
      {
        ...{ Name: 'Grüße.txt', ContentType: 'text/plain', ContentLength: 7, ContentID: '' },
        Content: Buffer.from('Grüße').toString('base64'),
      },
    ]),
  });

  const { Message } = JSON.parse(ses.requests[1]?.body ?? '{}') as { Message: string };
  const received = JSON.parse(Message) as { content: string };
  expect(received).toMatchObject({
    notificationType: 'Received',
    mail: { source: 'bounces@sender.test', destination: [to[3]], commonHeaders: { subject: 'Re: Ihre Frage ✓' } },
    receipt: { recipients: [to[3]], action: { type: 'SNS', encoding: 'BASE64' } },
  });
  expect(Buffer.from(received.content, 'base64').toString('utf8')).toContain(`Message-ID: ${messageId}`);
});

/** Sends a mail, as its bytes. */
async function sendRaw(server: TestServer, to: readonly string[], lines: readonly string[]) {
  const transport = nodemailer.createTransport({ ...server.smtp, secure: false });
  await transport.sendMail({ envelope: { from: 'ada@sender.test', to: [...to] }, raw: lines.join('\r\n') });
}

/** Starts an app to which Mailgun brings the mail of a domain. */
async function mailgunApp({ url }: TestServer, domain: string, statusOf?: (number: number) => number) {
  const app = await receiver(statusOf);
  const mailgun = new Mailgun(FormData).client({ username: 'api', key: 'any', url: `${url}/providers/mailgun` });
  const expression = `match_recipient(".*@${domain}")`;
  await mailgun.routes.create({ priority: 0, expression, action: [`forward("${app.url}")`] });
  const fieldsOf = (at: number) => new URLSearchParams(app.requests[at]?.body ?? '');
  return { ...app, fieldsOf };
}

const HEAD = ['From: Ada <ada@sender.test>', 'To: support@acme.test', 'Subject: Re: Hi', 'Message-ID: <a@sender.test>'];
const QUOTE = ['On Fri, 27 Nov 2026 at 10:00, Acme <support@acme.test> wrote:', '> Well?'];

test('Mailgun’s form has the texts apart, and the header fields as Mailgun names them', async ({ mailcap }) => {
  await using app = await mailgunApp(mailcap, 'forms.acme.test');
  const text = ['Yes, please.', '', 'Best regards,', 'Ada', '', ...QUOTE].join('\r\n');
  const html =
    '<p>Yes, <b>please</b>.</p><div class="gmail_quote">On Fri<blockquote>Well?</blockquote></div><p>Ada</p>';
  await nodemailer.createTransport({ ...mailcap.smtp, secure: false }).sendMail({
    ...{
      envelope: { from: 'ada@sender.test', to: 'a@forms.acme.test' },
      from: 'Ada <ada@sender.test>',
      to: 'a@forms.acme.test',
    },
    ...{ subject: 'Re: Hi', messageId: '<a@sender.test>', text, html },
  });
  await app.received(1);
  const parsed = app.fieldsOf(0);
  const names = [
    'stripped-text',
    'stripped-signature',
    'stripped-html',
    'Message-Id',
    'From',
    'from',
    'Subject',
    'subject',
  ];
  expect(names.map((name) => parsed.get(name))).toEqual([
    ...['Yes, please.', 'Best regards,\nAda', '<p>Yes, <b>please</b>.</p><p>Ada</p>', '<a@sender.test>'],
    ...['Ada <ada@sender.test>', 'Ada <ada@sender.test>', 'Re: Hi', 'Re: Hi'],
  ]);
  expect(JSON.parse(parsed.get('message-headers') ?? '')).toEqual(
    expect.arrayContaining([
      ['X-Mailgun-Incoming', 'Yes'],
      ['X-Envelope-From', '<ada@sender.test>'],
      ['Mime-Version', '1.0'],
      ['Message-Id', '<a@sender.test>'],
    ]),
  );
  await sendRaw(mailcap, ['b@forms.acme.test'], [...HEAD, 'Content-Type: text/html', '', '<p>Only <b>HTML</b></p>']);
  await app.received(2);
  expect(app.fieldsOf(1).get('body-plain')).toBe('Only HTML');
  expect(app.fieldsOf(1).get('stripped-signature')).toBe('');
});

/** A mail in Windows-1252, which no text of JavaScript holds: its bytes are no UTF-8. */
const WESTERN = Buffer.from(
  [
    ...[...HEAD, 'MIME-Version: 1.0', 'Content-Type: text/plain; charset=windows-1252'],
    ...['Content-Transfer-Encoding: 8bit', '', 'Gr\xfc\xdfe f\xfcr 5 \x80', ''],
  ].join('\r\n'),
  'latin1',
);

async function sendWestern(server: TestServer, to: string, raw = WESTERN): Promise<void> {
  const transport = nodemailer.createTransport({ ...server.smtp, secure: false });
  await transport.sendMail({ envelope: { from: 'ada@sender.test', to }, raw });
}

/** Has SendGrid bring the mail for a host name. Returns what reads the fields of a request, each character a byte. */
async function parseApp({ url }: TestServer, hostname: string, send_raw: boolean) {
  const app = await receiver();
  await fetch(`${url}/providers/sendgrid/v3/user/webhooks/parse/settings`, {
    method: 'POST',
    headers: { authorization: 'Bearer any', 'content-type': 'application/json' },
    body: JSON.stringify({ hostname, url: app.url, send_raw }),
  });
  const fieldsOf = (at: number) => {
    const { headers, bytes } = app.requests[at] ?? { headers: {}, bytes: Buffer.alloc(0) };
    const [, boundary = ''] = /boundary=(.+)$/.exec(headers['content-type'] ?? '') ?? [];
    const parts = bytes.toString('latin1').split(`--${boundary}`).slice(1, -1);
    const named = parts.map((part) =>
      /^\r\nContent-Disposition: form-data; name="([^"]+)"\r\n\r\n(.*)\r\n$/s.exec(part),
    );
    return Object.fromEntries(named.map((found) => [found?.[1], found?.[2]]));
  };
  return { ...app, fieldsOf };
}

test('SendGrid’s form has the texts in the charsets of the mail, and names them', async ({ mailcap }) => {
  await using app = await parseApp(mailcap, 'charsets.acme.test', false);
  await sendWestern(mailcap, 'a@charsets.acme.test');
  await app.received(1);
  const { text, charsets } = app.fieldsOf(0);
  expect(text).toBe('Gr\xfc\xdfe f\xfcr 5 \x80\r\n');
  expect(JSON.parse(charsets ?? '')).toEqual({ to: 'UTF-8', subject: 'UTF-8', from: 'UTF-8', text: 'windows-1252' });

  // Quoted-printable in one part, base64 in the other.
  const alternatives = [
    ...[...HEAD, 'Cc: cc@acme.test', 'MIME-Version: 1.0', 'Content-Type: multipart/alternative; boundary=b', ''],
    ...['--b', 'Content-Type: text/plain; charset="ISO-8859-2"', 'Content-Transfer-Encoding: quoted-printable', ''],
    ...['za=BF=F3=B3=', ' g', '--b', 'Content-Type: text/html; charset=utf-8', 'Content-Transfer-Encoding: base64', ''],
    ...[Buffer.from('<p>zażółć</p>').toString('base64'), '--b--', ''],
  ];
  await sendWestern(mailcap, 'b@charsets.acme.test', Buffer.from(alternatives.join('\r\n')));
  await app.received(2);
  const second = app.fieldsOf(1);
  expect([second['text'], Buffer.from(second['html'] ?? '', 'latin1').toString()]).toEqual([
    'za\xbf\xf3\xb3 g',
    '<p>zażółć</p>',
  ]);
  const names = { to: 'UTF-8', subject: 'UTF-8', from: 'UTF-8', cc: 'UTF-8', text: 'ISO-8859-2', html: 'UTF-8' };
  expect(JSON.parse(second['charsets'] ?? '')).toEqual(names);
});

test('the raw forms of SendGrid and Mailgun hold the bytes of the mail', async ({ mailcap }) => {
  await using sendgrid = await parseApp(mailcap, 'raw.acme.test', true);
  await using mailgun = await receiver();
  const routes = new Mailgun(FormData).client({ username: 'api', key: 'any', url: `${mailcap.url}/providers/mailgun` });
  const action = [`forward("${mailgun.url}/mime")`];
  await routes.routes.create({ priority: 0, expression: 'match_recipient(".*@mime.acme.test")', action });
  await sendWestern(mailcap, 'a@raw.acme.test');
  await sendWestern(mailcap, 'a@mime.acme.test');
  await Promise.all([sendgrid.received(1), mailgun.received(1)]);
  const stored = WESTERN.toString('latin1');
  expect(sendgrid.fieldsOf(0)['email']?.endsWith(stored)).toBe(true);
  const [, body = ''] = /(?:^|&)body-mime=([^&]*)/.exec(mailgun.requests[0]?.body ?? '') ?? [];
  const bytes = body
    .replaceAll('+', ' ')
    .replace(/%([0-9A-F]{2})/g, (_all, hex) => String.fromCharCode(Number(`0x${hex}`)));
  expect(bytes.endsWith(stored)).toBe(true);
});

test('a mail that is too large for a request is not brought, and those behind it are', async ({ mailcap }) => {
  await using app = await mailgunApp(mailcap, 'large.acme.test');
  const line = `${'x'.repeat(76)}\r\n`;
  await sendRaw(mailcap, ['a@large.acme.test'], [...HEAD, '', line.repeat(140_000)]);
  await sendRaw(mailcap, ['b@large.acme.test'], [...HEAD, '', 'Small.']);
  await app.received(1);
  const waiting = async () =>
    (await mailcap.ctx.store.read.providerRecords.due()).filter(({ data }) =>
      String(data['to']).includes('large.acme'),
    );
  await expect.poll(waiting, { timeout: 20_000 }).toEqual([]);
  expect(app.requests).toHaveLength(1);
  expect(app.fieldsOf(0).get('body-plain')).toMatch(/^Small\./);
});

test('Postmark tells what a reply says, and of a new mail nothing', async ({ mailcap }) => {
  await using app = await receiver();
  const requestHost = `${new URL(mailcap.url).host}/providers/postmark`;
  const client = new ServerClient('any', { useHttps: false, requestHost });
  await client.editServer({ InboundHookUrl: app.url, InboundDomain: 'texts.acme.test' });
  const type = ['MIME-Version: 1.0', 'Content-Type: text/plain; charset=utf-8', 'Content-Transfer-Encoding: 8bit'];
  const to = ['a@texts.acme.test'];
  await sendRaw(mailcap, to, [...HEAD, ...type, '', 'A question.']);
  await app.received(1);
  await sendRaw(mailcap, to, [...HEAD, ...type, 'In-Reply-To: <q@acme.test>', '', 'An answer.']);
  await app.received(2);
  await sendRaw(mailcap, to, [...HEAD, ...type, '', 'Another.', '', ...QUOTE]);
  await app.received(3);
  interface Told {
    readonly StrippedTextReply: string;
    readonly Headers: readonly { readonly Name: string; readonly Value: string }[];
  }
  const told = app.requests.map(({ body }) => JSON.parse(body) as Told);
  expect(told.map(({ StrippedTextReply }) => StrippedTextReply)).toEqual(['', 'An answer.', 'Another.']);
  const names = told[0]?.Headers.map(({ Name }) => Name) ?? [];
  expect(names).toEqual(['Return-Path', 'X-Spam-Status', 'X-Spam-Score', 'X-Spam-Tests', 'Message-ID', 'MIME-Version']);
});

test.for([
  ['sendgrid', 400, 0],
  ['sendgrid', 302, 0],
  ['sendgrid', 500, 1],
  ['mailgun', 406, 0],
  ['mailgun', 400, 1],
  ['postmark', 403, 0],
  ['postmark', 404, 1],
] as const)('a mail that the app of %s answers with %i is brought again: %i', async ([name, status, more]) => {
  // Another test set the rules of the server that tests share.
  await using mailcap = await startServer();
  await using app = await receiver(() => status);
  await using ses = await receiver();
  await bringTo(mailcap, { sendgrid: app, mailgun: app, postmark: app, ses });
  await sendTo(mailcap, [`a@${name}.acme.test`]);
  await app.received(1);
  const waiting = async () =>
    (await mailcap.ctx.store.read.providerRecords.due()).filter(({ kind }) => kind === 'inbound');
  await expect.poll(async () => (await waiting()).filter(({ data }) => data['number'] !== 1).length).toBe(more);
  await expect.poll(async () => (await waiting()).length).toBe(more);
});

/** The parts of MailerSend’s SDK that this file calls. */
function mailersendRoutes({ url }: TestServer) {
  const { inbound } = new MailerSend({ apiKey: 'any' }).email;
  Object.assign(inbound, { baseUrl: `${url}/providers/mailersend/v1` });
  return inbound;
}

/** The fields of a route of MailerSend for a domain. */
function routeFor(value: string, domain: string) {
  const filters = [{ comparer: ComparerType.STARTS_WITH, value: 'support' }];
  return new Inbound('Support', true, 'any-domain', domain, 1)
    .setForwards([{ type: 'webhook', value }])
    .setMatchFilter({ type: InboundFilterType.MATCH_ALL })
    .setCatchFilter({ type: InboundFilterType.CATCH_RECIPIENT, filters });
}

test('MailerSend’s routes bring mail as signed JSON with the mail itself', async ({ mailcap }) => {
  await using app = await receiver();
  const routes = mailersendRoutes(mailcap);
  const made = await routes.create(routeFor(app.url, 'mailersend.acme.test'));
  const { id, address, forwards } = (made.body as { data: MailersendRoute }).data;
  const to = ['support+7@mailersend.acme.test', 'sales@mailersend.acme.test', address];
  const messageId = await sendTo(mailcap, to);
  await app.received(1);
  const [{ body, headers } = { body: '', headers: {} as IncomingHttpHeaders }] = app.requests;
  expect(headers['signature']).toBe(
    createHmac('sha256', forwards[0]?.secret ?? '')
      .update(body)
      .digest('hex'),
  );
  const told = JSON.parse(body) as { data: { raw: string; attachments: { file_name: string }[] } };
  expect(told).toMatchObject({
    ...{ type: 'inbound.message', inbound_id: id, url: app.url },
    data: {
      recipients: { rcptTo: [{ email: to[0] }, { email: address }] },
      from: { email: 'zoe@sender.test', name: 'Zoë' },
      sender: { email: 'bounces@sender.test' },
      subject: 'Re: Ihre Frage ✓',
      headers: { 'Message-ID': messageId, Subject: expect.stringMatching(/^=\?UTF-8\?/i) },
      text: expect.stringContaining('Ja, gern.'),
    },
  });
  expect(told.data.raw).toContain(`Message-ID: ${messageId}`);
  expect(told.data.attachments).toContainEqual({
    ...{ file_name: 'Grüße.txt', content_type: 'text/plain', size: 7, content: FILE },
    content_disposition: 'attachment',
  });
  expect(app.requests).toHaveLength(1);
  expect((await routes.list({})).body).toMatchObject({ data: [{ id }] });
  await routes.delete(id);
  await expect(routes.single(id)).rejects.toMatchObject({ statusCode: 404 });
});

interface MailersendRoute {
  readonly id: string;
  readonly address: string;
  readonly forwards: readonly { readonly secret: string }[];
}

test.for([
  [{ forwards: [] }, 'forwards'],
  [{ forwards: [{ type: 'webhook', value: 'file:///etc/passwd' }] }, 'forwards.0.value'],
  [{ forwards: [{ type: 'email', value: 'a@b.test' }] }, 'forwards'],
  [{ inbound_domain: 'a b' }, 'inbound_domain'],
  [{ inbound_domain: '..' }, 'inbound_domain'],
  [{ catch_type: 'none' }, 'catch_type'],
  [{ match_filter: { type: 'match_header', filters: [] } }, 'match_filter.type'],
  [{ catch_filter: { type: 'catch_recipient', filters: [] } }, 'catch_filter.filters'],
  [
    { catch_filter: { type: 'catch_recipient', filters: [{ comparer: '__proto__', value: 'x' }] } },
    'catch_filter.filters',
  ],
  [{ catch_filter: { type: 'x' } }, 'catch_filter.type'],
  [{ inbound_priority: 101 }, 'inbound_priority'],
] as const)('MailerSend’s route with %j is refused for %s', async ([change, field], { mailcap }) => {
  await using app = await receiver();
  const whole = { ...routeFor(app.url, 'mailersend.acme.test'), ...change };
  const headers = { authorization: 'Bearer any', 'content-type': 'application/json' };
  const url = `${mailcap.url}/providers/mailersend/v1/inbound`;
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(whole) });
  expect([answer.status, await answer.json()]).toMatchObject([422, { errors: { [field]: [expect.any(String)] } }]);
});

test('a reply from a mailbox to the app comes to it, and the send is delivered', async ({ mailcap }) => {
  const mailbox = await mailcap.addMailbox({ allowlist: ['*.acme.test'] });
  await using app = await receiver();
  const requestHost = `${new URL(mailcap.url).host}/providers/postmark`;
  const client = new ServerClient('any', { useHttps: false, requestHost });
  await client.editServer({ InboundHookUrl: app.url, InboundDomain: 'replies.acme.test' });
  const to = 'support+42@replies.acme.test';
  const mail = { from: mailbox.address(), to, subject: 'Re: Order', textBody: 'Thanks!' };
  const { outboundSendId: id } = await json<{ outboundSendId: string }>(
    mailcap.api(`/_mailcap/mailboxes/${mailbox.id}/send`, { json: mail }),
  );
  await app.received(1);
  expect(JSON.parse(app.requests[0]?.body ?? '{}')).toMatchObject({
    ...{
      From: mailbox.address(),
      OriginalRecipient: to,
      MailboxHash: '42',
      TextBody: expect.stringContaining('Thanks!'),
    },
  });
  await expect
    .poll(() => json<object>(mailcap.api(`/_mailcap/sends/${id}`)))
    .toMatchObject({ state: 'delivered', recipients: [{ lastReply: '250 2.0.0 Ok: given to the app' }] });
  // Without the hook, the address is one like any other.
  await client.editServer({ InboundHookUrl: '' });
  const other = await json<{ outboundSendId: string }>(
    mailcap.api(`/_mailcap/mailboxes/${mailbox.id}/send`, { json: mail }),
  );
  await expect
    .poll(() => json<object>(mailcap.api(`/_mailcap/sends/${other.outboundSendId}`)))
    .toMatchObject({ state: 'captured' });
  expect(app.requests).toHaveLength(1);
});

test('an app that fails gets the mail again after the pause of the provider, signed anew', async ({ mailcap }) => {
  await using app = await receiver((number) => (number === 1 ? 500 : 200));
  const mailgun = new Mailgun(FormData).client({
    username: 'api',
    key: 'any',
    url: `${mailcap.url}/providers/mailgun`,
  });
  const action = [`forward("${app.url}")`];
  const route = await mailgun.routes.create({ priority: 0, expression: 'match_recipient("again@.*")', action });
  await sendTo(mailcap, ['again@acme.test']);
  await app.received(1);
  await mailcap.api('/_mailcap/clock', { method: 'PUT', json: { offsetSeconds: 601 } });
  try {
    await app.received(2);
  } finally {
    await mailcap.api('/_mailcap/clock', { method: 'PUT', json: { offsetSeconds: 0 } });
    await mailgun.routes.destroy(route.id);
  }
  const stampOf = (at: number) => /name="timestamp"\r\n\r\n(\d+)/.exec(app.requests[at]?.body ?? '')?.[1];
  expect(Number(stampOf(1)) - Number(stampOf(0))).toBeGreaterThanOrEqual(600);
});

test.for([
  ['/sendgrid/v3/user/webhooks/parse/settings', { hostname: 'a b', url: 'http://a.test' }, 400],
  ['/sendgrid/v3/user/webhooks/parse/settings', { hostname: 'a.test', url: 'file:///etc/passwd' }, 400],
  ['/sendgrid/v3/user/webhooks/parse/settings', { hostname: 'a.test' }, 400],
] as const)('a rule for inbound mail at %s with %j is refused', async ([path, body, status], { mailcap }) => {
  const headers = { authorization: 'Bearer any', 'content-type': 'application/json' };
  const answer = await fetch(`${mailcap.url}/providers${path}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  expect(answer.status).toBe(status);
});

test.for([
  ['match_header("subject", ".*")', 'forward("http://127.0.0.1:1/")'],
  ['match_recipient("(a+)+@b")', 'forward("http://127.0.0.1:1/")'],
  ['catch_all()', 'forward("not a url")'],
  ['catch_all()', 'run("x")'],
] as const)('Mailgun’s route with %s and %s is refused', async ([expression, action], { mailcap }) => {
  const mailgun = new Mailgun(FormData).client({
    username: 'api',
    key: 'any',
    url: `${mailcap.url}/providers/mailgun`,
  });
  await expect(mailgun.routes.create({ priority: 0, expression, action: [action] })).rejects.toMatchObject({
    status: 400,
  });
});

unless(test, BY_DAY ?? lacking('python3'))(
  'django-anymail reads the inbound mail of five providers alike',
  { timeout: 300_000 },
  async () => {
    // Another test set the rules of the server that tests share.
    await using mailcap = await startServer();
    await using sendgrid = await receiver();
    await using mailgun = await receiver();
    await using postmark = await receiver();
    await using ses = await receiver();
    const signingKey = await bringTo(mailcap, { sendgrid, mailgun, postmark, ses });
    await using mailersend = await receiver();
    const made = await mailersendRoutes(mailcap).create(routeFor(secured(mailersend), 'mailersend.acme.test'));
    const secret = (made.body as { data: MailersendRoute }).data.forwards[0]?.secret ?? '';
    const names = ['sendgrid', 'mailgun', 'postmark', 'ses', 'mailersend'] as const;
    const to = names.map((name) => `support+7@${name}.acme.test`);
    const messageId = await sendTo(mailcap, to);
    await Promise.all([sendgrid.received(1), mailgun.received(1), postmark.received(1), ses.received(2)]);
    await mailersend.received(1);
    const paths = [
      'sendgrid/inbound',
      'mailgun/inbound',
      'postmark/inbound',
      'amazon_ses/inbound',
      'mailersend/inbound',
    ];
    const lines = [sendgrid, mailgun, postmark, ses, mailersend].map((app, at) => {
      const { headers, bytes } = app.requests.at(-1) ?? { headers: {}, bytes: Buffer.alloc(0) };
      return JSON.stringify({ path: `/anymail/${paths[at]}/`, headers, body: bytes.toString('base64') });
    });
    const script = join(import.meta.dirname, 'anymail-inbound.py');
    const program = await python();
    const stdout = await new Promise<string>((resolve, reject) => {
      const child = execFile(program, [script, signingKey, secret], { maxBuffer: 1e8 }, (error, out) =>
        error ? reject(error) : resolve(out),
      );
      child.stdin?.end(lines.join('\n'));
    });
    const expected = (esp: string, at: number) => ({
      esp,
      from: 'Zoë <zoe@sender.test>',
      to,
      subject: 'Re: Ihre Frage ✓',
      text: 'Ja, gern.\n\nOn Monday Acme wrote:\n> Noch da?',
      html: '<p>Ja, gern.</p><img src="cid:logo">',
      envelope_sender: 'bounces@sender.test',
      envelope_recipient: to[at],
      message_id: messageId,
      stripped: esp === 'Mailgun' || esp === 'Postmark' ? 'Ja, gern.' : null,
      // Postmark documents an empty ContentID of a file, which django-anymail takes for that of an inline one.
      ...(esp === 'Postmark'
        ? { attachments: [], inlines: { '': FILE, logo: PNG.toString('base64') } }
        : { attachments: [['Grüße.txt', 'text/plain', FILE]], inlines: { logo: PNG.toString('base64') } }),
    });
    const read = JSON.parse(stdout) as { text: string }[];
    expect(read.map((one) => ({ ...one, text: one.text.replace(/\r\n/g, '\n') }))).toEqual([
      expected('SendGrid', 0),
      expected('Mailgun', 1),
      expected('Postmark', 2),
      expected('Amazon SES', 3),
      expected('MailerSend', 4),
    ]);
  },
);
