import { createHash } from 'node:crypto';
import { shorten } from '../text/shorten.ts';
import type { MailboxId, MessageId, WorkspaceId } from './ids.ts';
import type { Marks } from './marks.ts';
import type { ProviderName } from './provider.ts';
import { DAY_MS } from './time.ts';

/** A reference to stored bytes. Only the store that made it can read it. */
export type BlobRef = string & { readonly blob: unique symbol };

/** What a message is. */
export const MESSAGE_KINDS = ['email', 'sms'] as const;
export type MessageKind = (typeof MESSAGE_KINDS)[number];

/** The facts about a message that need no read of its bytes. They suffice for a summary and for every filter. */
export interface Message extends Marks {
  readonly id: MessageId;
  /** Absent for an email. */
  readonly kind?: 'sms';
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
  /** {@link ReceiptMetadata} as JSON. */
  readonly facts: BlobRef;
}

/** The facts about how a message arrived. They are stored in a blob of their own. */
export interface ReceiptMetadata {
  /**
   * The origin. `send` marks a message sent from a mailbox of this server, both the sent copy and the delivered one.
   * `notification` marks a report that this server made about one. `provider` marks a mail that the API of a mail provider
   * took.
   */
  readonly source: 'smtp' | 'api' | 'send' | 'notification' | 'provider';
  /**
   * The provider whose API took the mail, the id that it answered with, and the workspace of its key. Absent for other
   * mails.
   */
  readonly provider?: { readonly name: ProviderName; readonly id: string; readonly workspaceId?: WorkspaceId };
  /** The envelope with all recipients in the order of RCPT, including those of other mailboxes. */
  readonly envelope: { readonly mailFrom: string; readonly rcptTo: readonly string[] };
  readonly helo: string | null;
  readonly user: string | null;
  readonly tls: { readonly protocol: string; readonly cipher: string } | null;
  readonly clientAddress: string | null;
  readonly clientPort: number | null;
  /**
   * The dialogue of SMTP up to the end of DATA, or the request and answer of a provider’s API, in lines with `C: ` or `S: `.
   * It is capped and holds no secrets.
   */
  readonly transcript: readonly string[];
}

/**
 * Returns a key that the copies of one mail share: those in the mailboxes of its recipients, and the one that its sender
 * keeps. The server stores their bytes once. A second mail with the same bytes has another key.
 */
export function copyKeyOf({ raw }: Pick<Message, 'raw'>): string {
  return createHash('sha1').update(raw).digest('base64url').slice(0, 12);
}

export function kindOf({ kind }: Pick<Message, 'kind'>): MessageKind {
  return kind ?? 'email';
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

type FilterName = keyof MessageFilter;

const FILTER_NAMES: readonly FilterName[] = ['subject', 'from', 'to'];

/** Returns the texts that each filter searches, in their original case. */
function filterTexts(message: Message): Texts {
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

/** The conditions of a wait, one for each parameter of the await (docs/awaiting-mail.md). */
export const CONDITIONS = ['subject', 'from', 'to', 'body', 'header', 'code', 'link', 'query'] as const;
export type ConditionName = (typeof CONDITIONS)[number];

/** A condition that rejected a message, with the texts it compared, cut to a limit. */
export interface RefusedBy {
  readonly filter: ConditionName;
  readonly wanted: string;
  readonly saw: readonly string[];
  /** The number of further texts. */
  readonly sawLeftOut: number;
}

const MAX_TEXTS = 10;
const MAX_TEXT = 200;

/** Lists the filters of the summary that rejected the message, in the order of docs/api.md#messages. */
export function refusedBy(message: Message, filter: MessageFilter): RefusedBy[] {
  const [texts, lower] = [filterTexts(message), textsOf(message)];
  const refusing = FILTER_NAMES.filter((name) => !has(lower[name], filter[name]));
  return refusing.map((name) => refusedCondition(name, filter[name], texts[name]));
}

/** Creates the refusal of a condition that saw these texts. */
export function refusedCondition(filter: ConditionName, wanted: string, texts: readonly (string | null)[]): RefusedBy {
  const seen = [...new Set(texts)].filter((text): text is string => text !== null && text !== '');
  const saw = seen.slice(0, MAX_TEXTS).map(cutText);
  return { filter, wanted, saw, sawLeftOut: seen.length - saw.length };
}

export function cutText(text: string): string {
  return shorten(text, MAX_TEXT);
}

/** Returns the moment at or before which received mail is past its retention. */
export function retentionCutoff(retentionDays: number, now: number): number {
  return now - retentionDays * DAY_MS;
}

/** The moments at or before which rows are past their retention, in milliseconds since 1970. */
export interface Expiry {
  /** A row that was received then is in no answer. It is in the time of the workspace. */
  readonly shown: number;
  /** A row that is in no answer is erased if it also arrived by this moment of real time. */
  readonly real: number;
}

/** Tells whether a shifted clock may hide rows that the sweep keeps. `hasShifted` means that it ever was shifted. */
export function mayHide({ shown, real }: Expiry, hasShifted: boolean): boolean {
  return hasShifted || shown > real;
}

/**
 * Tells whether a message is past its retention. It disappears from every answer at that moment
 * (docs/contract.md#retention). It comes back if the clock of its workspace is set back.
 */
export function isExpired(receivedAt: number, { shown }: Pick<Expiry, 'shown'>): boolean {
  return receivedAt <= shown;
}

/** Tells whether a row is past its retention in real time too, so that its bytes may go. `arrivedAt` is a real time. */
export function isErasable(receivedAt: number, arrivedAt: number, expiry: Expiry): boolean {
  return arrivedAt <= expiry.real && isExpired(receivedAt, expiry);
}
