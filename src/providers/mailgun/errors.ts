import { domainIn } from '../../domain/address.ts';
import { type DoorProblem, DoorRefusal } from '../door.ts';

/** Creates a refusal as Mailgun writes it. */
export function refuseSaying(message: string, status = 400): DoorRefusal {
  return new DoorRefusal({ status, body: { message } });
}

/** Creates a refusal that any request can meet. */
export function mailgunRefusal({ kind, status, message, sender = '' }: DoorProblem): DoorRefusal {
  if (kind === 'unverified_sender') return refuseSaying(`Domain not found: ${domainIn(sender)}`, 404);
  // Its documents say 403. What its SDKs' users report, in issues of 2016 to 2024, is a 401 with this text.
  if (kind === 'missing_key' || kind === 'wrong_key')
    return new DoorRefusal({ status: 401, body: 'Forbidden', type: 'text/plain; charset=utf-8' });
  return refuseSaying(message, status);
}
