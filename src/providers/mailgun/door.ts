import type { IncomingHttpHeaders } from 'node:http';
import { addSuppression } from '../../actions/sends.ts';
import { INTERACTIONS, type ProviderRecord, uuid7Of } from '../../domain/provider.ts';
import type { Reader } from '../../ports/store.ts';
import { basicCredentials } from '../../text/basic-auth.ts';
import { newUlid, nowOf } from '../calls.ts';
import type { Door, DoorAnswer, DoorCall, DoorRoute } from '../door.ts';
import { addressIn } from '../fields.ts';
import { webhookUrlIn } from '../parts.ts';
import { rawProviderMail, readRawMail } from '../raw.ts';
import { getRecord, putRecord, removeRecord } from '../records.ts';
import { allRecords } from '../resources.ts';
import { emailData, sendMails } from '../send.ts';
import { suppressionOf, suppressions } from '../suppressions.ts';
import { checkTemplate, orRefuse } from '../templates.ts';
import { mailgunRefusal, refuseSaying } from './errors.ts';
import { eventData, type MailgunEventType, mailgunEvents, signMailgun } from './events.ts';
import { inboundRoutes, mailgunInbound, mailgunRules } from './inbound.ts';
import {
  domainOf,
  formOf,
  httpSigningKey,
  isTest,
  type MailgunTemplate,
  mailgunMails,
  mimeRecipients,
} from './mail.ts';

// Mailgun's API, as the SDK `mailgun.js` calls it: https://documentation.mailgun.com/docs/mailgun/api-reference

const QUEUED = 'Queued. Thank you.';

const messages: readonly DoorRoute[] = [
  {
    method: 'POST',
    path: '/v3/:domain/messages',
    handle: async (call) => {
      const name = formOf(call).one('template');
      const template = name === null ? null : await templateOf(call, name);
      const asked = mailgunMails(call, template, await nowOf(call));
      return sendMails(call, asked, { status: 200, body: { id: asked[0]?.mail.messageId, message: QUEUED } });
    },
  },
  {
    method: 'POST',
    path: '/v3/:domain/messages.mime',
    handle: async (call) => {
      const domain = domainOf(call);
      const form = formOf(call);
      const raw = form.files('message')[0]?.content ?? Buffer.from(form.one('message') ?? '');
      const composed = readRawMail(raw);
      if (composed === null) throw refuseSaying('message parameter is missing, or it is no mail');
      const id = newUlid(call).toLowerCase();
      const recipients = mimeRecipients(call);
      const mailFrom = composed.from?.address ?? '';
      const mail = await rawProviderMail(composed, { id, messageId: `<${id}@${domain}>`, mailFrom, recipients });
      const { messageId, subject } = mail;
      const fields = { domain, messageId, from: mailFrom, subject, tags: form.all('o:tag'), variables: {}, recipients };
      return sendMails(call, [{ mail, fields, isTest: isTest(form) }], {
        status: 200,
        body: { id: messageId, message: QUEUED },
      });
    },
  },
  {
    method: 'GET',
    path: '/v3/:domain/events',
    handle: async (call) => {
      const { query, url } = call;
      const domain = domainOf(call);
      const limit = Math.min(Number(query.get('limit') ?? 100) || 100, 300);
      const records = await allRecords(call, 'emails');
      const [wanted, recipient] = [query.get('event'), query.get('recipient')];
      const items = records
        .flatMap((record) => eventsOf(record, domain))
        .filter(
          (event) =>
            (!wanted || wanted.split(' OR ').includes(event.event)) && (!recipient || event.recipient === recipient),
        );
      const link = `${call.ctx.runtime.ready?.url ?? ''}/providers/mailgun${url}`;
      return {
        status: 200,
        body: { items: items.slice(0, limit), paging: { next: link, previous: link, first: link, last: link } },
      };
    },
  },
];

function eventsOf(record: ProviderRecord, domain: string) {
  const { state, fields } = emailData(record);
  const recipients = Array.isArray(fields['recipients']) ? (fields['recipients'] as string[]) : [];
  if (fields['domain'] !== domain || state === 'scheduled' || state === 'canceled' || state === 'failed') return [];
  const isDelivered = state !== 'delivered' && state !== 'bounced' && state !== 'suppressed';
  const types: MailgunEventType[] = isDelivered ? [state, 'delivered', 'sent'] : [state, 'sent'];
  return recipients.flatMap((recipient) => types.map((type) => eventData(type, record, recipient, record.createdAt)));
}

