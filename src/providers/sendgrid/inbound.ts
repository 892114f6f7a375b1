import { domainIn } from '../../domain/address.ts';
import type { ProviderRecord } from '../../domain/provider.ts';
import type { Reader } from '../../ports/store.ts';
import { isUrl } from '../../text/url.ts';
import { objectBody } from '../calls.ts';
import type { DoorCall, DoorField, DoorRoute, OutgoingEvent } from '../door.ts';
import { fieldOf, isText, type JsonObject } from '../fields.ts';
import { writtenForm } from '../inbound/form.ts';
import type { InboundMail } from '../inbound/mail.ts';
import { getRule, keyOfRule, ownRules, putRule, removeRule } from '../inbound/rules.ts';
import { refuseSendgrid } from './errors.ts';

// SendGrid's Inbound Parse: mail for a host name comes to the app as a form.
// https://www.twilio.com/docs/sendgrid/for-developers/parsing-email/setting-up-the-inbound-parse-webhook

const PATH = '/v3/user/webhooks/parse/settings';

/** The rules that take mail for a recipient: those of its domain. */
export function sendgridRules(rules: readonly ProviderRecord[], recipient: string): ProviderRecord[] {
  return rules.filter((rule) => keyOfRule(rule) === domainIn(recipient).toLowerCase());
}

/** Writes a mail as Inbound Parse posts it. */
export async function sendgridInbound(mail: InboundMail, { data }: ProviderRecord): Promise<OutgoingEvent> {
  const { parsed, headerText, raw, files, from, to } = mail;
  const text = (name: string, value: string | null) => (value === null ? [] : [{ name, value }]);
  const named = files.map((file, at) => ({ ...file, field: `attachment${at + 1}` }));
  const inline = named.filter(({ contentId }) => contentId !== null);
  const info = named.map(({ field, name, type, contentId }) => [
    field,
    { filename: name, name, type, ...(contentId !== null && { 'content-id': contentId }) },
  ]);
  const isRaw = data['send_raw'] === true;
  const charsets = ['to', 'subject', 'from', 'text', 'html'].map((name) => [name, 'UTF-8']);
  const fields: DoorField[] = [
    ...(isRaw ? text('email', raw.toString('utf8')) : text('headers', headerText)),
    ...text('dkim', 'none'),
    ...text('to', parsed.to),
    ...text('cc', parsed.cc),
    ...text('from', parsed.from),
    ...text('subject', parsed.subject ?? ''),
    ...(isRaw ? [] : [...text('text', parsed.textBody), ...text('html', parsed.htmlBody)]),
    ...text('sender_ip', '127.0.0.1'),
    ...text('envelope', JSON.stringify({ to, from })),
    ...text('charsets', JSON.stringify(Object.fromEntries(charsets))),
    ...text('SPF', 'none'),
    ...(data['spam_check'] === true ? [...text('spam_score', '0.0'), ...text('spam_report', '')] : []),
    ...(isRaw
      ? []
      : [
          ...text('attachments', String(files.length)),
          ...(files.length === 0 ? [] : text('attachment-info', JSON.stringify(Object.fromEntries(info)))),
          ...(inline.length === 0
            ? []
            : text('content-ids', JSON.stringify(Object.fromEntries(inline.map((one) => [one.contentId, one.field]))))),
          ...named.map(({ field, ...file }) => ({ name: field, value: '', file })),
        ]),
  ];
  const { type, body } = await writtenForm(fields, true);
  const headers = [['Content-Type', type] as const, ['User-Agent', 'Sendlib/1.0 server.sendgrid.net'] as const];
  return { url: String(data['url']), body, scheme: 'none', secret: null, headers };
}

function settingsIn(given: JsonObject, before: ProviderRecord['data']): ProviderRecord['data'] {
  const url = fieldOf(given, 'url') ?? before['url'];
  if (!isText(url) || !/^https?:\/\//.test(url) || !isUrl(url))
    throw refuseSendgrid('The url must be an http or https URL.', 'url');
  const flags = ['spam_check', 'send_raw'].map((name) => [name, (fieldOf(given, name) ?? before[name]) === true]);
  return { url, ...Object.fromEntries(flags) };
}

function shown(rule: ProviderRecord) {
  return { hostname: keyOfRule(rule), ...rule.data };
}

async function found(call: DoorCall, reader: Reader): Promise<ProviderRecord> {
  const rule = await getRule(call, reader, (call.params['hostname'] ?? '').toLowerCase());
  if (rule === null) throw refuseSendgrid('resource not found', null, 404);
  return rule;
}

function bodyOf(call: DoorCall): JsonObject {
  return objectBody(call, () => refuseSendgrid('Bad Request', null));
}

/** The settings of Inbound Parse. */
export const parseSettings: readonly DoorRoute[] = [
  {
    method: 'POST',
    path: PATH,
    handle: async (call) => {
      const given = bodyOf(call);
      const hostname = fieldOf(given, 'hostname');
      if (!isText(hostname) || !/^[a-z0-9.-]{1,253}$/i.test(hostname))
        throw refuseSendgrid('The hostname is missing or not valid.', 'hostname');
      const data = settingsIn(given, {});
      return call.once(async (tx) => {
        if ((await getRule(call, tx, hostname.toLowerCase())) !== null)
          throw refuseSendgrid('Duplicate hostname.', 'hostname');
        return { status: 201, body: shown(await putRule(call, tx, hostname.toLowerCase(), data)) };
      });
    },
  },
  {
    method: 'GET',
    path: PATH,
    handle: async (call) => ({
      status: 200,
      body: { result: (await ownRules(call, await call.ctx.store.readNow())).map(shown) },
    }),
  },
  {
    method: 'GET',
    path: `${PATH}/:hostname`,
    handle: async (call) => ({ status: 200, body: shown(await found(call, await call.ctx.store.readNow())) }),
  },
  {
    method: 'PATCH',
    path: `${PATH}/:hostname`,
    handle: async (call) =>
      call.once(async (tx) => {
        const rule = await found(call, tx);
        return {
          status: 200,
          body: shown(await putRule(call, tx, keyOfRule(rule), settingsIn(bodyOf(call), rule.data))),
        };
      }),
  },
  {
    method: 'DELETE',
    path: `${PATH}/:hostname`,
    handle: async (call) =>
      call.once(async (tx) => {
        await removeRule(call, tx, keyOfRule(await found(call, tx)));
        return { status: 204 };
      }),
  },
];
