import { parsePhone } from '../../domain/phone.ts';
import { keyOfRecord, type ProviderRecord } from '../../domain/provider.ts';
import { mailDate } from '../../text/mail-date.ts';
import { idOfText } from '../calls.ts';
import type { DoorCall } from '../door.ts';
import { isWebUrl } from '../fields.ts';
import { ownRules } from '../inbound/rules.ts';
import { resourceRoutes } from '../resources.ts';
import { ACCOUNT_PATH, accountOf, signingOf, twilioPage } from './accounts.ts';
import { notThere, refuseTwilio } from './errors.ts';
import { TwilioForm } from './form.ts';
import type { HmacState } from './signature.ts';

// The numbers of the app: https://www.twilio.com/docs/phone-numbers/api/incomingphonenumber-resource

/** What is kept of a number. Its key is the number. */
export interface NumberData {
  readonly sid: string;
  readonly accountSid: string;
  readonly friendlyName: string;
  readonly smsUrl: string;
  readonly smsMethod: 'GET' | 'POST';
  readonly smsFallbackUrl: string;
  readonly smsFallbackMethod: 'GET' | 'POST';
  readonly signing: HmacState;
}

export function numberData({ data }: ProviderRecord): NumberData {
  return data as unknown as NumberData; // `numberIn` alone writes these records
}

/** The number of the app that texts come to, if it has a URL for them. */
export function numberFor(rules: readonly ProviderRecord[], number: string): ProviderRecord | null {
  return rules.find((rule) => keyOfRecord(rule) === number && numberData(rule).smsUrl !== '') ?? null;
}

/** Twilio's test numbers: https://www.twilio.com/docs/iam/test-credentials#test-incoming-phone-numbers-parameters */
const REFUSED: Readonly<Record<string, readonly [code: number, message: string]>> = {
  '+15005550000': [21422, '+15005550000 is not available'],
  '+15005550001': [21421, '+15005550001 is not a valid phone number'],
};

function numberIn(call: DoorCall, number: string, before: NumberData | null): NumberData {
  const form = new TwilioForm(call);
  const urlIn = (name: string, last: string, code: number) => {
    const url = form.given(name) ?? last;
    if (url !== '' && !isWebUrl(url)) throw refuseTwilio(code, `${name} is not valid: ${url.slice(0, 200)}`);
    return url;
  };
  const methodIn = (name: string, last: 'GET' | 'POST', code: number) => {
    const method = (form.one(name) ?? last).toUpperCase();
    if (method !== 'GET' && method !== 'POST') throw refuseTwilio(code, `${name} is not valid`);
    return method;
  };
  const accountSid = accountOf(call);
  return {
    sid: before?.sid ?? `PN${idOfText(`${accountSid} ${number}`, 32)}`,
    accountSid,
    friendlyName: (form.one('FriendlyName') ?? before?.friendlyName ?? number).slice(0, 64),
    smsUrl: urlIn('SmsUrl', before?.smsUrl ?? '', 21502),
    smsMethod: methodIn('SmsMethod', before?.smsMethod ?? 'POST', 21403),
    smsFallbackUrl: urlIn('SmsFallbackUrl', before?.smsFallbackUrl ?? '', 21502),
    smsFallbackMethod: methodIn('SmsFallbackMethod', before?.smsFallbackMethod ?? 'POST', 21403),
    signing: signingOf(call),
  };
}

function shownNumber(rule: ProviderRecord) {
  const { sid, accountSid, friendlyName, smsUrl, smsMethod, smsFallbackUrl, smsFallbackMethod } = numberData(rule);
  const date = mailDate(rule.createdAt);
  return {
    ...{ sid, account_sid: accountSid, friendly_name: friendlyName, phone_number: keyOfRecord(rule) },
    ...{ sms_url: smsUrl, sms_method: smsMethod, sms_fallback_url: smsFallbackUrl },
    ...{ sms_fallback_method: smsFallbackMethod, sms_application_sid: '', status_callback: '' },
    ...{ api_version: '2010-04-01', beta: false, origin: 'twilio', status: 'in-use', address_requirements: 'none' },
    capabilities: { voice: false, sms: true, mms: true, fax: false },
    ...{ date_created: date, date_updated: date },
    uri: `/2010-04-01/Accounts/${accountSid}/IncomingPhoneNumbers/${sid}.json`,
  };
}

/** Tells whether a number belongs to the account of a request. */
function isOwn(call: DoorCall): (rule: ProviderRecord) => boolean {
  const account = accountOf(call);
  return (rule) => numberData(rule).accountSid === account;
}

/** Reads the number that a request creates. Throws a refusal of Twilio. */
function newNumber(call: DoorCall): string {
  const given = new TwilioForm(call).required('PhoneNumber');
  const number = parsePhone(given);
  if (number === null) throw refuseTwilio(21421, `${given.slice(0, 40)} is not a valid phone number`);
  const refused = REFUSED[number];
  if (refused !== undefined) throw refuseTwilio(...refused);
  return number;
}

export const numbers = resourceRoutes({
  kind: 'rules',
  path: `${ACCOUNT_PATH}/IncomingPhoneNumbers`,
  ...{ ending: '.json', changesBy: 'POST', keys: newNumber, notFound: notThere },
  find: async (call, reader) => {
    const own = (await ownRules(call, reader)).filter(isOwn(call));
    return own.find((rule) => numberData(rule).sid === call.params['id']) ?? null;
  },
  read: (call, before) =>
    before === null
      ? { ...numberIn(call, newNumber(call), null) }
      : { ...numberIn(call, keyOfRecord(before), numberData(before)) },
  show: shownNumber,
  isListed: (rule, call) => {
    const [number, name] = [call.query.get('PhoneNumber'), call.query.get('FriendlyName')];
    return (
      isOwn(call)(rule) &&
      (number === null || keyOfRecord(rule).includes(number.replaceAll('*', ''))) &&
      (name === null || numberData(rule).friendlyName === name)
    );
  },
  // The newest comes first.
  list: (shown, call) => twilioPage(call, 'incoming_phone_numbers', shown.toReversed(), (one) => one),
});
