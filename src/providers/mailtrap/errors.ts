import { domainIn } from '../../domain/address.ts';
import { bodyReader } from '../body-fields.ts';
import { type DoorProblem, DoorRefusal } from '../door.ts';
import { type Refuse, WRONG } from '../parts.ts';

// Mailtrap's errors: a list of sentences where mails are sent, and by fields elsewhere.

/** Refuses to send with a sentence. */
export function refuseMailtrap(sentence: string, status = 400): DoorRefusal {
  return new DoorRefusal({ status, body: { success: false, errors: [sentence] } });
}

/** Refuses a field of a mail. */
const refuseMailtrapField: Refuse = (field, wrong) =>
  refuseMailtrap(`'${field}' ${WRONG[wrong]}`, wrong === 'too_large' ? 413 : 400);

/** Refuses a field of a template or a webhook. */
const refuseMailtrapPart: Refuse = (field, wrong) => refusePartSaying(field, WRONG[wrong]);

export function refusePartSaying(field: string, sentence: string): DoorRefusal {
  return new DoorRefusal({ status: 422, body: { errors: { [field]: [sentence] } } });
}

const badBody = () => refuseMailtrap('Invalid JSON: the body must be an object');
/** Reads the body of a request that sends, or a mail of a batch. */
export const mailtrapBody = bodyReader(badBody, refuseMailtrapField);
/** Reads the body of any other request. */
export const partBody = bodyReader(badBody, refuseMailtrapPart);

export function mailtrapNotFound(): DoorRefusal {
  return new DoorRefusal({ status: 404, body: { error: 'Not Found' } });
}

/** Creates a refusal that any request can meet. */
export function mailtrapRefusal({ kind, status, message, sender = '' }: DoorProblem, url: string): DoorRefusal {
  if (kind === 'unverified_sender')
    return refuseMailtrap(`Sending from domain ${domainIn(sender)} is not allowed`, 403);
  const isKey = kind === 'missing_key' || kind === 'wrong_key';
  if (url.startsWith('/api/accounts/'))
    return new DoorRefusal({ status, body: { error: isKey ? 'Incorrect API token' : message } });
  if (isKey) return refuseMailtrap('Unauthorized', 401);
  return refuseMailtrap(message, status);
}
