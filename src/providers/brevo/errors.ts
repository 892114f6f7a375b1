import { bodyReader } from '../body-fields.ts';
import { type DoorProblem, DoorRefusal, type ProblemKind } from '../door.ts';
import { type Refuse, WRONG } from '../parts.ts';

// Brevo's errors: a code and a message.

/** Creates a refusal with an error of Brevo. */
export function refuseBrevo(message: string, code = 'invalid_parameter', status = 400): DoorRefusal {
  return new DoorRefusal({ status, body: { code, message } });
}

/** Refuses a field of a request. */
const refuseBrevoField: Refuse = (field, wrong) =>
  wrong === 'missing'
    ? refuseBrevo(`${field} is missing`, 'missing_parameter')
    : refuseBrevo(`${field} ${WRONG[wrong]}`);

/** Reads the body of a request. */
export const brevoBody = bodyReader(
  () => refuseBrevo('Request body is not a JSON object', 'bad_request'),
  refuseBrevoField,
);

export function brevoNotFound(what: string): DoorRefusal {
  return refuseBrevo(`${what} does not exist`, 'document_not_found', 404);
}

const CODES: Readonly<Partial<Record<ProblemKind, readonly [code: string, status: number]>>> = {
  missing_key: ['unauthorized', 401],
  wrong_key: ['unauthorized', 401],
  foreign_page: ['permission_denied', 403],
  not_found: ['document_not_found', 404],
  method_not_allowed: ['method_not_allowed', 405],
  bad_body: ['bad_request', 400],
  no_such_mailbox: ['invalid_parameter', 400],
  limit_reached: ['not_enough_credits', 402],
  storage_full: ['not_enough_credits', 402],
  rate_limited: ['too_many_requests', 429],
  broken: ['internal_error', 500],
  unavailable: ['service_unavailable', 503],
};

/** Creates a refusal that any request can meet. */
export function brevoRefusal({ kind, status, message, sender = '' }: DoorProblem): DoorRefusal {
  if (kind === 'unverified_sender')
    return refuseBrevo(
      `Sending has been rejected because the sender you used ${sender} is not valid. Validate your sender or authenticate your domain`,
    );
  const [code, answered] = CODES[kind] ?? ['invalid_parameter', status];
  return refuseBrevo(message, code, answered);
}
