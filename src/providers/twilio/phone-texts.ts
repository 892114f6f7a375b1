import { phoneOf } from '../../domain/phone.ts';
import { keyOfRecord, type ProviderRecord } from '../../domain/provider.ts';
import {
  type AnswerText,
  type AppAnswer,
  BadAnswer,
  type OutgoingEvent,
  type PhoneText,
  type PhoneTextPart,
} from '../door.ts';
import { isWebUrl } from '../fields.ts';
import { sidOf, textMail } from '../texts.ts';
import { addressOfSender, isWhatsapp, recipientIn } from './addresses.ts';
import { callbacksOf, requestHeaders } from './callbacks.ts';
import { numberData, numberFor } from './numbers.ts';
import { type MessageFields, mediaTypeOf, messageFields, segmentsOf } from './resource.ts';
import { asRequested, twilioSignature } from './signature.ts';
import { readTwiml, type TwimlMessage } from './twiml.ts';

// Texts of phones: Twilio requests the URL of the number, and sends what the app answers.
// https://www.twilio.com/docs/messaging/guides/webhook-request

const LONGEST = 1_600;

/** The error of a URL that can't be fetched. */
const FETCH_FAILED = '11200';

export const twilioTexts: PhoneTextPart = {
  ruleFor: numberFor,
  received,
  write,
  answersIn,
};

function received(text: PhoneText, rule: ProviderRecord, ulid: string) {
  const fields: MessageFields = {
    ...{ accountSid: numberData(rule).accountSid, direction: 'inbound', ...text },
    ...{ messagingServiceSid: null, isPooled: false, dueAt: null, callbacks: null },
  };
  return { id: sidOf('SM', ulid), fields };
}

/** Writes the request of the number. A second one goes to the fallback. */
function write(record: ProviderRecord, rule: ProviderRecord, number: number): OutgoingEvent {
  const { signing, ...own } = numberData(rule);
  const isFallback = number > 1 && own.smsFallbackUrl !== '';
  const [url, method] = isFallback ? [own.smsFallbackUrl, own.smsFallbackMethod] : [own.smsUrl, own.smsMethod];
  const fields = {
    ...parametersOf(record),
    ...(isFallback && { ErrorCode: FETCH_FAILED, ErrorUrl: own.smsUrl }),
  };
  const delays = own.smsFallbackUrl === '' ? [] : [0];
  if (method === 'POST') {
    const body = new URLSearchParams(fields).toString();
    return { delays, url, body, headers: requestHeaders(twilioSignature(signing, url, fields)) };
  }
  const base = asRequested(url);
  const asked = `${base}${base.includes('?') ? '&' : '?'}${new URLSearchParams(fields)}`;
  const [, ...headers] = requestHeaders(twilioSignature(signing, asked, {}));
  return { delays, url: asked, method, body: '', headers };
}

function parametersOf(record: ProviderRecord): Record<string, string> {
  const sid = keyOfRecord(record);
  const fields = messageFields(record);
  const { accountSid, from, to, body, media } = fields;
  return {
    ...{ MessageSid: sid, SmsSid: sid, SmsMessageSid: sid, AccountSid: accountSid, ApiVersion: '2010-04-01' },
    ...{ From: from, To: to, Body: body, NumSegments: String(segmentsOf(fields)), SmsStatus: 'received' },
    NumMedia: String(media.length),
    ...Object.fromEntries(
      media.flatMap((url, at) => [
        [`MediaUrl${at}`, url],
        [`MediaContentType${at}`, mediaTypeOf(url)],
      ]),
    ),
    ...(isWhatsapp(from) && { WaId: phoneOf(from).slice(1), ProfileName: phoneOf(from), MessageType: 'text' }),
  };
}

/** Reads the answer: TwiML, or the text itself as `text/plain`. */
async function answersIn(
  { type, body }: AppAnswer,
  record: ProviderRecord,
  rule: ProviderRecord,
  newUlid: () => string,
): Promise<AnswerText[]> {
  if (body.trim() === '') return [];
  const text = messageFields(record);
  return answersOf(type, body).map((answer) => {
    const to = recipientIn(answer.to ?? text.from);
    const from = addressOfSender(answer.from ?? text.to);
    if (to === null || from === null || isWhatsapp(to) !== isWhatsapp(from) || to === from)
      throw new BadAnswer('a Message of the answer has no valid to or from (Twilio’s errors 14101 and 14102)');
    if (answer.body === '' && answer.media.length === 0)
      throw new BadAnswer('a Message of the answer is empty (Twilio’s error 14103)');
    if (answer.body.length > LONGEST || !answer.media.every(isWebUrl))
      throw new BadAnswer(
        'a Message of the answer is too long, or has no valid Media (Twilio’s errors 14103 and 12300)',
      );
    const sid = sidOf('SM', newUlid());
    return answerMail(sid, { ...answer, from, to }, rule);
  });
}

function answersOf(type: string, body: string): TwimlMessage[] {
  if (type === 'text/plain') return [{ body, media: [], to: null, from: null, callback: null }];
  if (['', 'text/xml', 'application/xml', 'text/html'].includes(type)) return readTwiml(body);
  throw new BadAnswer(`the answer has the type ${type}, which is no TwiML (Twilio’s error 12300)`);
}

function answerMail(
  sid: string,
  { body, media, from, to, callback }: TwimlMessage & { readonly from: string; readonly to: string },
  rule: ProviderRecord,
): AnswerText {
  const { accountSid, signing } = numberData(rule);
  const numbers = { from, to, messagingServiceSid: null };
  const fields: MessageFields = {
    ...{ accountSid, direction: 'outbound-reply', ...numbers, body, media, isPooled: false, dueAt: null },
    callbacks:
      callback === null || !isWebUrl(callback)
        ? null
        : callbacksOf({ url: callback, accountSid, signing, sid, ...numbers }),
  };
  const headers = media.map((url) => ['X-Media-URL', url] as const);
  return { mail: textMail({ id: sid, from, to: phoneOf(to), text: body, headers }), fields: { ...fields } };
}
