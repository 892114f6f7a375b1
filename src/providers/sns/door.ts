import { isSmsSender, parsePhone } from '../../domain/phone.ts';
import { uuid7Of } from '../../domain/provider.ts';
import { docsPath } from '../../text/docs-place.ts';
import { newUlid } from '../calls.ts';
import type { Door, DoorAnswer, DoorCall, DoorProblem, DoorRoute, ProblemKind } from '../door.ts';
import { DoorRefusal } from '../door.ts';
import { deliverMails } from '../send.ts';
import { inXml } from '../ses/errors.ts';
import { textMail, USUAL_SENDER } from '../texts.ts';

// Amazon SNS as far as it sends text messages: Publish to a phone number, in the form with an Action that
// `@aws-sdk/client-sns` and boto3 send: https://docs.aws.amazon.com/sns/latest/api

const NAMESPACE = 'http://sns.amazonaws.com/doc/2010-03-31/';
const XML = 'text/xml; charset=utf-8';
/** The longest text, in bytes of UTF-8. */
const LONGEST_BYTES = 1_600;

type Form = ReadonlyMap<string, string>;

const ACTIONS: Readonly<Record<string, (call: DoorCall, form: Form) => Promise<DoorAnswer>>> = {
  Publish: publish,
  CheckIfPhoneNumberIsOptedOut: async (_call, form) => {
    phoneIn(form.get('phoneNumber'));
    return done(form, '<isOptedOut>false</isOptedOut>');
  },
  ListPhoneNumbersOptedOut: async (_call, form) => done(form, '<phoneNumbers/>'),
  OptInPhoneNumber: async (_call, form) => done(form),
  GetSMSAttributes: async (_call, form) =>
    done(form, '<attributes><entry><key>DefaultSMSType</key><value>Transactional</value></entry></attributes>'),
  SetSMSAttributes: async (_call, form) => done(form),
};

async function publish(call: DoorCall, form: Form): Promise<DoorAnswer> {
  if (form.has('TopicArn') || form.has('TargetArn'))
    throw refuseSns(
      'InvalidParameter',
      'Invalid parameter: mailcap publishes to a PhoneNumber alone, and has no topics',
    );
  const to = phoneIn(form.get('PhoneNumber'));
  const text = form.get('Message') ?? '';
  if (text === '') throw refuseSns('InvalidParameter', 'Invalid parameter: Empty message');
  if (Buffer.byteLength(text) > LONGEST_BYTES)
    throw refuseSns('InvalidParameter', 'Invalid parameter: Message too long');
  const attributes = attributesIn(form);
  const sender =
    attributes.get('AWS.MM.SMS.OriginationNumber') ?? attributes.get('AWS.SNS.SMS.SenderID') ?? USUAL_SENDER;
  if (!isSmsSender(sender)) throw refuseSns('InvalidParameterValue', 'Invalid parameter: SenderID');
  const id = uuid7Of(newUlid(call));
  const answer = done(form, `<MessageId>${id}</MessageId>`);
  const mail = textMail({ id, from: parsePhone(sender) ?? sender, to, text });
  return deliverMails(call, [mail], answer, async () => {});
}

function attributesIn(form: Form): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (let at = 1; at <= 50; at++) {
    const name = form.get(`MessageAttributes.entry.${at}.Name`);
    if (name === undefined) break;
    found.set(name, form.get(`MessageAttributes.entry.${at}.Value.StringValue`) ?? '');
  }
  return found;
}

function phoneIn(text: string | undefined): string {
  const phone = parsePhone(text ?? '');
  if (phone === null)
    throw refuseSns(
      'InvalidParameter',
      `Invalid parameter: PhoneNumber Reason: ${(text ?? '').slice(0, 40)} is not valid to publish to`,
    );
  return phone;
}

/** Writes the answer of an action. */
function done(form: Form, result = ''): DoorAnswer {
  const action = form.get('Action') ?? '';
  const metadata = '<ResponseMetadata><RequestId>mailcap</RequestId></ResponseMetadata>';
  const body = `<${action}Response xmlns="${NAMESPACE}"><${action}Result>${result}</${action}Result>${metadata}</${action}Response>`;
  return { status: 200, body, type: XML };
}

function snsError(code: string, message: string, status = 400): DoorAnswer {
  const error = `<Error><Type>Sender</Type><Code>${code}</Code><Message>${inXml(message)}</Message></Error>`;
  const body = `<ErrorResponse xmlns="${NAMESPACE}">${error}<RequestId>mailcap</RequestId></ErrorResponse>`;
  return { status, body, type: XML };
}

function refuseSns(code: string, message: string): DoorRefusal {
  return new DoorRefusal(snsError(code, message));
}

const CODES: Readonly<Partial<Record<ProblemKind, readonly [code: string, status: number]>>> = {
  missing_key: ['MissingAuthenticationToken', 403],
  wrong_key: ['InvalidClientTokenId', 403],
  foreign_page: ['AuthorizationError', 403],
  not_found: ['InvalidAction', 400],
  no_such_mailbox: ['OptedOut', 400],
  limit_reached: ['Throttled', 429],
  storage_full: ['Throttled', 429],
  unavailable: ['ServiceUnavailable', 503],
};

function snsRefusal({ kind, status, message }: DoorProblem): DoorAnswer {
  const [code, answered] = CODES[kind] ?? ['InvalidParameter', status];
  return snsError(code, message, answered);
}

/** The signature of version 4. Its form is required; what it signs is not checked. */
const SIGNATURE =
  /^AWS4-(?:HMAC|ECDSA-P256)-SHA256 Credential=([^/,\s]+)\/\d{8}\/(?:[\w-]+\/)?sns\/aws4_request, ?SignedHeaders=[\w;-]+, ?Signature=[0-9a-f]+$/i;

export const sns: Door = {
  name: 'sns',
  routes: ['', '/'].map(
    (path): DoorRoute => ({
      method: 'POST',
      path,
      handle: async (call) => {
        const fields = call.body.kind === 'form' ? call.body.fields : [];
        const form: Form = new Map(fields.map(({ name, value }) => [name, value]));
        const name = form.get('Action') ?? '';
        const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
        if (action === undefined)
          throw refuseSns(
            'InvalidAction',
            `mailcap does not have the action ${name.slice(0, 100)}: ${docsPath('text-messages')} lists what it has.`,
          );
        return action(call, form);
      },
    }),
  ),
  bodyLimit: 256 * 1024,
  keyOf: ({ authorization }) => SIGNATURE.exec(authorization ?? '')?.[1] ?? null,
  secrets: ['authorization', 'x-amz-security-token'],
  refusal: snsRefusal,
  keyReused: null,
  outcomeOf: () => null,
  eventsFor: () => [],
};
