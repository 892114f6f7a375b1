import { parsePhone, smsSize } from '../../domain/phone.ts';
import { keyOfRecord } from '../../domain/provider.ts';
import { newUuid } from '../calls.ts';
import {
  type Door,
  type DoorAnswer,
  type DoorBody,
  type DoorProblem,
  DoorRefusal,
  type EmailEvent,
  type OutgoingEvent,
  type ProblemKind,
  signedInAs,
} from '../door.ts';
import { isWebUrl, objectOf } from '../fields.ts';
import { postRoute } from '../routes.ts';
import { emailData, sendMails } from '../send.ts';
import { senderIn, textMail } from '../texts.ts';

// Vonage's SMS API, as `@vonage/server-sdk` calls it: https://developer.vonage.com/api/sms

/** The longest text, in characters. */
const LONGEST = 3_200;

/** The statuses of refusals: https://developer.vonage.com/messaging/sms/guides/troubleshooting-sms */
const STATUS = { throttled: '1', missing: '2', invalid: '3', key: '4', internal: '5', unreachable: '6', barred: '7' };

const send = postRoute('/sms/json', async (call) => {
  const given = fieldsOf(call.body);
  for (const name of ['from', 'to', 'text']) if (!given[name]) return refused(STATUS.missing, `Missing ${name} param`);
  // Vonage takes numbers without the plus sign.
  const to = parsePhone(`+${(given['to'] ?? '').replace(/^\+|^00/, '')}`);
  const from = senderIn(given['from'] ?? '') ?? null;
  const text = given['text'] ?? '';
  const callback = given['callback'];
  if (to === null) return refused(STATUS.invalid, 'Invalid to param');
  if (from === null) return refused(STATUS.invalid, 'Invalid from param');
  if (text.length > LONGEST) return refused(STATUS.invalid, 'Invalid text param');
  if (callback !== undefined && !isWebUrl(callback)) return refused(STATUS.invalid, 'Invalid callback param');
  const id = newUuid(call);
  const sent = {
    to: to.slice(1),
    'message-id': id,
    status: '0',
    'remaining-balance': '100.00',
    'message-price': '0.05',
    network: '12345',
  };
  const { segments } = smsSize(text);
  const messages = Array.from({ length: segments }, () => sent);
  const clientRef = given['client-ref'] ?? null;
  const fields = { from, to: to.slice(1), callback: callback ?? null, clientRef };
  const answer = { status: 200, body: { 'message-count': String(segments), messages } };
  return sendMails(call, [{ mail: textMail({ id, from, to, text }), fields }], answer);
});

function fieldsOf(body: DoorBody): Readonly<Record<string, string | undefined>> {
  if (body.kind === 'form') return Object.fromEntries(body.fields.map(({ name, value }) => [name, value]));
  const given = body.kind === 'json' ? (objectOf(body.value) ?? {}) : {};
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [
      name,
      typeof value === 'string' || typeof value === 'number' ? String(value) : undefined,
    ]),
  );
}

/** Vonage answers a refusal with 200. */
function refused(status: string, text: string): DoorAnswer {
  return { status: 200, body: { 'message-count': '1', messages: [{ status, 'error-text': text }] } };
}

const STATUSES: Readonly<Partial<Record<ProblemKind, string>>> = {
  missing_key: STATUS.missing,
  wrong_key: STATUS.key,
  no_such_mailbox: STATUS.barred,
  limit_reached: STATUS.throttled,
  storage_full: STATUS.throttled,
  unavailable: STATUS.internal,
  rate_limited: STATUS.throttled,
  broken: STATUS.internal,
};

function vonageRefusal({ kind, status, message }: DoorProblem): DoorRefusal {
  const known = STATUSES[kind];
  const unknown = { status, body: { title: message, detail: message } };
  return new DoorRefusal(known === undefined ? unknown : refused(known, message));
}

/** Writes the delivery receipt that a request asked for. */
function receipts({ type, record }: EmailEvent): readonly OutgoingEvent[] {
  const { callback, from, to, clientRef } = emailData(record).fields;
  if (type !== 'delivered' || typeof callback !== 'string') return [];
  const at = new Date(record.createdAt).toISOString();
  const body = {
    ...{ msisdn: to, to: from, 'network-code': '12345', messageId: keyOfRecord(record) },
    ...{ price: '0.05', status: 'delivered', scts: at.replace(/\D/g, '').slice(2, 12), 'err-code': '0' },
    'message-timestamp': at.slice(0, 19).replace('T', ' '),
    ...(typeof clientRef === 'string' && { 'client-ref': clientRef }),
  };
  return [{ url: callback, body: JSON.stringify(body), headers: [] }];
}

export const vonage: Door = {
  name: 'vonage',
  routes: [send],
  bodyLimit: 256 * 1024,
  keyOf: (headers) => /^[^:]+:(\S+)$/.exec(signedInAs(headers))?.[1] ?? null,
  keyIn: (body) => {
    const given = fieldsOf(body);
    return (given['api_key'] && given['api_secret']) || null;
  },
  withoutKeys: (shown) =>
    shown
      .replace(/("api_(?:key|secret)"\s*:\s*)"(?:[^"\\]|\\.)*"/g, '$1"(left out)"')
      .replace(/^(api_(?:key|secret): ).*$/gm, '$1(left out)'),
  refusal: vonageRefusal,
  callbacksFor: receipts,
};
