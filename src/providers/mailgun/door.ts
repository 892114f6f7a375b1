import { INTERACTIONS, type ProviderRecord } from '../../domain/provider.ts';
import type { Reader } from '../../ports/store.ts';
import { newUlid, newUuid, nowOf } from '../calls.ts';
import { type Door, type DoorCall, type DoorRoute, signedInAs } from '../door.ts';
import { addressIn, objectOf } from '../fields.ts';
import { webhookUrlIn } from '../parts.ts';
import { rawProviderMail, readRawMail } from '../raw.ts';
import { getRecord } from '../records.ts';
import { allRecords, keyIn, type Resource, resourceRoutes } from '../resources.ts';
import { getRoute, okAnswer, postRoute } from '../routes.ts';
import { emailData, sendMails } from '../send.ts';
import { suppressionRoutes } from '../suppressions.ts';
import { checkTemplate, orRefuse } from '../templates.ts';
import { mailgunRefusal, refuseSaying } from './errors.ts';
import { eventData, type MailgunEventType, mailgunEvents, signMailgun } from './events.ts';
import { domainOf, Form, httpSigningKey } from './form.ts';
import { mailgunInbound, mailgunRules, routes } from './inbound.ts';
import { mailgunMails, mimeRecipients } from './mail.ts';

// Mailgun's API, as the SDK `mailgun.js` calls it: https://documentation.mailgun.com/docs/mailgun/api-reference

const QUEUED = 'Queued. Thank you.';
const NO_PAGES = { first: '', last: '', next: '', previous: '' };

const messages: readonly DoorRoute[] = [
  postRoute('/v3/:domain/messages', async (call) => {
    const name = new Form(call).one('template');
    const template = name === null ? null : await templateNamed(call, await call.ctx.store.readNow(), name);
    const asked = await mailgunMails(call, template, await nowOf(call));
    return sendMails(call, asked, okAnswer({ id: asked[0]?.mail.messageId, message: QUEUED }));
  }),
  postRoute('/v3/:domain/messages.mime', async (call) => {
    const domain = domainOf(call);
    const form = new Form(call);
    const composed = readRawMail(form.files('message')[0]?.content ?? Buffer.from(form.one('message') ?? ''));
    if (composed === null) throw refuseSaying('message parameter is missing, or it is no mail');
    const id = newUlid(call).toLowerCase();
    const recipients = mimeRecipients(form);
    const mailFrom = composed.from?.address ?? '';
    const mail = await rawProviderMail(composed, { id, messageId: `<${id}@${domain}>`, mailFrom, recipients });
    const fields = { domain, from: mailFrom, subject: mail.subject, tags: form.all('o:tag'), variables: {} };
    return sendMails(call, [{ mail, fields, isTest: form.isTest }], okAnswer({ id: mail.messageId, message: QUEUED }));
  }),
  getRoute('/v3/:domain/events', async (call) => {
    const { query, url } = call;
    const domain = domainOf(call);
    const limit = Math.min(Number(query.get('limit') ?? 100) || 100, 300);
    const [wanted, recipient] = [query.get('event')?.split(' OR '), query.get('recipient')];
    const items = (await allRecords(call, 'emails'))
      .flatMap((record) => eventsOf(record, domain))
      .filter((event) => (wanted?.includes(event.event) ?? true) && (!recipient || event.recipient === recipient));
    const link = `${call.ctx.runtime.ready?.url ?? ''}/providers/mailgun${url}`;
    return { items: items.slice(0, limit), paging: { next: link, previous: link, first: link, last: link } };
  }),
];

function eventsOf(record: ProviderRecord, domain: string) {
  const { state, fields, recipients } = emailData(record);
  if (fields['domain'] !== domain || state === 'scheduled' || state === 'canceled' || state === 'failed') return [];
  if (state === 'received') return [];
  const isDelivered = state !== 'delivered' && state !== 'bounced' && state !== 'suppressed';
  const types: MailgunEventType[] = isDelivered ? [state, 'delivered', 'sent'] : [state, 'sent'];
  return recipients.flatMap((recipient) => types.map((type) => eventData(type, record, recipient, record.createdAt)));
}

