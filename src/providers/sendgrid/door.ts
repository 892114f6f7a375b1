import { generateKeyPairSync } from 'node:crypto';
import type { SuppressionEntry } from '../../domain/outbound.ts';
import { INTERACTIONS, keyOfRecord, MOST_RECORDS, type ProviderRecord, uuid7Of } from '../../domain/provider.ts';
import { newUlid, nowOf, objectBody } from '../calls.ts';
import { bearerOf, type Door, type DoorAnswer, type DoorCall, type DoorRoute } from '../door.ts';
import { fieldOf, isMissing, isText, type JsonObject, objectOf } from '../fields.ts';
import { storedAt, webhookUrlIn } from '../parts.ts';
import { getRecord, putRecord } from '../records.ts';
import { allRecords, type Resource, resourceRoutes } from '../resources.ts';
import { cancelScheduled, emailData, sendMails } from '../send.ts';
import { liftSuppression, suppressions } from '../suppressions.ts';
import { storedPart } from '../templates.ts';
import { refuseSendgrid, refuseSendgridField, sendgridRefusal } from './errors.ts';
import { sendgridEvents, signSendgrid } from './events.ts';
import { parseSettings, sendgridInbound, sendgridRules } from './inbound.ts';
import { sendgridMails } from './mail.ts';

// SendGrid's API of version 3, as the SDK `@sendgrid/mail` calls it: https://www.twilio.com/docs/sendgrid/api-reference

const mail: readonly DoorRoute[] = [
  {
    method: 'POST',
    path: '/v3/mail/send',
    handle: async (call) => {
      const given = bodyOf(call);
      const name = fieldOf(given, 'template_id');
      const template = isMissing(name) ? null : await versionOf(call, name);
      const asked = sendgridMails(call, given, template, await nowOf(call));
      const headers = { 'X-Message-Id': asked[0]?.mail.id ?? '' };
      const settings = objectOf(fieldOf(given, 'mail_settings')) ?? {};
      // In the sandbox a request is checked, and nothing is sent.
      if (fieldOf(objectOf(fieldOf(settings, 'sandbox_mode')) ?? {}, 'enable') === true)
        return { status: 200, body: '' };
      return sendMails(call, asked, { status: 202, body: '', headers });
    },
  },
  {
    method: 'POST',
    path: '/v3/mail/batch',
    handle: async (call) => ({ status: 201, body: { batch_id: newUlid(call) } }),
  },
  {
    method: 'POST',
    path: '/v3/user/scheduled_sends',
    handle: async (call) => {
      const given = bodyOf(call);
      const [batchId, status] = [fieldOf(given, 'batch_id'), fieldOf(given, 'status')];
      if (!isText(batchId) || status !== 'cancel')
        throw refuseSendgrid('mailcap takes a batch_id with the status cancel.', 'status');
      return call.once(async (tx) => {
        for (const record of await tx.providerRecords.due()) {
          const { provider, kind, workspaceId } = record;
          if (provider !== 'sendgrid' || kind !== 'emails' || workspaceId !== call.workspaceId) continue;
          if (emailData(record).fields['batchId'] === batchId) await cancelScheduled(call, tx, record);
        }
        return { status: 201, body: { batch_id: batchId, status } };
      });
    },
  },
];

const templates: Resource = {
  kind: 'templates',
  path: '/v3/templates',
  changesBy: 'PATCH',
  newKey: async (call) => `d-${uuid7Of(newUlid(call)).replaceAll('-', '')}`,
  notFound: () => refuseSendgrid('Template not found', null, 404),
  read: (call) => {
    const name = fieldOf(bodyOf(call), 'name');
    if (!isText(name) || name === '' || name.length > 100)
      throw refuseSendgrid('The name of the template is missing or too long.', 'name');
    return { name };
  },
  answers: {
    created: (record) => ({ status: 201, body: shownTemplate(record) }),
    listed: async (_call, all) => {
      const result = (await all()).map(shownTemplate);
      return { status: 200, body: { result, _metadata: { count: result.length } } };
    },
    found: (record) => ({ status: 200, body: shownTemplate(record) }),
    changed: (record) => ({ status: 200, body: shownTemplate(record) }),
    removed: () => ({ status: 204 }),
  },
};

const versions: readonly DoorRoute[] = [
  {
    method: 'POST',
    path: '/v3/templates/:id/versions',
    handle: async (call) => {
      const given = bodyOf(call);
      const parts = Object.fromEntries(
        ['subject', 'html_content', 'plain_content'].map((name) => [
          name,
          storedPart(fieldOf(given, name), (reason) => refuseSendgrid(reason, name)),
        ]),
      );
      return call.once(async (tx) => {
        const before = await getRecord(call, tx, 'templates', idOf(call));
        if (before === null) throw templates.notFound(call);
        const record = await putRecord(call, tx, 'templates', idOf(call), {
          ...before.data,
          ...parts,
          version: fieldOf(given, 'name') ?? 'version',
        });
        return { status: 201, body: { ...shownVersion(record), ...parts } };
      });
    },
  },
];

