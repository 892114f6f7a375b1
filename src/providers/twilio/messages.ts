import { phoneOf } from '../../domain/phone.ts';
import { keyOfRecord, type ProviderRecord } from '../../domain/provider.ts';
import { parseTime } from '../../domain/time.ts';
import type { Reader, Tx } from '../../ports/store.ts';
import { newUlid, nowOf } from '../calls.ts';
import type { DoorCall, DoorRoute } from '../door.ts';
import { isWebUrl } from '../fields.ts';
import { getRecord, listRecords, putRecord, removeRecord } from '../records.ts';
import { changeRoute, getRoute, postRoute } from '../routes.ts';
import { cancelScheduled, emailData, sendMails } from '../send.ts';
import { sidOf, textMail, USUAL_SENDER } from '../texts.ts';
import { ACCOUNT_PATH, accountOf, signingOf, twilioPage } from './accounts.ts';
import { addressOfSender, isWhatsapp, recipientIn } from './addresses.ts';
import { callbacksOf } from './callbacks.ts';
import { notThere, refuseTwilio } from './errors.ts';
import { TwilioForm } from './form.ts';
import { type MessageFields, messageFields, resource, shownMessage } from './resource.ts';

// Twilio's Messages: https://www.twilio.com/docs/messaging/api/message-resource

/** The longest text, in characters. */
const LONGEST = 1_600;
const MOST_MEDIA = 10;

/** Twilio's test numbers: https://www.twilio.com/docs/iam/test-credentials#test-sms-messages */
const REFUSED_TO: Refused = new Map([
  ['+15005550001', [21211, "Invalid 'To' Phone Number: +15005550001"]],
  [
    '+15005550002',
    [21612, "The 'To' phone number: +15005550002, is not currently reachable using the 'From' phone number"],
  ],
  [
    '+15005550003',
    [21408, "Permission to send an SMS has not been enabled for the region indicated by the 'To' number: +15005550003"],
  ],
  ['+15005550004', [21610, 'Attempt to send to unsubscribed recipient']],
  ['+15005550009', [21614, "'To' number: +15005550009, is not a valid mobile number"]],
]);
const REFUSED_FROM: Refused = new Map([
  ['+15005550001', [21212, "Invalid 'From' Phone Number: +15005550001"]],
  [
    '+15005550007',
    [21606, "The 'From' phone number +15005550007 is not a valid, SMS-capable inbound phone number for your account."],
  ],
  ['+15005550008', [21611, 'This From number has exceeded the maximum number of queued messages']],
]);
type Refused = ReadonlyMap<string, readonly [code: number, message: string]>;

const PATH = `${ACCOUNT_PATH}/Messages`;

export const messages: readonly DoorRoute[] = [
  postRoute(`${PATH}.json`, create),
  getRoute(`${PATH}.json`, async (call, reader) => {
    const all = await listRecords(call, reader, 'emails');
    return twilioPage(call, 'messages', all.filter(isWanted(call)), shownMessage);
  }),
  getRoute(`${PATH}/:sid.json`, async (call, reader) => shownMessage(await namedMessage(call, reader))),
  changeRoute('POST', `${PATH}/:sid.json`, 200, async (call, tx) => shownMessage(await changed(call, tx))),
  changeRoute('DELETE', `${PATH}/:sid.json`, 204, async (call, tx) => {
    await removeRecord(call, tx, 'emails', keyOfRecord(await namedMessage(call, tx)));
  }),
];

async function create(call: DoorCall) {
  const form = new TwilioForm(call);
  const to = recipientOf(form);
  const service = form.one('MessagingServiceSid');
  if (service !== null && !/^MG[0-9a-f]{32}$/i.test(service))
    throw refuseTwilio(21701, 'The Messaging Service does not exist');
  const from = senderOf(form, service, to);
  if (form.one('From') !== null && from === to) throw refuseTwilio(21266, "'To' and 'From' number cannot be the same");
  if (form.one('From') !== null && isWhatsapp(from) !== isWhatsapp(to))
    throw refuseTwilio(21910, "Invalid 'From' and 'To' pair. 'From' and 'To' should be of the same channel");
  const media = form.all('MediaUrl');
  const body = form.given('Body') ?? '';
  if (body === '' && media.length === 0) throw refuseTwilio(21602, 'Message body is required.');
  if (body.length > LONGEST)
    throw refuseTwilio(21617, `The concatenated message body exceeds the ${LONGEST} character limit.`);
  if (media.length > MOST_MEDIA) throw refuseTwilio(21623, 'Number of media files exceeds allowed limit');
  if (!media.every(isWebUrl)) throw refuseTwilio(21620, 'Invalid media URL(s)');
  const callback = form.one('StatusCallback');
  if (callback !== null && !isWebUrl(callback))
    throw refuseTwilio(21609, `The StatusCallback URL ${callback} is not a valid URL.`);
  const dueAt = await dueTime(call, form, service);
  const sid = sidOf('SM', newUlid(call));
  const accountSid = accountOf(call);
  const numbers = { from, to, messagingServiceSid: service };
  const signing = signingOf(call);
  const fields: MessageFields = {
    ...{ direction: 'outbound-api', ...numbers },
    ...{ body, accountSid, media, dueAt: dueAt ?? null, isPooled: form.one('From') === null },
    callbacks: callback === null ? null : callbacksOf({ url: callback, accountSid, signing, sid, ...numbers }),
  };
  const headers = media.map((url) => ['X-Media-URL', url] as const);
  const mail = textMail({ id: sid, from, to: phoneOf(to), text: body, headers });
  const at = await nowOf(call);
  const status = dueAt !== undefined ? 'scheduled' : service === null ? 'queued' : 'accepted';
  const answer = { status: 201, body: resource(fields, { sid, status, at, sentAt: null }) };
  return sendMails(call, [{ mail, fields: { ...fields }, dueAt }], answer);
}

