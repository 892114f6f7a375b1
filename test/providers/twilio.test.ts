import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { createTransport } from 'nodemailer';
import twilioSdk from 'twilio';
import { describe, expect, onTestFinished } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { json } from '../http/support.ts';
import { test as base, type TestServer } from '../support/mailcap.ts';
import { messagesOf, receiver } from './support.ts';

const SID = `AC${'0'.repeat(32)}`;
const TOKEN = 'any-token';
const FROM = '+15005550006';

function sdkOf({ url }: TestServer, token = TOKEN) {
  const sdk = twilioSdk(SID, token);
  sdk.api.baseUrl = `${url}/providers/twilio`;
  sdk.verify.baseUrl = `${url}/providers/twilio`;
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
function number(): string {
  return `+1202555${String(1_000 + last++).padStart(4, '0')}`;
}

async function deliver({ smtp }: TestServer, to: string, subject: string): Promise<void> {
  await createTransport({ ...smtp, ignoreTLS: true }).sendMail({ from: 'shop@acme.test', to, subject, text: subject });
}

interface Listed {
  readonly items: readonly { readonly id: string; readonly kind: string; readonly from: string; readonly to: string }[];
}

async function textsOf(server: TestServer, mailboxId: string, query = 'kind=sms'): Promise<Listed['items']> {
  return (await json<Listed>(server.api(`/_mailcap/mailboxes/${mailboxId}/messages?${query}`))).items;
}

describe('messages.create', () => {
  test('a test that claims the number gets the text and its code', async ({ client, twilio }) => {
    const phone = number();
    const mailbox = await client.mailbox({ phones: [phone] });
    expect(mailbox.phones).toEqual([phone]);
    expect(mailbox.addresses).toEqual([]);
    const waiting = mailbox.waitForCode();
    const sent = await twilio.messages.create({ from: FROM, to: phone, body: 'Your code is 482913.' });
    expect(sent).toMatchObject({
      from: FROM,
      to: phone,
      body: 'Your code is 482913.',
      status: 'queued',
      numSegments: '1',
    });
    expect(sent.sid).toMatch(/^SM[0-9a-f]{32}$/);
    expect(sent.dateCreated.getTime()).toBeGreaterThan(Date.now() - 60_000);
    expect(await waiting).toBe('482913');
    await twilio.messages.create({
      from: 'Acme Shop',
      to: phone,
      body: 'Your order is on its way: https://acme.test/o/1',
    });
    const sms = await mailbox.waitForSms({
      from: 'Acme',
      to: phone,
      body: /on its way/,
      where: ({ body }) => body.length < 160,
    });
    expect(sms).toMatchObject({
      from: 'Acme Shop',
      to: phone,
      body: 'Your order is on its way: https://acme.test/o/1',
    });
    expect(sms.link().href).toBe('https://acme.test/o/1');
    await mailbox.expectNoMessage({}, { for: 50 });
  });

  test('a mail is no text message, and a code may come by either', async ({ client, mailcap, twilio }) => {
    const phone = number();
    const mailbox = await client.mailbox({ phones: [phone] });
    await deliver(mailcap, mailbox.address, 'Your code is 112233');
    await twilio.messages.create({ from: FROM, to: phone, body: 'Hello' });
    expect((await mailbox.waitForSms()).body).toBe('Hello');
    expect(await mailbox.waitForCode({ subject: 'code' })).toBe('112233');
    await deliver(mailcap, mailbox.address, 'Second');
    expect((await mailbox.waitForMessage({ subject: 'Second' })).subject).toBe('Second');
  });

  test('a number that another test has, or that lacks its country code, is refused with a sentence', async ({
    client,
  }) => {
    const phone = number();
    await client.mailbox({ name: 'First', phones: [phone] });
    const taken = client.mailbox({ phones: [phone] });
    await expect(taken).rejects.toMatchObject({ code: 'address_taken', message: expect.stringContaining(phone) });
    const wrong = client.mailbox({ phones: ['5005550006'] });
    await expect(wrong).rejects.toMatchObject({
      code: 'invalid_addresses',
      message: expect.stringContaining('phones contains "5005550006"'),
    });
  });

  test('a text to a number that nobody claims is in the inbox', async ({ client, mailcap, twilio }) => {
    const phone = number();
    const inbox = await client.mailbox({ mailbox: 'inbox' });
    await twilio.messages.create({ from: FROM, to: phone, body: 'Nobody claims this' });
    expect((await inbox.waitForSms({ to: phone })).body).toBe('Nobody claims this');
    const found = await json<Listed>(mailcap.api(`/_mailcap/messages?query=is:sms to:${phone.slice(1)}`));
    expect(found.items).toMatchObject([{ kind: 'sms', from: FROM, to: phone }]);
  });

  test('the cloud API shows no text message, whatever it asks', async ({ client, mailcap, twilio }) => {
    const phone = number();
    const { id, address } = await client.mailbox({ phones: [phone] });
    await deliver(mailcap, address, 'First');
    await twilio.messages.create({ from: FROM, to: phone, body: 'Between' });
    await deliver(mailcap, address, 'Last');
    expect((await messagesOf(mailcap, id)).map(({ subject }) => subject)).toEqual(['Last', 'First']);
    expect(await textsOf(mailcap, id, '')).toMatchObject([{ kind: 'email' }, { kind: 'sms' }, { kind: 'email' }]);
    const [text] = await textsOf(mailcap, id);
    expect((await mailcap.api(`/v1/mailboxes/${id}/messages/${text?.id}`)).status).toBe(404);
    const since = new Date(0).toISOString();
    const awaited = `/v1/mailboxes/${id}/messages/await?timeout=1&since=${since}&to=${encodeURIComponent(phone)}`;
    expect((await mailcap.api(awaited)).status).toBe(204);
    const whole = await json<{ kind: string }>(mailcap.api(`/_mailcap/mailboxes/${id}/await?kind=sms&since=${since}`));
    expect(whole).toMatchObject({ kind: 'sms', from: FROM, to: phone, subject: null });
    const [mailbox] = (await json<{ id: string; dailyInboundUsed: number }[]>(mailcap.api('/v1/mailboxes'))).filter(
      (one) => one.id === id,
    );
    expect(mailbox?.dailyInboundUsed).toBe(2);
  });

  test('the message shows the request without the token, and how the networks carry it', async ({
    client,
    mailcap,
    twilio,
  }) => {
    const phone = number();
    const { id } = await client.mailbox({ phones: [phone] });
    const { sid } = await twilio.messages.create({ from: FROM, to: phone, body: '😀'.repeat(40) });
    const [text] = await textsOf(mailcap, id);
    const facts = await json<{ transcript: string[] }>(mailcap.api(`/_mailcap/messages/${text?.id}`));
    expect(facts).toMatchObject({
      kind: 'sms',
      segments: 2,
      encoding: 'UCS-2',
      source: 'provider',
      provider: { name: 'twilio', id: sid },
      envelope: { mailFrom: FROM, rcptTo: [phone] },
    });
    expect(facts.transcript[0]).toBe(`C: POST /2010-04-01/Accounts/${SID}/Messages.json HTTP/1.1`);
    expect(facts.transcript).toContain('C: Authorization: (left out)');
    const credentials = Buffer.from(`${SID}:${TOKEN}`).toString('base64');
    expect(facts.transcript.join('\n')).not.toContain(credentials);
    const raw = await (await mailcap.api(`/_mailcap/messages/${text?.id}/raw`)).text();
    expect(raw).toContain(`Message-ID: <${sid}@phone.invalid>`);
  });

  test.for([
    [{ to: '' }, 21604],
    [{ to: '5550001' }, 21211],
    [{ to: 'ada@acme.test' }, 21211],
    [{ from: undefined }, 21603],
    [{ from: 'A name that is too long' }, 21212],
    [{ from: 'x\r\nBcc: eve@evil.test' }, 21212],
    [{ from: '+15005550009', to: '+1 500-555-0009' }, 21614],
    [{ from: '+12025550199', to: '+1 202-555-0199' }, 21266],
    [{ from: undefined, messagingServiceSid: 'MG1' }, 21701],
    [{ body: undefined }, 21602],
    [{ body: LONG }, 21617],
    [{ statusCallback: 'ftp://acme.test/x' }, 21609],
    [{ mediaUrl: ['file:///etc/passwd'] }, 21620],
    [{ mediaUrl: Array.from({ length: 11 }, () => 'https://acme.test/a.png') }, 21623],
    [{ to: '+15005550001' }, 21211],
    [{ to: '+15005550002' }, 21612],
    [{ to: '+15005550003' }, 21408],
    [{ to: '+15005550004' }, 21610],
    [{ to: '+15005550009' }, 21614],
    [{ from: '+15005550001' }, 21212],
    [{ from: '+15005550007' }, 21606],
    [{ from: '+15005550008' }, 21611],
    [{ sendAt: new Date(Date.now() + 3_600_000), scheduleType: 'fixed' as const }, 35118],
  ])('a refusal is $1, and nothing is stored', async ([change, code], { client, mailcap, twilio }) => {
    const phone = number();
    const { id } = await client.mailbox({ phones: [phone] });
    const given = { from: FROM, to: phone, body: 'Hello', ...(change as object) };
    const create = twilio.messages.create(given);
    await expect(create).rejects.toMatchObject({
      status: 400,
      code,
      moreInfo: `https://www.twilio.com/docs/errors/${code}`,
    });
    expect(await textsOf(mailcap, id, '')).toEqual([]);
  });

  test('a request without credentials is refused', async ({ mailcap }) => {
    const url = `${mailcap.url}/providers/twilio/2010-04-01/Accounts/${SID}/Messages.json`;
    const response = await fetch(url, { method: 'POST', body: new URLSearchParams({ To: number(), Body: 'x' }) });
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ code: 20003, status: 401 });
  });
});

