import { INTERACTIONS, keyOfRecord, type ProviderRecord } from '../../domain/provider.ts';
import type { BodyFields } from '../body-fields.ts';
import { newHexId, newSecret, nowOf, oneByOne } from '../calls.ts';
import { bearerOf, type Door, type DoorCall, type DoorRoute } from '../door.ts';
import { addressIn, isMissing, isText, objectOf } from '../fields.ts';
import { isoTime, storedAt } from '../parts.ts';
import { getRecord } from '../records.ts';
import { allRecords, namedRecord, type Resource, resourceRoutes } from '../resources.ts';
import { changeRoute, getRoute, okAnswer, postRoute } from '../routes.ts';
import { type AskedMail, bodiesOf, cancelScheduled, emailData, sendMails, suppressedAmong } from '../send.ts';
import { suppressionRoutes, suppressions } from '../suppressions.ts';
import { storedPart } from '../templates.ts';
import { mailersendBody, mailersendNotFound, mailersendRefusal, refuseMailersend } from './errors.ts';
import { mailersendEvents } from './events.ts';
import { inboundRoutes, mailersendInbound, mailersendRules } from './inbound.ts';
import { mailersendMails } from './mail.ts';

// MailerSend's API, as the SDK `mailersend` calls it: https://developers.mailersend.com

const MOST_IN_BULK = 500;

const emails: readonly DoorRoute[] = [
  postRoute('/v1/email', async (call) => {
    const asked = await mailsOf(call, mailersendBody(call));
    const warnings = await warningsOf(call, asked);
    const body = warnings === null ? '' : { message: 'There are some warnings for your request.', warnings };
    return sendMails(call, asked, { ...okAnswer(body, 202), headers: { 'X-Message-Id': asked[0]?.mail.id ?? '' } });
  }),
  postRoute('/v1/bulk-email', async (call) => {
    const given = call.body.kind === 'json' ? call.body.value : null;
    if (!Array.isArray(given) || given.length === 0 || given.length > MOST_IN_BULK)
      throw refuseMailersend('message', `The message must be a list of 1 to ${MOST_IN_BULK} emails.`);
    const bulkId = newHexId(call);
    const mails = await oneByOne(given, (one: unknown) => {
      if (objectOf(one) === null) throw refuseMailersend('message', 'The message must be a list of objects.');
      return mailsOf(call, mailersendBody(call, one));
    });
    const asked = mails.flat().map((mail) => ({ ...mail, fields: { ...mail.fields, bulkId } }));
    const body = { message: 'The bulk email is being processed.', bulk_email_id: bulkId };
    return sendMails(call, asked, okAnswer(body, 202));
  }),
  getRoute('/v1/bulk-email/:id', async (call) => {
    const { id } = call.params;
    const own = (await allRecords(call, 'emails')).filter((record) => emailData(record).fields['bulkId'] === id);
    const [first] = own;
    if (first === undefined) throw mailersendNotFound();
    const dropped = own.filter((record) => emailData(record).state === 'suppressed');
    const data = {
      ...{ id, state: 'completed', total_recipients_count: own.length },
      ...{ suppressed_recipients_count: dropped.length, suppressed_recipients: null },
      ...{ validation_errors_count: 0, validation_errors: null, messages_id: own.map(keyOfRecord) },
    };
    return { data: { ...data, ...timesOf(first) } };
  }),
  getRoute('/v1/messages', async (call) => {
    const page = paged(call, await allRecords(call, 'emails'));
    return { data: page.map((record) => ({ id: keyOfRecord(record), ...timesOf(record) })) };
  }),
  getRoute('/v1/messages/:id', async (call, reader) => {
    const record = await namedRecord(call, reader, 'emails', mailersendNotFound);
    const { fields, state } = emailData(record);
    const { from, subject, tags } = fields;
    const content = await bodiesOf(call.ctx, record);
    const own = { id: keyOfRecord(record), ...timesOf(record) };
    return { data: { ...own, emails: [{ ...own, from, subject, ...content, status: state, tags }] } };
  }),
  getRoute('/v1/message-schedules', async (call) => {
    const waiting = (await allRecords(call, 'emails')).filter(({ dueAt }) => dueAt !== undefined);
    return { data: paged(call, waiting).map(shownSchedule) };
  }),
  getRoute('/v1/message-schedules/:id', async (call, reader) => ({
    data: shownSchedule(await namedRecord(call, reader, 'emails', mailersendNotFound)),
  })),
  changeRoute('DELETE', '/v1/message-schedules/:id', 204, async (call, tx) => {
    const record = await namedRecord(call, tx, 'emails', mailersendNotFound);
    if (record.dueAt === undefined) throw mailersendNotFound();
    await cancelScheduled(call, tx, record);
  }),
];

async function mailsOf(call: DoorCall, given: BodyFields): Promise<AskedMail[]> {
  const id = given.raw('template_id');
  const reader = await call.ctx.store.readNow();
  const template = isText(id) && id !== '' ? await getRecord(call, reader, 'templates', id) : null;
  if (!isMissing(id) && template === null)
    throw refuseMailersend('template_id', 'The selected template_id is invalid.');
  return mailersendMails(call, given, template, await nowOf(call));
}

