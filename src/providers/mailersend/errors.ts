import { bodyReader } from '../body-fields.ts';
import { type DoorProblem, DoorRefusal } from '../door.ts';
import { type Refuse, WRONG } from '../parts.ts';

// MailerSend's errors: a message, and what is wrong with each field.

/** Refuses a field with a sentence. */
export function refuseMailersend(field: string, sentence: string): DoorRefusal {
  return new DoorRefusal({ status: 422, body: { message: sentence, errors: { [field]: [sentence] } } });
}

/** Refuses a request with a sentence. */
function refuseSaying(message: string, status: number): DoorRefusal {
  return new DoorRefusal({ status, body: { message } });
}

/** Refuses a field of a request. */
const refuseMailersendField: Refuse = (field, wrong) => refuseMailersend(field, `The ${field} ${WRONG[wrong]}.`);

/** Reads the body of a request, or a mail of a bulk. */
export const mailersendBody = bodyReader(
  () => refuseSaying('The body must be a JSON object.', 400),
  refuseMailersendField,
);

export function mailersendNotFound(): DoorRefusal {
  return refuseSaying('Resource not found.', 404);
}

const UNVERIFIED = 'The from.email domain must be verified in your account to send emails. #MS42207';

/** Creates a refusal that any request can meet. */
export function mailersendRefusal({ kind, status, message }: DoorProblem): DoorRefusal {
  if (kind === 'missing_key' || kind === 'wrong_key') return refuseSaying('Unauthenticated.', 401);
  if (kind === 'unverified_sender') return refuseMailersend('from.email', UNVERIFIED);
  if (kind === 'rate_limited') return refuseSaying('Too Many Attempts.', status);
  if (kind === 'broken') return refuseSaying('Server Error', status);
  if (kind === 'no_such_mailbox') return refuseMailersend('to', message);
  return refuseSaying(message, status);
}
