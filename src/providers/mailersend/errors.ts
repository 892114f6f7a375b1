import { BodyFields, bodyReader } from '../body-fields.ts';
import { type DoorAnswer, type DoorProblem, DoorRefusal } from '../door.ts';
import type { JsonObject } from '../fields.ts';
import { type Refuse, WRONG } from '../parts.ts';

// MailerSend's errors: a message, and what is wrong with each field.

/** Refuses a field with a sentence. */
export function refuseMailersend(field: string, sentence: string): DoorRefusal {
  return new DoorRefusal({ status: 422, body: { message: sentence, errors: { [field]: [sentence] } } });
}

/** Refuses a field of a request. */
const refuseMailersendField: Refuse = (field, wrong) => refuseMailersend(field, `The ${field} ${WRONG[wrong]}.`);

const badBody = () => new DoorRefusal({ status: 400, body: { message: 'The body must be a JSON object.' } });
/** Reads the body of a request. */
export const mailersendBody = bodyReader(badBody, refuseMailersendField);

/** Returns the fields of a mail of a bulk. */
export function bulkFields(fields: JsonObject): BodyFields {
  return new BodyFields(fields, refuseMailersendField);
}

export function mailersendNotFound(): DoorRefusal {
  return new DoorRefusal({ status: 404, body: { message: 'Resource not found.' } });
}

const UNVERIFIED = 'The from.email domain must be verified in your account to send emails. #MS42207';

/** Writes a refusal that any request can meet as MailerSend does. */
export function mailersendRefusal({ kind, status, message }: DoorProblem): DoorAnswer {
  if (kind === 'missing_key' || kind === 'wrong_key') return { status: 401, body: { message: 'Unauthenticated.' } };
  if (kind === 'unverified_sender') return refuseMailersend('from.email', UNVERIFIED).answer;
  if (kind === 'rate_limited') return { status, body: { message: 'Too Many Attempts.' } };
  if (kind === 'broken') return { status, body: { message: 'Server Error' } };
  if (kind === 'no_such_mailbox') return refuseMailersend('to', message).answer;
  return { status, body: { message } };
}
