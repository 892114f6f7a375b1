import { parsePhone, smsSize } from '../../domain/phone.ts';
import { keyOfRecord, MOST_RECORDS, type ProviderRecord } from '../../domain/provider.ts';
import { parseTime } from '../../domain/time.ts';
import { newUlid, nowOf } from '../calls.ts';
import type { DoorCall, DoorRoute } from '../door.ts';
import { isWebUrl } from '../fields.ts';
import { getRecord, listRecords, putRecord, removeRecord } from '../records.ts';
import { cancelScheduled, type EmailState, emailData, sendMails } from '../send.ts';
import { senderIn, sidOf, textMail, USUAL_SENDER } from '../texts.ts';
import { callbacksOf, UNREACHABLE } from './callbacks.ts';
import { notThere, refuseTwilio } from './errors.ts';
import { TwilioForm } from './form.ts';

// Twilio's Messages: https://www.twilio.com/docs/messaging/api/message-resource

const ROOT = '/2010-04-01/Accounts/:account';
/** The longest text, in characters. */
const LONGEST = 1_600;
const MOST_MEDIA = 10;

/** Twilio's test numbers: https://www.twilio.com/docs/iam/test-credentials#test-sms-messages */
const REFUSED_TO: Readonly<Record<string, readonly [code: number, message: string]>> = {
  '+15005550001': [21211, "Invalid 'To' Phone Number: +15005550001"],
  '+15005550002': [
    21612,
    "The 'To' phone number: +15005550002, is not currently reachable using the 'From' phone number",
  ],
  '+15005550003': [
    21408,
    "Permission to send an SMS has not been enabled for the region indicated by the 'To' number: +15005550003",
  ],
  '+15005550004': [21610, 'Attempt to send to unsubscribed recipient'],
  '+15005550009': [21614, "'To' number: +15005550009, is not a valid mobile number"],
};
const REFUSED_FROM: Readonly<Record<string, readonly [code: number, message: string]>> = {
  '+15005550001': [21212, "Invalid 'From' Phone Number: +15005550001"],
  '+15005550007': [
    21606,
    "The 'From' phone number +15005550007 is not a valid, SMS-capable inbound phone number for your account.",
  ],
  '+15005550008': [21611, 'This From number has exceeded the maximum number of queued messages'],
};

export const messages: readonly DoorRoute[] = [
  { method: 'POST', path: `${ROOT}/Messages.json`, handle: (call) => create(call) },
  { method: 'GET', path: `${ROOT}/Messages.json`, handle: (call) => list(call) },
  {
    method: 'GET',
    path: `${ROOT}/Messages/:sid.json`,
    handle: async (call) => ({ status: 200, body: shown(await messageOf(call)) }),
  },
  { method: 'POST', path: `${ROOT}/Messages/:sid.json`, handle: (call) => update(call) },
  {
    method: 'DELETE',
    path: `${ROOT}/Messages/:sid.json`,
    handle: (call) =>
      call.once(async (tx) => {
        if ((await getRecord(call, tx, 'emails', call.params['sid'] ?? '')) === null) throw notThere(call);
        await removeRecord(call, tx, 'emails', call.params['sid'] ?? '');
        return { status: 204 };
      }),
  },
  {
    method: 'GET',
    path: `${ROOT}.json`,
    handle: async (call) => ({
      status: 200,
      body: { sid: accountOf(call), friendly_name: 'mailcap', status: 'active', type: 'Full', uri: call.url },
    }),
  },
];

