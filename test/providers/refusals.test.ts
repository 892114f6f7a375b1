import {
  CreateTemplateCommand,
  InvalidTemplateException,
  SESClient,
  SendEmailCommand as V1SendEmailCommand,
} from '@aws-sdk/client-ses';
import { SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2';
import { InvalidParameterValueException, PublishCommand, SNSClient } from '@aws-sdk/client-sns';
import { BrevoClient } from '@getbrevo/brevo';
import sgMail from '@sendgrid/mail';
import { APIClient, SendEmailRequest } from 'customerio-node';
import { EmailParams, MailerSend, Recipient, Sender } from 'mailersend';
import Mailgun from 'mailgun.js';
import { ServerClient } from 'postmark';
import { Resend } from 'resend';
import { describe, expect } from 'vitest';
import { json } from '../http/support.ts';
import { startServer, type TestServer, test } from '../support/mailcap.ts';
import { messagesOf, receiver } from './support.ts';

/** Sends a mail by the official SDK of a provider. Returns the error as the SDK gives it; null if the mail was taken. */
type Send = (server: TestServer, to: string, from?: string) => Promise<unknown>;

const FROM = 'shop@acme.test';
const caught = (sending: Promise<unknown>) =>
  sending.then(
    () => null,
    (error: unknown) => error,
  );

const SENDS: Readonly<Record<string, Send>> = {
  resend: async ({ url }, to, from = FROM) => {
    const resend = new Resend('re_any', { baseUrl: `${url}/providers/resend` });
    const { error, headers } = await resend.emails.send({ from, to, subject: 'Hi', text: 'Hello' });
    return error === null ? null : { ...error, headers };
  },
  sendgrid: async ({ url }, to, from = FROM) => {
    sgMail.setApiKey('SG.any');
    // The types lack the client.
    const { client } = sgMail as unknown as { client: { setDefaultRequest(name: string, value: string): void } };
    client.setDefaultRequest('baseUrl', `${url}/providers/sendgrid/`);
    return caught(sgMail.send({ from, to, subject: 'Hi', text: 'Hello' }));
  },
  postmark: async ({ url }, to, from = FROM) => {
    const requestHost = `${new URL(url).host}/providers/postmark`;
    const client = new ServerClient('any', { useHttps: false, requestHost });
    return caught(client.sendEmail({ From: from, To: to, Subject: 'Hi', TextBody: 'Hello' }));
  },
  mailgun: async ({ url }, to, from = FROM) => {
    const client = new Mailgun(FormData).client({ username: 'api', key: 'any', url: `${url}/providers/mailgun` });
    const domain = from.replace(/^.*@/, '');
    return caught(client.messages.create(domain, { from, to, subject: 'Hi', text: 'Hello' }));
  },
  ses: async ({ url }, to, from = FROM) => {
    const credentials = { accessKeyId: 'any', secretAccessKey: 'any' };
    const endpoint = `${url}/providers/ses`;
    const ses = new SESv2Client({ region: 'us-east-1', credentials, endpoint, maxAttempts: 1 });
    const Content = { Simple: { Subject: { Data: 'Hi' }, Body: { Text: { Data: 'Hello' } } } };
    return caught(
      ses.send(new SendEmailCommand({ FromEmailAddress: from, Destination: { ToAddresses: [to] }, Content })),
    );
  },
  brevo: async ({ url }, to, from = FROM) => {
    const brevo = new BrevoClient({ apiKey: 'any', baseUrl: `${url}/providers/brevo/v3`, maxRetries: 0 });
    const mail = { sender: { email: from }, to: [{ email: to }], subject: 'Hi', textContent: 'Hello' };
    return caught(brevo.transactionalEmails.sendTransacEmail(mail));
  },
  mailersend: async ({ url }, to, from = FROM) => {
    const client = new MailerSend({ apiKey: 'any' });
    Object.assign(client.email, { baseUrl: `${url}/providers/mailersend/v1` });
    const mail = new EmailParams()
      .setFrom(new Sender(from))
      .setTo([new Recipient(to)])
      .setSubject('Hi')
      .setText('Hello');
    return caught(client.email.send(mail));
  },
  mailtrap: async ({ url }, to, from = FROM) => {
    const response = await fetch(`${url}/providers/mailtrap/api/send`, {
      method: 'POST',
      headers: { authorization: 'Bearer any', 'content-type': 'application/json' },
      body: JSON.stringify({ from: { email: from }, to: [{ email: to }], subject: 'Hi', text: 'Hello' }),
    });
    return response.ok ? null : { status: response.status, headers: response.headers, body: await response.json() };
  },
  customerio: async ({ url }, to, from = FROM) => {
    const client = new APIClient('any', { url: `${url}/providers/customerio/v1` });
    const mail = { to, from, subject: 'Hi', body: 'Hello', identifiers: { email: to } };
    return caught(client.sendEmail(new SendEmailRequest(mail)));
  },
};

/** What each SDK says of a sender that is not verified, and of too many requests. */
const UNVERIFIED: Readonly<Record<string, object>> = {
  resend: {
    ...{ name: 'validation_error', statusCode: 403 },
    message: 'The acme.test domain is not verified. Please, add and verify your domain on https://resend.com/domains',
  },
  sendgrid: { code: 403, response: { body: { errors: [{ field: 'from', help: null }] } } },
  postmark: { name: 'ApiInputError', code: 400, statusCode: 422, message: expect.stringContaining('Sender Signature') },
  mailgun: { status: 404, details: 'Domain not found: acme.test' },
  ses: {
    name: 'MessageRejected',
    message: expect.stringMatching(/^Email address is not verified\..*shop@acme\.test$/),
  },
  brevo: { statusCode: 400, body: { code: 'invalid_parameter', message: expect.stringContaining('shop@acme.test') } },
  mailersend: { statusCode: 422, body: { errors: { 'from.email': [expect.stringContaining('#MS42207')] } } },
  customerio: { statusCode: 400, message: expect.stringContaining('shop@acme.test') },
  mailtrap: { status: 403, body: { success: false, errors: ['Sending from domain acme.test is not allowed'] } },
};

const LIMITED: Readonly<Record<string, object>> = {
  resend: { name: 'rate_limit_exceeded', statusCode: 429, headers: { 'retry-after': '1', 'ratelimit-remaining': '0' } },
  sendgrid: { code: 429, response: { headers: { 'x-ratelimit-remaining': '0' } } },
  postmark: { name: 'RateLimitExceededError', statusCode: 429 },
  mailgun: { status: 429 },
  ses: { name: 'TooManyRequestsException', $metadata: { httpStatusCode: 429 } },
  brevo: { statusCode: 429, body: { code: 'too_many_requests' } },
  mailersend: { statusCode: 429, body: { message: 'Too Many Attempts.' }, headers: { 'retry-after': '60' } },
  customerio: { statusCode: 429 },
  mailtrap: { status: 429, body: { success: false, errors: [expect.any(String)] } },
};

const FAILED: Readonly<Record<string, object>> = {
  resend: { name: 'application_error', statusCode: 500 },
  sendgrid: { code: 500, response: { body: { errors: [{ field: null }] } } },
  postmark: { name: 'InternalServerError', statusCode: 500 },
  mailgun: { status: 500 },
  ses: { name: 'InternalServiceErrorException', $metadata: { httpStatusCode: 500 } },
  brevo: { statusCode: 500, body: { code: 'internal_error' } },
  mailersend: { statusCode: 500, body: { message: 'Server Error' } },
  customerio: { statusCode: 500 },
  mailtrap: { status: 500, body: { success: false } },
};

describe.for(Object.entries(SENDS))('%s', ([name, send]) => {
  test('refuses a sender that is no identity, if the workspace demands one', async () => {
    await using server = await startServer();
    const mailbox = await server.addMailbox();
    const path = `/_mailcap/workspaces/${server.workspaceId}`;
    await json(server.api(path, { method: 'PATCH', json: { senders: 'verified' } }));
    expect(await send(server, mailbox.address())).toMatchObject(UNVERIFIED[name] ?? {});
    expect(await messagesOf(server, mailbox.id)).toEqual([]);
    await json(server.api(`${path}/identities`, { json: { domain: 'acme.test' } }));
    expect(await send(server, mailbox.address(), 'shop@mail.acme.test')).toBeNull();
    expect(await messagesOf(server, mailbox.id)).toHaveLength(1);
    await json(server.api(path, { method: 'PATCH', json: { senders: 'any' } }));
    expect(await send(server, mailbox.address(), 'shop@other.test')).toBeNull();
  });

  test('answers a fault rule with a status alone as the provider does', async ({ mailcap, mailbox }) => {
    for (const [status, expected] of [
      ['429', LIMITED[name]],
      ['500', FAILED[name]],
    ] as const) {
      const rule = { stage: 'http', match: { path: `/providers/${name}/*` }, action: { reply: status } };
      const { id } = await json<{ id: string }>(mailcap.api('/_mailcap/faults', { json: rule }));
      const refused = await send(mailcap, mailbox.address());
      await mailcap.api(`/_mailcap/faults/${id}`, { method: 'DELETE' });
      expect(refused).toMatchObject(expected ?? {});
    }
    expect(await messagesOf(mailcap, mailbox.id)).toEqual([]);
    expect(await send(mailcap, mailbox.address())).toBeNull();
  });
});

/** The meaning that the documents of the providers give a status, where it is not what its number says. */
test.for([
  // A key that is missing has 401, and one that is wrong 403: https://resend.com/docs/api-reference/errors
  ['resend', '401', { statusCode: 401, name: 'missing_api_key' }],
  ['resend', '403', { statusCode: 403, name: 'invalid_api_key' }],
  // https://postmarkapp.com/developer/api/overview#response-codes
  ['postmark', '401', { statusCode: 401, code: 10 }],
  ['postmark', '413', { statusCode: 413 }],
  ['ses', '403', { name: 'InvalidClientTokenId', $metadata: { httpStatusCode: 403 } }],
  ['sendgrid', '401', { code: 401 }],
  ['mailersend', '401', { statusCode: 401, body: { message: 'Unauthenticated.' } }],
  ['mailtrap', '403', { status: 403, body: { success: false } }],
] as const)('%s answers the fault %s as its documents say', async ([name, status, expected], { mailcap, mailbox }) => {
  const rule = { stage: 'http', match: { path: `/providers/${name}/*` }, action: { reply: status } };
  const { id } = await json<{ id: string }>(mailcap.api('/_mailcap/faults', { json: rule }));
  const refused = await SENDS[name]?.(mailcap, mailbox.address());
  await mailcap.api(`/_mailcap/faults/${id}`, { method: 'DELETE' });
  expect(refused).toMatchObject(expected);
});

test('Amazon names its refusals as the models of its SDKs do', async ({ mailcap, mailbox }) => {
  const [credentials, region] = [{ accessKeyId: 'any', secretAccessKey: 'any' }, 'us-east-1'];
  const form = { credentials, region, maxAttempts: 1 };
  const one = new SESClient({ ...form, endpoint: `${mailcap.url}/providers/ses` });
  const template = new CreateTemplateCommand({ Template: { TemplateName: 'a', SubjectPart: 'Hi', TextPart: '{{#if' } });
  await expect(one.send(template)).rejects.toBeInstanceOf(InvalidTemplateException);
  const sns = new SNSClient({ ...form, endpoint: `${mailcap.url}/providers/sns` });
  const MessageAttributes = { 'AWS.SNS.SMS.SMSType': { DataType: 'String', StringValue: 'Loud' } };
  const text = new PublishCommand({ PhoneNumber: '+15005550006', Message: 'Hi', MessageAttributes });
  await expect(sns.send(text)).rejects.toBeInstanceOf(InvalidParameterValueException);
  const rule = { stage: 'http', match: { path: '/providers/ses' }, action: { reply: '429' } };
  await mailcap.api('/_mailcap/faults', { json: rule });
  const mail = { Subject: { Data: 'Hi' }, Body: { Text: { Data: 'Hello' } } };
  const sending = one.send(
    new V1SendEmailCommand({ Source: FROM, Destination: { ToAddresses: [mailbox.address()] }, Message: mail }),
  );
  await expect(sending).rejects.toMatchObject({ name: 'Throttling', $metadata: { httpStatusCode: 400 } });
});

test('Postmark refuses a body that is no JSON with 415, and files over 10 MB with 413', async ({ mailcap }) => {
  const url = `${mailcap.url}/providers/postmark/email`;
  const key = { 'x-postmark-server-token': 'any' };
  const text = await fetch(url, { method: 'POST', headers: { ...key, 'content-type': 'text/plain' }, body: 'Hi' });
  expect([text.status, await text.json()]).toMatchObject([415, { ErrorCode: 409 }]);
  const requestHost = `${new URL(mailcap.url).host}/providers/postmark`;
  const client = new ServerClient('any', { useHttps: false, requestHost });
  const file = { Name: 'a.bin', ContentType: 'application/octet-stream', ContentID: null };
  const Attachments = [{ ...file, Content: Buffer.alloc(11 * 1024 * 1024).toString('base64') }];
  const mail = { From: FROM, To: 'a@x.test', Subject: 'Hi', TextBody: 'Hello', Attachments };
  await expect(client.sendEmail(mail)).rejects.toMatchObject({ statusCode: 413, code: 300 });
});

test('of Postmark’s batch each mail has a sender of its own', async () => {
  await using server = await startServer();
  const mailbox = await server.addMailbox();
  const path = `/_mailcap/workspaces/${server.workspaceId}`;
  await json(server.api(path, { method: 'PATCH', json: { senders: 'verified' } }));
  await json(server.api(`${path}/identities`, { json: { domain: 'acme.test' } }));
  const requestHost = `${new URL(server.url).host}/providers/postmark`;
  const client = new ServerClient('any', { useHttps: false, requestHost });
  const mails = ['a@acme.test', 'a@other.test'].map((From) => ({
    ...{ From, To: mailbox.address(), Subject: 'Hi', TextBody: 'Hello' },
  }));
  expect((await client.sendEmailBatch(mails)).map(({ ErrorCode }) => ErrorCode)).toEqual([0, 400]);
  expect(await messagesOf(server, mailbox.id)).toHaveLength(1);
});

test('Postmark’s test token checks an email, and sends none', async ({ mailcap, mailbox }) => {
  const requestHost = `${new URL(mailcap.url).host}/providers/postmark`;
  const client = new ServerClient('POSTMARK_API_TEST', { useHttps: false, requestHost });
  const mail = { From: FROM, To: mailbox.address(), Subject: 'Hi', TextBody: 'Hello' };
  expect(await client.sendEmail(mail)).toMatchObject({ ErrorCode: 0, Message: 'Test job accepted' });
  expect(await client.sendEmailBatch([mail, { ...mail, To: 'nobody' }])).toMatchObject([
    { ErrorCode: 0, Message: 'Test job accepted' },
    { ErrorCode: 300 },
  ]);
  await expect(client.sendEmail({ ...mail, To: 'nobody' })).rejects.toMatchObject({ code: 300 });
  expect(await messagesOf(mailcap, mailbox.id)).toEqual([]);
});

test('Mailgun’s test mode tells of events, and delivers to nobody', async ({ mailcap, mailbox }) => {
  await using app = await receiver();
  const client = new Mailgun(FormData).client({ username: 'api', key: 'any', url: `${mailcap.url}/providers/mailgun` });
  await client.webhooks.create('acme.test', 'delivered', app.url, false);
  const mail = { from: FROM, to: mailbox.address(), subject: 'Hi', text: 'Hello' };
  await client.messages.create('acme.test', { ...mail, 'o:testmode': 'yes' });
  await app.received(1);
  expect(await messagesOf(mailcap, mailbox.id)).toEqual([]);
  await client.messages.create('acme.test', { ...mail, 'o:testmode': 'no' });
  expect(await messagesOf(mailcap, mailbox.id)).toHaveLength(1);
});

test('a workspace takes no other senders than any and verified', async ({ mailcap }) => {
  const path = `/_mailcap/workspaces/${mailcap.workspaceId}`;
  const refused = await mailcap.api(path, { method: 'PATCH', json: { senders: 'some' } });
  expect([refused.status, await refused.json()]).toMatchObject([400, { error: 'invalid_senders' }]);
  expect(await json(mailcap.api(path))).toMatchObject({ senders: 'any' });
});
