import { readWhole } from '../../actions/read-message.ts';
import { addSuppression } from '../../actions/sends.ts';
import { INTERACTIONS, keyOfRecord, type ProviderRecord } from '../../domain/provider.ts';
import { objectBody } from '../calls.ts';
import { type Door, type DoorAnswer, type DoorCall, DoorRefusal, type DoorRoute } from '../door.ts';
import { addressIn, fieldOf, isHeaderText, isText, type JsonObject, objectOf } from '../fields.ts';
import { nextNumberKey, numbered, numberOf } from '../numbered.ts';
import { storedAt, webhookUrlIn } from '../parts.ts';
import { getRecord } from '../records.ts';
import { allRecords, type Resource, resourceRoutes } from '../resources.ts';
import { type AskedMail, bodiesOf, checkSender, emailData, messageOf, sendMails } from '../send.ts';
import { liftSuppression, suppressions } from '../suppressions.ts';
import { postmarkRefusal, refuseWith } from './errors.ts';
import { postmarkEvents } from './events.ts';
import { postmarkInbound, postmarkRules, serverRoutes } from './inbound.ts';
import { postmarkMail } from './mail.ts';
import { renderedFor, templates } from './templates.ts';

// Postmark's API, as the SDK `postmark` calls it: https://postmarkapp.com/developer

const MOST_IN_BATCH = 500;

const sending: readonly DoorRoute[] = [
  { method: 'POST', path: '/email', handle: async (call) => sendOne(call, await postmarkMail(call, jsonOf(call))) },
  {
    method: 'POST',
    path: '/email/withTemplate',
    handle: async (call) => {
      const given = objectOf(jsonOf(call)) ?? {};
      return sendOne(call, await postmarkMail(call, given, await renderedFor(call, given)));
    },
  },
  {
    method: 'POST',
    path: '/email/batch',
    handle: (call) => sendBatch(call, jsonOf(call), (one) => postmarkMail(call, one)),
  },
  {
    method: 'POST',
    path: '/email/batchWithTemplates',
    handle: (call) =>
      sendBatch(call, fieldOf(objectOf(jsonOf(call)) ?? {}, 'Messages'), async (one) =>
        postmarkMail(call, one, await renderedFor(call, objectOf(one) ?? {})),
      ),
  },
];

async function sendOne(call: DoorCall, asked: AskedMail): Promise<DoorAnswer> {
  const body = sentOf(call, asked);
  // With its test token Postmark checks an email and sends none.
  if (isTest(call)) return { status: 200, body: { ...body, Message: TEST_MESSAGE } };
  return sendMails(call, [asked], { status: 200, body });
}

/** Each email of a batch is sent or refused by itself, as Postmark does. */
async function sendBatch(
  call: DoorCall,
  given: unknown,
  read: (one: unknown) => Promise<AskedMail>,
): Promise<DoorAnswer> {
  if (!Array.isArray(given) || given.length > MOST_IN_BATCH)
    throw refuseWith(410, `A batch is an array of at most ${MOST_IN_BATCH} emails.`);
  const asked: AskedMail[] = [];
  const body: unknown[] = [];
  for (const one of given) {
    try {
      const mail = await read(one);
      await checkSender(call, mail.mail);
      asked.push(mail);
      body.push(sentOf(call, mail));
    } catch (error) {
      if (!(error instanceof DoorRefusal)) throw error;
      body.push(error.answer.body);
    }
  }
  if (isTest(call)) {
    const accepted = body.map((one) =>
      fieldOf(objectOf(one) ?? {}, 'ErrorCode') === 0 ? { ...objectOf(one), Message: TEST_MESSAGE } : one,
    );
    return { status: 200, body: accepted };
  }
  return sendMails(call, asked, { status: 200, body });
}

const TEST_MESSAGE = 'Test job accepted';

function isTest({ headers }: DoorCall): boolean {
  return headers['x-postmark-server-token'] === 'POSTMARK_API_TEST';
}

function sentOf({ ctx }: DoorCall, { mail, fields }: AskedMail) {
  const list = (name: 'to' | 'cc' | 'bcc') =>
    (fields[name] as { Email: string }[]).map(({ Email }) => Email).join(', ');
  const SubmittedAt = new Date(ctx.clock.now()).toISOString();
  const others = { ...(list('cc') !== '' && { Cc: list('cc') }), ...(list('bcc') !== '' && { Bcc: list('bcc') }) };
  return { To: list('to'), ...others, SubmittedAt, MessageID: mail.id, ErrorCode: 0, Message: 'OK' };
}

