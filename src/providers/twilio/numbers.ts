import { createHash } from 'node:crypto';
import { parsePhone } from '../../domain/phone.ts';
import type { ProviderRecord } from '../../domain/provider.ts';
import type { Reader } from '../../ports/store.ts';
import { mailDate } from '../../text/mail-date.ts';
import type { DoorCall, DoorRoute } from '../door.ts';
import { isWebUrl } from '../fields.ts';
import { keyOfRule, ownRules, putRule, removeRule } from '../inbound/rules.ts';
import { ACCOUNT_PATH, accountOf, signingOf } from './accounts.ts';
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
  return rules.find((rule) => keyOfRule(rule) === number && numberData(rule).smsUrl !== '') ?? null;
}

const PATH = `${ACCOUNT_PATH}/IncomingPhoneNumbers`;

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
  const digits = createHash('sha256').update(`${accountSid} ${number}`).digest('hex').slice(0, 32);
  return {
    sid: before?.sid ?? `PN${digits}`,
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
    ...{ sid, account_sid: accountSid, friendly_name: friendlyName, phone_number: keyOfRule(rule) },
    ...{ sms_url: smsUrl, sms_method: smsMethod, sms_fallback_url: smsFallbackUrl },
    ...{ sms_fallback_method: smsFallbackMethod, sms_application_sid: '', status_callback: '' },
    ...{ api_version: '2010-04-01', beta: false, origin: 'twilio', status: 'in-use', address_requirements: 'none' },
    capabilities: { voice: false, sms: true, mms: true, fax: false },
    ...{ date_created: date, date_updated: date },
    uri: `/2010-04-01/Accounts/${accountSid}/IncomingPhoneNumbers/${sid}.json`,
  };
}

/** Returns the numbers of the account of a request, the newest first. */
async function numbersOf(call: DoorCall, reader: Reader): Promise<ProviderRecord[]> {
  const account = accountOf(call);
  return (await ownRules(call, reader)).filter((rule) => numberData(rule).accountSid === account).reverse();
}

async function numberOf(call: DoorCall, reader: Reader): Promise<ProviderRecord> {
  const found = (await numbersOf(call, reader)).find((rule) => numberData(rule).sid === call.params['sid']);
  if (found === undefined) throw notThere(call);
  return found;
}

export const numbers: readonly DoorRoute[] = [
  {
    method: 'POST',
    path: `${PATH}.json`,
    handle: async (call) => {
      const given = new TwilioForm(call).required('PhoneNumber');
      const number = parsePhone(given);
      if (number === null) throw refuseTwilio(21421, `${given.slice(0, 40)} is not a valid phone number`);
      const refused = REFUSED[number];
      if (refused !== undefined) throw refuseTwilio(...refused);
      const data = numberIn(call, number, null);
      return call.once(async (tx) => ({
        status: 201,
        body: shownNumber(await putRule(call, tx, number, { ...data })),
      }));
    },
  },
  {
    method: 'GET',
    path: `${PATH}.json`,
    handle: async (call) => {
      const { query } = call;
      const [number, name] = [query.get('PhoneNumber'), query.get('FriendlyName')];
      const all = await numbersOf(call, await call.ctx.store.readNow());
      const found = all
        .filter((rule) => number === null || keyOfRule(rule).includes(number.replaceAll('*', '')))
        .filter((rule) => name === null || numberData(rule).friendlyName === name);
      const pages = { page: 0, page_size: 50, start: 0, end: Math.max(0, found.length - 1) };
      const uris = { uri: call.url, first_page_uri: call.url, next_page_uri: null, previous_page_uri: null };
      return { status: 200, body: { incoming_phone_numbers: found.map(shownNumber), ...pages, ...uris } };
    },
  },
  {
    method: 'GET',
    path: `${PATH}/:sid.json`,
    handle: async (call) => ({
      status: 200,
      body: shownNumber(await numberOf(call, await call.ctx.store.readNow())),
    }),
  },
  {
    method: 'POST',
    path: `${PATH}/:sid.json`,
    handle: async (call) =>
      call.once(async (tx) => {
        const rule = await numberOf(call, tx);
        const number = keyOfRule(rule);
        const data = numberIn(call, number, numberData(rule));
        return { status: 200, body: shownNumber(await putRule(call, tx, number, { ...data })) };
      }),
  },
  {
    method: 'DELETE',
    path: `${PATH}/:sid.json`,
    handle: async (call) =>
      call.once(async (tx) => {
        await removeRule(call, tx, keyOfRule(await numberOf(call, tx)));
        return { status: 204 };
      }),
  },
];
