import { INTERACTIONS, keyOfRecord, type ProviderRecord, uuid7Of } from '../../domain/provider.ts';
import type { Reader } from '../../ports/store.ts';
import type { BodyFields } from '../body-fields.ts';
import { newUuid, nowOf } from '../calls.ts';
import { type Door, type DoorCall, type DoorRoute, keyInHeader } from '../door.ts';
import { isMissing, type JsonObject } from '../fields.ts';
import { numbered, numberOf } from '../numbered.ts';
import { isoTime, storedAt } from '../parts.ts';
import { allRecords, type Resource, resourceRoutes } from '../resources.ts';
import { changeRoute, getRoute, okAnswer, pageIn, postRoute } from '../routes.ts';
import { bodiesOf, cancelScheduled, emailData, scheduledEmails, sendMails } from '../send.ts';
import { suppressionRoutes } from '../suppressions.ts';
import { storedPart } from '../templates.ts';
import { brevoBody, brevoNotFound, brevoRefusal, refuseBrevo } from './errors.ts';
import { brevoEvents } from './events.ts';
import { brevoMails, checkLanguage } from './mail.ts';

// Brevo's API of version 3, as the SDK `@getbrevo/brevo` calls it: https://developers.brevo.com/reference

const emails: readonly DoorRoute[] = [
  postRoute('/v3/smtp/email', async (call) => {
    const given = brevoBody(call);
    const id = given.raw('templateId');
    const template = isMissing(id) ? null : await numbered(call, await call.ctx.store.readNow(), 'templates', id);
    if (!isMissing(id) && template === null) throw brevoNotFound('Template ID');
    const asked = await brevoMails(call, given, template, await nowOf(call));
    const messageIds = asked.map(({ mail }) => mail.messageId);
    const ids = given.lacks('messageVersions') ? { messageId: messageIds[0] } : { messageIds };
    const isLater = asked.some(({ dueAt }) => dueAt !== undefined);
    const batchId = isLater ? (asked[0]?.fields['batchId'] ?? newUuid(call)) : null;
    const later = asked.map((one) => ({ ...one, fields: { ...one.fields, batchId } }));
    return sendMails(call, later, okAnswer({ ...ids, ...(isLater && { batchId }) }, isLater ? 202 : 201));
  }),
  getRoute('/v3/smtp/emails', async (call) => {
    const [email, messageId, templateId] = ['email', 'messageId', 'templateId'].map((name) => call.query.get(name));
    if (!email && !messageId && !templateId)
      throw refuseBrevo('Either templateId, messageId or email should be passed', 'missing_parameter');
    const wanted = (await allRecords(call, 'emails')).filter((record) => {
      const data = emailData(record);
      return (
        (!email || data.recipients.includes(email.toLowerCase())) &&
        (!messageId || data.messageId === messageId) &&
        (!templateId || String(data.fields['templateId']) === templateId)
      );
    });
    const page = pageIn(call, wanted, { offset: 'offset', count: 'limit', usual: 500, most: 500 });
    return { count: wanted.length, transactionalEmails: page.map(shownEmail) };
  }),
  getRoute('/v3/smtp/emails/:uuid', async (call) => {
    const all = await allRecords(call, 'emails');
    const record = all.find((one) => uuid7Of(keyOfRecord(one)) === call.params['uuid']?.toLowerCase());
    if (record === undefined) throw brevoNotFound('Email');
    const { html, text } = await bodiesOf(call.ctx, record);
    const { state } = emailData(record);
    const events = [{ name: state === 'bounced' ? 'hard_bounce' : state, time: storedAt(record) }];
    return { ...shownEmail(record), events, body: html ?? text ?? '', attachmentCount: 0 };
  }),
  getRoute('/v3/smtp/emailStatus/:id', async (call, reader) => {
    const found = await scheduledOf(call, reader);
    const shown = found.map((one) => ({
      ...{ createdAt: storedAt(one), scheduledAt: isoTime(one.dueAt ?? one.createdAt), status: 'queued' },
    }));
    const isBatch = found.some((one) => emailData(one).fields['batchId'] === call.params['id']);
    return isBatch ? { count: shown.length, batches: shown } : shown[0];
  }),
  changeRoute('DELETE', '/v3/smtp/email/:id', 204, async (call, tx) => {
    for (const record of await scheduledOf(call, tx)) await cancelScheduled(call, tx, record);
  }),
];

/** Returns the scheduled emails of a Message-ID or a batch. There must be one. */
async function scheduledOf(call: DoorCall, reader: Reader): Promise<ProviderRecord[]> {
  const id = call.params['id'] ?? '';
  const found = (await scheduledEmails(call, reader)).filter((record) => {
    const { messageId, fields } = emailData(record);
    return messageId === id || fields['batchId'] === id;
  });
  if (found.length === 0) throw brevoNotFound('Scheduled email');
  return found;
}