test('messages are fetched, listed, redacted and removed', async ({ mailcap, twilio }) => {
  const phones = [number(), number()] as const;
  const sids: string[] = [];
  for (const to of [...phones, ...phones]) sids.push((await twilio.messages.create({ from: FROM, to, body: to })).sid);
  const [first = ''] = sids;
  expect(await twilio.messages(first).fetch()).toMatchObject({ sid: first, status: 'delivered', to: phones[0] });
  const listed = await twilio.messages.list({ to: phones[1], pageSize: 1 });
  expect(listed.map(({ sid }) => sid)).toEqual([sids[3], sids[1]]);
  expect((await twilio.messages(first).update({ body: '' })).body).toBe('');
  expect(await twilio.messages(first).remove()).toBe(true);
  await expect(twilio.messages(first).fetch()).rejects.toMatchObject({ status: 404, code: 20404 });
  // The captured text message stays: it is the phone's.
  const found = await json<Listed>(mailcap.api(`/_mailcap/messages?query=to:${phones[0]?.slice(1)}`));
  expect(found.items).toHaveLength(2);
});

test('a message comes at its time by the clock, unless it is canceled', async ({ client, mailcap, twilio }) => {
  const workspace = await client.local.createWorkspace({ name: 'Later' });
  const { key } = await client.local.createKey(workspace.id);
  const sdk = sdkOf(mailcap, key);
  const given = { messagingServiceSid: `MG${'1'.repeat(32)}`, scheduleType: 'fixed' as const, body: 'Later' };
  const [kept, canceled] = [number(), number()];
  const sendAt = new Date(Date.now() + 3_600_000);
  expect(await sdk.messages.create({ ...given, to: kept, sendAt })).toMatchObject({
    status: 'scheduled',
    dateSent: null,
  });
  const { sid } = await sdk.messages.create({ ...given, to: canceled, sendAt });
  expect((await sdk.messages(sid).update({ status: 'canceled' })).status).toBe('canceled');
  await client.local.setWorkspaceClock(workspace.id, { offsetSeconds: 7_200 });
  await expect.poll(() => sdk.messages.list({ to: kept }).then(([one]) => one?.status)).toBe('delivered');
  expect((await sdk.messages(sid).fetch()).status).toBe('canceled');
  expect(await twilio.messages.list({ to: kept })).toEqual([]);
});

