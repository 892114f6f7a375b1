import { readWhole } from '../../actions/read-message.ts';
import { addSuppression } from '../../actions/sends.ts';
import { INTERACTIONS, keyOfRecord, type ProviderRecord } from '../../domain/provider.ts';
import { type Door, type DoorAnswer, type DoorCall, type DoorRoute, keyInHeader, testAddresses } from '../door.ts';
import { addressIn, fieldOf, isHeaderText, isText, type JsonObject } from '../fields.ts';
import { numberOf } from '../numbered.ts';
import { isoTime, storedAt } from '../parts.ts';
import { allRecords, namedRecord, type Resource, resourceRoutes } from '../resources.ts';
import { changeRoute, getRoute, okAnswer, pageIn, postRoute } from '../routes.ts';
import { type AskedMail, bodiesOf, emailData, messageOf, readBatch, sendMails } from '../send.ts';
import { liftSuppression, suppressions } from '../suppressions.ts';
import { postmarkBody, postmarkRefusal, refuseWith, webhookBody } from './errors.ts';
import { postmarkEvents } from './events.ts';
import { postmarkInbound, postmarkRules, serverRoutes } from './inbound.ts';
import { postmarkMail } from './mail.ts';
import { renderedFor, templateRoutes } from './templates.ts';

// Postmark's API, as the SDK `postmark` calls it: https://postmarkapp.com/developer

const MOST_IN_BATCH = 500;

const sending: readonly DoorRoute[] = [
  postRoute('/email', async (call) => sendOne(call, await postmarkMail(call, jsonOf(call)))),
  postRoute('/email/withTemplate', async (call) => sendOne(call, await templatedMail(call, jsonOf(call)))),
  postRoute('/email/batch', (call) => sendAll(call, jsonOf(call), (one) => postmarkMail(call, one))),
  postRoute('/email/batchWithTemplates', (call) =>
    sendAll(call, postmarkBody(call).raw('Messages'), (one) => templatedMail(call, one)),
  ),
];

async function templatedMail(call: DoorCall, given: unknown): Promise<AskedMail> {
  return postmarkMail(call, given, await renderedFor(call, given));
}

async function sendOne(call: DoorCall, asked: AskedMail): Promise<DoorAnswer> {
  return isTest(call) ? okAnswer(sentOf(call, asked)) : sendMails(call, [asked], okAnswer(sentOf(call, asked)));
}

/** Each email of a batch is sent or refused by itself, as Postmark does. */
async function sendAll(
  call: DoorCall,
  given: unknown,
  read: (one: unknown) => Promise<AskedMail>,
): Promise<DoorAnswer> {
  if (!Array.isArray(given) || given.length > MOST_IN_BATCH)
    throw refuseWith(410, `A batch is an array of at most ${MOST_IN_BATCH} emails.`);
  const { asked, answers } = await readBatch(call, given, read, (mail) => sentOf(call, mail));
  return isTest(call) ? okAnswer(answers) : sendMails(call, asked, okAnswer(answers));
}

/** With its test token Postmark checks an email and sends none. */
function isTest({ headers }: DoorCall): boolean {
  return headers['x-postmark-server-token'] === 'POSTMARK_API_TEST';
}

function sentOf(call: DoorCall, { mail, fields }: AskedMail) {
  const [To, Cc, Bcc] = [fields['to'], fields['cc'], fields['bcc']].map((list) =>
    (list as { Email: string }[]).map(({ Email }) => Email).join(', '),
  );
  const others = { ...(Cc !== '' && { Cc }), ...(Bcc !== '' && { Bcc }) };
  const Message = isTest(call) ? 'Test job accepted' : 'OK';
  return { To, ...others, SubmittedAt: isoTime(call.ctx.clock.now()), MessageID: mail.id, ErrorCode: 0, Message };
}

const messages: readonly DoorRoute[] = [
  getRoute('/messages/outbound', async (call) => {
    const wanted = (await allRecords(call, 'emails')).filter((record) => isWanted(record, call.query));
    const page = pageIn(call, wanted, { offset: 'offset', count: 'count', usual: 50, most: 500 });
    return { TotalCount: wanted.length, Messages: page.map(shownMessage) };
  }),
  getRoute('/messages/outbound/:id/details', async (call, reader) => {
    const record = await namedRecord(call, reader, 'emails', notFound);
    const { text, html } = await bodiesOf(call.ctx, record);
    return { ...shownMessage(record), TextBody: text, HtmlBody: html, MessageEvents: eventsOf(record) };
  }),
  getRoute('/messages/outbound/:id/dump', async (call, reader) => {
    const message = await messageOf(call.ctx, await namedRecord(call, reader, 'emails', notFound));
    return { Body: message === null ? '' : (await readWhole(call.ctx, message)).toString() };
  }),
];

/** The filters of the list that mailcap knows. */
function isWanted(record: ProviderRecord, query: URLSearchParams): boolean {
  const { fields, recipients } = emailData(record);
  const [recipient, tag, subject] = ['recipient', 'tag', 'subject'].map((name) => query.get(name));
  return (
    (!recipient || recipients.includes(recipient.toLowerCase())) &&
    (!tag || fields['tag'] === tag) &&
    (!subject || String(fields['subject']).includes(subject))
  );
}

