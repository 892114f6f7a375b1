import { parseAddress } from '../../domain/address-list.ts';
import { parsePhone } from '../../domain/phone.ts';
import { keyOfRecord, type ProviderMail, type ProviderRecord } from '../../domain/provider.ts';
import type { Reader, Tx } from '../../ports/store.ts';
import { newUlid, nowOf } from '../calls.ts';
import { collection } from '../collection.ts';
import type { DoorAnswer, DoorCall, DoorRoute } from '../door.ts';
import { isHeaderText } from '../fields.ts';
import { getRecord } from '../records.ts';
import { type Resource, resourceRoutes } from '../resources.ts';
import { changeRoute, getRoute, postRoute } from '../routes.ts';
import { deliverMails } from '../send.ts';
import { PHONE_DOMAIN, sidOf, textMail, USUAL_SENDER } from '../texts.ts';
import { notThere, refuseTwilio } from './errors.ts';
import { TwilioForm } from './form.ts';

// Twilio's Verify: https://www.twilio.com/docs/verify/api. It sends a code, and checks what the user enters.

const CHANNELS = ['sms', 'call', 'email', 'whatsapp'] as const;
/** The time in which a code is valid, in milliseconds. */
const VALID_MS = 10 * 60_000;
const MOST_SENT = 5;
const MOST_CHECKED = 5;

interface Service {
  readonly friendlyName: string;
  readonly codeLength: number;
}

interface Verification {
  readonly sid: string;
  readonly serviceSid: string;
  readonly to: string;
  readonly channel: (typeof CHANNELS)[number];
  readonly code: string;
  readonly status: 'pending' | 'approved' | 'canceled';
  readonly startedAt: number;
  readonly sends: readonly { readonly time: string; readonly channel: string; readonly attempt_sid: string }[];
  readonly checks: number;
}

/** By service and destination: there is one at a time. */
const VERIFICATIONS = collection<Verification>('verifications');
const SERVICES = collection<Service>('services');

const services: Resource = {
  kind: 'services',
  path: '/v2/Services',
  ...{ changesBy: 'POST', keys: (call) => sidOf('VA', newUlid(call)), notFound: notThere },
  find: (call, reader) => getRecord(call, reader, 'services', call.params['id'] ?? ''),
  read: (call, before) => ({ ...serviceIn(new TwilioForm(call), before === null ? null : serviceData(before)) }),
  show: shownService,
  list: (shown, { url }) => ({
    services: shown,
    meta: {
      ...{ key: 'services', page: 0, page_size: 1_000, first_page_url: url, url },
      ...{ next_page_url: null, previous_page_url: null },
    },
  }),
};

const ROOT = `${services.path}/:service`;

export const verify: readonly DoorRoute[] = [
  ...resourceRoutes(services),
  postRoute(`${ROOT}/Verifications`, start),
  getRoute(`${ROOT}/Verifications/:sid`, async (call, reader) => {
    return shown(await verificationOf(call, reader, call.params['sid'] ?? ''), await nowOf(call));
  }),
  changeRoute('POST', `${ROOT}/Verifications/:sid`, 200, async (call, tx) => {
    const status = new TwilioForm(call).required('Status');
    if (status !== 'canceled' && status !== 'approved') throw refuseTwilio(60200, 'Invalid parameter: Status');
    return conclude(call, tx, await verificationOf(call, tx, call.params['sid'] ?? ''), { status });
  }),
  changeRoute('POST', `${ROOT}/VerificationCheck`, 200, check),
];

function serviceIn(form: TwilioForm, before: Service | null): Service {
  const friendlyName = form.one('FriendlyName') ?? before?.friendlyName;
  if (friendlyName === undefined || friendlyName.length > 32 || !isHeaderText(friendlyName))
    throw refuseTwilio(60200, 'Invalid parameter: FriendlyName');
  const codeLength = Number(form.one('CodeLength') ?? before?.codeLength ?? 6);
  if (!Number.isInteger(codeLength) || codeLength < 4 || codeLength > 10)
    throw refuseTwilio(60200, 'Invalid parameter: CodeLength');
  return { friendlyName, codeLength };
}

