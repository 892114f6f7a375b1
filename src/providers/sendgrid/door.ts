import { generateKeyPairSync } from 'node:crypto';
import { timeIn } from '../../actions/time.ts';
import { keyOfRecord, MOST_RECORDS, type ProviderRecord, uuid7Of } from '../../domain/provider.ts';
import type { Reader } from '../../ports/store.ts';
import { realTime } from '../../ports/system.ts';
import { isUrl } from '../../text/url.ts';
import { bearerOf, type Door, type DoorAnswer, type DoorCall, type DoorRefusal, type DoorRoute } from '../door.ts';
import { fieldOf, isMissing, isText, type JsonObject, objectOf } from '../fields.ts';
import { getRecord, listRecords, putRecord, removeRecord } from '../records.ts';
import { emailData, sendMails } from '../send.ts';
import { checkTemplate, TemplateError } from '../templates.ts';
import { refuseField, sendgridRefusal } from './errors.ts';
import { sendgridEvent } from './events.ts';
import { sendgridMails } from './mail.ts';

// SendGrid's API of version 3, as the SDK `@sendgrid/mail` calls it: https://www.twilio.com/docs/sendgrid/api-reference

const mail: readonly DoorRoute[] = [
  {
    method: 'POST',
    path: '/v3/mail/send',
    handle: async (call) => {
      const { ctx, workspaceId } = call;
      const given = bodyOf(call);
      const name = fieldOf(given, 'template_id');
      const template = isMissing(name) ? null : await versionOf(call, name);
      const asked = sendgridMails(call, given, template, await timeIn(ctx, ctx.store.read, workspaceId));
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
    handle: async ({ ctx }) => ({ status: 201, body: { batch_id: ctx.ids.next(realTime(ctx.clock)) } }),
  },
  {
    method: 'POST',
    path: '/v3/user/scheduled_sends',
    handle: async (call) => {
      const given = bodyOf(call);
      const [batchId, status] = [fieldOf(given, 'batch_id'), fieldOf(given, 'status')];
      if (!isText(batchId) || status !== 'cancel')
        throw refuseField('mailcap takes a batch_id with the status cancel.', 'status');
      return call.once(async (tx) => {
        for (const record of await tx.providerRecords.due()) {
          const { provider, kind, workspaceId } = record;
          if (provider !== 'sendgrid' || kind !== 'emails' || workspaceId !== call.workspaceId) continue;
          const { mail: pending, arrival: _arrival, ...data } = emailData(record);
          if (data.fields['batchId'] !== batchId || pending === undefined) continue;
          await putRecord(call, tx, 'emails', pending.id, { ...data, state: 'canceled' });
        }
        return { status: 201, body: { batch_id: batchId, status } };
      });
    },
  },
];

const templates: readonly DoorRoute[] = [
  {
    method: 'POST',
    path: '/v3/templates',
    handle: async (call) => {
      const name = fieldOf(bodyOf(call), 'name');
      if (!isText(name) || name === '' || name.length > 100)
        throw refuseField('The name of the template is missing or too long.', 'name');
      const id = `d-${uuid7Of(call.ctx.ids.next(realTime(call.ctx.clock))).replaceAll('-', '')}`;
      return call.once(async (tx) => ({
        status: 201,
        body: shownTemplate(id, await putRecord(call, tx, 'templates', id, { name })),
      }));
    },
  },
  {
    method: 'GET',
    path: '/v3/templates',
    handle: async (call) => {
      const all = await listRecords(call, await call.ctx.store.readNow(), 'templates', { limit: MOST_RECORDS });
      return {
        status: 200,
        body: {
          result: all.map((record) => shownTemplate(keyOfRecord(record), record)),
          _metadata: { count: all.length },
        },
      };
    },
  },
  {
    method: 'GET',
    path: '/v3/templates/:id',
    handle: async (call) => ({
      status: 200,
      body: shownTemplate(idOf(call), await templateOf(call, await call.ctx.store.readNow())),
    }),
  },
  {
    method: 'DELETE',
    path: '/v3/templates/:id',
    handle: async (call) =>
      call.once(async (tx) => {
        await templateOf(call, tx);
        await removeRecord(call, tx, 'templates', idOf(call));
        return { status: 204 };
      }),
  },
  {
    method: 'POST',
    path: '/v3/templates/:id/versions',
    handle: async (call) => {
      const given = bodyOf(call);
      const parts = Object.fromEntries(
        ['subject', 'html_content', 'plain_content'].map((name) => [name, partIn(given, name)]),
      );
      return call.once(async (tx) => {
        const { data } = await templateOf(call, tx);
        const record = await putRecord(call, tx, 'templates', idOf(call), {
          ...data,
          ...parts,
          version: fieldOf(given, 'name') ?? 'version',
        });
        return { status: 201, body: { ...shownVersion(idOf(call), record), ...parts } };
      });
    },
  },
];

/** The largest part of a template, in characters. Templates stay in memory. */
const LONGEST_PART = 128 * 1024;

function partIn(given: JsonObject, name: string): string {
  const text = fieldOf(given, name) ?? '';
  if (!isText(text) || text.length > LONGEST_PART)
    throw refuseField('mailcap keeps texts of templates up to 128 KB.', name);
  try {
    checkTemplate(text);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    throw refuseField(error.message, name);
  }
  return text;
}

function shownTemplate(id: string, record: ProviderRecord) {
  const { name, version } = record.data;
  const updated_at = new Date(record.createdAt).toISOString().slice(0, 19).replace('T', ' ');
  return {
    id,
    name,
    generation: 'dynamic',
    updated_at,
    versions: version === undefined ? [] : [shownVersion(id, record)],
  };
}

function shownVersion(template_id: string, { data }: ProviderRecord) {
  return { id: `v-${template_id.slice(2)}`, template_id, active: 1, name: data['version'], subject: data['subject'] };
}

async function templateOf(call: DoorCall, reader: Reader): Promise<ProviderRecord> {
  const record = await getRecord(call, reader, 'templates', idOf(call));
  if (record === null) throw refuseField('Template not found', null, 404);
  return record;
}

/** Returns the template that a mail names. Throws SendGrid's refusal if there is none. */
async function versionOf(call: DoorCall, name: unknown): Promise<ProviderRecord> {
  const record = isText(name) ? await getRecord(call, await call.ctx.store.readNow(), 'templates', name) : null;
  if (record === null || record.data['version'] === undefined)
    throw refuseField(
      'The template_id is none of this server, or has no active version: create both by POST /v3/templates.',
      'template_id',
    );
  return record;
}

const suppressions: readonly DoorRoute[] = (['bounce', 'complaint'] as const).flatMap((reason): DoorRoute[] => {
  const path = `/v3/suppression/${reason === 'bounce' ? 'bounces' : 'spam_reports'}`;
  return [
    {
      method: 'GET',
      path,
      handle: async ({ ctx, workspaceId }) => {
        const entries = (await (await ctx.store.readNow()).suppression.list(workspaceId)).filter(
          (one) => one.reason === reason,
        );
        const body = entries.map(({ recipient, addedAt }) => ({
          created: Math.floor(addedAt / 1_000),
          email: recipient,
          reason: '550 5.1.1',
          status: '5.1.1',
        }));
        return { status: 200, body };
      },
    },
    {
      method: 'DELETE',
      path: `${path}/:email`,
      handle: async (call) =>
        call.once(async (tx): Promise<DoorAnswer> => {
          const entry = await tx.suppression.byRecipient(call.workspaceId, (call.params['email'] ?? '').toLowerCase());
          if (entry === null || entry.reason !== reason) throw refuseField('resource not found', null, 404);
          await tx.suppression.remove(entry.id);
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

const webhooks: readonly DoorRoute[] = [
  {
    method: 'POST',
    path: '/v3/user/webhooks/event/settings',
    handle: async (call) => {
      const data = settingsIn(bodyOf(call), {});
      const id = uuid7Of(call.ctx.ids.next(realTime(call.ctx.clock)));
      return call.once(async (tx) => ({
        status: 201,
        body: shownSettings(id, await putRecord(call, tx, 'webhooks', id, data)),
      }));
    },
  },
  {
    method: 'GET',
    path: '/v3/user/webhooks/event/settings/all',
    handle: async (call) => {
      const all = await listRecords(call, await call.ctx.store.readNow(), 'webhooks', { limit: MOST_RECORDS });
      return {
        status: 200,
        body: { max_allowed: MOST_RECORDS, webhooks: all.map((one) => shownSettings(keyOfRecord(one), one)) },
      };
    },
  },
  {
    method: 'PATCH',
    path: '/v3/user/webhooks/event/settings/:id',
    handle: async (call) => {
      const given = bodyOf(call);
      return call.once(async (tx) => {
        const { data } = await settingsOf(call, tx);
        const record = await putRecord(call, tx, 'webhooks', idOf(call), settingsIn(given, data));
        return { status: 200, body: shownSettings(idOf(call), record) };
      });
    },
  },
  {
    method: 'DELETE',
    path: '/v3/user/webhooks/event/settings/:id',
    handle: async (call) =>
      call.once(async (tx) => {
        await settingsOf(call, tx);
        await removeRecord(call, tx, 'webhooks', idOf(call));
        return { status: 204 };
      }),
  },
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
        const { data } = await settingsOf(call, tx);
        const keys = isText(data['privateKey'])
          ? data
          : { privateKey: made.privateKey.toString('base64'), publicKey: made.publicKey.toString('base64') };
        const record = await putRecord(call, tx, 'webhooks', idOf(call), { ...data, ...keys, isSigned });
        return { status: 200, body: { id: idOf(call), public_key: record.data['publicKey'] } };
      });
    },
  },
];

async function settingsOf(call: DoorCall, reader: Reader): Promise<ProviderRecord> {
  const record = await getRecord(call, reader, 'webhooks', idOf(call));
  if (record === null) throw refuseField('webhook not found', null, 404);
  return record;
}

function settingsIn(given: JsonObject, before: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const url = fieldOf(given, 'url') ?? before['url'];
  if (!isText(url) || !/^https?:\/\//.test(url) || !isUrl(url))
    throw refuseField('The url must be an http or https URL.', 'url');
  const flags = SETTINGS.map((name) => [name, (fieldOf(given, name) ?? before[name] ?? false) === true] as const);
  return { ...before, ...Object.fromEntries(flags), url };
}

function shownSettings(id: string, { data }: ProviderRecord) {
  const { privateKey: _secret, publicKey, isSigned, ...shown } = data;
  return { id, ...shown, ...(isSigned === true && { public_key: publicKey }) };
}

function idOf({ params }: DoorCall): string {
  return (params['id'] ?? '').toLowerCase();
}

function bodyOf({ body }: DoorCall): JsonObject {
  const given = body.kind === 'json' ? objectOf(body.value) : null;
  if (given === null) throw badBody();
  return given;
}

function badBody(): DoorRefusal {
  return refuseField('Bad Request', null);
}

export const sendgrid: Door = {
  name: 'sendgrid',
  routes: [...mail, ...templates, ...suppressions, ...webhooks],
  bodyLimit: 31 * 1024 * 1024,
  keyOf: bearerOf,
  secrets: ['authorization'],
  refusal: sendgridRefusal,
  keyReused: null,
  outcomeOf: () => null,
  eventFor: sendgridEvent,
};
