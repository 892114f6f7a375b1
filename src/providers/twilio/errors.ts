import { type DoorProblem, DoorRefusal, type ProblemKind } from '../door.ts';

// Twilio's errors: https://www.twilio.com/docs/api/errors

/** Creates a refusal with an error of Twilio. */
export function refuseTwilio(code: number, message: string, status = 400): DoorRefusal {
  const more_info = `https://www.twilio.com/docs/errors/${code}`;
  return new DoorRefusal({ status, body: { code, message, more_info, status } });
}

/** Creates the refusal of a resource that is not there. */
export function notThere({ url }: { readonly url: string }): DoorRefusal {
  return refuseTwilio(20404, `The requested resource ${url.replace(/\?.*$/s, '')} was not found`, 404);
}

/** The codes and statuses of the refusals that any request can meet. */
const CODES: Readonly<Partial<Record<ProblemKind, readonly [code: number, status: number]>>> = {
  missing_key: [20003, 401],
  wrong_key: [20003, 401],
  foreign_page: [20403, 403],
  not_found: [20404, 404],
  method_not_allowed: [20004, 405],
  no_such_mailbox: [21610, 400],
  limit_reached: [20429, 429],
  too_many_scheduled: [20429, 429],
  storage_full: [20429, 429],
  unavailable: [20503, 503],
  rate_limited: [20429, 429],
  broken: [20500, 500],
};

/** Creates a refusal that any request can meet. */
export function twilioRefusal({ kind, status, message }: DoorProblem): DoorRefusal {
  const [code, answered] = CODES[kind] ?? [20001, status];
  return refuseTwilio(code, message, answered);
}