test('status callbacks are signed as Twilio signs', async ({ twilio }) => {
  await using app = await receiver();
  const { sid } = await twilio.messages.create({
    from: FROM,
    to: number(),
    body: 'Hi',
    statusCallback: `${app.url}?a=1`,
  });
  await app.received(3);
  const told = app.requests.map(({ body }) => Object.fromEntries(new URLSearchParams(body)));
  expect(told.map(({ MessageStatus }) => MessageStatus)).toEqual(['queued', 'sent', 'delivered']);
  for (const [index, { headers }] of app.requests.entries()) {
    const signature = String(headers['x-twilio-signature']);
    expect(told[index]).toMatchObject({ MessageSid: sid, AccountSid: SID, From: FROM });
    expect(twilioSdk.validateRequest(TOKEN, signature, `${app.url}?a=1`, told[index] ?? {})).toBe(true);
    expect(twilioSdk.validateRequest('another', signature, `${app.url}?a=1`, told[index] ?? {})).toBe(false);
  }
});

test.for(['/a#rc=2&rp=all', '/a?', '/a?x=\'"<>#b', '//b/../c', '/a#', ''])(
  'a callback to the path “%s” is signed as the app gets it',
  async (path, { twilio }) => {
    await using app = await receiver();
    const { origin } = new URL(app.url);
    await twilio.messages.create({ from: '__proto__', to: number(), body: 'Hi', statusCallback: `${origin}${path}` });
    await app.received(3);
    for (const { url, headers, body } of app.requests) {
      const fields = Object.fromEntries(new URLSearchParams(body));
      const signature = String(headers['x-twilio-signature']);
      expect(fields['From']).toBe('__proto__');
      expect(twilioSdk.validateRequest(TOKEN, signature, `${origin}${url}`, fields)).toBe(true);
    }
  },
);