/** Tells whether a record is of the domain that a request names. */
function isOfDomain({ data }: ProviderRecord, call: DoorCall): boolean {
  return data['domain'] === domainOf(call);
}

const templates: Resource = {
  kind: 'templates',
  path: '/v3/:domain/templates',
  keys: (call) => `${domainOf(call)} ${new Form(call).one('name')?.toLowerCase() ?? ''}`,
  find: (call, reader) => templateNamed(call, reader, keyIn(call)),
  notFound: (call) => noTemplate(keyIn(call)),
  exists: (_call, key) => refuseSaying(`template with name '${key.replace(/^.* /, '')}' already exists`),
  read: (call) => {
    const form = new Form(call);
    const [name, template] = [form.one('name')?.toLowerCase() ?? '', form.one('template') ?? ''];
    if (!/^[\w.-]{1,255}$/.test(name)) throw refuseSaying('the name of the template is missing or not valid');
    if (template.length > 100 * 1024) throw refuseSaying('the template is larger than 100 KB');
    orRefuse(() => checkTemplate(template), refuseSaying);
    const description = form.one('description') ?? '';
    return { id: newUuid(call), domain: domainOf(call), name, template, description };
  },
  show: ({ data, createdAt }) => {
    const { id, name, description } = data;
    return { id, name, description, createdAt: new Date(createdAt).toUTCString(), createdBy: '' };
  },
  isListed: isOfDomain,
  list: (items) => ({ items, paging: NO_PAGES }),
  answers: {
    created: (record, call) =>
      okAnswer({ message: 'template has been stored', template: templates.show(record, call) }),
    found: (record, call) => {
      const version = call.query.get('active') === 'yes' && { version: versionOf(record) };
      return okAnswer({ template: { ...templates.show(record, call), ...version } });
    },
    removed: ({ data }) => okAnswer({ message: 'template has been deleted', template: { name: data['name'] } }),
  },
};

/** Shows the one version of a template, by the tag that Mailgun gives to a version without one. */
function versionOf({ data, createdAt }: ProviderRecord) {
  return {
    ...{ tag: 'initial', template: data['template'], engine: 'handlebars', mjml: '', comment: '', active: true },
    ...{ id: data['id'], createdAt: new Date(createdAt).toUTCString() },
  };
}

/** Returns the template of a name. Throws Mailgun's refusal if there is none. */
async function templateNamed(call: DoorCall, reader: Reader, name: string): Promise<ProviderRecord> {
  const record = await getRecord(call, reader, 'templates', `${domainOf(call)} ${name.toLowerCase()}`);
  if (record === null) throw noTemplate(name);
  return record;
}

function noTemplate(name: string) {
  return refuseSaying(`template '${name.slice(0, 100)}' not found`, 404);
}

const lists = (['bounce', 'complaint'] as const).flatMap((reason) =>
  suppressionRoutes({
    path: `/v3/:domain/${reason}s`,
    reason,
    show: ({ recipient, addedAt }) => ({
      address: recipient,
      ...(reason === 'bounce' && { code: '550', error: '5.1.1 The simulator knows no such user' }),
      created_at: new Date(addedAt).toUTCString(),
    }),
    add: {
      method: 'POST',
      status: 200,
      read: (call) => givenAddresses(call).map((recipient) => ({ recipient, reason })),
      answer: (added) => ({ message: `${added.length} addresses have been added to the ${reason}s table` }),
    },
    list: (items) => ({ items, paging: NO_PAGES }),
    found: (shown) => shown,
    removed: (shown) => ({ ...shown, message: 'Suppressed address has been removed' }),
    notFound: () => refuseSaying(`Address not found in ${reason}s table`, 404),
  }),
);