const messages: readonly DoorRoute[] = [
  {
    method: 'GET',
    path: '/messages/outbound',
    handle: async (call) => {
      const { query } = call;
      const all = await allRecords(call, 'emails');
      const wanted = all.filter((record) => isWanted(record, query));
      const [offset, count] = [
        Number(query.get('offset') ?? 0) || 0,
        Math.min(Number(query.get('count') ?? 50) || 0, 500),
      ];
      const page = wanted.slice(offset, offset + count).map(shownMessage);
      return { status: 200, body: { TotalCount: wanted.length, Messages: page } };
    },
  },
  {
    method: 'GET',
    path: '/messages/outbound/:id/details',
    handle: async (call) => {
      const record = await emailOf(call);
      const { text, html } = await bodiesOf(call.ctx, record);
      const content = { TextBody: text, HtmlBody: html };
      return { status: 200, body: { ...shownMessage(record), ...content, MessageEvents: eventsOf(record) } };
    },
  },
  {
    method: 'GET',
    path: '/messages/outbound/:id/dump',
    handle: async (call) => {
      const message = await messageOf(call.ctx, await emailOf(call));
      const raw = message === null ? '' : await readWhole(call.ctx, message);
      return { status: 200, body: { Body: raw.toString() } };
    },
  },
];

/** The filters of the list that mailcap knows. */
function isWanted(record: ProviderRecord, query: URLSearchParams): boolean {
  const { fields } = emailData(record);
  const [recipient, tag, subject] = ['recipient', 'tag', 'subject'].map((name) => query.get(name));
  const recipients = Array.isArray(fields['recipients']) ? fields['recipients'] : [];
  return (
    (!recipient || recipients.includes(recipient.toLowerCase())) &&
    (!tag || fields['tag'] === tag) &&
    (!subject || String(fields['subject']).includes(subject))
  );
}

function shownMessage(record: ProviderRecord) {
  const { fields } = emailData(record);
  return {
    Tag: fields['tag'] ?? '',
    MessageID: keyOfRecord(record),
    MessageStream: fields['stream'],
    ...{ To: fields['to'], Cc: fields['cc'], Bcc: fields['bcc'], Recipients: fields['recipients'] },
    ...{ ReceivedAt: storedAt(record), From: fields['from'], Subject: fields['subject'] },
    ...{ Attachments: fields['files'], Status: 'Sent', TrackOpens: false, TrackLinks: 'None' },
    ...{ Metadata: fields['metadata'], Sandboxed: false },
  };
}

function eventsOf(record: ProviderRecord) {
  const { state, fields } = emailData(record);
  const recipients = Array.isArray(fields['recipients']) ? fields['recipients'] : [];
  const Type = state === 'bounced' ? 'Bounced' : 'Delivered';
  return recipients.map((Recipient) => ({
    Recipient,
    Type,
    ReceivedAt: storedAt(record),
    Details: {},
  }));
}

async function emailOf(call: DoorCall): Promise<ProviderRecord> {
  const id = (call.params['id'] ?? '').toLowerCase();
  const record = await getRecord(call, await call.ctx.store.readNow(), 'emails', id);
  if (record === null) throw refuseWith(701, 'This message was not found.');
  return record;
}

const lists: readonly DoorRoute[] = [
  {
    method: 'GET',
    path: '/message-streams/:stream/suppressions/dump',
    handle: async (call) => {
      const Suppressions = (await suppressions(call)).map(({ recipient, reason, addedAt }) => ({
        EmailAddress: recipient,
        SuppressionReason: reason === 'bounce' ? 'HardBounce' : 'SpamComplaint',
        Origin: 'Recipient',
        CreatedAt: new Date(addedAt).toISOString(),
      }));
      return { status: 200, body: { Suppressions } };
    },
  },
  changeSuppressions('/message-streams/:stream/suppressions', 'Suppressed'),
  changeSuppressions('/message-streams/:stream/suppressions/delete', 'Deleted'),
];

