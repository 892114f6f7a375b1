import { INTERACTIONS, keyOfRecord, type ProviderRecord, uuid7Of } from '../../domain/provider.ts';
import { newUlid, nowOf, objectBody } from '../calls.ts';
import type { Door, DoorCall, DoorRefusal, DoorRoute } from '../door.ts';
import { fieldOf, isHeaderText, isMissing, isText, type JsonObject, objectOf } from '../fields.ts';
import { numbered, numberOf } from '../numbered.ts';
import { isoTime, lineIn, linesIn, optionalText, personIn, storedAt, webhookUrlIn } from '../parts.ts';
import { allRecords, type Resource, resourceRoutes } from '../resources.ts';
import { okAnswer } from '../routes.ts';
import { bodiesOf, cancelScheduled, emailData, sendMails } from '../send.ts';
import { suppressionRoutes } from '../suppressions.ts';
import { storedPart } from '../templates.ts';
import { brevoNotFound, brevoRefusal, refuseBrevo, refuseBrevoField } from './errors.ts';
import { brevoEvents } from './events.ts';
import { brevoMails, checkLanguage } from './mail.ts';

// Brevo's API of version 3, as the SDK `@getbrevo/brevo` calls it: https://developers.brevo.com/reference

const emails: readonly DoorRoute[] = [
  {
    method: 'POST',
    path: '/v3/smtp/email',
    handle: async (call) => {
      const given = bodyOf(call);
      const id = fieldOf(given, 'templateId');
      const template = isMissing(id) ? null : await numbered(call, await call.ctx.store.readNow(), 'templates', id);
      if (!isMissing(id) && template === null) throw brevoNotFound('Template ID');
      const asked = brevoMails(call, given, template, await nowOf(call));
      const messageIds = asked.map(({ mail }) => mail.messageId);
      const ids = isMissing(fieldOf(given, 'messageVersions')) ? { messageId: messageIds[0] } : { messageIds };
      const isLater = asked.some(({ dueAt }) => dueAt !== undefined);
      const batchId = isLater ? (asked[0]?.fields['batchId'] ?? uuid7Of(newUlid(call))) : null;
      const later = asked.map((one) => ({ ...one, fields: { ...one.fields, batchId } }));
      return sendMails(call, later, { status: isLater ? 202 : 201, body: { ...ids, ...(isLater && { batchId }) } });
    },
  },
  {
    method: 'GET',
    path: '/v3/smtp/emails',
    handle: async (call) => {
      const { query } = call;
      const [email, messageId, templateId] = ['email', 'messageId', 'templateId'].map((name) => query.get(name));
      if (!email && !messageId && !templateId)
        throw refuseBrevo('Either templateId, messageId or email should be passed', 'missing_parameter');
      const all = await allRecords(call, 'emails');
      const wanted = all.filter((record) => {
        const data = emailData(record);
        return (
          (!email || data.recipients.includes(email.toLowerCase())) &&
          (!messageId || data.messageId === messageId) &&
          (!templateId || String(data.fields['templateId']) === templateId)
        );
      });
      const [offset, limit] = [
        Number(query.get('offset') ?? 0) || 0,
        Math.min(Number(query.get('limit') ?? 500) || 0, 500),
      ];
      const transactionalEmails = wanted.slice(offset, offset + limit).map(shownEmail);
      return { status: 200, body: { count: wanted.length, transactionalEmails } };
    },
  },
  {
    method: 'GET',
    path: '/v3/smtp/emails/:uuid',
    handle: async (call) => {
      const all = await allRecords(call, 'emails');
      const record = all.find((one) => uuid7Of(keyOfRecord(one)) === call.params['uuid']?.toLowerCase());
      if (record === undefined) throw brevoNotFound('Email');
      const { html, text } = await bodiesOf(call.ctx, record);
      const { state } = emailData(record);
      const events = [{ name: state === 'bounced' ? 'hard_bounce' : state, time: storedAt(record) }];
      return { status: 200, body: { ...shownEmail(record), events, body: html ?? text ?? '', attachmentCount: 0 } };
    },
  },
  {
    method: 'GET',
    path: '/v3/smtp/emailStatus/:id',
    handle: async (call) => {
      const [record, ...others] = await scheduledOf(call);
      if (record === undefined) throw brevoNotFound('Scheduled email');
      const shown = [record, ...others].map((one) => ({
        createdAt: storedAt(one),
        scheduledAt: isoTime(one.dueAt ?? one.createdAt),
        status: 'queued',
      }));
      const isBatch = emailData(record).fields['batchId'] === call.params['id'];
      return { status: 200, body: isBatch ? { count: shown.length, batches: shown } : shown[0] };
    },
  },
  {
    method: 'DELETE',
    path: '/v3/smtp/email/:id',
    handle: async (call) => {
      const found = await scheduledOf(call);
      if (found.length === 0) throw brevoNotFound('Scheduled email');
      return call.once(async (tx) => {
        for (const record of found) await cancelScheduled(call, tx, record);
        return { status: 204 };
      });
    },
  },
];

