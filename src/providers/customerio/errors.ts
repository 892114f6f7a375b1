import { bodyReader } from '../body-fields.ts';
import { type DoorAnswer, type DoorProblem, DoorRefusal } from '../door.ts';
import { type Refuse, WRONG } from '../parts.ts';

// Customer.io's errors: a sentence.

function customerioError(error: string, status: number): DoorAnswer {
  return { status, body: { meta: { error } } };
}

export function refuseCustomerio(error: string, status = 400): DoorRefusal {
  return new DoorRefusal(customerioError(error, status));
}

/** Refuses a field of a request. */
const refuseCustomerioField: Refuse = (field, wrong) => refuseCustomerio(`'${field}' ${WRONG[wrong]}`);

/** Reads the body of a request. */
export const customerioBody = bodyReader(() => refuseCustomerio('invalid JSON body'), refuseCustomerioField);

/** Writes a refusal that any request can meet as Customer.io does. */
export function customerioRefusal({ kind, status, message, sender = '' }: DoorProblem): DoorAnswer {
  if (kind === 'missing_key' || kind === 'wrong_key') return customerioError('unauthorized', 401);
  if (kind === 'unverified_sender')
    return customerioError(`'from' address ${sender} is of a domain that is not verified`, 400);
  return customerioError(message, status);
}
