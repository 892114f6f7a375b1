import { INTERACTIONS } from '../../domain/provider.ts';
import { newSecret, newUuid } from '../calls.ts';
import { bearerOf, type Door, type DoorCall, type DoorRoute, keyInHeader } from '../door.ts';
import { addressIn, fieldOf, objectOf } from '../fields.ts';
import { numberOf } from '../numbered.ts';
import { isoTime, storedAt } from '../parts.ts';
import { type Resource, resourceRoutes } from '../resources.ts';
import { getRoute, okAnswer, postRoute } from '../routes.ts';
import { type AskedMail, readBatch, sendMails } from '../send.ts';
import { suppressionRoutes } from '../suppressions.ts';
import { storedPart } from '../templates.ts';
import {
  mailtrapBody,
  mailtrapNotFound,
  mailtrapRefusal,
  partBody,
  refuseMailtrap,
  refusePartSaying,
} from './errors.ts';
import { mailtrapEvents, messageIdFor } from './events.ts';
import { mailtrapMail } from './mail.ts';

// Mailtrap's API, as the SDK `mailtrap` calls it: https://docs.mailtrap.io/developers. The paths of its sandbox send too.

const MOST_IN_BATCH = 500;

const sending: readonly DoorRoute[] = ['', '/:inbox'].flatMap((inbox) => [
  postRoute(`/api/send${inbox}`, sendOne),
  postRoute(`/api/batch${inbox}`, sendBatch),
]);

async function sendOne(call: DoorCall) {
  const asked = await mailtrapMail(call, mailtrapBody(call));
  return sendMails(call, [asked], okAnswer(sentOf(asked)));
}

function sentOf({ mail: { id, recipients } }: AskedMail) {
  return { success: true, message_ids: recipients.map((address) => messageIdFor(id, recipients, address)) };
}

/** Each mail of a batch is sent or refused by itself. */
async function sendBatch(call: DoorCall) {
  const given = mailtrapBody(call);
  const [base, requests] = [objectOf(given.raw('base')) ?? {}, given.raw('requests')];
  if (!Array.isArray(requests) || requests.length === 0 || requests.length > MOST_IN_BATCH)
    throw refuseMailtrap(`'requests' must be a list of 1 to ${MOST_IN_BATCH} mails`);
  const read = (one: unknown) => mailtrapMail(call, mailtrapBody(call, { ...base, ...objectOf(one) }));
  const { asked, answers } = await readBatch(call, requests, read, sentOf);
  return sendMails(call, asked, okAnswer({ success: true, responses: answers }));
}

const ACCOUNT = '/api/accounts/:account';

const templates: Resource = {
  kind: 'templates',
  path: `${ACCOUNT}/email_templates`,
  changesBy: 'PATCH',
  keys: 'numbers',
  notFound: mailtrapNotFound,
  read: (call, before) => {
    const given = partBody(call).inside('email_template').over(before?.data);
    const [name, category] = [given.requiredLine('name', 255), given.requiredLine('category', 255)];
    const [subject, body_html, body_text] = (['subject', 'body_html', 'body_text'] as const).map((part) =>
      storedPart(given.raw(part), (reason) => refusePartSaying(part, reason)),
    );
    if (!subject) throw given.refuse('subject', 'missing');
    return { uuid: before?.data['uuid'] ?? newUuid(call), name, category, subject, body_html, body_text };
  },
  show: (record) => ({
    ...{ id: numberOf(record), ...record.data, created_at: storedAt(record), updated_at: storedAt(record) },
  }),
  list: (shown) => shown,
};

const webhooks: Resource = {
  kind: 'webhooks',
  path: `${ACCOUNT}/webhooks`,
  changesBy: 'PATCH',
  keys: 'numbers',
  notFound: mailtrapNotFound,
  read: (call, before) => {
    const given = partBody(call).inside('webhook').over(before?.data);
    if (given.text('webhook_type') !== 'email_sending')
      throw refusePartSaying('webhook_type', 'mailcap has webhooks of the type email_sending alone');
    const format = given.text('payload_format') ?? 'json';
    if (format !== 'json' && format !== 'jsonlines')
      throw refusePartSaying('payload_format', 'is not included in the list');
    return {
      ...{ url: given.url('url'), webhook_type: 'email_sending', event_types: given.lines('event_types', 20) },
      ...{ active: given.raw('active') !== false, payload_format: format, sending_stream: 'transactional' },
      signing_secret: before?.data['signing_secret'] ?? newSecret(call, 16),
    };
  },
  show: (record) => {
    const { signing_secret: _secret, ...shown } = record.data;
    return { id: numberOf(record), ...shown, domain_id: null };
  },
  one: (data) => ({ data }),
  list: (data) => ({ data }),
  answers: {
    // The secret is told once, as Mailtrap does.
    created: (record) => okAnswer({ data: { id: numberOf(record), ...record.data } }, 201),
    removed: (record, call) => okAnswer({ data: webhooks.show(record, call) }),
  },
};

const lists = suppressionRoutes({
  path: `${ACCOUNT}/suppressions`,
  show: ({ id, recipient, reason, addedAt }) => ({
    ...{ id, type: reason === 'bounce' ? 'hard bounce' : 'spam complaint', email: recipient },
    ...{ created_at: isoTime(addedAt), sending_stream: 'transactional', domain_name: null },
  }),
  list: (shown, { query }) => {
    const email = query.get('email')?.toLowerCase();
    return shown.filter((one) => !email || fieldOf({ ...one }, 'email') === email).slice(0, 1_000);
  },
  add: {
    ...{ method: 'POST', status: 201 },
    read: (call) => {
      const given = partBody(call);
      const address = addressIn(given.raw('email'))?.address;
      if (address === undefined) throw given.refuse('email', 'address');
      const reason = given.raw('type') === 'spam complaint' ? 'complaint' : 'bounce';
      return [{ recipient: address, reason }];
    },
    answer: ([shown]) => ({ data: shown }),
  },
  removed: (shown) => shown,
  notFound: mailtrapNotFound,
});

const account = getRoute('/api/accounts', () => [{ id: 1, name: 'mailcap', access_levels: [1_000] }]);

export const mailtrap: Door = {
  name: 'mailtrap',
  routes: [...sending, ...resourceRoutes(templates), ...resourceRoutes(webhooks), ...lists, account],
  // A batch has up to 50 MB.
  bodyLimit: 50 * 1024 * 1024,
  keyOf: (headers) => bearerOf(headers) ?? keyInHeader('api-token')(headers),
  secrets: ['authorization', 'api-token'],
  refusal: mailtrapRefusal,
  eventsFor: mailtrapEvents,
  interactions: INTERACTIONS,
};