function shownMessage(record: ProviderRecord) {
  const { fields, recipients } = emailData(record);
  return {
    ...{ Tag: fields['tag'] ?? '', MessageID: keyOfRecord(record), MessageStream: fields['stream'] },
    ...{ To: fields['to'], Cc: fields['cc'], Bcc: fields['bcc'], Recipients: recipients },
    ...{ ReceivedAt: storedAt(record), From: fields['from'], Subject: fields['subject'] },
    ...{ Attachments: fields['files'], Status: 'Sent', TrackOpens: false, TrackLinks: 'None' },
    ...{ Metadata: fields['metadata'], Sandboxed: false },
  };
}

function eventsOf(record: ProviderRecord) {
  const { state, recipients } = emailData(record);
  const Type = state === 'bounced' ? 'Bounced' : 'Delivered';
  return recipients.map((Recipient) => ({ Recipient, Type, ReceivedAt: storedAt(record), Details: {} }));
}

function notFound() {
  return refuseWith(701, 'This message was not found.');
}

const SUPPRESSIONS = '/message-streams/:stream/suppressions';

const lists: readonly DoorRoute[] = [
  getRoute(`${SUPPRESSIONS}/dump`, async (call) => {
    const Suppressions = (await suppressions(call)).map(({ recipient, reason, addedAt }) => ({
      EmailAddress: recipient,
      SuppressionReason: reason === 'bounce' ? 'HardBounce' : 'SpamComplaint',
      ...{ Origin: 'Recipient', CreatedAt: isoTime(addedAt) },
    }));
    return { Suppressions };
  }),
  changeSuppressions(SUPPRESSIONS, 'Suppressed'),
  changeSuppressions(`${SUPPRESSIONS}/delete`, 'Deleted'),
];

/** Each address is changed or refused by itself. */
function changeSuppressions(path: string, Status: 'Suppressed' | 'Deleted'): DoorRoute {
  return changeRoute('POST', path, 200, async (call, tx) => {
    const changed: unknown[] = [];
    for (const one of postmarkBody(call).objects('Suppressions', 50)) {
      const EmailAddress = one.raw('EmailAddress');
      const recipient = addressIn(EmailAddress)?.address ?? null;
      if (recipient === null) {
        changed.push({ EmailAddress, Status: 'Failed', Message: 'An invalid email address was provided.' });
        continue;
      }
      if (Status === 'Deleted') await liftSuppression(call, tx, recipient);
      else await addSuppression(call.ctx, tx, call.workspaceId, { recipient, reason: 'bounce' });
      changed.push({ EmailAddress, Status, Message: null });
    }
    return { Suppressions: changed };
  });
}

const webhooks: Resource = {
  kind: 'webhooks',
  path: '/webhooks',
  changesBy: 'PUT',
  keys: 'numbers',
  notFound: () => refuseWith(1200, 'This webhook was not found.'),
  read: (call, before) => {
    const given = webhookBody(call).over(before?.data);
    const HttpHeaders = given.objects('HttpHeaders', 10).map(({ fields }) => fields);
    if (!HttpHeaders.every(isHeader)) throw refuseWith(1201, 'HttpHeaders is invalid.');
    return {
      ...{ Url: given.url('Url'), MessageStream: given.raw('MessageStream') ?? 'outbound', HttpHeaders },
      ...{ HttpAuth: given.object('HttpAuth', 1_000), Triggers: given.object('Triggers', 2_000) },
    };
  },
  show: (record) => ({ ID: numberOf(record), ...record.data }),
  list: (shown) => ({ Webhooks: shown.toReversed() }),
  answers: {
    created: (record, call) => okAnswer(webhooks.show(record, call)),
    removed: (record) => okAnswer({ ErrorCode: 0, Message: `Webhook ${numberOf(record)} removed.` }),
  },
};

function isHeader(one: JsonObject): boolean {
  const [name, value] = [fieldOf(one, 'Name'), fieldOf(one, 'Value')];
  return isText(name) && isText(value) && /^[\w-]{1,100}$/.test(name) && isHeaderText(value) && value.length <= 2_000;
}

function jsonOf({ body }: DoorCall): unknown {
  if (body.kind === 'json') return body.value;
  throw refuseWith(402, 'The body must be JSON.');
}

export const postmark: Door = {
  name: 'postmark',
  routes: [...sending, ...templateRoutes, ...messages, ...lists, ...resourceRoutes(webhooks), ...serverRoutes],
  // A batch has up to 50 MB.
  bodyLimit: 50 * 1024 * 1024,
  keyOf: keyInHeader('x-postmark-server-token', 'x-postmark-account-token'),
  secrets: ['x-postmark-server-token', 'x-postmark-account-token'],
  refusal: postmarkRefusal,
  outcomeOf: testAddresses('bounce-testing.postmarkapp.com', { spamcomplaint: 'complained' }, 'bounced'),
  eventsFor: postmarkEvents,
  interactions: INTERACTIONS,
  inbound: { rulesFor: postmarkRules, write: postmarkInbound },
};