async function create(call: DoorCall) {
  const form = new TwilioForm(call);
  const to = recipientIn(form);
  const service = form.one('MessagingServiceSid') ?? null;
  if (service !== null && !/^MG[0-9a-f]{32}$/i.test(service))
    throw refuseTwilio(21701, 'The Messaging Service does not exist');
  const from = senderOf(form, service);
  if (form.one('From') !== undefined && from === to)
    throw refuseTwilio(21266, "'To' and 'From' number cannot be the same");
  const media = form.all('MediaUrl');
  const body = form.given('Body') ?? '';
  if (body === '' && media.length === 0) throw refuseTwilio(21602, 'Message body is required.');
  if (body.length > LONGEST)
    throw refuseTwilio(21617, `The concatenated message body exceeds the ${LONGEST} character limit.`);
  if (media.length > MOST_MEDIA) throw refuseTwilio(21623, 'Number of media files exceeds allowed limit');
  if (!media.every(isWebUrl)) throw refuseTwilio(21620, 'Invalid media URL(s)');
  const callback = form.one('StatusCallback');
  if (callback !== undefined && !isWebUrl(callback))
    throw refuseTwilio(21609, `The StatusCallback URL ${callback} is not a valid URL.`);
  const dueAt = await dueTime(call, form, service);
  const sid = sidOf('SM', newUlid(call));
  const accountSid = accountOf(call);
  const numbers = { from, to, messagingServiceSid: service };
  const fields = {
    ...numbers,
    ...{ body, accountSid, media: media.length, dueAt: dueAt ?? null, isPooled: form.one('From') === undefined },
    callbacks:
      callback === undefined
        ? null
        : callbacksOf({ url: callback, authToken: passwordOf(call), accountSid, sid, ...numbers }),
  };
  const headers = media.map((url) => ['X-Media-URL', url] as const);
  const mail = textMail({ id: sid, from, to, text: body, headers });
  const at = await nowOf(call);
  const status = dueAt !== undefined ? 'scheduled' : service === null ? 'queued' : 'accepted';
  const answer = { status: 201, body: resource({ ...fields, sid, status, at, sentAt: null }) };
  return sendMails(call, [{ mail, fields, dueAt }], answer);
}

function recipientIn(form: TwilioForm): string {
  const given = form.one('To');
  if (given === undefined) throw refuseTwilio(21604, "A 'To' phone number is required.");
  const to = parsePhone(given);
  if (to === null) throw refuseTwilio(21211, `Invalid 'To' Phone Number: ${given.slice(0, 40)}`);
  const refused = REFUSED_TO[to];
  if (refused !== undefined) throw refuseTwilio(...refused);
  return to;
}

function senderOf(form: TwilioForm, service: string | null): string {
  const given = form.one('From');
  if (given === undefined && service === null) throw refuseTwilio(21603, "A 'From' phone number is required.");
  if (given === undefined) return USUAL_SENDER;
  const from = senderIn(given);
  if (from === null) throw refuseTwilio(21212, `Invalid 'From' Phone Number: ${given.slice(0, 40)}`);
  const refused = REFUSED_FROM[from];
  if (refused !== undefined) throw refuseTwilio(...refused);
  return from;
}

async function dueTime(call: DoorCall, form: TwilioForm, service: string | null): Promise<number | undefined> {
  const given = form.one('SendAt');
  if (given === undefined) return undefined;
  if (form.one('ScheduleType') !== 'fixed' || service === null)
    throw refuseTwilio(35118, 'MessagingServiceSid and ScheduleType are required to schedule a message');
  const time = parseTime(given);
  const now = await nowOf(call);
  if (time === null || time < now + 300_000 || time > now + 35 * 86_400_000)
    throw refuseTwilio(35114, 'SendAt time must be between 300 seconds and 35 days from now');
  return time;
}

async function list(call: DoorCall) {
  const { query } = call;
  const size = Math.min(1_000, Math.max(1, Number(query.get('PageSize') ?? 50) || 50));
  const page = Math.max(0, Math.trunc(Number(query.get('Page') ?? 0)) || 0);
  const [to, from] = [query.get('To'), query.get('From')].map((one) => one && (parsePhone(one) ?? one));
  const all = await listRecords(call, await call.ctx.store.readNow(), 'emails', { limit: MOST_RECORDS });
  const found = all.filter((record) => {
    const { fields } = emailData(record);
    const day = new Date(record.createdAt).toISOString();
    return (
      (!to || fields['to'] === to) &&
      (!from || fields['from'] === from) &&
      (query.get('DateSent') ?? day).slice(0, 10) === day.slice(0, 10) &&
      (query.get('DateSent>') ?? '') <= day &&
      (query.get('DateSent<') ?? '~') >= day.slice(0, query.get('DateSent<')?.length)
    );
  });
  const uriOf = (number: number) => {
    const next = new URLSearchParams(query);
    next.set('Page', String(number));
    next.set('PageSize', String(size));
    return `${call.url.replace(/\?.*$/s, '')}?${next}`;
  };
  const start = page * size;
  const items = found.slice(start, start + size);
  return {
    status: 200,
    body: {
      messages: items.map((record) => shown(record)),
      ...{ page, page_size: size, start, end: Math.max(start, start + items.length - 1) },
      uri: uriOf(page),
      first_page_uri: uriOf(0),
      next_page_uri: found.length > start + size ? uriOf(page + 1) : null,
      previous_page_uri: page > 0 ? uriOf(page - 1) : null,
    },
  };
}

