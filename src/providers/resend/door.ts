import { keyOfRecord, type ProviderRecord } from '../../domain/provider.ts';
import type { Tx } from '../../ports/store.ts';
import { newUuid, nowOf } from '../calls.ts';
import {
  bearerOf,
  type Door,
  type DoorAnswer,
  type DoorCall,
  DoorRefusal,
  type DoorRoute,
  testAddresses,
} from '../door.ts';
import { isText, objectOf } from '../fields.ts';
import { putRecord } from '../records.ts';
import { namedRecord, type Resource, resourceRoutes } from '../resources.ts';
import { getRoute, okAnswer, postRoute } from '../routes.ts';
import { type AskedMail, bodiesOf, cancelScheduled, emailData, sendMails } from '../send.ts';
import { listed, timeText } from './answers.ts';
import { domains } from './domains.ts';
import { IDEMPOTENCY, notFound, refuseAs, resendBody, resendRefusal, validationError } from './errors.ts';
import { EVENTS, resendEvents } from './events.ts';
import { dueTime, resendMail } from './mail.ts';
import { publishReceived, receiving, resendRules } from './receiving.ts';

// Resend's API, as the SDK `resend` calls it: https://resend.com/docs/api-reference

const MOST_IN_BATCH = 100;

const emails: readonly DoorRoute[] = [
  postRoute('/emails', async (call) => {
    const asked = resendMail(call, resendBody(call), await nowOf(call));
    return sendMails(call, [asked], okAnswer({ id: asked.mail.id }));
  }),
  postRoute('/emails/batch', async (call) => {
    const given = call.body.kind === 'json' ? call.body.value : null;
    if (!Array.isArray(given) || given.length === 0 || given.length > MOST_IN_BATCH)
      throw validationError(`The request body must be an array of 1 to ${MOST_IN_BATCH} emails.`);
    const isPermissive = call.headers['x-batch-validation'] === 'permissive';
    const now = await nowOf(call);
    const asked: AskedMail[] = [];
    const errors: { index: number; message: string }[] = [];
    for (const [index, one] of given.entries()) {
      try {
        asked.push(ofBatch(resendMail(call, resendBody(call, one), now)));
      } catch (error) {
        if (!isPermissive || !(error instanceof DoorRefusal)) throw error;
        errors.push({ index, message: String(objectOf(error.answer.body)?.['message']) });
      }
    }
    const data = asked.map(({ mail }) => ({ id: mail.id }));
    return sendMails(call, asked, okAnswer(isPermissive ? { data, errors } : { data }));
  }),
  getRoute('/emails', (call) => listed(call, 'emails', shownEmail)),
  getRoute('/emails/:id', async (call) => {
    const record = await namedRecord(call, await call.ctx.store.readNow(), 'emails', noEmail);
    return { object: 'email', ...shownEmail(record), ...(await bodiesOf(call.ctx, record)) };
  }),
  {
    method: 'PATCH',
    path: '/emails/:id',
    handle: async (call) => {
      const given = resendBody(call);
      const text = given.raw('scheduled_at');
      if (!isText(text)) throw given.refuse('scheduled_at', 'missing');
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
  if (asked.dueAt !== undefined) throw validationError('The `scheduled_at` field is not supported in a batch.');
  if (asked.mail.attachments.length > 0) throw validationError('The `attachments` field is not supported in a batch.');
  return asked;
}

/** Changes a scheduled email. */
function changeScheduled(
  call: DoorCall,
  change: (tx: Tx, record: ProviderRecord) => Promise<void>,
): Promise<DoorAnswer> {
  return call.once(async (tx) => {
    const record = await namedRecord(call, tx, 'emails', noEmail);
    if (record.dueAt === undefined) throw validationError('The email is not scheduled, or was sent already.');
    await change(tx, record);
    return { status: 200, body: { object: 'email', id: keyOfRecord(record) } };
  });
}

function noEmail() {
  return notFound('Email');
}

function shownEmail(record: ProviderRecord) {
  const { state, fields } = emailData(record);
  const list = (name: string) => (Array.isArray(fields[name]) ? fields[name] : []);
  const { from, subject, scheduledAt } = fields;
  return {
    ...{ id: keyOfRecord(record), from, to: list('to'), cc: list('cc'), bcc: list('bcc'), reply_to: list('replyTo') },
    ...{ subject, created_at: timeText(record.createdAt), last_event: state },
    ...{ scheduled_at: typeof scheduledAt === 'number' ? timeText(scheduledAt) : null, tags: list('tags') },
  };
}

const webhooks: Resource = {
  kind: 'webhooks',
  path: '/webhooks',
  changesBy: 'PATCH',
  keys: newUuid,
  notFound: () => notFound('Webhook'),
  read: (call, before) => {
    const change = webhookIn(call);
    if (before !== null) return change;
    if (change['endpoint'] === undefined || change['events'] === undefined)
      throw refuseAs('missing_required_field', 'Missing `endpoint` or `events` field.');
    const secret = `whsec_${Buffer.from(call.ctx.random.bytes(24)).toString('base64')}`;
    return { status: 'enabled', ...change, secret };
  },
  show: (record) => ({ object: 'webhook', ...shownWebhook(record), signing_secret: record.data['secret'] }),
  answers: {
    created: (record) => okAnswer({ ...shownId(record), signing_secret: record.data['secret'] }, 201),
    changed: (record) => okAnswer(shownId(record)),
    removed: (record) => okAnswer({ ...shownId(record), deleted: true }),
  },
};

function shownId(record: ProviderRecord) {
  return { object: 'webhook', id: keyOfRecord(record) };
}

/** Reads the fields of a webhook that a request has. */
function webhookIn(call: DoorCall): Readonly<Record<string, unknown>> {
  const given = resendBody(call);
  const [events, status] = [given.raw('events'), given.raw('status')];
  // Events that mailcap does not cause are taken too, because apps name all that they handle.
  if (events !== undefined && !(Array.isArray(events) && events.every((one) => isText(one) && one.length <= 100)))
    throw validationError(`The \`events\` field must be an array of events, such as ${EVENTS.join(', ')}.`);
  if (status !== undefined && status !== 'enabled' && status !== 'disabled')
    throw validationError('The `status` field must be `enabled` or `disabled`.');
  return {
    ...(given.raw('endpoint') !== undefined && { endpoint: given.url('endpoint') }),
    ...(Array.isArray(events) && { events: events.slice(0, 100) }),
    ...(status !== undefined && { status }),
  };
}

function shownWebhook(record: ProviderRecord) {
  const { endpoint, events, status } = record.data;
  return { id: keyOfRecord(record), created_at: timeText(record.createdAt), status, endpoint, events };
}

export const resend: Door = {
  name: 'resend',
  routes: [
    ...[...emails, ...domains, ...resourceRoutes(webhooks), ...receiving],
    getRoute(webhooks.path, (call) => listed(call, 'webhooks', shownWebhook)),
  ],
  // 40 MB after base64, and the rest of the body.
  bodyLimit: 42 * 1024 * 1024,
  keyOf: bearerOf,
  refusal: resendRefusal,
  idempotency: IDEMPOTENCY,
  limitHeaders: () => ({
    ...{ 'ratelimit-limit': '2', 'ratelimit-remaining': '0', 'ratelimit-reset': '1', 'retry-after': '1' },
  }),
  outcomeOf: testAddresses('resend.dev', {
    ...{ delivered: 'delivered', bounced: 'bounced', complained: 'complained', suppressed: 'bounced' },
  }),
  eventsFor: resendEvents,
  inbound: {
    rulesFor: resendRules,
    publish: (caller, tx, mail, _rule, now) => publishReceived({ ...caller, door: resend }, tx, mail, now),
  },
  interactions: ['opened', 'clicked', 'complained'],
};