const templates: readonly DoorRoute[] = [
  {
    method: 'POST',
    path: '/v3/:domain/templates',
    handle: async (call) => {
      const form = formOf(call);
      const [name, template] = [form.one('name')?.toLowerCase() ?? '', form.one('template') ?? ''];
      if (!/^[\w.-]{1,255}$/.test(name)) throw refuseSaying('the name of the template is missing or not valid');
      if (template.length > 100 * 1024) throw refuseSaying('the template is larger than 100 KB');
      orRefuse(() => checkTemplate(template), refuseSaying);
      const id = uuid7Of(newUlid(call));
      return call.once(async (tx) => {
        const key = `${domainOf(call)} ${name}`;
        if ((await getRecord(call, tx, 'templates', key)) !== null)
          throw refuseSaying(`template with name '${name}' already exists`);
        const record = await putRecord(call, tx, 'templates', key, {
          id,
          name,
          template,
          description: form.one('description') ?? '',
        });
        return { status: 200, body: { message: 'template has been stored', template: shownTemplate(record) } };
      });
    },
  },
  {
    method: 'GET',
    path: '/v3/:domain/templates',
    handle: async (call) => {
      const all = await allRecords(call, 'templates');
      const items = all
        .filter(({ id, collection }) => id.startsWith(`${collection} ${domainOf(call)} `))
        .map(shownTemplate);
      return { status: 200, body: { items, paging: { first: '', last: '', next: '', previous: '' } } };
    },
  },
  {
    method: 'DELETE',
    path: '/v3/:domain/templates/:name',
    handle: async (call) =>
      call.once(async (tx) => {
        await templateOf(call, call.params['name'] ?? '');
        await removeRecord(call, tx, 'templates', `${domainOf(call)} ${(call.params['name'] ?? '').toLowerCase()}`);
        return { status: 200, body: { message: 'template has been deleted', template: { name: call.params['name'] } } };
      }),
  },
];

async function templateOf(call: DoorCall, name: string): Promise<MailgunTemplate> {
  const record = await getRecord(
    call,
    await call.ctx.store.readNow(),
    'templates',
    `${domainOf(call)} ${name.toLowerCase()}`,
  );
  if (record === null) throw refuseSaying(`template '${name.slice(0, 100)}' not found`, 404);
  return { name, template: String(record.data['template']) };
}

function shownTemplate({ data, createdAt }: ProviderRecord) {
  const { id, name, description } = data;
  return { id, name, description, createdAt: new Date(createdAt).toUTCString(), createdBy: '' };
}

const SUPPRESSIONS = { bounces: 'bounce', complaints: 'complaint' } as const;

const lists: readonly DoorRoute[] = (['bounces', 'complaints'] as const).flatMap((kind): DoorRoute[] => {
  const reason = SUPPRESSIONS[kind];
  const shown = ({ recipient, addedAt }: { recipient: string; addedAt: number }) => ({
    address: recipient,
    ...(kind === 'bounces' && { code: '550', error: '5.1.1 The simulator knows no such user' }),
    created_at: new Date(addedAt).toUTCString(),
  });
  const entryOf = async (call: DoorCall, tx: Pick<Reader, 'suppression'>) => {
    const entry = await suppressionOf(call, tx, call.params['address'], reason);
    if (entry === null) throw refuseSaying(`Address not found in ${kind} table`, 404);
    return entry;
  };
  return [
    {
      method: 'GET',
      path: `/v3/:domain/${kind}`,
      handle: async (call) => {
        const items = (await suppressions(call, reason)).map(shown);
        return { status: 200, body: { items, paging: { first: '', last: '', next: '', previous: '' } } };
      },
    },
    {
      method: 'POST',
      path: `/v3/:domain/${kind}`,
      handle: async (call) => {
        // The SDK sends a list as JSON, and one address as a form.
        const given =
          call.body.kind === 'json' && Array.isArray(call.body.value)
            ? call.body.value
            : [{ address: formOf(call).one('address') }];
        const addresses = given.map((one: { address?: unknown } | null) => addressIn(one?.address)?.address ?? null);
        if (addresses.length > 1_000 || addresses.includes(null)) throw refuseSaying('an address is not valid');
        return call.once(async (tx) => {
          for (const recipient of addresses)
            if (recipient !== null) await addSuppression(call.ctx, tx, call.workspaceId, { recipient, reason });
          return {
            status: 200,
            body: { message: `${addresses.length} addresses have been added to the ${kind} table` },
          };
        });
      },
    },
    {
      method: 'GET',
      path: `/v3/:domain/${kind}/:address`,
      handle: async (call) => ({ status: 200, body: shown(await entryOf(call, await call.ctx.store.readNow())) }),
    },
    {
      method: 'DELETE',
      path: `/v3/:domain/${kind}/:address`,
      handle: async (call) =>
        call.once(async (tx) => {
          const entry = await entryOf(call, tx);
          await tx.suppression.remove(entry.id);
          return { status: 200, body: { message: 'Suppressed address has been removed', address: entry.recipient } };
        }),
    },
  ];
});