/** Starts a verification, or sends the code of a pending one again. */
async function start(call: DoorCall): Promise<DoorAnswer> {
  const { ctx } = call;
  const form = new TwilioForm(call);
  const channel = CHANNELS.find((one) => one === form.required('Channel'));
  if (channel === undefined) throw refuseTwilio(60200, 'Invalid parameter: Channel');
  if (channel === 'whatsapp') throw refuseTwilio(60200, 'mailcap has no WhatsApp: use the channel sms, call or email.');
  const to = destinationIn(form.required('To'), channel);
  const reader = await ctx.store.readNow();
  const service = await SERVICES.get(call, reader, call.params['service'] ?? '');
  if (service === null) throw notThere(call);
  const now = await nowOf(call);
  const pending = await pendingTo(call, reader, to);
  const custom = form.one('CustomCode');
  if (custom !== null && !/^\w{4,10}$/.test(custom)) throw refuseTwilio(60200, 'Invalid parameter: CustomCode');
  const sends = pending?.sends ?? [];
  if (sends.length >= MOST_SENT) throw refuseTwilio(60203, 'Max send attempts reached', 429);
  const attempt = sidOf('VL', newUlid(call));
  const verification: Verification = {
    sid: pending?.sid ?? sidOf('VE', newUlid(call)),
    serviceSid: call.params['service'] ?? '',
    ...{ to, channel, status: 'pending' },
    code: custom ?? pending?.code ?? randomDigits(call, service.codeLength),
    startedAt: pending?.startedAt ?? now,
    sends: [...sends, { time: new Date(now).toISOString(), channel, attempt_sid: attempt }],
    checks: pending?.checks ?? 0,
  };
  const name = form.one('CustomFriendlyName') ?? service.friendlyName;
  if (!isHeaderText(name) || name.length > 100) throw refuseTwilio(60200, 'Invalid parameter: CustomFriendlyName');
  const mail = mailOf(verification, name, attempt);
  const answer = { status: 201, body: shown(verification, now) };
  return deliverMails(call, [mail], answer, async (tx) => {
    await VERIFICATIONS.put(call, tx, keyOf(verification), verification);
  });
}

function destinationIn(given: string, channel: Verification['channel']): string {
  const address = channel === 'email' ? parseAddress(given) : null;
  const to = channel === 'email' ? address?.name === null && address.address : parsePhone(given);
  if (!to) throw refuseTwilio(60200, `Invalid parameter \`To\`: ${given.slice(0, 80)}`);
  return to;
}

function mailOf({ to, channel, code }: Verification, name: string, id: string): ProviderMail {
  const text = `Your ${name} verification code is: ${channel === 'call' ? [...code].join(' ') : code}`;
  if (channel !== 'email')
    return textMail({ id, from: USUAL_SENDER, to, text, headers: [['X-Twilio-Channel', channel]] });
  const domain = PHONE_DOMAIN;
  const [from, recipient] = [{ name, address: `verify@${domain}`, domain }, parseAddress(to)];
  return {
    ...{ id, messageId: `<${id}@${domain}>`, from, to: recipient === null ? [] : [recipient] },
    ...{ cc: [], replyTo: [], subject: text, text: `${text}\n`, html: null, headers: [], attachments: [] },
    ...{ mailFrom: from.address, recipients: [to] },
  };
}

/** Checks a code. A right one ends the verification. */
async function check(call: DoorCall, tx: Tx): Promise<object> {
  const form = new TwilioForm(call);
  const code = form.required('Code');
  const named = form.one('VerificationSid') ?? form.one('To');
  if (named === null) throw refuseTwilio(60200, 'Missing required parameter To in the post body');
  const verification = await verificationOf(call, tx, named);
  if (verification.checks >= MOST_CHECKED) throw refuseTwilio(60202, 'Max check attempts reached', 429);
  const status = code === verification.code ? 'approved' : 'pending';
  return conclude(call, tx, verification, { status, checks: verification.checks + 1 });
}