test('the statuses of a message are told one after another, also to an app that is slow', async ({ twilio }) => {
  let [open, most] = [0, 0];
  const told: string[] = [];
  const app = createServer((req, res) => {
    most = Math.max(most, ++open);
    void text(req).then((body) => {
      told.push(new URLSearchParams(body).get('MessageStatus') ?? '');
      setTimeout(() => {
        open--;
        res.end();
      }, 30);
    });
  });
  app.listen(0, '127.0.0.1');
  await once(app, 'listening');
  onTestFinished(() => void app.close());
  const statusCallback = `http://127.0.0.1:${(app.address() as AddressInfo).port}/status`;
  await twilio.messages.create({ from: FROM, to: number(), body: 'Hi', statusCallback });
  await expect.poll(() => told.length, { timeout: 10_000 }).toBe(3);
  expect([told, most]).toEqual([['queued', 'sent', 'delivered'], 1]);
});

test('a messaging service assigns the sender after it took the message', async ({ client, twilio }) => {
  const phone = number();
  const mailbox = await client.mailbox({ phones: [phone] });
  const messagingServiceSid = `MG${'2'.repeat(32)}`;
  const sent = await twilio.messages.create({ messagingServiceSid, to: phone, body: 'x'.repeat(161) });
  expect(sent).toMatchObject({ status: 'accepted', from: null, numSegments: '0', messagingServiceSid });
  expect(await twilio.messages(sent.sid).fetch()).toMatchObject({ status: 'delivered', from: FROM, numSegments: '2' });
  expect((await mailbox.waitForSms()).from).toBe(FROM);
});

test('a message to the number out of reach is taken, and told as undelivered', async ({ twilio }) => {
  await using app = await receiver((count) => (count === 1 ? 500 : 200));
  const { sid } = await twilio.messages.create({ from: FROM, to: '+15005550099', body: 'Hi', statusCallback: app.url });
  expect(await twilio.messages(sid).fetch()).toMatchObject({ status: 'undelivered', errorCode: 30003 });
  await app.received(3);
  expect(
    app.requests.some(({ body }) => body.includes('MessageStatus=undelivered') && body.includes('ErrorCode=30003')),
  ).toBe(true);
});