const domains: readonly DoorRoute[] = [
  {
    method: 'GET',
    path: '/v3/domains/:domain',
    handle: async (call) => ({
      status: 200,
      body: { domain: shownDomain(domainOf(call)), receiving_dns_records: [], sending_dns_records: [] },
    }),
  },
  {
    method: 'GET',
    path: '/v4/domains/:domain',
    handle: async (call) => ({
      status: 200,
      body: { domain: shownDomain(domainOf(call)), receiving_dns_records: [], sending_dns_records: [] },
    }),
  },
];

/** Every domain may send, so each that is asked for is there. */
function shownDomain(name: string) {
  return {
    name,
    id: name,
    state: 'active',
    type: 'custom',
    created_at: 'Thu, 01 Jan 1970 00:00:00 GMT',
    smtp_login: `postmaster@${name}`,
    is_disabled: false,
  };
}

const EVENTS = [
  'accepted',
  'delivered',
  'permanent_fail',
  'complained',
  'temporary_fail',
  'opened',
  'clicked',
  'unsubscribed',
];

const webhooks: readonly DoorRoute[] = [
  {
    method: 'POST',
    path: '/v3/domains/:domain/webhooks',
    handle: async (call) => putWebhook(call, formOf(call).one('id') ?? '', 'Webhook has been created'),
  },
  {
    method: 'GET',
    path: '/v3/domains/:domain/webhooks',
    handle: async (call) => {
      const all = await allRecords(call, 'webhooks');
      const own = all.filter(({ data }) => data['domain'] === domainOf(call));
      return {
        status: 200,
        body: { webhooks: Object.fromEntries(own.map(({ data }) => [data['name'], { urls: [data['url']] }])) },
      };
    },
  },
  {
    method: 'GET',
    path: '/v3/domains/:domain/webhooks/:name',
    handle: async (call) => {
      const record = await getRecord(call, await call.ctx.store.readNow(), 'webhooks', webhookKey(call));
      if (record === null) throw refuseSaying('Webhook not found', 404);
      return webhookAnswer(record, 'Webhook has been found');
    },
  },
  {
    method: 'PUT',
    path: '/v3/domains/:domain/webhooks/:name',
    handle: async (call) => putWebhook(call, call.params['name'] ?? '', 'Webhook has been updated'),
  },
  {
    method: 'DELETE',
    path: '/v3/domains/:domain/webhooks/:name',
    handle: async (call) =>
      call.once(async (tx) => {
        const record = await getRecord(call, tx, 'webhooks', webhookKey(call));
        if (record === null) throw refuseSaying('Webhook not found', 404);
        await removeRecord(call, tx, 'webhooks', webhookKey(call));
        return webhookAnswer(record, 'Webhook has been deleted');
      }),
  },
  {
    method: 'GET',
    path: '/v5/accounts/http_signing_key',
    handle: async (call) => ({ status: 200, body: { message: 'success', http_signing_key: httpSigningKey(call) } }),
  },
];

function webhookKey(call: DoorCall): string {
  return `${domainOf(call)} ${call.params['name'] ?? ''}`;
}

async function putWebhook(call: DoorCall, name: string, message: string): Promise<DoorAnswer> {
  const url = formOf(call).one('url') ?? '';
  if (!EVENTS.includes(name)) throw refuseSaying(`Invalid webhook id: it is one of ${EVENTS.join(', ')}`);
  webhookUrlIn(url, 'url', () => refuseSaying('Invalid webhook url'));
  const domain = domainOf(call);
  return call.once(async (tx) => {
    const data = { domain, name, url, signingKey: httpSigningKey(call) };
    return webhookAnswer(await putRecord(call, tx, 'webhooks', `${domain} ${name}`, data), message);
  });
}

function webhookAnswer({ data }: ProviderRecord, message: string): DoorAnswer {
  return { status: 200, body: { message, webhook: { urls: [data['url']] } } };
}

/** Returns the password of `Authorization: Basic`. */
function passwordOf({ authorization }: IncomingHttpHeaders): string | null {
  return /^[^:]*:(.+)$/s.exec(basicCredentials(authorization) ?? '')?.[1] ?? null;
}

export const mailgun: Door = {
  name: 'mailgun',
  routes: [...messages, ...templates, ...lists, ...domains, ...webhooks, ...inboundRoutes],
  bodyLimit: 26 * 1024 * 1024,
  keyOf: passwordOf,
  secrets: ['authorization'],
  refusal: mailgunRefusal,
  keyReused: null,
  limitHeaders: (now) => ({
    ...{ 'X-RateLimit-Limit': '300', 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': String((now + 60) * 1_000) },
  }),
  outcomeOf: () => null,
  eventsFor: mailgunEvents,
  interactions: INTERACTIONS,
  sign: signMailgun,
  inbound: { rulesFor: mailgunRules, write: mailgunInbound },
};