function recipientOf(form: TwilioForm): string {
  const given = form.one('To');
  if (given === null) throw refuseTwilio(21604, "A 'To' phone number is required.");
  const to = recipientIn(given);
  if (to === null) throw refuseTwilio(21211, `Invalid 'To' Phone Number: ${given.slice(0, 40)}`);
  const refused = REFUSED_TO.get(to);
  if (refused !== undefined) throw refuseTwilio(...refused);
  return to;
}

function senderOf(form: TwilioForm, service: string | null, to: string): string {
  const given = form.one('From');
  if (given === null && service === null) throw refuseTwilio(21603, "A 'From' phone number is required.");
  if (given === null) return (isWhatsapp(to) ? 'whatsapp:' : '') + USUAL_SENDER;
  const from = addressOfSender(given);
  if (from === null) throw refuseTwilio(21212, `Invalid 'From' Phone Number: ${given.slice(0, 40)}`);
  const refused = REFUSED_FROM.get(from);
  if (refused !== undefined) throw refuseTwilio(...refused);
  return from;
}

async function dueTime(call: DoorCall, form: TwilioForm, service: string | null): Promise<number | undefined> {
  const given = form.one('SendAt');
  if (given === null) return undefined;
  if (form.one('ScheduleType') !== 'fixed' || service === null)
    throw refuseTwilio(35118, 'MessagingServiceSid and ScheduleType are required to schedule a message');
  const time = parseTime(given);
  const now = await nowOf(call);
  if (time === null || time < now + 300_000 || time > now + 35 * 86_400_000)
    throw refuseTwilio(35114, 'SendAt time must be between 300 seconds and 35 days from now');
  return time;
}

/** Returns what tells whether a message is one of those that a request lists. */
function isWanted(call: DoorCall): (record: ProviderRecord) => boolean {
  const { query } = call;
  const [to, from] = [query.get('To'), query.get('From')].map((one) => one && (recipientIn(one) ?? one));
  const account = accountOf(call);
  return (record) => {
    const fields = messageFields(record);
    const day = new Date(record.createdAt).toISOString();
    return (
      fields.accountSid === account &&
      (!to || fields.to === to) &&
      (!from || fields.from === from) &&
      (query.get('DateSent') ?? day).slice(0, 10) === day.slice(0, 10) &&
      (query.get('DateSent>') ?? '') <= day &&
      (query.get('DateSent<') ?? '~') >= day.slice(0, query.get('DateSent<')?.length)
    );
  };
}

/** Redacts the text of a message with an empty Body, or cancels one that is scheduled. */
async function changed(call: DoorCall, tx: Tx): Promise<ProviderRecord> {
  const form = new TwilioForm(call);
  const record = await namedMessage(call, tx);
  if (form.one('Status') === 'canceled') {
    if (record.dueAt === undefined) throw refuseTwilio(30409, 'Message is not in a state that can be canceled', 409);
    return cancelScheduled(call, tx, record);
  }
  if (form.given('Body') !== '') throw refuseTwilio(20009, "Body can only be redacted: send Body=''.");
  if (record.dueAt !== undefined) throw refuseTwilio(20009, 'Message is not in a finished state');
  // Only a scheduled message keeps its mail, so none is left with the text.
  const data = emailData(record);
  const fields = { ...data.fields, body: '' };
  return putRecord(call, tx, 'emails', keyOfRecord(record), { ...data, fields });
}

/** Returns the message that the path of a request names. Throws Twilio's 404. */
export async function namedMessage(call: DoorCall, reader: Reader): Promise<ProviderRecord> {
  const account = accountOf(call);
  const record = await getRecord(call, reader, 'emails', call.params['sid'] ?? '');
  if (record === null || messageFields(record).accountSid !== account) throw notThere(call);
  return record;
}
