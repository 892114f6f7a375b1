import { bodyReader } from '../body-fields.ts';
import { type DoorProblem, DoorRefusal, type ProblemKind } from '../door.ts';
import { type Refuse, WRONG, type Wrong } from '../parts.ts';

// Postmark's error codes: https://postmarkapp.com/developer/api/overview#error-codes

/** Creates a refusal with an error of Postmark. */
export function refuseWith(ErrorCode: number, Message: string, status = 422): DoorRefusal {
  return new DoorRefusal({ status, body: { ErrorCode, Message } });
}

/** The faults that make JSON incompatible: a field has another type. */
const FORMS: ReadonlySet<Wrong> = new Set(['list', 'object', 'text']);

/** Refuses a field of a request. */
export const refusePostmarkField: Refuse = (field, wrong, given) => {
  if (given !== undefined)
    return refuseWith(300, `Error parsing '${field}': Illegal email address '${given.slice(0, 200)}'.`);
  if (FORMS.has(wrong)) return refuseWith(403, `Invalid JSON: '${field}' ${WRONG[wrong]}.`);
  if (wrong === 'line_break') return refuseWith(300, `Invalid '${field}' value.`);
  return refuseWith(300, `${field} ${WRONG[wrong]}.`, wrong === 'too_large' ? 413 : 422);
};

/** Reads the body of a request. */
export const postmarkBody = bodyReader(refuseBody, refusePostmarkField);

function refuseBody(): DoorRefusal {
  return refuseWith(402, 'The body must be a JSON object.');
}

/** Reads the body of a webhook: a wrong value has the code 1201 there, because 300 is about emails. */
export const webhookBody = bodyReader(refuseBody, (field, wrong) =>
  FORMS.has(wrong) ? refusePostmarkField(field, wrong) : refuseWith(1201, `${field} ${WRONG[wrong]}.`),
);

/** The codes and statuses of the refusals that any request can meet. */
const CODES: Readonly<Partial<Record<ProblemKind, readonly [code: number, status: number]>>> = {
  missing_key: [10, 401],
  wrong_key: [10, 401],
  not_found: [404, 404],
  bad_body: [402, 422],
  wrong_type: [409, 415],
  too_large: [300, 413],
  no_such_mailbox: [300, 422],
  limit_reached: [405, 422],
  too_many_scheduled: [405, 422],
  storage_full: [405, 422],
  unavailable: [100, 503],
  rate_limited: [429, 429],
  broken: [0, 500],
};

/** Creates a refusal that any request can meet. */
export function postmarkRefusal({ kind, status, message, sender = '' }: DoorProblem): DoorRefusal {
  if (kind === 'unverified_sender')
    return refuseWith(
      400,
      `The 'From' address you supplied (${sender}) is not a Sender Signature on your account. Please add and confirm this address in order to be able to use it in the 'From' field of your messages.`,
    );
  const [code, answered] = CODES[kind] ?? [status, status];
  return refuseWith(code, message, answered);
}

export const INACTIVE = 406;
