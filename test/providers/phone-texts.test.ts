import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import twilioSdk from 'twilio';
import { describe, expect, onTestFinished } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { json } from '../http/support.ts';
import { test as base, type TestServer } from '../support/mailcap.ts';
import { receiver } from './support.ts';

const SID = `AC${'0'.repeat(32)}`;
const TOKEN = 'the-auth-token';

function sdkOf({ url }: TestServer, token = TOKEN) {
  const sdk = twilioSdk(SID, token);
  sdk.api.baseUrl = `${url}/providers/twilio`;
  return sdk;
}

const test = base
  .extend('twilio', ({ mailcap }) => sdkOf(mailcap))
  .extend('client', ({ mailcap }) =>
    createClient({ baseUrl: mailcap.url, apiKey: mailcap.apiKey, workspaceId: mailcap.workspaceId }),
  );

const LONG = 'x'.repeat(1_601);

let last = 0;
/** Returns a number that no other test has. */
const number = () => `+1202555${String(5_000 + last++)}`;

type Params = Readonly<Record<string, string>>;

/** Starts an app that checks Twilio’s signature by its SDK, and answers with what `answer` returns. */
async function startApp(answer: (params: Params) => string, type = 'text/xml', token = TOKEN) {
  const requests: { readonly method: string; readonly params: Params }[] = [];
  const app = express();
  let url = '';
  app.all('/sms', express.urlencoded({ extended: false }), (req, res) => {
    const signature = String(req.headers['x-twilio-signature']);
    const params = (req.method === 'GET' ? req.query : req.body) as Params;
    const asked = url + req.originalUrl.slice('/sms'.length);
    if (!twilioSdk.validateRequest(token, signature, asked, req.method === 'GET' ? {} : params))
      return void res.sendStatus(403);
    requests.push({ method: req.method, params });
    res.type(type).send(answer(params));
  });
  const server = createServer(app).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/sms`;
  return { url, requests };
}

function twiml(write: (response: InstanceType<typeof twilioSdk.twiml.MessagingResponse>) => void): string {
  const response = new twilioSdk.twiml.MessagingResponse();
  write(response);
  return response.toString();
}

describe('a phone that answers', () => {
  test('the app gets the signed request of Twilio, and its TwiML comes to the phone', async ({ client, twilio }) => {
    const [app, phone] = [number(), number()];
    const server = await startApp(({ Body }) => twiml((response) => void response.message(`You said: ${Body} <&>`)));
    const made = await twilio.incomingPhoneNumbers.create({ phoneNumber: app, smsUrl: server.url });
    expect(made).toMatchObject({ phoneNumber: app, smsUrl: server.url, smsMethod: 'POST' });
    const mailbox = await client.mailbox({ phones: [phone] });
    await twilio.messages.create({ from: app, to: phone, body: 'Shall we come? Answer YES' });
    const asked = await mailbox.waitForSms();
    const sent = await asked.reply('YES ✓');
    expect(sent).toMatchObject({ from: phone, to: app, body: 'YES ✓' });
    const answer = await mailbox.waitForSms();
    expect(answer).toMatchObject({ from: app, to: phone, body: 'You said: YES ✓ <&>' });
    expect(server.requests).toEqual([
      {
        method: 'POST',
        params: {
          ...{ MessageSid: sent.id, SmsSid: sent.id, SmsMessageSid: sent.id, AccountSid: SID, From: phone, To: app },
          ...{ Body: 'YES ✓', NumMedia: '0', NumSegments: '1', SmsStatus: 'received', ApiVersion: '2010-04-01' },
        },
      },
    ]);
    expect(await twilio.messages(sent.id).fetch()).toMatchObject({
      ...{ direction: 'inbound', status: 'received', from: phone, to: app, body: 'YES ✓' },
    });
    const listed = await twilio.messages.list({ to: phone });
    expect(listed.map(({ direction, body }) => [direction, body])).toEqual([
      ['outbound-reply', 'You said: YES ✓ <&>'],
      ['outbound-api', 'Shall we come? Answer YES'],
    ]);
  });

  test('the message of the answer shows the request and the TwiML', async ({ client, mailcap, twilio }) => {
    const [app, phone] = [number(), number()];
    const server = await startApp(() => twiml((response) => void response.message('Hello')));
    await twilio.incomingPhoneNumbers.create({ phoneNumber: app, smsUrl: server.url });
    const mailbox = await client.mailbox({ phones: [phone] });
    await mailbox.sendSms({ to: app, body: 'Hi' });
    const { id } = await mailbox.waitForSms();
    const facts = await json<{ transcript: string[] }>(mailcap.api(`/_mailcap/messages/${id}`));
    expect(facts).toMatchObject({ kind: 'sms', provider: { name: 'twilio' } });
    expect(facts.transcript[0]).toBe('C: POST /sms HTTP/1.1');
    expect(facts.transcript.join('\n')).toContain('<Message>Hello</Message>');
    expect(facts.transcript.join('\n')).not.toContain(TOKEN);
  });

  test('an answer may have several messages, media, and a callback that is signed', async ({ client, twilio }) => {
    await using callbacks = await receiver();
    const [app, phone, other] = [number(), number(), number()];
    const server = await startApp(() =>
      twiml((response) => {
        response.message('First');
        const second = response.message({ to: other, statusCallback: callbacks.url }, '');
        second.body('Second');
        second.media('https://acme.test/a.png');
      }),
    );
    await twilio.incomingPhoneNumbers.create({ phoneNumber: app, smsUrl: server.url });
    const [mailbox, second] = [await client.mailbox({ phones: [phone] }), await client.mailbox({ phones: [other] })];
    await mailbox.sendSms({ to: app, body: 'Hi' });
    expect((await mailbox.waitForSms()).body).toBe('First');
    expect(await second.waitForSms()).toMatchObject({ body: 'Second', from: app });
    await callbacks.received(3);
    for (const { headers, body } of callbacks.requests) {
      const params = Object.fromEntries(new URLSearchParams(body));
      const signature = String(headers['x-twilio-signature']);
      expect(twilioSdk.validateRequest(TOKEN, signature, callbacks.url, params)).toBe(true);
    }
    const [message] = await twilio.messages.list({ to: other });
    const media = await twilio.messages(message?.sid ?? '').media.list();
    expect(media.map(({ contentType, parentSid }) => [contentType, parentSid])).toEqual([['image/png', message?.sid]]);
  });

  test('a number may be asked by GET, whose query is signed', async ({ client, twilio }) => {
    const [app, phone] = [number(), number()];
    const server = await startApp(() => '<Response/>');
    const smsUrl = `${server.url}?shop=7`;
    await twilio.incomingPhoneNumbers.create({ phoneNumber: app, smsUrl, smsMethod: 'GET' });
    const mailbox = await client.mailbox({ phones: [phone] });
    await mailbox.sendSms({ to: app, body: 'a b & c' });
    await expect.poll(() => server.requests).toMatchObject([{ method: 'GET', params: { Body: 'a b & c', shop: '7' } }]);
  });

  test('pictures are named, and a text/plain answer is the text', async ({ client, twilio }) => {
    const [app, phone] = [number(), number()];
    const server = await startApp(() => 'A nice picture', 'text/plain');
    await twilio.incomingPhoneNumbers.create({ phoneNumber: app, smsUrl: server.url });
    const mailbox = await client.mailbox({ phones: [phone] });
    await mailbox.sendSms({ to: app, media: ['https://acme.test/cat.jpg'] });
    expect((await mailbox.waitForSms()).body).toBe('A nice picture');
    expect(server.requests[0]?.params).toMatchObject({
      ...{ NumMedia: '1', MediaUrl0: 'https://acme.test/cat.jpg', MediaContentType0: 'image/jpeg', Body: '' },
    });
  });

  test('an answer of WhatsApp goes to WhatsApp', async ({ client, twilio }) => {
    const [app, phone] = [number(), number()];
    const server = await startApp(({ From }) => twiml((response) => void response.message(`Hello ${From}`)));
    await twilio.incomingPhoneNumbers.create({ phoneNumber: app, smsUrl: server.url });
    const mailbox = await client.mailbox({ phones: [phone] });
    const whatsapp = { from: `whatsapp:${app}`, to: `whatsapp:${phone}`, body: 'x'.repeat(300) };
    expect(await twilio.messages.create(whatsapp)).toMatchObject({ ...whatsapp, numSegments: '1' });
    const sms = await mailbox.waitForSms();
    expect(sms).toMatchObject({ from: `whatsapp:${app}`, to: phone });
    await sms.reply('Hi');
    expect(await mailbox.waitForSms()).toMatchObject({ body: `Hello whatsapp:${phone}`, from: `whatsapp:${app}` });
    expect(server.requests[0]?.params).toMatchObject({ From: `whatsapp:${phone}`, WaId: phone.slice(1) });
    const mixed = twilio.messages.create({ from: app, to: `whatsapp:${phone}`, body: 'x' });
    await expect(mixed).rejects.toMatchObject({ code: 21910 });
  });
});

describe('an app that fails', () => {
  test.for([
    ['it is no XML', 'Thanks!'],
    ['its root is another', '<Reply><Message>Thanks!</Message></Reply>'],
    ['a tag is not closed', '<Response><Message>Thanks!</Response>'],
    [
      'an entity is declared',
      '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><Response><Message>&x;</Message></Response>',
    ],
    [
      'entities grow',
      `<!DOCTYPE r [<!ENTITY a "${'x'.repeat(50)}"><!ENTITY b "&a;&a;&a;">]><Response><Message>&b;</Message></Response>`,
    ],
    ['it is nested deeply', `<Response>${'<a>'.repeat(9_000)}</Response>`],
    ['it has too many messages', `<Response>${'<Message>a</Message>'.repeat(51)}</Response>`],
    ['a message is empty', '<Response><Message></Message></Response>'],
    ['a recipient is no number', '<Response><Message to="eve@evil.test">Hi</Message></Response>'],
    ['a picture is a file', '<Response><Message>Hi<Media>file:///etc/passwd</Media></Message></Response>'],
  ] as const)('the fallback is asked if %s', async ([, answer], { client, twilio }) => {
    const [app, phone] = [number(), number()];
    const server = await startApp(() => answer);
    const fallback = await startApp(({ ErrorUrl }) => twiml((response) => void response.message(`Not ${ErrorUrl}`)));
    await twilio.incomingPhoneNumbers.create({
      ...{ phoneNumber: app, smsUrl: server.url, smsFallbackUrl: fallback.url },
    });
    const mailbox = await client.mailbox({ phones: [phone] });
    await mailbox.sendSms({ to: app, body: 'Hi' });
    expect((await mailbox.waitForSms()).body).toBe(`Not ${server.url}`);
    expect(fallback.requests[0]?.params).toMatchObject({ ErrorCode: '11200', Body: 'Hi' });
    await mailbox.expectNoMessage({}, { for: 30 });
  });

  test('without a fallback Twilio tries no more, and texts go one after another', async ({ client, twilio }) => {
    const [app, phone] = [number(), number()];
    await using receiving = await receiver((count) => (count === 1 ? 500 : 200));
    await twilio.incomingPhoneNumbers.create({ phoneNumber: app, smsUrl: receiving.url });
    const mailbox = await client.mailbox({ phones: [phone] });
    for (const body of ['1', '2', '3']) await mailbox.sendSms({ to: app, body });
    await receiving.received(3);
    const bodies = receiving.requests.map(({ body }) => new URLSearchParams(body).get('Body'));
    expect(bodies).toEqual(['1', '2', '3']);
  });
});

test('numbers are listed, changed and released', async ({ client, mailcap, twilio }) => {
  const [app, phone] = [number(), number()];
  const server = await startApp(() => '<Response/>', 'text/xml', 'a-newer-token');
  const { sid } = await twilio.incomingPhoneNumbers.create({ phoneNumber: app, friendlyName: `Shop ${app}` });
  const mailbox = await client.mailbox({ phones: [phone] });
  const early = mailbox.sendSms({ to: app, body: 'Hi' });
  await expect(early).rejects.toMatchObject({ code: 'number_without_app' });
  expect((await twilio.incomingPhoneNumbers.list({ phoneNumber: app })).map((one) => one.sid)).toEqual([sid]);
  // The token of the newest request signs.
  const newer = sdkOf(mailcap, 'a-newer-token');
  expect(await newer.incomingPhoneNumbers(sid).update({ smsUrl: server.url })).toMatchObject({
    ...{ sid, friendlyName: `Shop ${app}`, smsUrl: server.url },
  });
  await mailbox.sendSms({ to: app, body: 'Hi' });
  await expect.poll(() => server.requests.length).toBe(1);
  expect(await twilio.incomingPhoneNumbers(sid).remove()).toBe(true);
  await expect(twilio.incomingPhoneNumbers(sid).fetch()).rejects.toMatchObject({ status: 404, code: 20404 });
  await expect(mailbox.sendSms({ to: app, body: 'Hi' })).rejects.toMatchObject({ code: 'number_without_app' });
});

test.for([
  [{ phoneNumber: '+15005550000' }, 21422],
  [{ phoneNumber: '+15005550001' }, 21421],
  [{ phoneNumber: '5550' }, 21421],
  [{ phoneNumber: '+15005550006', smsUrl: 'ftp://acme.test' }, 21502],
  [{ phoneNumber: '+15005550006', smsUrl: 'https://acme.test', smsMethod: 'PUT' }, 21403],
] as const)('a number %j is refused with %i', async ([given, code], { twilio }) => {
  await expect(twilio.incomingPhoneNumbers.create(given)).rejects.toMatchObject({ status: 400, code });
});

test('the messages and numbers of an account are its own, and a path without an account is not there', async ({
  mailcap,
  twilio,
}) => {
  const phone = number();
  const { sid } = await twilio.messages.create({ from: number(), to: phone, body: 'Hi' });
  const other = twilioSdk(`AC${'1'.repeat(32)}`, TOKEN);
  other.api.baseUrl = `${mailcap.url}/providers/twilio`;
  await expect(other.messages(sid).fetch()).rejects.toMatchObject({ code: 20404 });
  expect(await other.messages.list({ to: phone })).toEqual([]);
  const headers = { authorization: `Basic ${Buffer.from(`${SID}:${TOKEN}`).toString('base64')}` };
  const wrong = await fetch(`${mailcap.url}/providers/twilio/2010-04-01/Accounts/x/Messages.json`, { headers });
  expect([wrong.status, await wrong.json()]).toMatchObject([404, { code: 20404 }]);
});

test('the media of a message are listed, and lead to their URL', async ({ mailcap, twilio }) => {
  const mediaUrl = ['https://acme.test/a.png?x=1', 'https://acme.test/b'];
  const { sid, numMedia } = await twilio.messages.create({ from: number(), to: number(), mediaUrl });
  expect(numMedia).toBe('2');
  const media = await twilio.messages(sid).media.list();
  expect(media.map(({ contentType }) => contentType)).toEqual(['image/png', 'application/octet-stream']);
  const one = await twilio
    .messages(sid)
    .media(media[1]?.sid ?? '')
    .fetch();
  expect(one).toMatchObject({ parentSid: sid, accountSid: SID });
  const headers = { authorization: `Basic ${Buffer.from(`${SID}:${TOKEN}`).toString('base64')}` };
  const path = `/providers/twilio${one.uri.replace('.json', '')}`;
  const content = await fetch(mailcap.url + path, { headers, redirect: 'manual' });
  expect([content.status, content.headers.get('location')]).toEqual([307, mediaUrl[1]]);
});

test.for([
  [{}, 'to is no phone number'],
  [{ to: '5550', body: 'x' }, 'number_without_app'],
  [{ to: 'Acme', body: 'x' }, 'to is no phone number'],
  [{ to: '+15005550006' }, 'body is empty'],
  [{ to: '+15005550006', body: 7 }, 'body is no text'],
  [{ to: '+15005550006', body: LONG }, 'body is no text'],
  [{ to: '+15005550006', body: 'x', from: 'Acme' }, 'from is no phone number'],
  [{ to: '+15005550006', body: 'x', from: '+12025559999' }, 'another mailbox'],
  [{ to: '+15005550006', body: 'x', media: ['file:///etc/passwd'] }, 'media is no list'],
  [{ to: '+15005550006', body: 'x', media: 'https://acme.test' }, 'media is no list'],
] as const)('a text of a phone is refused: $1 (%#)', async ([given, why], { client, mailcap }) => {
  const mailbox = await client.mailbox({ phones: [number()] });
  const answer = await mailcap.api(`/_mailcap/mailboxes/${mailbox.id}/texts`, { json: given });
  const told = (await answer.json()) as { error: string; message?: string };
  expect(`${told.error} ${told.message ?? ''}`).toContain(why);
  expect(answer.status).toBe(why === 'number_without_app' ? 409 : 400);
});

test('a mailbox without a number sends from none, and the inbox from any that nobody claims', async ({
  client,
  twilio,
}) => {
  const app = number();
  const server = await startApp(() => '<Response/>');
  await twilio.incomingPhoneNumbers.create({ phoneNumber: app, smsUrl: server.url });
  const without = await client.mailbox();
  await expect(without.sendSms({ to: app, body: 'x' })).rejects.toMatchObject({ code: 'invalid_text' });
  await expect(without.sendSms({ to: app, body: 'x' }, { signal: AbortSignal.abort() })).rejects.toThrow(/abort/i);
  const inbox = await client.mailbox({ mailbox: 'inbox' });
  const phone = number();
  await inbox.sendSms({ from: phone, to: app, body: 'x' });
  await expect.poll(() => server.requests).toMatchObject([{ params: { From: phone } }]);
});