function shownEmail(record: ProviderRecord) {
  const { fields, messageId, recipients } = emailData(record);
  const { from, subject, tags, templateId } = fields;
  const ids = { messageId, uuid: uuid7Of(keyOfRecord(record)), ...(templateId !== null && { templateId }) };
  return { email: recipients[0], subject, ...ids, date: storedAt(record), from, tags };
}

const ANSWERS: Resource['answers'] = {
  created: (record) => okAnswer({ id: numberOf(record) }, 201),
  changed: () => ({ status: 204 }),
};

const templates: Resource = {
  kind: 'templates',
  path: '/v3/smtp/templates',
  changesBy: 'PUT',
  keys: 'numbers',
  notFound: () => brevoNotFound('Template ID'),
  read: (call, before) => {
    const given = brevoBody(call).over(before?.data);
    const [templateName, subject] = [given.requiredLine('templateName', 200), given.requiredLine('subject')];
    const sender = given.person('sender');
    if (sender === null) throw given.refuse('sender', 'missing');
    const htmlContent = given.text('htmlContent') ?? '';
    if (htmlContent === '') throw given.refuse('htmlContent', 'missing');
    for (const part of [subject, htmlContent]) {
      checkLanguage(part);
      storedPart(part, refuseBrevo);
    }
    const shownSender = { email: sender.address, ...(sender.name !== null && { name: sender.name }) };
    const isActive = given.raw('isActive') === true;
    return { templateName, subject, htmlContent, sender: shownSender, isActive };
  },
  show: (record) => {
    const { templateName: name, subject, htmlContent, sender, isActive } = record.data;
    const own = { id: numberOf(record), name, subject, htmlContent, sender, isActive, ...timesOf(record) };
    return { ...own, replyTo: '', tag: '', testSent: false, toField: '' };
  },
  list: (shown) => ({ count: shown.length, templates: shown }),
  answers: ANSWERS,
};

function timesOf(record: ProviderRecord) {
  return { createdAt: storedAt(record), modifiedAt: storedAt(record) };
}

const webhooks: Resource = {
  kind: 'webhooks',
  path: '/v3/webhooks',
  changesBy: 'PUT',
  keys: 'numbers',
  notFound: () => brevoNotFound('Webhook ID'),
  read: (call, before) => {
    const given = brevoBody(call).over(before?.data);
    const type = given.text('type') ?? 'transactional';
    if (type !== 'transactional') throw refuseBrevo('mailcap has webhooks of the type transactional alone');
    const events = given.lines('events', 50);
    if (events.length === 0) throw given.refuse('events', 'missing');
    const description = given.text('description')?.slice(0, 1_000) ?? '';
    return { url: given.url('url'), type, events, description, auth: authIn(given), headers: webhookHeadersIn(given) };
  },
  show: (record) => {
    const { url, type, events, description } = record.data;
    return { id: numberOf(record), url, type, events, description, ...timesOf(record) };
  },
  list: (shown) => ({ webhooks: shown }),
  answers: ANSWERS,
};

function authIn(given: BodyFields): JsonObject | null {
  if (given.lacks('auth')) return null;
  const auth = given.inside('auth');
  return { type: 'bearer', token: auth.requiredLine('token', 1_000) };
}

function webhookHeadersIn(given: BodyFields): JsonObject[] {
  return given.objects('headers', 10).map((header) => {
    const [key, value] = [header.line('key', 100), header.line('value')];
    if (key === null || !/^[\w-]+$/.test(key) || value === null) throw header.refuse('key', 'header');
    return { key, value };
  });
}

const CODES = { bounce: 'hardBounce', complaint: 'contactFlaggedAsSpam' } as const;

const blocked = suppressionRoutes({
  path: '/v3/smtp/blockedContacts',
  show: ({ recipient, reason, addedAt }) => {
    const why = { code: CODES[reason], message: reason === 'bounce' ? 'Hard bounce' : 'Spam complaint' };
    return { email: recipient, blockedAt: isoTime(addedAt), reason: why, senderEmail: '' };
  },
  list: (contacts) => ({ count: contacts.length, contacts }),
  notFound: () => brevoNotFound('Contact'),
});

const account = getRoute('/v3/account', () => ({
  ...{ email: 'mailcap@example.com', firstName: '', lastName: '', companyName: 'mailcap' },
  address: { street: '', city: '', zipCode: '', country: '' },
  plan: [{ type: 'free', creditsType: 'sendLimit', credits: 1_000_000 }],
  relay: { enabled: false, data: { userName: '', relay: '', port: 0 } },
}));

export const brevo: Door = {
  name: 'brevo',
  routes: [...emails, ...resourceRoutes(templates), ...resourceRoutes(webhooks), ...blocked, account],
  // 20 MB after base64, and the bodies.
  bodyLimit: 22 * 1024 * 1024,
  keyOf: keyInHeader('api-key'),
  secrets: ['api-key'],
  refusal: brevoRefusal,
  limitHeaders: () => ({
    ...{ 'x-sib-ratelimit-limit': '1000', 'x-sib-ratelimit-remaining': '0', 'x-sib-ratelimit-reset': '1' },
  }),
  eventsFor: brevoEvents,
  interactions: INTERACTIONS,
};
