import { createHash } from 'node:crypto';
import type { MessageId } from './ids.ts';
import type { ParsedMail } from './parsed-mail.ts';

// Conversations, by the threading of RFC 5256 (REFERENCES) without its grouping by subjects: a mail names its first
// ancestor in References, or else its parent in In-Reply-To.

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
