import { domainIn } from '../../domain/address.ts';
import { type DoorAnswer, type DoorProblem, DoorRefusal } from '../door.ts';

/** Creates a refusal as Mailgun writes it. */
export function refuseSaying(message: string, status = 400): DoorRefusal {
  return new DoorRefusal({ status, body: { message } });
}

/** Writes a refusal that any request can meet as Mailgun does. */
export function mailgunRefusal({ kind, status, message, sender = '' }: DoorProblem): DoorAnswer {
  if (kind === 'unverified_sender') return { status: 404, body: { message: `Domain not found: ${domainIn(sender)}` } };
  // Its documents say 403. What its SDKs' users report, in issues of 2016 to 2024, is a 401 with this text.
  if (kind === 'missing_key' || kind === 'wrong_key')
    return { status: 401, body: 'Forbidden', type: 'text/plain; charset=utf-8' };
  return { status, body: { message } };
}
