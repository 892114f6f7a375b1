import { createPublicKey, verify } from 'node:crypto';
import { expect } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { json } from '../http/support.ts';
import { type TestServer, test } from '../support/mailcap.ts';
import { messagesOf, receiver } from './support.ts';

/** How the app of a provider registers a webhook and sends a mail, and how the provider names what readers do. */
interface Provider {
  readonly webhook: readonly [path: string, body: (url: string) => object];
  readonly send: readonly [path: string, body: (to: string) => object];
  readonly headers?: Readonly<Record<string, string>>;
  readonly names: readonly [opened: string, clicked: string, unsubscribed: string | null, complained: string];
  /** Reads the name of an event and the clicked link from a body. */
  read(body: unknown): readonly [name: unknown, link: unknown];
}

type Read = Record<string, never> & { [field: string]: Read };
const read = (body: unknown) => body as Read;
const ALL = { open: true, click: true, unsubscribe: true, spam_report: true, enabled: true };
const MAIL = { from: { email: 'a@acme.test' }, subject: 'Hi', text: 'Hello' };
const CONTENT = [{ type: 'text/plain', value: 'Hello' }];
const TRIGGERS = ['Open', 'Click', 'SubscriptionChange', 'SpamComplaint'];

const PROVIDERS: Readonly<Record<string, Provider>> = {
  resend: {
    webhook: ['/webhooks', (endpoint) => ({ endpoint, events: ['email.opened', 'email.clicked', 'email.complained'] })],
    send: ['/emails', (to) => ({ from: 'a@acme.test', to, subject: 'Hi', text: 'Hello' })],
    names: ['email.opened', 'email.clicked', null, 'email.complained'],
    read: (body) => [read(body)['type'], read(body)['data']?.['click']?.['link']],
  },
  sendgrid: {
    webhook: ['/v3/user/webhooks/event/settings', (url) => ({ url, ...ALL })],
    send: [
      '/v3/mail/send',
      (email) => ({ from: MAIL.from, subject: 'Hi', content: CONTENT, personalizations: [{ to: [{ email }] }] }),
    ],
    names: ['open', 'click', 'unsubscribe', 'spam_report'],
    read: (body) => [read(body)['0']?.['event'], read(body)['0']?.['url']],
  },
  postmark: {
    webhook: [
      '/webhooks',
      (Url) => ({ Url, Triggers: Object.fromEntries(TRIGGERS.map((name) => [name, { Enabled: true }])) }),
    ],
    send: ['/email', (To) => ({ From: 'a@acme.test', To, Subject: 'Hi', TextBody: 'Hello' })],
    headers: { 'x-postmark-server-token': 'any' },
    names: ['Open', 'Click', 'SubscriptionChange', 'SpamComplaint'],
    read: (body) => [read(body)['RecordType'], read(body)['OriginalLink']],
  },
  brevo: {
    webhook: [
      '/v3/webhooks',
      (url) => ({ url, type: 'transactional', events: ['opened', 'click', 'unsubscribed', 'spam'] }),
    ],
    send: ['/v3/smtp/email', (email) => ({ sender: MAIL.from, to: [{ email }], subject: 'Hi', textContent: 'Hello' })],
    headers: { 'api-key': 'any' },
    names: ['opened', 'click', 'unsubscribed', 'spam'],
    read: (body) => [read(body)['event'], read(body)['link']],
  },
  mailersend: {
    webhook: [
      '/v1/webhooks',
      (url) => ({
        url,
        name: 'All',
        events: ['opened', 'clicked', 'unsubscribed', 'spam_complaint'].map((name) => `activity.${name}`),
      }),
    ],
    send: ['/v1/email', (email) => ({ ...MAIL, to: [{ email }] })],
    names: ['activity.opened', 'activity.clicked', 'activity.unsubscribed', 'activity.spam_complaint'],
    read: (body) => [read(body)['type'], read(body)['data']?.['morph']?.['url']],
  },
  mailtrap: {
    webhook: [
      '/api/accounts/1/webhooks',
      (url) => ({
        webhook: {
          url,
          webhook_type: 'email_sending',
          event_types: ['open', 'click', 'unsubscribe', 'spam_complaint'],
        },
      }),
    ],
    send: ['/api/send', (email) => ({ ...MAIL, to: [{ email }] })],
    names: ['open', 'click', 'unsubscribe', 'spam_complaint'],
    read: (body) => [read(body)['events']?.['0']?.['event'], read(body)['events']?.['0']?.['url']],
  },
  customerio: {
    webhook: [
      '/v1/reporting_webhooks',
      (endpoint) => ({
        ...{ name: 'All', endpoint },
        events: ['opened', 'clicked', 'unsubscribed', 'spammed'].map((name) => `email_${name}`),
      }),
    ],
    send: [
      '/v1/send/email',
      (to) => ({ from: 'a@acme.test', to, subject: 'Hi', body: 'Hello', identifiers: { email: to } }),
    ],
    names: ['opened', 'clicked', 'unsubscribed', 'spammed'],
    read: (body) => [read(body)['metric'], read(body)['data']?.['href']],
  },
};

