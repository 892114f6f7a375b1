import type { MailboxId, MessageId, WorkspaceId } from './ids.ts';

/** A reference to stored bytes. Only the store that made it can read it. */
export type BlobRef = string & { readonly blob: unique symbol };

/** The facts about a message that need no read of its bytes. They suffice for a summary and for every filter. */
export interface Message {
  readonly id: MessageId;
  readonly workspaceId: WorkspaceId;
  readonly mailboxId: MailboxId;
  readonly receivedAt: number;
  readonly sizeBytes: number;
  readonly attachmentCount: number;
  /** The decoded From header, or else the envelope sender. */
  readonly from: string | null;
  /** The decoded To header, or else the envelope recipients. */
  readonly to: string | null;
  readonly cc: string | null;
  readonly subject: string | null;
  /** The reverse-path of RFC 5321. '' is the null sender. */
  readonly mailFrom: string;
  /** The envelope recipients delivered to this mailbox, in order. */
  readonly rcptTo: readonly string[];
  /** The bytes of the message as received. */
  readonly raw: BlobRef;
  /** {@link Facts} as JSON. */
  readonly facts: BlobRef;
}

/** The facts about how a message arrived. They are stored in a blob of their own. */
export interface Facts {
  /**
   * The origin. `send` marks a message sent from a mailbox of this server, both the sent copy and the delivered one.
   * `notification` marks a report that this server made about one.
   */
  readonly source: 'smtp' | 'api' | 'send' | 'notification';
  /** The envelope with all recipients in the order of RCPT, including those of other mailboxes. */
  readonly envelope: { readonly mailFrom: string; readonly rcptTo: readonly string[] };
  readonly helo: string | null;
  readonly user: string | null;
  readonly tls: { readonly protocol: string; readonly cipher: string } | null;
  readonly clientAddress: string | null;
  readonly clientPort: number | null;
  /** The dialogue up to the end of DATA, in lines with `C: ` or `S: `. It is capped and holds no secrets. */
  readonly transcript: readonly string[];
}

/** The filters of an await, in lower case. An empty text filters nothing. */
export interface MessageFilter {
  readonly subject: string;
  readonly from: string;
  readonly to: string;
}

/** Builds a filter from the given texts. */
export function parseFilter(given: { subject?: string; from?: string; to?: string }): MessageFilter {
  return {
    subject: (given.subject ?? '').toLowerCase(),
    from: (given.from ?? '').toLowerCase(),
    to: (given.to ?? '').toLowerCase(),
  };
}

/**
 * Returns the earliest `receivedAt`, in milliseconds since 1970, with which a message counts that arrives during an
 * await. If `since` is in the past, every arriving message counts, even with an earlier time, because a reset or a test
 * may set the clock back.
 */
export function earliestArrival(since: number, now: number): number {
  return since <= now ? Number.NEGATIVE_INFINITY : since;
}

/** Tells whether a message contains every filter text, ignoring case (docs/api.md#messages). */
export function matchesFilter(message: Message, filter: MessageFilter): boolean {
  const { subject, from, to } = textsOf(message);
  return has(subject, filter.subject) && has(from, filter.from) && has(to, filter.to);
}

export type FilterName = keyof MessageFilter;

const FILTER_NAMES: readonly FilterName[] = ['subject', 'from', 'to'];

/** Lists the filters that do not match, in the order of docs/api.md#messages. */
export function refusingFilters(message: Message, filter: MessageFilter): FilterName[] {
  const texts = textsOf(message);
  return FILTER_NAMES.filter((name) => !has(texts[name], filter[name]));
}

/** Returns the texts that each filter searches, in their original case. */
export function filterTexts(message: Message): Texts {
  return {
    subject: known(message.subject),
    from: known(message.from, message.mailFrom),
    to: known(message.to, message.cc, ...message.rcptTo),
  };
}

type Texts = Readonly<Record<FilterName, readonly string[]>>;

// The last message's texts in lower case. Ten thousand waiters may check the same message, so it is converted once.
let latest: { message: Message; texts: Texts } | null = null;

function textsOf(message: Message): Texts {
  if (latest?.message === message) return latest.texts;
  const { subject, from, to } = filterTexts(message);
  const texts = { subject: lower(subject), from: lower(from), to: lower(to) };
  latest = { message, texts };
  return texts;
}

function known(...texts: readonly (string | null)[]): string[] {
  return texts.filter((text) => text !== null);
}

function lower(texts: readonly string[]): string[] {
  return texts.map((text) => text.toLowerCase());
}

function has(texts: readonly string[], part: string): boolean {
  if (part === '') return true;
  for (const text of texts) if (text.includes(part)) return true;
  return false;
}