function changeSuppressions(path: string, Status: 'Suppressed' | 'Deleted'): DoorRoute {
  return {
    method: 'POST',
    path,
    handle: async (call) => {
      const given = fieldOf(objectOf(jsonOf(call)) ?? {}, 'Suppressions');
      if (!Array.isArray(given) || given.length > 50)
        throw refuseWith(300, 'Suppressions has to be an array of at most 50 addresses.');
      const { ctx, workspaceId } = call;
      return call.once(async (tx) => {
        const changed = [];
        for (const one of given) {
          const EmailAddress = fieldOf(objectOf(one) ?? {}, 'EmailAddress');
          const address = addressIn(EmailAddress)?.address ?? null;
          if (address === null) {
            changed.push({ EmailAddress, Status: 'Failed', Message: 'An invalid email address was provided.' });
            continue;
          }
          if (Status === 'Suppressed')
            await addSuppression(ctx, tx, workspaceId, { recipient: address, reason: 'bounce' });
          else await liftSuppression(call, tx, address);
          changed.push({ EmailAddress, Status, Message: null });
        }
        return { status: 200, body: { Suppressions: changed } };
      });
    },
  };
}

const webhooks: Resource = {
  kind: 'webhooks',
  path: '/webhooks',
  changesBy: 'PUT',
  newKey: (call, tx) => nextNumberKey(call, tx, 'webhooks'),
  find: (call, reader) => numbered(call, reader, 'webhooks', call.params['id']),
  notFound: () => refuseWith(1200, 'This webhook was not found.'),
  read: (call, before) => webhookIn(objectBody(call, badBody), before),
  answers: {
    created: (record) => ({ status: 200, body: shownWebhook(record) }),
    listed: async (_call, all) => ({ status: 200, body: { Webhooks: [...(await all())].reverse().map(shownWebhook) } }),
    found: (record) => ({ status: 200, body: shownWebhook(record) }),
    changed: (record) => ({ status: 200, body: shownWebhook(record) }),
    removed: (record) => ({ status: 200, body: { ErrorCode: 0, Message: `Webhook ${numberOf(record)} removed.` } }),
  },
};

function webhookIn(given: JsonObject, before: ProviderRecord | null): Readonly<Record<string, unknown>> {
  const part = (name: string) => fieldOf(given, name) ?? before?.data[name];
  const Url = webhookUrlIn(part('Url'), 'Url', () => refuseWith(1201, 'The Url of the webhook is invalid.'));
  const headers = part('HttpHeaders') ?? [];
  const isHeader = (one: unknown) => {
    const [name, value] = [fieldOf(objectOf(one) ?? {}, 'Name'), fieldOf(objectOf(one) ?? {}, 'Value')];
    return isText(name) && isText(value) && /^[\w-]{1,100}$/.test(name) && isHeaderText(value) && value.length <= 2_000;
  };
  if (!Array.isArray(headers) || headers.length > 10 || !headers.every(isHeader))
    throw refuseWith(1201, 'HttpHeaders is invalid.');
  const auth = objectOf(part('HttpAuth') ?? {});
  if (auth === null || JSON.stringify(auth).length > 1_000) throw refuseWith(1201, 'HttpAuth is invalid.');
  const triggers = objectOf(part('Triggers') ?? {});
  if (triggers === null || JSON.stringify(triggers).length > 2_000) throw refuseWith(1201, 'Triggers is invalid.');
  return {
    Url,
    MessageStream: part('MessageStream') ?? 'outbound',
    HttpAuth: auth,
    HttpHeaders: headers,
    Triggers: triggers,
  };
}

function shownWebhook(record: ProviderRecord) {
  return { ID: numberOf(record), ...record.data };
}

function jsonOf({ body }: DoorCall): unknown {
  if (body.kind === 'json') return body.value;
  throw refuseWith(402, 'The body must be JSON.');
}

function badBody(): DoorRefusal {
  return refuseWith(402, 'The body must be a JSON object.');
}

export const postmark: Door = {
  name: 'postmark',
  routes: [...sending, ...templates, ...messages, ...lists, ...resourceRoutes(webhooks), ...serverRoutes],
  // A batch has up to 50 MB.
  bodyLimit: 50 * 1024 * 1024,
  keyOf: (headers) => {
    const token = headers['x-postmark-server-token'] ?? headers['x-postmark-account-token'];
    return isText(token) && token !== '' ? token : null;
  },
  secrets: ['x-postmark-server-token', 'x-postmark-account-token'],
  refusal: postmarkRefusal,
  keyReused: null,
  outcomeOf: (address) => {
    const [, name = ''] = /^([a-z]+)(?:\+[^@]*)?@bounce-testing\.postmarkapp\.com$/i.exec(address) ?? [];
    if (name === '') return null;
    return name.toLowerCase() === 'spamcomplaint' ? 'complained' : 'bounced';
  },
  eventsFor: postmarkEvents,
  interactions: INTERACTIONS,
  inbound: { rulesFor: postmarkRules, write: postmarkInbound },
};