/** Redacts the text of a message with an empty Body, or cancels one that is scheduled. */
function update(call: DoorCall) {
  const form = new TwilioForm(call);
  return call.once(async (tx) => {
    const record = await getRecord(call, tx, 'emails', call.params['sid'] ?? '');
    if (record === null) throw notThere(call);
    if (form.one('Status') === 'canceled') {
      if (record.dueAt === undefined) throw refuseTwilio(30409, 'Message is not in a state that can be canceled', 409);
      return { status: 200, body: shown(await cancelScheduled(call, tx, record)) };
    }
    if (form.given('Body') !== '') throw refuseTwilio(20009, "Body can only be redacted: send Body=''.");
    if (record.dueAt !== undefined) throw refuseTwilio(20009, 'Message is not in a finished state');
    // Only a scheduled message keeps its mail, so none is left with the text.
    const data = emailData(record);
    const fields = { ...data.fields, body: '' };
    return {
      status: 200,
      body: shown(await putRecord(call, tx, 'emails', keyOfRecord(record), { ...data, fields })),
    };
  });
}

async function messageOf(call: DoorCall): Promise<ProviderRecord> {
  const record = await getRecord(call, await call.ctx.store.readNow(), 'emails', call.params['sid'] ?? '');
  if (record === null) throw notThere(call);
  return record;
}

const STATUSES: Readonly<Partial<Record<EmailState, string>>> = {
  scheduled: 'scheduled',
  canceled: 'canceled',
  failed: 'failed',
  delivered: 'delivered',
  bounced: 'undelivered',
  complained: 'delivered',
};

function shown(record: ProviderRecord) {
  const { state, fields } = emailData(record);
  const isSent = state !== 'scheduled' && state !== 'canceled';
  return resource({
    ...(fields as unknown as Pick<
      Shown,
      'from' | 'to' | 'body' | 'accountSid' | 'media' | 'messagingServiceSid' | 'isPooled'
    >),
    sid: keyOfRecord(record),
    status: STATUSES[state] ?? 'delivered',
    at: record.createdAt,
    sentAt: isSent ? ((fields['dueAt'] as number | null) ?? record.createdAt) : null,
  });
}

interface Shown {
  readonly sid: string;
  readonly accountSid: string;
  readonly from: string;
  readonly to: string;
  readonly body: string;
  readonly media: number;
  readonly messagingServiceSid: string | null;
  /** Whether the messaging service chooses the sender. */
  readonly isPooled: boolean;
  readonly status: string;
  readonly at: number;
  readonly sentAt: number | null;
}

/** The statuses of a message before its messaging service has chosen a sender. */
const UNASSIGNED: readonly string[] = ['accepted', 'scheduled', 'canceled'];

function resource({
  sid,
  accountSid,
  from,
  to,
  body,
  media,
  messagingServiceSid,
  isPooled,
  status,
  at,
  sentAt,
}: Shown) {
  const isUnassigned = isPooled && UNASSIGNED.includes(status);
  const uri = `/2010-04-01/Accounts/${accountSid}/Messages/${sid}`;
  const isLost = status === 'undelivered' || status === 'failed';
  return {
    ...{ sid, account_sid: accountSid, api_version: '2010-04-01', direction: 'outbound-api', status },
    ...{ from: isUnassigned ? null : from, to, body, messaging_service_sid: messagingServiceSid },
    num_segments: String(isUnassigned ? 0 : smsSize(body).segments),
    num_media: String(media),
    date_created: dateText(at),
    date_updated: dateText(sentAt ?? at),
    date_sent: sentAt === null ? null : dateText(sentAt),
    error_code: isLost ? UNREACHABLE.code : null,
    error_message: isLost ? UNREACHABLE.message : null,
    ...{ price: null, price_unit: 'USD', uri: `${uri}.json`, subresource_uris: { media: `${uri}/Media.json` } },
  };
}

/** Writes a time as RFC 2822 does. */
function dateText(time: number): string {
  return new Date(time).toUTCString().replace('GMT', '+0000');
}

function accountOf({ params }: DoorCall): string {
  return params['account'] ?? '';
}

/** Returns the auth token of a request, which signs its callbacks. */
function passwordOf({ door, headers }: DoorCall): string {
  return door.keyOf(headers) ?? '';
}