async function call(server: TestServer, name: string, path: string, body: object): Promise<Response> {
  const headers = { 'content-type': 'application/json', authorization: 'Bearer any', ...PROVIDERS[name]?.headers };
  const url = `${server.url}/providers/${name}${path}`;
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  expect(response.status, await response.clone().text()).toBeLessThan(300);
  return response;
}

const LINK = 'https://shop.example/orders/7?a=1&b=2';

test.for(Object.entries(PROVIDERS))(
  '%s tells the app what the reader does',
  async ([name, provider], { mailcap, mailbox }) => {
    await using app = await receiver();
    const client = createClient({ baseUrl: mailcap.url, apiKey: mailcap.apiKey, workspaceId: mailcap.workspaceId });
    const inbox = await client.mailbox(mailbox.id);
    await call(mailcap, name, provider.webhook[0], provider.webhook[1](app.url));
    await call(mailcap, name, provider.send[0], provider.send[1](mailbox.address()));
    const message = await inbox.waitForMessage();
    const [opened, clicked, unsubscribed, complained] = provider.names;
    const facts = await json<{ provider: object }>(mailcap.api(`/_mailcap/messages/${message.id}`));
    expect(facts.provider).toMatchObject({
      interactions: ['opened', 'clicked', ...(unsubscribed === null ? [] : ['unsubscribed']), 'complained'],
    });
    await message.open();
    await message.click(new URL(LINK));
    await client.local.recordInteraction(message.id, { type: 'unsubscribed' });
    const told = await client.local.recordInteraction(message.id, { type: 'complained', recipient: mailbox.address() });
    expect(told).toEqual({ type: 'complained', recipient: mailbox.address(), link: null, requests: 1 });
    const wanted = [opened, clicked, ...(unsubscribed === null ? [] : [unsubscribed]), complained];
    await app.received(wanted.length);
    const events = app.requests.map(({ body }) => provider.read(JSON.parse(body)));
    expect(events.map(([event]) => event).sort()).toEqual([...wanted].sort());
    expect(events.find(([event]) => event === clicked)?.[1]).toBe(LINK);
    const items = await json<{ recipient: string }[]>(
      mailcap.api(`/_mailcap/workspaces/${mailcap.workspaceId}/suppression`),
    );
    expect(items.map(({ recipient }) => recipient)).toContain(mailbox.address());
  },
);

test('Mailgun tells the app what the reader does', async ({ mailcap, mailbox }) => {
  await using app = await receiver();
  const authorization = `Basic ${Buffer.from('api:any').toString('base64')}`;
  const post = async (path: string, fields: Record<string, string>) => {
    const url = `${mailcap.url}/providers/mailgun${path}`;
    const response = await fetch(url, {
      method: 'POST',
      headers: { authorization },
      body: new URLSearchParams(fields),
    });
    expect(response.status).toBe(200);
  };
  const domain = `${mailbox.subdomain}.acme.test`;
  for (const id of ['opened', 'clicked', 'unsubscribed'])
    await post(`/v3/domains/${domain}/webhooks`, { id, url: app.url });
  await post(`/v3/${domain}/messages`, { from: 'a@acme.test', to: mailbox.address(), subject: 'Hi', text: 'Hello' });
  const [message] = await messagesOf(mailcap, mailbox.id);
  for (const given of [{ type: 'opened' }, { type: 'clicked', link: LINK }, { type: 'unsubscribed' }])
    await json(mailcap.api(`/_mailcap/messages/${message?.id}/interactions`, { json: given }));
  await app.received(3);
  const told = app.requests.map(({ body }) => JSON.parse(body)['event-data'] as { event: string; url?: string });
  expect(told.map(({ event, url }) => `${event} ${url ?? ''}`).sort()).toEqual([
    `clicked ${LINK}`,
    'opened ',
    'unsubscribed ',
  ]);
});

