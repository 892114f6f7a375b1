import { INTERACTIONS, type ProviderRecord, uuid7Of } from '../../domain/provider.ts';
import { newUlid, objectBody } from '../calls.ts';
import { bearerOf, type Door, type DoorCall, DoorRefusal, type DoorRoute } from '../door.ts';
import { addressIn, fieldOf, type JsonObject, objectOf } from '../fields.ts';
import { numberOf } from '../numbered.ts';
import { isoTime, lineIn, linesIn, optionalText, storedAt, webhookUrlIn } from '../parts.ts';
import { type Resource, resourceRoutes } from '../resources.ts';
import { getRoute, okAnswer } from '../routes.ts';
import { type AskedMail, checkSender, sendMails } from '../send.ts';
import { suppressionRoutes } from '../suppressions.ts';
import { storedPart } from '../templates.ts';
import { mailtrapNotFound, mailtrapRefusal, refuseMailtrap, refuseMailtrapPart, refusePartSaying } from './errors.ts';
import { mailtrapEvents, messageIdFor } from './events.ts';
import { mailtrapMail } from './mail.ts';

// Mailtrap's API, as the SDK `mailtrap` calls it: https://docs.mailtrap.io/developers. The paths of its sandbox send too.

const MOST_IN_BATCH = 500;

const sending: readonly DoorRoute[] = ['', '/:inbox'].flatMap((inbox): DoorRoute[] => [
  { method: 'POST', path: `/api/send${inbox}`, handle: sendOne },
  { method: 'POST', path: `/api/batch${inbox}`, handle: sendBatch },
]);

async function sendOne(call: DoorCall) {
  const asked = await mailtrapMail(call, bodyOf(call));
  return sendMails(call, [asked], { status: 200, body: { success: true, message_ids: idsOf(asked) } });
}

function idsOf({ mail: { id, recipients } }: AskedMail): string[] {
  return recipients.map((address) => messageIdFor(id, recipients, address));
}

/** Each mail of a batch is sent or refused by itself. */
async function sendBatch(call: DoorCall) {
  const given = bodyOf(call);
  const [base, requests] = [fieldOf(given, 'base'), fieldOf(given, 'requests')];
  if (!Array.isArray(requests) || requests.length === 0 || requests.length > MOST_IN_BATCH)
    throw refuseMailtrap(`'requests' must be a list of 1 to ${MOST_IN_BATCH} mails`);
  const asked: AskedMail[] = [];
  const responses: unknown[] = [];
  for (const one of requests) {
    try {
      const mail = await mailtrapMail(call, { ...objectOf(base), ...objectOf(one) });
      await checkSender(call, mail.mail);
      asked.push(mail);
      responses.push({ success: true, message_ids: idsOf(mail) });
    } catch (error) {
      if (!(error instanceof DoorRefusal)) throw error;
      responses.push(error.answer.body);
    }
  }
  return sendMails(call, asked, { status: 200, body: { success: true, responses } });
}

const ACCOUNT = '/api/accounts/:account';

const templates: Resource = {
  kind: 'templates',
  path: `${ACCOUNT}/email_templates`,
  changesBy: 'PATCH',
  keys: 'numbers',
  notFound: mailtrapNotFound,
  read: (call, before) => {
    const given = { ...before?.data, ...objectOf(fieldOf(bodyOf(call), 'email_template')) };
    const [name, category] = [
      lineIn(given, 'name', refuseMailtrapPart, 255),
      lineIn(given, 'category', refuseMailtrapPart, 255),
    ];
    if (!name) throw refuseMailtrapPart('name', 'missing');
    if (!category) throw refuseMailtrapPart('category', 'missing');
    const [subject, body_html, body_text] = (['subject', 'body_html', 'body_text'] as const).map((part) =>
      storedPart(fieldOf(given, part), (reason) => refusePartSaying(part, reason)),
    );
    if (!subject) throw refuseMailtrapPart('subject', 'missing');
    const uuid = before?.data['uuid'] ?? uuid7Of(newUlid(call));
    return { uuid, name, category, subject, body_html, body_text };
  },
  show: shownTemplate,
  list: async (_call, all) => (await all()).map(shownTemplate),
};

function shownTemplate(record: ProviderRecord) {
  return { id: numberOf(record), ...record.data, created_at: storedAt(record), updated_at: storedAt(record) };
}

const webhooks: Resource = {
  kind: 'webhooks',
  path: `${ACCOUNT}/webhooks`,
  changesBy: 'PATCH',
  keys: 'numbers',
  notFound: mailtrapNotFound,
  read: (call, before) => {
    const given = { ...before?.data, ...objectOf(fieldOf(bodyOf(call), 'webhook')) };
    if (optionalText(given, 'webhook_type', refuseMailtrapPart) !== 'email_sending')
      throw refusePartSaying('webhook_type', 'mailcap has webhooks of the type email_sending alone');
    const format = optionalText(given, 'payload_format', refuseMailtrapPart) ?? 'json';
    if (format !== 'json' && format !== 'jsonlines')
      throw refusePartSaying('payload_format', 'is not included in the list');
    return {
      ...{ url: webhookUrlIn(fieldOf(given, 'url'), 'url', refuseMailtrapPart), webhook_type: 'email_sending' },
      ...{ active: fieldOf(given, 'active') !== false, payload_format: format, sending_stream: 'transactional' },
      event_types: linesIn(given, 'event_types', refuseMailtrapPart, 20),
      signing_secret: before?.data['signing_secret'] ?? Buffer.from(call.ctx.random.bytes(16)).toString('hex'),
    };
  },
  show: shownWebhook,
  list: async (_call, all) => ({ data: (await all()).map((one) => shownWebhook(one).data) }),
  answers: {
    // The secret is told once, as Mailtrap does.
    created: (record) => okAnswer({ data: { id: numberOf(record), ...record.data } }, 201),
    removed: (record) => okAnswer(shownWebhook(record)),
  },
};

function shownWebhook(record: ProviderRecord) {
  const { signing_secret: _secret, ...shown } = record.data;
  return { data: { id: numberOf(record), ...shown, domain_id: null } };
}

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
      const given = bodyOf(call);
      const address = addressIn(fieldOf(given, 'email'))?.address;
      if (address === undefined) throw refuseMailtrapPart('email', 'address');
      const reason = fieldOf(given, 'type') === 'spam complaint' ? 'complaint' : 'bounce';
      return [{ recipient: address, reason }];
    },
    answer: ([shown]) => ({ data: shown }),
  },
  removed: (shown) => shown,
  notFound: mailtrapNotFound,
});

const account = getRoute('/api/accounts', () => [{ id: 1, name: 'mailcap', access_levels: [1_000] }]);

function bodyOf(call: DoorCall): JsonObject {
  return objectBody(call, () => refuseMailtrap('Invalid JSON: the body must be an object'));
}

export const mailtrap: Door = {
  name: 'mailtrap',
  routes: [...sending, ...resourceRoutes(templates), ...resourceRoutes(webhooks), ...lists, account],
  // A batch has up to 50 MB.
  bodyLimit: 50 * 1024 * 1024,
  keyOf: (headers) => {
    const token = headers['api-token'];
    return bearerOf(headers) ?? (typeof token === 'string' && token !== '' ? token : null);
  },
  secrets: ['authorization', 'api-token'],
  refusal: mailtrapRefusal,
  keyReused: null,
  outcomeOf: () => null,
  eventsFor: mailtrapEvents,
  interactions: INTERACTIONS,
};
