import { bodyReader } from '../body-fields.ts';
import { type DoorAnswer, type DoorProblem, DoorRefusal } from '../door.ts';
import { type Refuse, WRONG, type Wrong } from '../parts.ts';

/** Writes an error as SendGrid does. `field` names the part of the request that is wrong. */
export function sendgridError(status: number, message: string, field: string | null = null): DoorAnswer {
  return { status, body: { errors: [{ message, field, help: null }] } };
}

/** Creates a refusal with an error of SendGrid. */
export function refuseSendgrid(message: string, field: string | null, status = 400): DoorRefusal {
  return new DoorRefusal(sendgridError(status, message, field));
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

/** Writes a refusal that any request can meet as SendGrid does. */
export function sendgridRefusal({ kind, status, message }: DoorProblem): DoorAnswer {
  switch (kind) {
    case 'missing_key':
      return sendgridError(401, 'Permission denied, wrong credentials');
    case 'wrong_key':
      return sendgridError(401, 'The provided authorization grant is invalid, expired, or revoked');
    case 'bad_body':
      return sendgridError(400, 'Bad Request');
    case 'no_such_mailbox':
      return sendgridError(400, message, 'personalizations');
    case 'unverified_sender':
      return sendgridError(403, UNVERIFIED, 'from');
    default:
      return sendgridError(status, message);
  }
}