/** Returns the scheduled emails of a Message-ID or a batch. */
async function scheduledOf(call: DoorCall): Promise<ProviderRecord[]> {
  const id = call.params['id'] ?? '';
  const due = await (await call.ctx.store.readNow()).providerRecords.due();
  return due.filter((record) => {
    if (record.provider !== 'brevo' || record.kind !== 'emails' || record.workspaceId !== call.workspaceId)
      return false;
    const { messageId, fields } = emailData(record);
    return messageId === id || fields['batchId'] === id;
  });
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
    const given = { ...before?.data, ...bodyOf(call) };
    const templateName = lineIn(given, 'templateName', refuseBrevoField, 200);
    const subject = lineIn(given, 'subject', refuseBrevoField);
    const sender = personIn(fieldOf(given, 'sender'), 'sender', refuseBrevoField);
    if (!templateName) throw refuseBrevoField('templateName', 'missing');
    if (!subject) throw refuseBrevoField('subject', 'missing');
    if (sender === null) throw refuseBrevoField('sender', 'missing');
    const htmlContent = optionalText(given, 'htmlContent', refuseBrevoField) ?? '';
    if (htmlContent === '') throw refuseBrevoField('htmlContent', 'missing');
    for (const part of [subject, htmlContent]) {
      checkLanguage(part);
      storedPart(part, refuseBrevo);
    }
    const shownSender = { email: sender.address, ...(sender.name !== null && { name: sender.name }) };
    const isActive = fieldOf(given, 'isActive') === true;
    return { templateName, subject, htmlContent, sender: shownSender, isActive };
  },
  show: shownTemplate,
  list: async (_call, all) => {
    const shown = (await all()).map(shownTemplate);
    return { count: shown.length, templates: shown };
  },
  answers: ANSWERS,
};

function shownTemplate(record: ProviderRecord) {
  const { templateName, subject, htmlContent, sender, isActive } = record.data;
  const times = { createdAt: storedAt(record), modifiedAt: storedAt(record) };
  const own = { id: numberOf(record), name: templateName, subject, htmlContent, sender, isActive, ...times };
  return { ...own, replyTo: '', tag: '', testSent: false, toField: '' };
}

const webhooks: Resource = {
  kind: 'webhooks',
  path: '/v3/webhooks',
  changesBy: 'PUT',
  keys: 'numbers',
  notFound: () => brevoNotFound('Webhook ID'),
  read: (call, before) => {
    const given = { ...before?.data, ...bodyOf(call) };
    const type = optionalText(given, 'type', refuseBrevoField) ?? 'transactional';
    if (type !== 'transactional') throw refuseBrevo('mailcap has webhooks of the type transactional alone');
    const events = linesIn(given, 'events', refuseBrevoField, 50);
    if (events.length === 0) throw refuseBrevoField('events', 'missing');
    return {
      ...{ url: webhookUrlIn(fieldOf(given, 'url'), 'url', refuseBrevoField), type, events },
      description: optionalText(given, 'description', refuseBrevoField)?.slice(0, 1_000) ?? '',
      auth: authIn(fieldOf(given, 'auth')),
      headers: webhookHeadersIn(fieldOf(given, 'headers')),
    };
  },
  show: shownWebhook,
  list: async (_call, all) => ({ webhooks: (await all()).map(shownWebhook) }),
  answers: ANSWERS,
};

function authIn(value: unknown): JsonObject | null {
  if (isMissing(value)) return null;
  const token = fieldOf(objectOf(value) ?? {}, 'token');
  if (!isText(token) || token.length > 1_000 || !isHeaderText(token))
    throw refuseBrevoField('auth.token', 'line_break');
  return { type: 'bearer', token };
}

function webhookHeadersIn(value: unknown): JsonObject[] {
  if (isMissing(value)) return [];
  if (!Array.isArray(value) || value.length > 10) throw refuseBrevoField('headers', 'list');
  return value.map((one: unknown, index) => {
    const given = objectOf(one) ?? {};
    const [key, text] = [fieldOf(given, 'key'), fieldOf(given, 'value')];
    if (!isText(key) || !/^[\w-]{1,100}$/.test(key) || !isText(text) || text.length > 2_000 || !isHeaderText(text))
      throw refuseBrevoField(`headers.${index}`, 'line_break');
    return { key, value: text };
  });
}

function shownWebhook(record: ProviderRecord) {
  const { url, type, events, description } = record.data;
  const times = { createdAt: storedAt(record), modifiedAt: storedAt(record) };
  return { id: numberOf(record), url, type, events, description, ...times };
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

const account: readonly DoorRoute[] = [
  {
    method: 'GET',
    path: '/v3/account',
    handle: async () => {
      const plan = [{ type: 'free', creditsType: 'sendLimit', credits: 1_000_000 }];
      const address = { street: '', city: '', zipCode: '', country: '' };
      const own = { email: 'mailcap@example.com', firstName: '', lastName: '', companyName: 'mailcap', address };
      return {
        status: 200,
        body: { ...own, plan, relay: { enabled: false, data: { userName: '', relay: '', port: 0 } } },
      };
    },
  },
];

function bodyOf(call: DoorCall): JsonObject {
  return objectBody(call, badBody);
}

function badBody(): DoorRefusal {
  return refuseBrevo('Request body is not a JSON object', 'bad_request');
}

export const brevo: Door = {
  name: 'brevo',
  routes: [...emails, ...resourceRoutes(templates), ...resourceRoutes(webhooks), ...blocked, ...account],
  // 20 MB after base64, and the bodies.
  bodyLimit: 22 * 1024 * 1024,
  keyOf: (headers) => {
    const key = headers['api-key'];
    return isText(key) && key !== '' ? key : null;
  },
  secrets: ['api-key'],
  refusal: brevoRefusal,
  keyReused: null,
  limitHeaders: () => ({
    ...{ 'x-sib-ratelimit-limit': '1000', 'x-sib-ratelimit-remaining': '0', 'x-sib-ratelimit-reset': '1' },
  }),
  outcomeOf: () => null,
  eventsFor: brevoEvents,
  interactions: INTERACTIONS,
};