function shownTemplate(record: ProviderRecord) {
  const { name, version } = record.data;
  const updated_at = storedAt(record).slice(0, 19).replace('T', ' ');
  const own = { id: keyOfRecord(record), name, generation: 'dynamic', updated_at };
  return { ...own, versions: version === undefined ? [] : [shownVersion(record)] };
}

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

const lists: readonly DoorRoute[] = (['bounce', 'complaint'] as const).flatMap((reason): DoorRoute[] => {
  const path = `/v3/suppression/${reason === 'bounce' ? 'bounces' : 'spam_reports'}`;
  const shown = ({ recipient, addedAt }: SuppressionEntry) => ({
    created: Math.floor(addedAt / 1_000),
    email: recipient,
    reason: '550 5.1.1',
    status: '5.1.1',
  });
  return [
    {
      method: 'GET',
      path,
      handle: async (call) => ({ status: 200, body: (await suppressions(call, reason)).map(shown) }),
    },
    {
      method: 'DELETE',
      path: `${path}/:email`,
      handle: async (call) =>
        call.once(async (tx): Promise<DoorAnswer> => {
          if (!(await liftSuppression(call, tx, call.params['email'], reason)))
            throw refuseSendgrid('resource not found', null, 404);
          return { status: 204 };
        }),
    },
  ];
});

const SETTINGS = [
  'enabled',
  'processed',
  'delivered',
  'bounce',
  'spam_report',
  'deferred',
  'dropped',
  'open',
  'click',
  'unsubscribe',
];

const webhooks: Resource = {
  kind: 'webhooks',
  path: '/v3/user/webhooks/event/settings',
  changesBy: 'PATCH',
  newKey: async (call) => uuid7Of(newUlid(call)),
  notFound: () => refuseSendgrid('webhook not found', null, 404),
  read: (call, before) => settingsIn(bodyOf(call), before?.data ?? {}),
  answers: {
    created: (record) => ({ status: 201, body: shownSettings(record) }),
    listed: listedSettings,
    found: (record) => ({ status: 200, body: shownSettings(record) }),
    changed: (record) => ({ status: 200, body: shownSettings(record) }),
    removed: () => ({ status: 204 }),
  },
};

async function listedSettings(call: DoorCall): Promise<DoorAnswer> {
  const shown = (await allRecords(call, 'webhooks')).map(shownSettings);
  return { status: 200, body: { max_allowed: MOST_RECORDS, webhooks: shown } };
}

const signing: readonly DoorRoute[] = [
  { method: 'GET', path: '/v3/user/webhooks/event/settings/all', handle: listedSettings },
  {
    method: 'PATCH',
    path: '/v3/user/webhooks/event/settings/signed/:id',
    handle: async (call) => {
      const isSigned = fieldOf(bodyOf(call), 'enabled') === true;
      const made = generateKeyPairSync('ec', {
        namedCurve: 'prime256v1',
        publicKeyEncoding: { format: 'der', type: 'spki' },
        privateKeyEncoding: { format: 'der', type: 'pkcs8' },
      });
      return call.once(async (tx) => {
        const { data } = (await getRecord(call, tx, 'webhooks', idOf(call))) ?? { data: null };
        if (data === null) throw webhooks.notFound(call);
        const keys = isText(data['privateKey'])
          ? data
          : { privateKey: made.privateKey.toString('base64'), publicKey: made.publicKey.toString('base64') };
        const record = await putRecord(call, tx, 'webhooks', idOf(call), { ...data, ...keys, isSigned });
        return { status: 200, body: { id: idOf(call), public_key: record.data['publicKey'] } };
      });
    },
  },
];

function settingsIn(given: JsonObject, before: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const url = webhookUrlIn(fieldOf(given, 'url') ?? before['url'], 'url', refuseSendgridField);
  const flags = SETTINGS.map((name) => [name, (fieldOf(given, name) ?? before[name] ?? false) === true] as const);
  return { ...before, ...Object.fromEntries(flags), url };
}

function shownSettings(record: ProviderRecord) {
  const { privateKey: _secret, publicKey, isSigned, ...shown } = record.data;
  return { id: keyOfRecord(record), ...shown, ...(isSigned === true && { public_key: publicKey }) };
}

function idOf({ params }: DoorCall): string {
  return (params['id'] ?? '').toLowerCase();
}

function bodyOf(call: DoorCall): JsonObject {
  return objectBody(call, () => refuseSendgrid('Bad Request', null));
}

export const sendgrid: Door = {
  name: 'sendgrid',
  routes: [
    ...mail,
    ...resourceRoutes(templates),
    ...versions,
    ...lists,
    ...signing,
    ...resourceRoutes(webhooks),
    ...parseSettings,
  ],
  bodyLimit: 31 * 1024 * 1024,
  keyOf: bearerOf,
  secrets: ['authorization'],
  refusal: sendgridRefusal,
  keyReused: null,
  limitHeaders: (now) => ({
    ...{ 'X-RateLimit-Limit': '600', 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': String(now + 60) },
  }),
  outcomeOf: () => null,
  eventsFor: sendgridEvents,
  interactions: INTERACTIONS,
  sign: signSendgrid,
  inbound: { rulesFor: sendgridRules, write: sendgridInbound },
};
