import { awsRefusal } from '../aws.ts';
import { type DoorProblem, DoorRefusal, type ProblemKind } from '../door.ts';

// Amazon SES has two APIs: version 2 speaks JSON, version 1 a form and XML. They name their errors differently.

const CODES = {
  bad: { status: 400, v2: 'BadRequestException', v1: 'InvalidParameterValue' },
  rejected: { status: 400, v2: 'MessageRejected', v1: 'MessageRejected' },
  no_template: { status: 404, v2: 'NotFoundException', v1: 'TemplateDoesNotExist' },
  not_found: { status: 404, v2: 'NotFoundException', v1: 'InvalidAction' },
  exists: { status: 400, v2: 'AlreadyExistsException', v1: 'AlreadyExists' },
  no_set: { status: 404, v2: 'NotFoundException', v1: 'ConfigurationSetDoesNotExist' },
  no_destination: { status: 404, v2: 'NotFoundException', v1: 'EventDestinationDoesNotExist' },
  set_exists: { status: 400, v2: 'AlreadyExistsException', v1: 'ConfigurationSetAlreadyExists' },
  destination_exists: { status: 400, v2: 'AlreadyExistsException', v1: 'EventDestinationAlreadyExists' },
  bad_topic: { status: 400, v2: 'BadRequestException', v1: 'InvalidSNSDestination' },
  cannot_delete: { status: 400, v2: 'BadRequestException', v1: 'CannotDelete' },
  no_rule: { status: 400, v2: 'NotFoundException', v1: 'RuleDoesNotExist' },
  no_rule_set: { status: 400, v2: 'NotFoundException', v1: 'RuleSetDoesNotExist' },
  // Version 1 throttles with 400.
  throttled: { status: 429, v2: 'TooManyRequestsException', v1: 'Throttling' },
  broken: { status: 500, v2: 'InternalServiceErrorException', v1: 'InternalFailure' },
  bad_template: { status: 400, v2: 'BadRequestException', v1: 'InvalidTemplate' },
  render: { status: 400, v2: 'BadRequestException', v1: 'MissingRenderingAttribute' },
  limit: { status: 400, v2: 'LimitExceededException', v1: 'LimitExceeded' },
  no_token: { status: 403, v2: 'MissingAuthenticationTokenException', v1: 'MissingAuthenticationToken' },
  bad_token: { status: 403, v2: 'InvalidClientTokenId', v1: 'InvalidClientTokenId' },
  forbidden: { status: 403, v2: 'AccessDeniedException', v1: 'AccessDenied' },
  too_large: { status: 413, v2: 'BadRequestException', v1: 'RequestEntityTooLarge' },
  unavailable: { status: 503, v2: 'ServiceUnavailable', v1: 'ServiceUnavailable' },
} as const;
export type SesCode = keyof typeof CODES;

export const SES_NAMESPACE = 'http://ses.amazonaws.com/doc/2010-12-01/';

/** Tells whether a path belongs to version 2. */
export function isVersion2(url: string): boolean {
  return url.startsWith('/v2/');
}

/** Creates a refusal with an error of the version that a path belongs to. */
export function refuseSes({ url }: { readonly url: string }, code: SesCode, message: string): DoorRefusal {
  const { status, v1, v2 } = CODES[code];
  if (isVersion2(url)) return new DoorRefusal({ status, body: { message }, headers: { 'x-amzn-ErrorType': v2 } });
  return awsRefusal(SES_NAMESPACE, v1, message, status === 404 || status === 429 ? 400 : status);
}

/** Creates the refusal of a request that is not valid. */
export function badRequest(call: { readonly url: string }, message: string): DoorRefusal {
  return refuseSes(call, 'bad', message);
}

const PROBLEMS: Readonly<Partial<Record<ProblemKind, SesCode>>> = {
  rate_limited: 'throttled',
  broken: 'broken',
  unverified_sender: 'rejected',
  missing_key: 'no_token',
  wrong_key: 'bad_token',
  foreign_page: 'forbidden',
  not_found: 'not_found',
  too_large: 'too_large',
  no_such_mailbox: 'rejected',
  limit_reached: 'throttled',
  storage_full: 'throttled',
  unavailable: 'unavailable',
};

/** Creates a refusal that any request can meet. */
export function sesRefusal({ kind, message, sender = '' }: DoorProblem, url: string): DoorRefusal {
  if (kind === 'unverified_sender')
    message = `Email address is not verified. The following identities failed the check: ${sender}`;
  return refuseSes({ url }, PROBLEMS[kind] ?? 'bad', message);
}
