import { domainIn } from '../../domain/address.ts';
import { bodyReader } from '../body-fields.ts';
import { type DoorProblem, DoorRefusal, type ProblemKind } from '../door.ts';
import { type Refuse, WRONG, type Wrong } from '../parts.ts';

/** The names of Resend's errors. */
type ErrorName =
  | 'missing_api_key'
  | 'invalid_api_key'
  | 'validation_error'
  | 'missing_required_field'
  | 'invalid_parameter'
  | 'invalid_attachment'
  | 'invalid_from_address'
  | 'invalid_idempotency_key'
  | 'invalid_idempotent_request'
  | 'not_found'
  | 'method_not_allowed'
  | 'monthly_quota_exceeded'
  | 'daily_quota_exceeded'
  | 'rate_limit_exceeded'
  | 'application_error';

/** Creates a refusal with an error of Resend. */
export function refuseAs(name: ErrorName, message: string, statusCode = 422): DoorRefusal {
  return new DoorRefusal({ status: statusCode, body: { statusCode, message, name } });
}

/** Creates the refusal of a request that is not valid. */
export function validationError(message: string, statusCode?: number): DoorRefusal {
  return refuseAs('validation_error', message, statusCode);
}

/** Refuses a field of a request. */
const refuseField: Refuse = (field, wrong) => {
  if (wrong === 'too_large') return validationError('The email with its attachments is over 40 MB.', 413);
  if (field.startsWith('attachments.'))
    return refuseAs('invalid_attachment', `Attachment has an invalid \`${field.replace(/^.*\./, '')}\`.`);
  if (wrong === 'missing') return refuseAs('missing_required_field', `Missing \`${field}\` field.`);
  if (wrong === 'address')
    return refuseAs(
      field === 'from' ? 'invalid_from_address' : 'validation_error',
      `Invalid \`${field}\` field. ${ADDRESS_FORM}`,
    );
  return validationError(`The \`${field}\` field ${WORDS[wrong] ?? WRONG[wrong]}.`);
};

const ADDRESS_FORM = 'The email address needs to follow the `email@example.com` or `Name <email@example.com>` format.';
const WORDS: Readonly<Partial<Record<Wrong, string>>> = { text: 'must be a `string`' };

/** Reads the body of a request, or an email of a batch. */
export const resendBody = bodyReader(
  () => validationError('The request body must be a JSON object.', 400),
  refuseField,
);

export function notFound(what: string): DoorRefusal {
  return refuseAs('not_found', `${what} not found`, 404);
}

/** How Resend calls the refusals that any request can meet, if not `validation_error`. */
const NAMES: Readonly<Partial<Record<ProblemKind, readonly [name: ErrorName, status: number]>>> = {
  missing_key: ['missing_api_key', 401],
  wrong_key: ['invalid_api_key', 403],
  not_found: ['not_found', 404],
  method_not_allowed: ['method_not_allowed', 405],
  limit_reached: ['daily_quota_exceeded', 429],
  too_many_scheduled: ['daily_quota_exceeded', 429],
  rate_limited: ['rate_limit_exceeded', 429],
  broken: ['application_error', 500],
  storage_full: ['monthly_quota_exceeded', 429],
  unavailable: ['application_error', 503],
  no_such_mailbox: ['validation_error', 422],
  bad_key: ['invalid_idempotency_key', 400],
};

/** Creates a refusal that any request can meet. */
export function resendRefusal({ kind, status, message, sender = '' }: DoorProblem): DoorRefusal {
  if (kind === 'unverified_sender') {
    const domain = domainIn(sender);
    const sentence = `The ${domain} domain is not verified. Please, add and verify your domain on https://resend.com/domains`;
    return validationError(sentence, 403);
  }
  const [name, code] = NAMES[kind] ?? ['validation_error', status];
  return refuseAs(name, message, code);
}

export const IDEMPOTENCY = {
  longestKey: 256,
  reused: refuseAs('invalid_idempotent_request', 'Same idempotency key used with a different request payload.', 409)
    .answer,
};
