import { bodyReader } from '../body-fields.ts';
import { type DoorProblem, DoorRefusal } from '../door.ts';
import { type Refuse, WRONG } from '../parts.ts';

// Customer.io's errors: a sentence.

export function refuseCustomerio(error: string, status = 400): DoorRefusal {
  return new DoorRefusal({ status, body: { meta: { error } } });
}

/** Refuses a field of a request. */
const refuseCustomerioField: Refuse = (field, wrong) => refuseCustomerio(`'${field}' ${WRONG[wrong]}`);

/** Reads the body of a request. */
export const customerioBody = bodyReader(() => refuseCustomerio('invalid JSON body'), refuseCustomerioField);

/** Creates a refusal that any request can meet. */
export function customerioRefusal({ kind, status, message, sender = '' }: DoorProblem): DoorRefusal {
  if (kind === 'missing_key' || kind === 'wrong_key') return refuseCustomerio('unauthorized', 401);
  if (kind === 'unverified_sender')
    return refuseCustomerio(`'from' address ${sender} is of a domain that is not verified`);
  return refuseCustomerio(message, status);
}
