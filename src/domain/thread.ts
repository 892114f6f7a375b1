import { createHash } from 'node:crypto';
import { shorten } from '../text/shorten.ts';
import { parseAddressList } from './address-list.ts';
import type { SendFields } from './check-send.ts';
import { refuse } from './errors.ts';
import type { MessageId } from './ids.ts';
import type { Message } from './message.ts';
import type { ParsedMail } from './parsed-mail.ts';

// Conversations, by the threading of RFC 5256 (REFERENCES) without its grouping by subjects: a mail names its first
// ancestor in References, or else its parent in In-Reply-To. A reply continues one.

type Headers = ParsedMail['headers'];

const MESSAGE_ID = /<[^<>\s]{1,998}>/g;
/** The characters that are read of a header. */
const READ_CHARACTERS = 64_000;

/**
 * Returns the id of the conversation of a mail: 16 hexadecimal digits of the SHA-256 of its first Message-ID. A mail
 * without ids is a conversation of its own.
 */
export function threadIdOf(headers: Headers, id: MessageId): string {
  const [first = id] = [...ancestorsOf(headers), ...messageIdsIn(headers['message-id'])];
  return createHash('sha256').update(first).digest('hex').slice(0, 16);
}

/** Lists the Message-IDs of the mails before this one in its conversation, the oldest first. */
function ancestorsOf(headers: Headers): readonly string[] {
  const references = messageIdsIn(headers['references']);
  return references.length > 0 ? references : messageIdsIn(headers['in-reply-to']).slice(0, 1);
}

function messageIdsIn(values: string | readonly string[] | undefined): readonly string[] {
  if (values === undefined) return [];
  const text = (typeof values === 'string' ? values : values.join(' ')).slice(0, READ_CHARACTERS);
  return text.match(MESSAGE_ID) ?? [];
}

/** A mail of a conversation. */
export interface ThreadedMail {
  readonly id: MessageId;
  readonly headers: Headers;
}

/**
 * Returns the parent of each mail of a conversation: the nearest mail before it that is in the conversation too. Null if
 * there is none. No mail is an ancestor of itself, whatever the headers say.
 */
export function parentsIn(mails: readonly ThreadedMail[]): ReadonlyMap<MessageId, MessageId | null> {
  const byMessageId = new Map<string, MessageId>();
  for (const { id, headers } of mails) {
    const [messageId] = messageIdsIn(headers['message-id']);
    // If two mails have one Message-ID, the replies belong to the first of them.
    if (messageId !== undefined && !byMessageId.has(messageId)) byMessageId.set(messageId, id);
  }
  const parents = new Map<MessageId, MessageId | null>();
  for (const { id, headers } of mails) {
    const known = ancestorsOf(headers).map((ancestor) => byMessageId.get(ancestor));
    const parent = known.filter((one) => one !== undefined && !isBelow(one, id, parents)).at(-1);
    parents.set(id, parent ?? null);
  }
  return parents;
}

/** Tells whether a mail is another one, or below it. */
function isBelow(mail: MessageId, other: MessageId, parents: ReadonlyMap<MessageId, MessageId | null>): boolean {
  for (let at: MessageId | null = mail; at !== null; at = parents.get(at) ?? null) if (at === other) return true;
  return false;
}

/** The message ids that a reply names, the first and the last ones. A long conversation would outgrow a header. */
const MAX_REFERENCES = 50;
/** The longest message id that is repeated. */
const MAX_ID = 500;

/**
 * Returns the header fields by which a mail answers another one (RFC 5322 3.6.4): its Message-ID, after the messages that
 * it names itself. A mail without a Message-ID can't be answered so, and there are none.
 */
export function replyHeaders(headers: ParsedMail['headers']): (readonly [name: string, value: string])[] {
  const isNamed = ({ length }: string) => length <= MAX_ID;
  const parent = messageIdsIn(headers['message-id']).find(isNamed);
  if (parent === undefined) return [];
  const all = [...new Set([...ancestorsOf(headers).filter(isNamed), parent])];
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