/** Reads the addresses for a list. The SDK sends several as JSON, and one as a form. */
function givenAddresses(call: DoorCall): string[] {
  const { body } = call;
  const isList = body.kind === 'json' && Array.isArray(body.value);
  const given: readonly unknown[] = isList ? body.value : [{ address: new Form(call).one('address') }];
  const addresses = given.flatMap((one) => addressIn(objectOf(one)?.['address'])?.address ?? []);
  if (addresses.length > 1_000 || addresses.length < given.length) throw refuseSaying('an address is not valid');
  return addresses;
}

const domains: readonly DoorRoute[] = ['/v3/domains/:domain', '/v4/domains/:domain'].map((path) =>
  getRoute(path, (call) => ({
    domain: shownDomain(domainOf(call)),
    receiving_dns_records: [],
    sending_dns_records: [],
  })),
);

/** Every domain may send, so each that is asked for is there. */
function shownDomain(name: string) {
  return {
    ...{ name, id: name, state: 'active', type: 'custom', is_disabled: false },
    ...{ created_at: 'Thu, 01 Jan 1970 00:00:00 GMT', smtp_login: `postmaster@${name}` },
  };
}

const EVENTS = [
  ...['accepted', 'delivered', 'permanent_fail', 'complained'],
  ...['temporary_fail', 'opened', 'clicked', 'unsubscribed'],
];

/** A domain has a webhook for each type of event. */
const webhooks: Resource = {
  kind: 'webhooks',
  path: '/v3/domains/:domain/webhooks',
  changesBy: 'PUT',
  keys: (call) => `${domainOf(call)} ${new Form(call).one('id') ?? ''}`,
  find: (call, reader) => getRecord(call, reader, 'webhooks', `${domainOf(call)} ${keyIn(call)}`),
  notFound: () => refuseSaying('Webhook not found', 404),
  read: (call, before) => {
    const form = new Form(call);
    const name = before?.data['name'] ?? form.one('id') ?? '';
    if (!EVENTS.includes(String(name))) throw refuseSaying(`Invalid webhook id: it is one of ${EVENTS.join(', ')}`);
    const url = webhookUrlIn(form.one('url'), 'url', () => refuseSaying('Invalid webhook url'));
    return { domain: domainOf(call), name, url, signingKey: httpSigningKey(call) };
  },
  show: ({ data }) => ({ [String(data['name'])]: { urls: [data['url']] } }),
  isListed: isOfDomain,
  list: (shown) => ({ webhooks: Object.assign({}, ...shown) as object }),
  answers: {
    created: webhookAnswer('Webhook has been created'),
    found: webhookAnswer('Webhook has been found'),
    changed: webhookAnswer('Webhook has been updated'),
    removed: webhookAnswer('Webhook has been deleted'),
  },
};

function webhookAnswer(message: string) {
  return ({ data }: ProviderRecord) => okAnswer({ message, webhook: { urls: [data['url']] } });
}

const signingKey = getRoute('/v5/accounts/http_signing_key', (call) => ({
  ...{ message: 'success', http_signing_key: httpSigningKey(call) },
}));

export const mailgun: Door = {
  name: 'mailgun',
  routes: [
    ...[...messages, ...lists, ...domains, signingKey],
    ...[templates, webhooks, routes].flatMap(resourceRoutes),
  ],
  bodyLimit: 26 * 1024 * 1024,
  keyOf: (headers) => /^[^:]*:(.+)$/s.exec(signedInAs(headers))?.[1] ?? null,
  refusal: mailgunRefusal,
  limitHeaders: (now) => ({
    ...{ 'X-RateLimit-Limit': '300', 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': String((now + 60) * 1_000) },
  }),
  eventsFor: mailgunEvents,
  interactions: INTERACTIONS,
  sign: signMailgun,
  inbound: { rulesFor: mailgunRules, write: mailgunInbound },
};
