import { generateKeyPairSync } from 'node:crypto';
import { INTERACTIONS, keyOfRecord, MOST_RECORDS, type ProviderRecord } from '../../domain/provider.ts';
import { newHexId, newUlid, newUuid, nowOf } from '../calls.ts';
import { bearerOf, type Door, type DoorCall, type DoorRoute } from '../door.ts';
import { isText } from '../fields.ts';
import { storedAt } from '../parts.ts';
import { getRecord, putRecord } from '../records.ts';
import { keyIn, listRoute, namedRecord, type Resource, resourceRoutes } from '../resources.ts';
import { changeRoute, okAnswer, postRoute } from '../routes.ts';
import { cancelScheduled, emailData, scheduledEmails, sendMails } from '../send.ts';
import { suppressionRoutes } from '../suppressions.ts';
import { storedPart } from '../templates.ts';
import { refuseSendgrid, sendgridBody, sendgridRefusal } from './errors.ts';
import { sendgridEvents, signSendgrid } from './events.ts';
import { parseSettings, sendgridInbound, sendgridRules } from './inbound.ts';
import { sendgridMails } from './mail.ts';

// SendGrid's API of version 3, as the SDK `@sendgrid/mail` calls it: https://www.twilio.com/docs/sendgrid/api-reference

const mail: readonly DoorRoute[] = [
  postRoute('/v3/mail/send', async (call) => {
    const given = sendgridBody(call);
    const template = given.lacks('template_id') ? null : await versionOf(call, given.raw('template_id'));
    const asked = await sendgridMails(call, given, template, await nowOf(call));
    // In the sandbox a request is checked, and nothing is sent.
    if (given.inside('mail_settings').inside('sandbox_mode').raw('enable') === true) return okAnswer('');
    return sendMails(call, asked, { ...okAnswer('', 202), headers: { 'X-Message-Id': asked[0]?.mail.id ?? '' } });
  }),
  postRoute('/v3/mail/batch', async (call) => okAnswer({ batch_id: newUlid(call) }, 201)),
  changeRoute('POST', '/v3/user/scheduled_sends', 201, async (call, tx) => {
    const given = sendgridBody(call);
    const [batch_id, status] = [given.raw('batch_id'), given.raw('status')];
    if (!isText(batch_id) || status !== 'cancel')
      throw refuseSendgrid('mailcap takes a batch_id with the status cancel.', 'status');
    for (const record of await scheduledEmails(call, tx))
      if (emailData(record).fields['batchId'] === batch_id) await cancelScheduled(call, tx, record);
    return { batch_id, status };
  }),
];

const templates: Resource = {
  kind: 'templates',
  path: '/v3/templates',
  changesBy: 'PATCH',
  keys: (call) => `d-${newHexId(call)}`,
  notFound: () => refuseSendgrid('Template not found', null, 404),
  read: (call) => {
    const name = sendgridBody(call).raw('name');
    if (!isText(name) || name === '' || name.length > 100)
      throw refuseSendgrid('The name of the template is missing or too long.', 'name');
    return { name };
  },
  show: (record) => {
    const { name, version } = record.data;
    const updated_at = storedAt(record).slice(0, 19).replace('T', ' ');
    const own = { id: keyOfRecord(record), name, generation: 'dynamic', updated_at };
    return { ...own, versions: version === undefined ? [] : [shownVersion(record)] };
  },
  list: (result) => ({ result, _metadata: { count: result.length } }),
};

const PARTS = ['subject', 'html_content', 'plain_content'] as const;

/** A template has one version, which is active. */
const versions = changeRoute('POST', `${templates.path}/:id/versions`, 201, async (call, tx) => {
  const given = sendgridBody(call);
  const parts = Object.fromEntries(
    PARTS.map((name) => [name, storedPart(given.raw(name), (reason) => refuseSendgrid(reason, name))]),
  );
  const before = await namedRecord(call, tx, 'templates', () => templates.notFound(call));
  const data = { ...before.data, ...parts, version: given.raw('name') ?? 'version' };
  return { ...shownVersion(await putRecord(call, tx, 'templates', keyIn(call), data)), ...parts };
});