/** Changes a verification. One that is no longer pending is gone for the next request, as at Twilio. */
async function conclude(call: DoorCall, tx: Tx, before: Verification, change: Partial<Verification>): Promise<object> {
  const changed = { ...before, ...change };
  if (changed.status === 'pending') await VERIFICATIONS.put(call, tx, keyOf(before), changed);
  else await VERIFICATIONS.remove(call, tx, keyOf(before));
  return shown(changed, await nowOf(call));
}

function serviceData({ data }: ProviderRecord): Service {
  return data as unknown as Service; // the routes above alone write these records
}

function keyOf({ serviceSid, to }: Pick<Verification, 'serviceSid' | 'to'>): string {
  return `${serviceSid} ${to}`;
}

/** Returns the verification to a destination, unless its time is over. */
async function pendingTo(call: DoorCall, reader: Reader, to: string): Promise<Verification | null> {
  const found = await VERIFICATIONS.get(call, reader, keyOf({ serviceSid: call.params['service'] ?? '', to }));
  return found === null || (await isOver(call, found)) ? null : found;
}

async function isOver(call: DoorCall, { startedAt }: Verification): Promise<boolean> {
  return (await nowOf(call)) >= startedAt + VALID_MS;
}

/** Finds a pending verification by its SID or its destination. */
async function verificationOf(call: DoorCall, reader: Reader, named: string): Promise<Verification> {
  const service = call.params['service'] ?? '';
  const to = parsePhone(named) ?? parseAddress(named)?.address;
  const bySid = async () => {
    const all = await VERIFICATIONS.list(call, reader);
    return all.find(({ data }) => data.sid === named && data.serviceSid === service)?.data ?? null;
  };
  const found = await (to === undefined
    ? bySid()
    : VERIFICATIONS.get(call, reader, keyOf({ serviceSid: service, to })));
  if (found === null || (await isOver(call, found))) throw notThere(call);
  return found;
}

function randomDigits({ ctx }: DoorCall, count: number): string {
  // 250 is a multiple of ten, so every digit is equally likely.
  let digits = '';
  while (digits.length < count)
    for (const byte of ctx.random.bytes(count)) if (byte < 250 && digits.length < count) digits += String(byte % 10);
  return digits;
}

function shownService(record: ProviderRecord) {
  const { friendlyName, codeLength } = serviceData(record);
  const sid = keyOfRecord(record);
  const [at, url] = [timeText(record.createdAt), `/v2/Services/${sid}`];
  return {
    ...{ sid, account_sid: NO_ACCOUNT, friendly_name: friendlyName, code_length: codeLength },
    ...{ lookup_enabled: false, psd2_enabled: false, skip_sms_to_landlines: false, dtmf_input_required: true },
    ...{ tts_name: '', do_not_share_warning_enabled: false, custom_code_enabled: true, default_template_sid: null },
    ...{ push: null, totp: null, whatsapp: null, passkeys: null, verify_event_subscription_enabled: false },
    ...{ date_created: at, date_updated: at, url, links: { verifications: `${url}/Verifications` } },
  };
}

/** The account of what has no account in its path. */
const NO_ACCOUNT = `AC${'0'.repeat(32)}`;

function shown({ sid, serviceSid, to, channel, status, startedAt, sends }: Verification, now: number) {
  return {
    ...{ sid, service_sid: serviceSid, account_sid: NO_ACCOUNT, to, channel, status, valid: status === 'approved' },
    ...{ lookup: {}, amount: null, payee: null, sna: null, sna_attempts_error_codes: [] },
    send_code_attempts: sends.map((one) => ({ ...one })),
    ...{ date_created: timeText(startedAt), date_updated: timeText(now) },
    url: `/v2/Services/${serviceSid}/Verifications/${sid}`,
  };
}

/** Writes a time without fractions of a second, as Verify does. */
function timeText(time: number): string {
  return new Date(time).toISOString().replace(/\.\d+Z$/, 'Z');
}
