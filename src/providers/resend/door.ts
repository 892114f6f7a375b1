import type { Identity } from '../../domain/outbound.ts';
import { keyOfRecord, type ProviderRecord, uuid7Of } from '../../domain/provider.ts';
import type { Reader, Tx } from '../../ports/store.ts';
import { newUlid, nowOf } from '../calls.ts';
import {
  bearerOf,
  type Door,
  type DoorAnswer,
  type DoorCall,
  DoorRefusal,
  type DoorRoute,
  type Outcome,
} from '../door.ts';
import { fieldOf, isText, objectOf } from '../fields.ts';
import { addDomain, identities } from '../identities.ts';
import { webhookUrlIn } from '../parts.ts';
import { getRecord, listRecords, putRecord } from '../records.ts';
import { keyIn, type Resource, resourceRoutes } from '../resources.ts';
import { changeRoute, getRoute, okAnswer, postRoute } from '../routes.ts';
import { type AskedMail, bodiesOf, cancelScheduled, emailData, sendMails } from '../send.ts';
import { KEY_REUSED, refuseAs, refuseResendField, resendError, resendRefusal } from './errors.ts';
import { EVENTS, resendEvents } from './events.ts';
import { dueTime, resendMail } from './mail.ts';

// Resend's API, as the SDK `resend` calls it: https://resend.com/docs/api-reference

const MOST_IN_BATCH = 100;

const emails: readonly DoorRoute[] = [
  postRoute('/emails', async (call) => {
    const asked = resendMail(call, jsonOf(call), await nowOf(call));
    return sendMails(call, [asked], okAnswer({ id: asked.mail.id }));
  }),
  postRoute('/emails/batch', async (call) => {
    const given = jsonOf(call);
    if (!Array.isArray(given) || given.length === 0 || given.length > MOST_IN_BATCH)
      throw refuseAs('validation_error', `The request body must be an array of 1 to ${MOST_IN_BATCH} emails.`);
    const isPermissive = call.headers['x-batch-validation'] === 'permissive';
    const now = await nowOf(call);
    const asked: AskedMail[] = [];
    const errors: { index: number; message: string }[] = [];
    for (const [index, one] of given.entries()) {
      try {
        asked.push(ofBatch(resendMail(call, one, now)));
      } catch (error) {
        if (!isPermissive || !(error instanceof DoorRefusal)) throw error;
        errors.push({ index, message: String(objectOf(error.answer.body)?.['message']) });
      }
    }
    const data = asked.map(({ mail }) => ({ id: mail.id }));
    return sendMails(call, asked, okAnswer(isPermissive ? { data, errors } : { data }));
  }),
  getRoute('/emails', (call) => pageOf(call, 'emails', shownEmail)),
  getRoute('/emails/:id', async (call) => {
    const record = await emailOf(call);
    return { object: 'email', ...shownEmail(record), ...(await bodiesOf(call.ctx, record)) };
  }),
  {
    method: 'PATCH',
    path: '/emails/:id',
    handle: async (call) => {
      const text = fieldOf(objectOf(jsonOf(call)) ?? {}, 'scheduled_at');
      if (!isText(text)) throw refuseAs('missing_required_field', 'Missing `scheduled_at` field.');
      const dueAt = dueTime(text, await nowOf(call));
      return changeScheduled(call, async (tx, record) => {
        const fields = { ...emailData(record).fields, scheduledAt: dueAt };
        await putRecord(call, tx, 'emails', keyOfRecord(record), { ...record.data, fields, dueAt });
      });
    },
  },
  postRoute('/emails/:id/cancel', (call) =>
    changeScheduled(call, async (tx, record) => {
      await cancelScheduled(call, tx, record);
    }),
  ),
];

/** Resend takes no files and no time for the emails of a batch. */
function ofBatch(asked: AskedMail): AskedMail {
  if (asked.dueAt !== undefined)
    throw refuseAs('validation_error', 'The `scheduled_at` field is not supported in a batch.');
  if (asked.mail.attachments.length > 0)
    throw refuseAs('validation_error', 'The `attachments` field is not supported in a batch.');
  return asked;
}

