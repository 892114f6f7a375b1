import { Vonage } from '@vonage/server-sdk';
import { expect } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { test as base } from '../support/mailcap.ts';
import { receiver } from './support.ts';

const test = base
  .extend('vonage', ({ mailcap }) => {
    const restHost = `${mailcap.url}/providers/vonage`;
    return new Vonage({ apiKey: 'any', apiSecret: 'any-secret' }, { restHost });
  })
  .extend('client', ({ mailcap }) =>
    createClient({ baseUrl: mailcap.url, apiKey: mailcap.apiKey, workspaceId: mailcap.workspaceId }),
  );

test('a text comes to the mailbox that claims its number, and its receipt to the callback', async ({
  client,
  vonage,
}) => {
  await using app = await receiver();
  const mailbox = await client.mailbox({ phones: ['+12025553001'] });
  const sent = await vonage.sms.send({
    from: 'Acme',
    to: '12025553001',
    text: 'Your code is 482913',
    callback: app.url,
    clientRef: 'order-7',
  });
  const [message] = sent.messages;
  expect(message).toMatchObject({ status: '0', to: '12025553001' });
  expect(await mailbox.waitForCode()).toBe('482913');
  await app.received(1);
  expect(JSON.parse(app.requests[0]?.body ?? '')).toMatchObject({
    ...{ msisdn: '12025553001', to: 'Acme', messageId: message?.messageId, status: 'delivered', 'err-code': '0' },
    'client-ref': 'order-7',
  });
});

test('a long text counts its parts', async ({ vonage }) => {
  const sent = await vonage.sms.send({ from: 'Acme', to: '12025553002', text: 'я'.repeat(71) });
  expect(sent).toMatchObject({ messageCount: '2' });
});

test.for([
  [{ from: 'Acme', to: '12', text: 'x' }, '3'],
  [{ from: '', to: '12025553003', text: 'x' }, '2'],
  [{ from: 'A name that is too long', to: '12025553003', text: 'x' }, '3'],
  [{ from: 'Acme', to: '12025553003', text: 'x'.repeat(3_201) }, '3'],
] as const)(
  'a text is refused with the status $1, and nothing is stored (%#)',
  async ([given, status], { client, vonage }) => {
    const mailbox = await client.mailbox({ phones: ['+12025553003'] });
    await expect(vonage.sms.send({ ...given })).rejects.toMatchObject({ response: { messages: [{ status }] } });
    expect((await client.local.searchMessages(mailbox.id)).items).toEqual([]);
    await mailbox.delete();
  },
);

test.for([
  ['JSON', 'application/json'],
  ['a form', 'application/x-www-form-urlencoded'],
] as const)('the key may be in the body: %s', async ([, type], { client, mailcap }) => {
  const mailbox = await client.mailbox({ phones: ['+12025553004'] });
  const send = (keys: object) => {
    const given = { from: 'Acme', to: '12025553004', text: 'Your code is 482913', ...keys };
    const body = type === 'application/json' ? JSON.stringify(given) : new URLSearchParams(given).toString();
    const headers = { 'content-type': type };
    return fetch(`${mailcap.url}/providers/vonage/sms/json`, { method: 'POST', headers, body });
  };
  expect(await (await send({ api_key: 'key-1' })).json()).toMatchObject({ messages: [{ status: '2' }] });
  const sent = await send({ api_key: 'key-1', api_secret: 'se"cret-1' });
  expect(await sent.json()).toMatchObject({ messages: [{ status: '0' }] });
  const { id } = await mailbox.waitForSms();
  const facts = await (await mailcap.api(`/_mailcap/messages/${id}`)).text();
  expect(facts).toContain('482913');
  expect(facts).not.toMatch(/key-1|cret-1/);
  await mailbox.delete();
});
