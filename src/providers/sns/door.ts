import type { WorkspaceId } from '../../domain/ids.ts';
import { parseUlid } from '../../domain/ids.ts';
import { isSmsSender, parsePhone } from '../../domain/phone.ts';
import { docsPath } from '../../text/docs-place.ts';
import { awsKeyOf, type QueryActions, QueryForm, queryAction } from '../aws.ts';
import { newUuid } from '../calls.ts';
import type { Door, DoorAnswer, DoorCall, DoorProblem, DoorRefusal, DoorRoute, ProblemKind } from '../door.ts';
import { deliverMails } from '../send.ts';
import { textMail, USUAL_SENDER } from '../texts.ts';
import { done, invalid, refuseSns, SNS_NAMESPACE } from './form.ts';
import { signingKey } from './notifications.ts';
import { isSmsType, SMS_ATTRIBUTES, smsAttributes } from './sms-attributes.ts';
import { publishMessage, TOPICS } from './topics.ts';

// Amazon SNS as far as it sends text messages and the events of Amazon SES, in the form with an Action that
// `@aws-sdk/client-sns` and boto3 send: https://docs.aws.amazon.com/sns/latest/api

/** The longest text, in bytes of UTF-8. */
const LONGEST_BYTES = 1_600;

const ACTIONS: QueryActions = {
  namespace: SNS_NAMESPACE,
  answers: {
    ...TOPICS.answers,
    Publish: (call, form) =>
      form.one('PhoneNumber') === undefined && (form.one('TopicArn') ?? form.one('TargetArn')) !== undefined
        ? publishMessage(call, form)
        : publish(call, form),
  },
  reads: {
    ...TOPICS.reads,
    ...SMS_ATTRIBUTES.reads,
    // Nobody has opted out.
    CheckIfPhoneNumberIsOptedOut: (_call, form) => {
      phoneIn(form.one('phoneNumber'));
      return { isOptedOut: false };
    },
    ListPhoneNumbersOptedOut: () => ({ phoneNumbers: [] }),
    OptInPhoneNumber: () => '',
  },
  changes: { ...TOPICS.changes, ...SMS_ATTRIBUTES.changes },
};

async function publish(call: DoorCall, form: QueryForm): Promise<DoorAnswer> {
  const to = phoneIn(form.one('PhoneNumber'));
  const text = form.one('Message') ?? '';
  if (text === '') throw invalid('Empty message');
  if (Buffer.byteLength(text) > LONGEST_BYTES) throw invalid('Message too long');
  const attributes = form.entries('MessageAttributes', 'Name', 'Value.StringValue');
  const settings = await smsAttributes(call, await call.ctx.store.readNow());
  const sender =
    attributes.get('AWS.MM.SMS.OriginationNumber') ??
    attributes.get('AWS.SNS.SMS.SenderID') ??
    (settings['DefaultSenderID'] || USUAL_SENDER);
  if (!isSmsSender(sender)) throw refuseSns('ParameterValueInvalid', 'Invalid parameter: SenderID');
  const type = attributes.get('AWS.SNS.SMS.SMSType') ?? settings['DefaultSMSType'] ?? '';
  if (!isSmsType(type)) throw refuseSns('ParameterValueInvalid', 'Invalid parameter: SMSType');
  const id = newUuid(call);
  const answer = done(form, { MessageId: id });
  const headers = [['X-SNS-SMS-Type', type] as const];
  const mail = textMail({ id, from: parsePhone(sender) ?? sender, to, text, headers });
  return deliverMails(call, [mail], answer, async () => {});
}

function phoneIn(text: string | undefined): string {
  const phone = parsePhone(text ?? '');
  if (phone === null) throw invalid(`PhoneNumber Reason: ${(text ?? '').slice(0, 40)} is not valid to publish to`);
  return phone;
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
  rate_limited: ['Throttled', 429],
  broken: ['InternalError', 500],
};

function snsRefusal({ kind, status, message }: DoorProblem): DoorRefusal {
  const [code, answered] = CODES[kind] ?? ['InvalidParameter', status];
  return refuseSns(code, message, answered);
}

async function act(call: DoorCall): Promise<DoorAnswer> {
  const form = new QueryForm(call);
  const name = form.one('Action') ?? '';
  const action = queryAction(ACTIONS, form);
  // Without a key a request can do no more than what the URLs of a message ask for.
  if (action === null || (call.method !== 'POST' && !IN_URLS.has(name)))
    throw refuseSns(
      'InvalidAction',
      `mailcap does not have the action ${name.slice(0, 100)}: ${docsPath('text-messages')} lists what it has.`,
    );
  return action(call);
}

const IN_URLS: ReadonlySet<string> = new Set(['ConfirmSubscription', 'Unsubscribe']);

/** The certificate of the key that signs the messages of a workspace, which its URL names. */
const certificate: DoorRoute = {
  method: 'GET',
  path: '/:file',
  isOpen: true,
  handle: async ({ ctx, door, params }) => {
    const [, name = ''] = /^SimpleNotificationService-([0-9a-z]{26})\.pem$/.exec(params['file'] ?? '') ?? [];
    const workspaceId = parseUlid<WorkspaceId>(name.toUpperCase());
    const key = workspaceId === null ? null : await signingKey({ ctx, door, workspaceId }, await ctx.store.readNow());
    if (key === null) throw refuseSns('NotFound', 'There is no such certificate.', 404);
    return { status: 200, body: key.cert, type: 'application/x-pem-file' };
  },
};

export const sns: Door = {
  name: 'sns',
  routes: [
    { method: 'POST', path: '', handle: act },
    { method: 'GET', path: '', isOpen: true, handle: act },
    certificate,
  ],
  // A message of 256 KB, as a form.
  bodyLimit: 1024 * 1024,
  keyOf: (headers) => awsKeyOf(headers, 'sns'),
  secrets: ['authorization', 'x-amz-security-token'],
  refusal: snsRefusal,
};