function shownVersion(record: ProviderRecord) {
  const template_id = keyOfRecord(record);
  const { version, subject } = record.data;
  return { id: `v-${template_id.slice(2)}`, template_id, active: 1, name: version, subject };
}

/** Returns the template that a mail names. Throws SendGrid's refusal if there is none. */
async function versionOf(call: DoorCall, name: unknown): Promise<ProviderRecord> {
  const record = isText(name) ? await getRecord(call, await call.ctx.store.readNow(), 'templates', name) : null;
  if (record === null || record.data['version'] === undefined)
    throw refuseSendgrid(
      'The template_id is none of this server, or has no active version: create both by POST /v3/templates.',
      'template_id',
    );
  return record;
}

const lists = (['bounce', 'complaint'] as const).flatMap((reason) =>
  suppressionRoutes({
    path: `/v3/suppression/${reason === 'bounce' ? 'bounces' : 'spam_reports'}`,
    reason,
    show: ({ recipient, addedAt }) => ({
      ...{ created: Math.floor(addedAt / 1_000), email: recipient, reason: '550 5.1.1', status: '5.1.1' },
    }),
    list: (shown) => shown,
    found: (shown) => [shown],
    missing: [],
    notFound: () => refuseSendgrid('resource not found', null, 404),
  }),
);

const SETTINGS = [
  ...['enabled', 'processed', 'delivered', 'bounce', 'spam_report', 'deferred', 'dropped', 'open', 'click'],
  'unsubscribe',
];

const webhooks: Resource = {
  kind: 'webhooks',
  path: '/v3/user/webhooks/event/settings',
  changesBy: 'PATCH',
  keys: newUuid,
  notFound: () => refuseSendgrid('webhook not found', null, 404),
  read: (call, before) => {
    const given = sendgridBody(call).over(before?.data);
    const flags = SETTINGS.map((name) => [name, given.raw(name) === true] as const);
    return { ...before?.data, ...Object.fromEntries(flags), url: given.url('url') };
  },
  show: (record) => {
    const { privateKey: _secret, publicKey, isSigned, ...shown } = record.data;
    return { id: keyOfRecord(record), ...shown, ...(isSigned === true && { public_key: publicKey }) };
  },
  list: (shown) => ({ max_allowed: MOST_RECORDS, webhooks: shown }),
};

const signing: readonly DoorRoute[] = [
  listRoute(webhooks, `${webhooks.path}/all`),
  changeRoute('PATCH', `${webhooks.path}/signed/:id`, 200, async (call, tx) => {
    const before = await namedRecord(call, tx, 'webhooks', () => webhooks.notFound(call));
    const { privateKey, publicKey } = isText(before.data['privateKey']) ? before.data : newKeys();
    const isSigned = sendgridBody(call).raw('enabled') === true;
    await putRecord(call, tx, 'webhooks', keyIn(call), { ...before.data, privateKey, publicKey, isSigned });
    return { id: keyIn(call), public_key: publicKey };
  }),
];

/** Makes the keys by which events are signed, in DER and base64. */
function newKeys(): ProviderRecord['data'] {
  const { privateKey, publicKey } = generateKeyPairSync('ec', {
    namedCurve: 'prime256v1',
    publicKeyEncoding: { format: 'der', type: 'spki' },
    privateKeyEncoding: { format: 'der', type: 'pkcs8' },
  });
  return { privateKey: privateKey.toString('base64'), publicKey: publicKey.toString('base64') };
}

export const sendgrid: Door = {
  name: 'sendgrid',
  routes: [
    ...[...mail, ...lists, ...signing, versions],
    ...[templates, webhooks, parseSettings].flatMap(resourceRoutes),
  ],
  bodyLimit: 31 * 1024 * 1024,
  keyOf: bearerOf,
  refusal: sendgridRefusal,
  limitHeaders: (now) => ({
    ...{ 'X-RateLimit-Limit': '600', 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': String(now + 60) },
  }),
  eventsFor: sendgridEvents,
  interactions: INTERACTIONS,
  sign: signSendgrid,
  inbound: { rulesFor: sendgridRules, write: sendgridInbound },
};
