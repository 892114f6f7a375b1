import type { MailboxId, MessageId, WorkspaceId } from './ids.ts';

/** Where bytes are kept. Only the store that made it can read it. */
export type BlobRef = string & { readonly blob: unique symbol };

/** What is known of a message without reading its bytes: enough for a summary and for every filter. */
export interface Message {
  readonly id: MessageId;
  readonly workspaceId: WorkspaceId;
  readonly mailboxId: MailboxId;
  readonly receivedAt: number;
  readonly sizeBytes: number;
  readonly attachmentCount: number;
  /** The From header's text, decoded, else the envelope sender. */
  readonly from: string | null;
  /** The To header's text, decoded, else the envelope recipients. */
  readonly to: string | null;
  readonly cc: string | null;
  readonly subject: string | null;
  /** RFC 5321 reverse-path, '' for the null sender. */
  readonly mailFrom: string;
  /** The envelope recipients delivered to this mailbox, in order. */
  readonly rcptTo: readonly string[];
  /** The message as received. */
  readonly raw: BlobRef;
  /** {@link Facts} as JSON. */
  readonly facts: BlobRef;
}

/** What stands beside the bytes: how the message came. */
export interface Facts {
  /** `send`: sent from a mailbox here, as it stands there and where it was delivered; `notification`: a report made here of one. */
  readonly source: 'smtp' | 'api' | 'send' | 'notification';
  /** Every recipient of the envelope in the order of RCPT, also those of other mailboxes. */
  readonly envelope: { readonly mailFrom: string; readonly rcptTo: readonly string[] };
  readonly helo: string | null;
  readonly user: string | null;
  readonly tls: { readonly protocol: string; readonly cipher: string } | null;
  readonly clientAddress: string | null;
  readonly clientPort: number | null;
  /** The dialogue up to the end of DATA, a line each, `C: ` or `S: `; capped, secrets left out. */
  readonly transcript: readonly string[];
}

/** Filters of await, lower-cased; an empty one is none. */
export interface MessageFilter {
  readonly subject: string;
  readonly from: string;
  readonly to: string;
}

/** The filter of the texts as given. */
export function parseFilter(given: { subject?: string; from?: string; to?: string }): MessageFilter {
  return {
    subject: (given.subject ?? '').toLowerCase(),
    from: (given.from ?? '').toLowerCase(),
    to: (given.to ?? '').toLowerCase(),
  };
}

/** Case-insensitive parts, combined with AND (docs/api.md#messages, docs/contract.md#await). */
export function matchesFilter(message: Message, filter: MessageFilter): boolean {
  const { subject, from, to } = textsOf(message);
  return has(subject, filter.subject) && has(from, filter.from) && has(to, filter.to);
}

export type FilterName = keyof MessageFilter;

const FILTER_NAMES: readonly FilterName[] = ['subject', 'from', 'to'];

/** The filters that do not match, in the order of the API document. */
export function refusingFilters(message: Message, filter: MessageFilter): FilterName[] {
  const texts = textsOf(message);
  return FILTER_NAMES.filter((name) => !has(texts[name], filter[name]));
}

/** What each filter looks at, as written. */
export function filterTexts(message: Message): Texts {
  return {
    subject: known(message.subject),
    from: known(message.from, message.mailFrom),
    to: known(message.to, message.cc, ...message.rcptTo),
  };
}

type Texts = Readonly<Record<FilterName, readonly string[]>>;

// Ten thousand waiters may look at one message in a row: lower-casing it once is what makes that cheap.
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