/** Changes a scheduled email. */
function changeScheduled(
  call: DoorCall,
  change: (tx: Tx, record: ProviderRecord) => Promise<void>,
): Promise<DoorAnswer> {
  return call.once(async (tx) => {
    const record = await getRecord(call, tx, 'emails', idOf(call));
    if (record === null) throw notFound('Email');
    if (record.dueAt === undefined)
      throw refuseAs('validation_error', 'The email is not scheduled, or was sent already.');
    await change(tx, record);
    return { status: 200, body: { object: 'email', id: keyOfRecord(record) } };
  });
}

async function emailOf(call: DoorCall): Promise<ProviderRecord> {
  const record = await getRecord(call, await call.ctx.store.readNow(), 'emails', idOf(call));
  if (record === null) throw notFound('Email');
  return record;
}

function shownEmail(record: ProviderRecord) {
  const { state, fields } = emailData(record);
  const list = (name: string) => (Array.isArray(fields[name]) ? fields[name] : []);
  const { from, subject, scheduledAt } = fields;
  return {
    ...{ id: keyOfRecord(record), from, to: list('to'), cc: list('cc'), bcc: list('bcc'), reply_to: list('replyTo') },
    subject,
    created_at: timeText(record.createdAt),
    last_event: state,
    scheduled_at: typeof scheduledAt === 'number' ? timeText(scheduledAt) : null,
    tags: list('tags'),
  };
}

const domains: readonly DoorRoute[] = [
  getRoute('/domains', async (call, reader) => {
    return { object: 'list', has_more: false, data: (await identities(call, reader)).map(shownDomain) };
  }),
  changeRoute('POST', '/domains', 201, async (call, tx) => {
    const refuse = () => refuseAs('validation_error', 'The `name` field must be a domain name.');
    const identity = await addDomain(call, tx, fieldOf(objectOf(jsonOf(call)) ?? {}, 'name'), refuse);
    return { ...shownDomain(identity), records: [] };
  }),
  getRoute('/domains/:id', async (call, reader) => {
    return { object: 'domain', ...shownDomain(await domainOf(call, reader)), records: [] };
  }),
  postRoute('/domains/:id/verify', async (call) => {
    const { id } = await domainOf(call, await call.ctx.store.readNow());
    return okAnswer({ object: 'domain', id: uuid7Of(id) });
  }),
  changeRoute('DELETE', '/domains/:id', 200, async (call, tx) => {
    const { id } = await domainOf(call, tx);
    await tx.identities.remove(id);
    return { object: 'domain', id: uuid7Of(id), deleted: true };
  }),
];

async function domainOf(call: DoorCall, reader: Reader): Promise<Identity> {
  const found = (await identities(call, reader)).find(({ id }) => uuid7Of(id) === keyIn(call));
  if (found === undefined) throw notFound('Domain');
  return found;
}

/** Every domain is verified: mailcap does not ask for one before it takes mail. */
function shownDomain({ id, domain, createdAt }: Identity) {
  const region = 'us-east-1';
  return { id: uuid7Of(id), name: domain, status: 'verified', created_at: timeText(createdAt), region };
}

const webhooks: Resource = {
  kind: 'webhooks',
  path: '/webhooks',
  changesBy: 'PATCH',
  keys: (call) => uuid7Of(newUlid(call)),
  notFound: () => notFound('Webhook'),
  read: (call, before) => {
    const change = webhookIn(call);
    if (before !== null) return { ...change };
    if (change.endpoint === undefined || change.events === undefined)
      throw refuseAs('missing_required_field', 'Missing `endpoint` or `events` field.');
    const secret = `whsec_${Buffer.from(call.ctx.random.bytes(24)).toString('base64')}`;
    return { status: 'enabled', ...change, secret };
  },
  show: (record) => ({ object: 'webhook', ...shownWebhook(record), signing_secret: record.data['secret'] }),
  list: (call) => pageOf(call, 'webhooks', shownWebhook),
  answers: {
    created: (record) => okAnswer({ ...shownId(record), signing_secret: record.data['secret'] }, 201),
    changed: (record) => okAnswer(shownId(record)),
    removed: (record) => okAnswer({ ...shownId(record), deleted: true }),
  },
};

function shownId(record: ProviderRecord) {
  return { object: 'webhook', id: keyOfRecord(record) };
}