/** Tells which recipients get nothing because they are on the suppression list. Null if all get the mail. */
async function warningsOf(call: DoorCall, asked: readonly AskedMail[]) {
  const all = asked.flatMap(({ mail }) => mail.recipients);
  const suppressed = await suppressedAmong(call, all);
  if (suppressed.size === 0) return null;
  const recipients = [...suppressed].map(([email, reason]) => ({
    email,
    name: '',
    reasons: [reason === 'bounce' ? 'hard_bounced' : 'spam_complaint'],
  }));
  const type = all.every((address) => suppressed.has(address)) ? 'ALL_SUPPRESSED' : 'SOME_SUPPRESSED';
  return [{ type, message: 'Some of the recipients have been suppressed.', recipients }];
}

function timesOf(record: ProviderRecord) {
  return { created_at: storedAt(record), updated_at: storedAt(record) };
}

function shownSchedule(record: ProviderRecord) {
  const { fields, state } = emailData(record);
  const send_at = record.dueAt === undefined ? null : isoTime(record.dueAt);
  const own = { message_id: keyOfRecord(record), subject: fields['subject'], send_at, status: state };
  return { ...own, created_at: storedAt(record) };
}

/** Returns the page of a list that a request asks for. */
function paged<T>({ query }: DoorCall, all: readonly T[]): T[] {
  const numberOf = (name: string, usual: number, most: number) =>
    Math.min(Math.max(Math.trunc(Number(query.get(name) ?? usual)) || usual, 1), most);
  const [page, limit] = [numberOf('page', 1, 1_000), numberOf('limit', 25, 100)];
  return all.slice((page - 1) * limit, page * limit);
}

const RESOURCE: Pick<Resource, 'changesBy' | 'keys' | 'notFound' | 'one' | 'list'> = {
  ...{ changesBy: 'PUT', keys: newHexId, notFound: mailersendNotFound },
  one: (data) => ({ data }),
  list: (data, call) => ({ data: paged(call, data) }),
};

const templates: Resource = {
  ...RESOURCE,
  ...{ kind: 'templates', path: '/v1/templates' },
  read: (call, before) => {
    const given = mailersendBody(call).over(before?.data);
    const name = given.requiredLine('name', 200);
    const [html, text] = (['html', 'text'] as const).map((part) =>
      storedPart(given.raw(part), (reason) => refuseMailersend(part, reason)),
    );
    if (!html && !text) throw given.refuse('html', 'missing');
    return { name, html, text, tags: given.lines('tags', 20) };
  },
  show: (record) => ({
    ...{ id: keyOfRecord(record), name: record.data['name'], type: 'html', created_at: storedAt(record) },
  }),
  answers: {
    found: (record, call) => okAnswer({ data: { ...record.data, ...templates.show(record, call) } }),
  },
};

const webhooks: Resource = {
  ...RESOURCE,
  ...{ kind: 'webhooks', path: '/v1/webhooks' },
  read: (call, before) => {
    const given = mailersendBody(call).over(before?.data);
    const events = given.lines('events', 50);
    if (events.length === 0) throw given.refuse('events', 'missing');
    return {
      ...{ url: given.url('url'), events, name: given.line('name', 191) ?? '' },
      enabled: given.raw('enabled') !== false,
      domain_id: given.text('domain_id')?.slice(0, 100) ?? '',
      secret: before?.data['secret'] ?? newSecret(call, 16),
    };
  },
  show: (record) => ({ id: keyOfRecord(record), ...record.data, editable: true, ...timesOf(record) }),
  list: (data) => ({ data }),
};

const lists = (['bounce', 'complaint'] as const).flatMap((reason): DoorRoute[] => {
  const path = `/v1/suppressions/${reason === 'bounce' ? 'hard-bounces' : 'spam-complaints'}`;
  const routes = suppressionRoutes({
    ...{ path, reason },
    show: ({ id, recipient, addedAt }) => ({ id, created_at: isoTime(addedAt), recipient: { id, email: recipient } }),
    list: (shown, call) => ({ data: paged(call, shown) }),
    add: {
      ...{ method: 'POST', status: 201 },
      read: (call) => {
        const given = mailersendBody(call);
        return given.lines('recipients', 1_000, 320).map((one, index) => {
          const address = addressIn(one)?.address;
          if (address === undefined) throw given.refuse(`recipients.${index}`, 'address');
          return { recipient: address, reason };
        });
      },
      answer: (data) => ({ data }),
    },
    notFound: mailersendNotFound,
  });
  const removal = changeRoute('DELETE', path, 204, async (call, tx) => {
    const given = mailersendBody(call);
    const ids = new Set(given.lines('ids', 1_000));
    for (const { id } of await suppressions(call, reason))
      if (given.raw('all') === true || ids.has(id)) await tx.suppression.remove(id);
  });
  return [...routes, removal];
});

export const mailersend: Door = {
  name: 'mailersend',
  routes: [...emails, ...[templates, webhooks, inboundRoutes].flatMap(resourceRoutes), ...lists],
  // 25 MB of files after base64, and the bodies.
  bodyLimit: 36 * 1024 * 1024,
  keyOf: bearerOf,
  refusal: mailersendRefusal,
  limitHeaders: () => ({ 'X-RateLimit-Limit': '10', 'X-RateLimit-Remaining': '0', 'retry-after': '60' }),
  eventsFor: mailersendEvents,
  interactions: INTERACTIONS,
  inbound: { rulesFor: mailersendRules, write: mailersendInbound },
};
