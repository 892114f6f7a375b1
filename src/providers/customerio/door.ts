import { addSuppression } from '../../actions/sends.ts';
import { INTERACTIONS, keyOfRecord, type ProviderRecord } from '../../domain/provider.ts';
import { newSecret, nowOf } from '../calls.ts';
import { bearerOf, type Door, type DoorRoute } from '../door.ts';
import { addressIn } from '../fields.ts';
import { numberOf } from '../numbered.ts';
import { listRecords } from '../records.ts';
import { namedRecord, type Resource, resourceRoutes } from '../resources.ts';
import { changeRoute, getRoute, okAnswer, postRoute } from '../routes.ts';
import { bodiesOf, emailData, sendMails } from '../send.ts';
import { suppressionRoutes } from '../suppressions.ts';
import { customerioBody, customerioRefusal, refuseCustomerio } from './errors.ts';
import { customerioEvents, signCustomerio } from './events.ts';
import { customerioMail } from './mail.ts';

// Customer.io's App API, as the SDK `customerio-node` calls it: https://docs.customer.io/integrations/api/app

const messages: readonly DoorRoute[] = [
  postRoute('/v1/send/email', async (call) => {
    const now = await nowOf(call);
    const asked = customerioMail(call, customerioBody(call), now);
    return sendMails(call, [asked], okAnswer({ delivery_id: asked.mail.id, queued_at: Math.floor(now / 1_000) }));
  }),
  getRoute('/v1/messages', async (call, reader) => {
    const limit = Math.min(Math.max(Number(call.query.get('limit') ?? 50) || 50, 1), 1_000);
    const start = call.query.get('start') || undefined;
    const rows = await listRecords(call, reader, 'emails', { before: start, limit });
    const next = rows.length === limit ? rows.at(-1) : undefined;
    return { messages: rows.map(shownMessage), next: next === undefined ? '' : keyOfRecord(next) };
  }),
  getRoute('/v1/messages/:id', async (call, reader) => ({
    message: shownMessage(await namedRecord(call, reader, 'emails', notFound)),
  })),
  getRoute('/v1/messages/:id/archived_message', async (call, reader) => {
    const record = await namedRecord(call, reader, 'emails', notFound);
    const { fields } = emailData(record);
    const { html, text } = await bodiesOf(call.ctx, record);
    const own = { id: keyOfRecord(record), from: fields['from'], recipient: fields['to'], subject: fields['subject'] };
    return { archived_message: { ...own, body: html ?? '', body_plain: text ?? '', created: seconds(record) } };
  }),
];

function notFound() {
  return refuseCustomerio('not found', 404);
}

function shownMessage(record: ProviderRecord) {
  const { fields, recipients, state } = emailData(record);
  const { subject, identifiers, template } = fields;
  return {
    ...{ id: keyOfRecord(record), type: 'email', recipient: recipients[0], subject, customer_identifiers: identifiers },
    ...{ transactional_message_id: template, created: seconds(record), metrics: { [state]: seconds(record) } },
  };
}

function seconds({ createdAt }: ProviderRecord): number {
  return Math.floor(createdAt / 1_000);
}

const SUPPRESSION = '/v1/esp/suppression';

const lists = (['bounce', 'complaint'] as const).flatMap((reason) => {
  const category = reason === 'bounce' ? 'bounces' : 'spam_reports';
  const path = `${SUPPRESSION}/${category}`;
  return [
    ...suppressionRoutes({
      ...{ path, reason },
      show: ({ recipient, addedAt }) => ({
        ...{ created: Math.floor(addedAt / 1_000), email: recipient, reason: '550 5.1.1', status: '5.1.1' },
      }),
      list: (suppressions) => ({ category, suppressions }),
      notFound,
    }),
    changeRoute('POST', `${path}/:address`, 201, async (call, tx) => {
      const address = addressIn(call.params['address'])?.address;
      if (address === undefined) throw refuseCustomerio('invalid email');
      await addSuppression(call.ctx, tx, call.workspaceId, { recipient: address, reason });
    }),
  ];
});

const webhooks: Resource = {
  kind: 'webhooks',
  path: '/v1/reporting_webhooks',
  changesBy: 'PUT',
  keys: 'numbers',
  notFound,
  read: (call, before) => {
    const given = customerioBody(call).over(before?.data);
    return {
      ...{ name: given.line('name', 255) ?? '', endpoint: given.url('endpoint'), events: given.lines('events', 100) },
      ...{ disabled: given.raw('disabled') === true, full_resolution: true, with_content: false },
      signing_secret: before?.data['signing_secret'] ?? newSecret(call, 32),
    };
  },
  show: (record) => {
    const { signing_secret: _secret, ...shown } = record.data;
    return { id: numberOf(record), ...shown };
  },
  list: (reporting_webhooks) => ({ reporting_webhooks }),
  // Customer.io shows the secret in its web app alone.
  answers: { created: (record) => okAnswer({ id: numberOf(record), ...record.data }) },
};

export const customerio: Door = {
  name: 'customerio',
  routes: [...messages, ...lists, ...resourceRoutes(webhooks)],
  bodyLimit: 8 * 1024 * 1024,
  keyOf: bearerOf,
  refusal: customerioRefusal,
  eventsFor: customerioEvents,
  interactions: INTERACTIONS,
  sign: signCustomerio,
};