interface WebhookChange {
  readonly endpoint?: string;
  readonly events?: readonly string[];
  readonly status?: 'enabled' | 'disabled';
}

function webhookIn(call: DoorCall): WebhookChange {
  const given = objectOf(jsonOf(call)) ?? {};
  const [endpoint, events, status] = ['endpoint', 'events', 'status'].map((name) => fieldOf(given, name));
  if (endpoint !== undefined) webhookUrlIn(endpoint, 'endpoint', refuseResendField);
  // Events that mailcap does not cause are taken too, because apps name all that they handle.
  if (events !== undefined && !(Array.isArray(events) && events.every((one) => isText(one) && one.length <= 100)))
    throw refuseAs(
      'validation_error',
      `The \`events\` field must be an array of events, such as ${EVENTS.join(', ')}.`,
    );
  if (status !== undefined && status !== 'enabled' && status !== 'disabled')
    throw refuseAs('validation_error', 'The `status` field must be `enabled` or `disabled`.');
  return {
    ...(isText(endpoint) && { endpoint }),
    ...(Array.isArray(events) && { events: events.slice(0, 100) }),
    ...(status !== undefined && { status }),
  };
}

function shownWebhook(record: ProviderRecord) {
  const { endpoint, events, status } = record.data;
  return { id: keyOfRecord(record), created_at: timeText(record.createdAt), status, endpoint, events };
}

/** Shows a page of records, the newest first, between `after` and `before`. */
async function pageOf(
  call: DoorCall,
  kind: 'emails' | 'webhooks',
  show: (record: ProviderRecord) => object,
): Promise<object> {
  const limit = call.query.get('limit') ?? '20';
  if (!/^\d{1,3}$/.test(limit) || Number(limit) < 1 || Number(limit) > 100)
    throw refuseAs('validation_error', 'The `limit` parameter must be a number from 1 to 100.');
  const [after, before] = [call.query.get('after') ?? undefined, call.query.get('before') ?? undefined];
  if (after !== undefined && before !== undefined)
    throw refuseAs('validation_error', 'Use either `after` or `before`, not both.');
  const reader = await call.ctx.store.readNow();
  const most = Number(limit);
  // Resend lists the newest first. The rows after an id are older, and those before it newer.
  const rows = await listRecords(call, reader, kind, { before: after, after: before, limit: most + 1 });
  const page = rows.slice(0, most);
  if (before !== undefined) page.reverse();
  return { object: 'list', has_more: rows.length > most, data: page.map(show) };
}

function jsonOf({ body }: DoorCall): unknown {
  if (body.kind === 'json') return body.value;
  throw refuseAs('validation_error', 'The request body must be JSON.', 400);
}

function idOf({ params }: DoorCall): string {
  return (params['id'] ?? '').toLowerCase();
}

function notFound(what: string): DoorRefusal {
  return new DoorRefusal(resendError(404, 'not_found', `${what} not found`));
}

/** Resend writes times as PostgreSQL does. */
function timeText(time: number): string {
  return new Date(time).toISOString().replace('T', ' ').replace('Z', '000+00');
}

const TEST_ADDRESSES: Readonly<Record<string, Outcome>> = {
  delivered: 'delivered',
  bounced: 'bounced',
  complained: 'complained',
  suppressed: 'bounced',
};

export const resend: Door = {
  name: 'resend',
  routes: [...emails, ...domains, ...resourceRoutes(webhooks)],
  // 40 MB after base64, and the rest of the body.
  bodyLimit: 42 * 1024 * 1024,
  keyOf: bearerOf,
  secrets: ['authorization'],
  refusal: resendRefusal,
  keyReused: KEY_REUSED,
  limitHeaders: () => ({
    ...{ 'ratelimit-limit': '2', 'ratelimit-remaining': '0', 'ratelimit-reset': '1', 'retry-after': '1' },
  }),
  outcomeOf: (address) => {
    const [, name = ''] = /^([a-z]+)(?:\+[^@]*)?@resend\.dev$/i.exec(address) ?? [];
    return Object.hasOwn(TEST_ADDRESSES, name.toLowerCase()) ? (TEST_ADDRESSES[name.toLowerCase()] ?? null) : null;
  },
  eventsFor: resendEvents,
  interactions: ['opened', 'clicked', 'complained'],
};