describe('Verify', () => {
  test('a code comes by text, and is checked once', async ({ client, twilio }) => {
    const phone = number();
    const mailbox = await client.mailbox({ phones: [phone] });
    const { sid } = await twilio.verify.v2.services.create({ friendlyName: 'Acme', codeLength: 8 });
    const service = twilio.verify.v2.services(sid);
    expect(await service.fetch()).toMatchObject({ sid, friendlyName: 'Acme', codeLength: 8 });
    const started = await service.verifications.create({ to: phone, channel: 'sms' });
    expect(started).toMatchObject({ to: phone, channel: 'sms', status: 'pending', valid: false });
    expect(started.sid).toMatch(/^VE[0-9a-f]{32}$/);
    const sms = await mailbox.waitForSms();
    expect(sms.body).toMatch(/^Your Acme verification code is: \d{8}$/);
    const code = sms.code();
    const wrong = code === '00000000' ? '11111111' : '00000000';
    expect(await service.verificationChecks.create({ to: phone, code: wrong })).toMatchObject({
      status: 'pending',
      valid: false,
    });
    expect(await service.verificationChecks.create({ to: phone, code })).toMatchObject({
      status: 'approved',
      valid: true,
    });
    await expect(service.verificationChecks.create({ to: phone, code })).rejects.toMatchObject({
      status: 404,
      code: 20404,
    });
    expect(await twilio.messages.list({ to: phone })).toEqual([]);
  });

  test('the channels call and email bring the code too, and a resend brings the same', async ({ client, twilio }) => {
    const phone = number();
    const mailbox = await client.mailbox({ phones: [phone] });
    const { sid } = await twilio.verify.v2.services.create({ friendlyName: 'Acme' });
    const service = twilio.verify.v2.services(sid);
    await service.verifications.create({ to: phone, channel: 'call' });
    const called = await mailbox.waitForSms();
    expect(called.body).toMatch(/^Your Acme verification code is: \d( \d){5}$/);
    await service.verifications.create({ to: phone, channel: 'sms' });
    const texted = await mailbox.waitForCode();
    expect(called.body.replaceAll(' ', '')).toContain(texted);
    await service.verifications.create({ to: mailbox.address, channel: 'email' });
    const code = await mailbox.waitForCode({ to: mailbox.address });
    expect(await service.verificationChecks.create({ to: mailbox.address, code })).toMatchObject({ valid: true });
    expect(await service.verificationChecks.create({ to: phone, code: texted })).toMatchObject({ valid: true });
  });

  test('attempts are limited, and a code ends with its time', async ({ client, mailcap }) => {
    const workspace = await client.local.createWorkspace({ name: 'Verify' });
    const { key } = await client.local.createKey(workspace.id);
    const { v2 } = sdkOf(mailcap, key).verify;
    const { sid } = await v2.services.create({ friendlyName: 'Acme' });
    const service = v2.services(sid);
    const [one, two, three] = [number(), number(), number()];
    await service.verifications.create({ to: one, channel: 'sms', customCode: '4711' });
    for (let tries = 1; tries <= 5; tries++)
      expect(await service.verificationChecks.create({ to: one, code: '0000' })).toMatchObject({ valid: false });
    const locked = service.verificationChecks.create({ to: one, code: '4711' });
    await expect(locked).rejects.toMatchObject({ status: 429, code: 60202 });
    for (let sends = 1; sends <= 5; sends++) await service.verifications.create({ to: two, channel: 'sms' });
    const sixth = service.verifications.create({ to: two, channel: 'sms' });
    await expect(sixth).rejects.toMatchObject({ status: 429, code: 60203 });
    const started = await service.verifications.create({ to: three, channel: 'sms', customCode: '4711' });
    expect((await service.verifications(started.sid).fetch()).status).toBe('pending');
    await client.local.setWorkspaceClock(workspace.id, { offsetSeconds: 601 });
    const late = service.verificationChecks.create({ to: three, code: '4711' });
    await expect(late).rejects.toMatchObject({ status: 404 });
    const again = await service.verifications.create({ to: three, channel: 'sms', customCode: '4712' });
    expect((await service.verifications(again.sid).update({ status: 'canceled' })).status).toBe('canceled');
    await expect(service.verifications(again.sid).fetch()).rejects.toMatchObject({ status: 404 });
  });

  test.for([
    [{ to: 'nobody', channel: 'sms' }, 60200],
    [{ to: '+12025550100', channel: 'fax' }, 60200],
    [{ to: '+12025550100', channel: 'email' }, 60200],
    [{ to: 'ada@acme.test', channel: 'call' }, 60200],
    [{ to: '+12025550100', channel: 'sms', customCode: '1' }, 60200],
  ] as const)('a verification is refused with $1', async ([given, code], { twilio }) => {
    const { sid } = await twilio.verify.v2.services.create({ friendlyName: 'Acme' });
    const start = twilio.verify.v2.services(sid).verifications.create(given);
    await expect(start).rejects.toMatchObject({ status: 400, code });
  });
});