test.for([
  [{}, 'invalid_interaction'],
  [{ type: 'delivered' }, 'invalid_interaction'],
  [{ type: '__proto__' }, 'invalid_interaction'],
  [{ type: 'clicked' }, 'invalid_interaction'],
  [{ type: 'clicked', link: 'orders' }, 'invalid_interaction'],
  [{ type: 'opened', link: LINK }, 'invalid_interaction'],
  [{ type: 'opened', recipient: 'somebody@else.test' }, 'invalid_recipient'],
] as const)('%j is refused with %s', async ([given, error], { mailcap, mailbox }) => {
  await call(mailcap, 'mailtrap', '/api/send', { ...MAIL, to: [{ email: mailbox.address() }] });
  const [message] = await messagesOf(mailcap, mailbox.id);
  const response = await mailcap.api(`/_mailcap/messages/${message?.id}/interactions`, { json: given });
  expect([response.status, await response.json()]).toEqual([400, { error }]);
});

test('an answer tells that no webhook of the app wants an event', async ({ mailcap, mailbox }) => {
  // Resend has no event for a reader who unsubscribes.
  await call(mailcap, 'resend', '/emails', { ...MAIL, from: 'a@acme.test', to: mailbox.address() });
  const [message] = await messagesOf(mailcap, mailbox.id);
  const path = `/_mailcap/messages/${message?.id}/interactions`;
  const told = await json(mailcap.api(path, { json: { type: 'unsubscribed' } }));
  expect(told).toEqual({ type: 'unsubscribed', recipient: mailbox.address(), link: null, requests: 0 });
});

test('a mail that came in another way has no webhooks to tell', async ({ mailcap, mailbox }) => {
  const body = `To: ${mailbox.address()}\r\nSubject: By another way\r\n\r\nHello\r\n`;
  const headers = { 'content-type': 'message/rfc822' };
  await json(mailcap.api(`/_mailcap/mailboxes/${mailbox.id}/messages`, { method: 'POST', headers, body }));
  const [message] = await messagesOf(mailcap, mailbox.id);
  const response = await mailcap.api(`/_mailcap/messages/${message?.id}/interactions`, { json: { type: 'opened' } });
  expect([response.status, await response.json()]).toEqual([409, { error: 'not_by_provider' }]);
});

test('each try of an event of SendGrid is signed with its own time', async ({ mailcap, mailbox }) => {
  await using app = await receiver((number) => (number === 1 ? 503 : 200));
  const made = await call(mailcap, 'sendgrid', '/v3/user/webhooks/event/settings', {
    url: app.url,
    enabled: true,
    delivered: true,
  });
  const { id } = (await made.json()) as { id: string };
  const headers = { 'content-type': 'application/json', authorization: 'Bearer any' };
  const signing = `${mailcap.url}/providers/sendgrid/v3/user/webhooks/event/settings/signed/${id}`;
  const answer = await fetch(signing, { method: 'PATCH', headers, body: '{"enabled":true}' });
  const { public_key: key } = (await answer.json()) as { public_key: string };
  await call(mailcap, 'sendgrid', '/v3/mail/send', PROVIDERS['sendgrid']?.send[1](mailbox.address()) ?? {});
  await app.received(1);
  await mailcap.api('/_mailcap/clock', { method: 'PUT', json: { offsetSeconds: 86_400 } });
  await app.received(2);
  await mailcap.api('/_mailcap/clock', { method: 'PUT', json: { offsetSeconds: 0 } });
  const publicKey = createPublicKey({ key: Buffer.from(key, 'base64'), format: 'der', type: 'spki' });
  const times = app.requests.map(({ headers: sent, body }) => {
    const time = String(sent['x-twilio-email-event-webhook-timestamp']);
    const signature = Buffer.from(String(sent['x-twilio-email-event-webhook-signature']), 'base64');
    expect(verify('sha256', Buffer.from(time + body), publicKey, signature)).toBe(true);
    return Number(time);
  });
  expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(86_000);
});
