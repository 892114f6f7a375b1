import { isSmsSender, parsePhone } from '../domain/phone.ts';
import { type ProviderMail, ulidBits } from '../domain/provider.ts';

// How text messages become messages of mailboxes, whatever the provider (docs/text-messages.md).

/** The domain of the addresses that the composed mail of a text message has. Nobody can register it (RFC 2606). */
export const PHONE_DOMAIN = 'phone.invalid';

/** The number that a text comes from if its request names none. It is one of Twilio's test numbers. */
export const USUAL_SENDER = '+15005550006';

/** A text message, checked. */
export interface TextGiven {
  /** The id that the API answers with. Ids of later texts sort after it. */
  readonly id: string;
  /** A number in the form of E.164, a short code or a name. */
  readonly from: string;
  /** A number in the form of E.164. */
  readonly to: string;
  readonly text: string;
  /** Further header fields of the composed mail. */
  readonly headers?: readonly (readonly [name: string, value: string])[];
}

/** Returns a text message as a mail. Its header fields have addresses that stand for the numbers. */
export function textMail({ id, from, to, text, headers = [] }: TextGiven): ProviderMail {
  return {
    kind: 'sms',
    id,
    messageId: `<${id}@${PHONE_DOMAIN}>`,
    from: listed(from),
    to: [listed(to)],
    cc: [],
    replyTo: [],
    subject: null,
    text,
    html: null,
    headers,
    attachments: [],
    mailFrom: from,
    recipients: [to],
  };
}

function listed(number: string) {
  const localPart = parsePhone(number) ?? number.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  const domain = PHONE_DOMAIN;
  return { name: number, address: `${localPart.replace(/^-+|(?<!-)-+$/g, '') || 'sender'}@${domain}`, domain };
}

/** Returns a sender in the form in which messages show it: a number in the form of E.164, or else as it was given. */
export function senderIn(text: string): string | null {
  const trimmed = text.trim();
  return parsePhone(trimmed) ?? (isSmsSender(trimmed) ? trimmed : null);
}

/** Writes a ULID as an id of Twilio: a prefix and 32 hexadecimal digits. They sort as ULIDs do. */
export function sidOf(prefix: string, ulid: string): string {
  return prefix + ulidBits(ulid).toString(16).padStart(32, '0');
}
