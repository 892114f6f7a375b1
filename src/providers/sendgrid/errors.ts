import { bodyReader } from '../body-fields.ts';
import { type DoorProblem, DoorRefusal } from '../door.ts';
import { type Refuse, WRONG, type Wrong } from '../parts.ts';

/** Creates a refusal with an error of SendGrid. `field` names the part of the request that is wrong. */
export function refuseSendgrid(message: string, field: string | null, status = 400): DoorRefusal {
  return new DoorRefusal({ status, body: { errors: [{ message, field, help: null }] } });
}

/** How SendGrid words what is wrong with a part, if it has words of its own. */
const WORDS: Readonly<Partial<Record<Wrong, string>>> = {
  address: 'Does not contain a valid address.',
  list: 'Must be an array.',
  content: 'The attachment content must be base64 encoded.',
  filename: 'The attachment filename parameter is required, and holds no line break.',
};

/** Refuses a part of a request. */
export const refuseSendgridField: Refuse = (field, wrong) =>
  wrong === 'too_large' && field === 'attachments'
    ? refuseSendgrid('The attachments are over 30 MB.', field, 413)
    : refuseSendgrid(WORDS[wrong] ?? `The ${field} ${WRONG[wrong]}.`, field);

/** Reads the body of a request. */
export const sendgridBody = bodyReader(() => refuseSendgrid('Bad Request', null), refuseSendgridField);

const UNVERIFIED =
  'The from address does not match a verified Sender Identity. Mail cannot be sent until this error is resolved. Visit https://sendgrid.com/docs/for-developers/sending-email/sender-identity/ to see the Sender Identity requirements';

/** Creates a refusal that any request can meet. */
export function sendgridRefusal({ kind, status, message }: DoorProblem): DoorRefusal {
  switch (kind) {
    case 'missing_key':
      return refuseSendgrid('Permission denied, wrong credentials', null, 401);
    case 'wrong_key':
      return refuseSendgrid('The provided authorization grant is invalid, expired, or revoked', null, 401);
    case 'bad_body':
      return refuseSendgrid('Bad Request', null);
    case 'no_such_mailbox':
      return refuseSendgrid(message, 'personalizations');
    case 'unverified_sender':
      return refuseSendgrid(UNVERIFIED, 'from', 403);
    default:
      return refuseSendgrid(message, null, status);
  }
}
