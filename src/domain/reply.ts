import { shorten } from '../text/shorten.ts';
import { parseAddressList } from './address-list.ts';
import type { SendFields } from './check-send.ts';
import { refuse } from './errors.ts';
import type { Message } from './message.ts';
import type { ParsedMail } from './parsed-mail.ts';

/** The message ids that a reply names, the first and the last ones. A long conversation would outgrow a header. */
const MAX_REFERENCES = 50;
/** The longest message id that is repeated. */
const MAX_ID = 500;
const MESSAGE_ID = /<[^\s<>]{1,498}>/g;

/**
 * Returns the header fields by which a mail answers another one (RFC 5322 3.6.4): its Message-ID, after the messages that
 * it names itself. A mail without a Message-ID can't be answered so, and there are none.
 */
export function replyHeaders(headers: ParsedMail['headers']): (readonly [name: string, value: string])[] {
  const [parent] = idsIn(headers['message-id']);
  if (parent === undefined) return [];
  const named = idsIn(headers['references']);
  const before = named.length > 0 ? named : idsIn(headers['in-reply-to']).slice(0, 1);
  const all = [...new Set([...before, parent])];
  const kept = all.length <= MAX_REFERENCES ? all : [...all.slice(0, 1), ...all.slice(1 - MAX_REFERENCES)];
  return [
    ['In-Reply-To', parent],
    ['References', kept.join(' ')],
  ];
}

/** The longest subject of a reply, in characters. That of a mail may fill its whole header. */
const MAX_SUBJECT = 2_000;

/**
 * Returns the fields of a reply that its request leaves out: it goes from the first recipient of the mail to whom the mail
 * asks for answers, which is Reply-To, or else From, or else the sender of the envelope. A field without an address counts
 * as missing. Throws `invalid_body` if nobody can answer, or be answered.
 */
export function replyFields(
  given: SendFields,
  mail: Pick<ParsedMail, 'from' | 'replyTo' | 'subject'>,
  { mailFrom, rcptTo }: Pick<Message, 'mailFrom' | 'rcptTo'>,
): SendFields {
  const from = given.from ?? rcptTo[0];
  const to = given.to ?? [mail.replyTo, mail.from, mailFrom].find(hasAddress);
  const subject = given.subject ?? answering(mail.subject ?? '');
  if (from === undefined) throw refuse('invalid_body', { message: 'the message has no recipient: name one in from' });
  if (to === undefined || to === null)
    throw refuse('invalid_body', { message: 'the message names nobody to answer: name somebody in to' });
  return { ...given, from, to, subject };
}

function hasAddress(field: string | null): boolean {
  return field !== null && (parseAddressList(field) ?? []).length > 0;
}

function answering(subject: string): string {
  return shorten(/^re:/i.test(subject) ? subject : `Re: ${subject}`.trim(), MAX_SUBJECT);
}

function idsIn(field: string | readonly string[] | undefined): string[] {
  const text = typeof field === 'string' ? field : (field ?? []).join(' ');
  return [...text.matchAll(MESSAGE_ID)].map(([id]) => id).filter(({ length }) => length <= MAX_ID);
}
