import { SAID } from '../../../src/text/wording.ts';
import type { FeedEvent } from './ports.ts';
import type { MailboxEntry, RowMarks, WebRow, WebState } from './state.ts';

// Functions that turn feed events into changes of the state.

export function withArrivals(state: WebState, rows: readonly WebRow[]): Partial<WebState> {
  const counts = new Map<string, number>();
  for (const { mailboxId } of rows) counts.set(mailboxId, (counts.get(mailboxId) ?? 0) + 1);
  const mailboxes = state.mailboxes.map((one) => {
    const count = counts.get(one.id);
    if (count === undefined) return one;
    return { ...one, messageCount: one.messageCount + count, unreadCount: one.unreadCount + count };
  });
  return { mailboxes };
}

/** Counts the messages that were added to the mailboxes. */
export function countArrived(before: readonly MailboxEntry[], now: readonly MailboxEntry[]): number {
  const known = new Map(before.map(({ id, messageCount }) => [id, messageCount]));
  return now.reduce((sum, { id, messageCount }) => sum + Math.max(0, messageCount - (known.get(id) ?? 0)), 0);
}

/** Returns the marks that an event of the feed reports, by the ids of the messages. */
export function marksOf({ data }: FeedEvent): ReadonlyMap<string, RowMarks> {
  // The server created this event, so its data has this type.
  const { messages } = data as unknown as { readonly messages: readonly (RowMarks & { readonly id: string })[] };
  return new Map(messages.map(({ id, read, starred, tags }) => [id, { read, starred, tags }]));
}

export interface Deletion {
  readonly mailboxId: string;
  /** The deleted ids; null if all messages up to an id were deleted. */
  readonly ids: ReadonlySet<string> | null;
  readonly count: number;
  readonly isGone: (id: string) => boolean;
}

export function deletionOf({ data }: FeedEvent): Deletion {
  const ids = Array.isArray(data['ids']) ? new Set(data['ids'].map(String)) : null;
  const upTo = typeof data['upTo'] === 'string' ? data['upTo'] : '';
  return {
    mailboxId: String(data['mailboxId']),
    ids,
    count: typeof data['count'] === 'number' ? data['count'] : (ids?.size ?? 0),
    isGone: (id) => (ids === null ? id <= upTo : ids.has(id)),
  };
}

/** Closes the open message if it was deleted, and forgets the one that was loaded ahead. */
export function withoutOpen({ open, ahead }: WebState, { mailboxId, isGone }: Deletion): Partial<WebState> {
  const isOpenGone = open !== null && open.facts?.mailboxId === mailboxId && isGone(open.id);
  return {
    ...(isOpenGone && { open: { ...open, facts: null, content: null, failure: SAID.openGone, gone: true } }),
    ...(ahead !== null && isGone(ahead.id) && { ahead: null }),
  };
}

/** Takes deleted messages from those that are being deleted. */
export function withoutDeleting({ deleting }: WebState, { mailboxId, isGone }: Deletion): Partial<WebState> {
  const left = deleting.filter((row) => row.mailboxId !== mailboxId || !isGone(row.id));
  return left.length === deleting.length ? {} : { deleting: left };
}

/** Takes deleted messages off the counts. `unread` is the number of those that nobody had read, as far as it is known. */
export function withDeletion(state: WebState, { mailboxId, count }: Deletion, unread: number): Partial<WebState> {
  return {
    mailboxes: state.mailboxes.map((one) => {
      if (one.id !== mailboxId) return one;
      const messageCount = Math.max(0, one.messageCount - count);
      return { ...one, messageCount, unreadCount: Math.min(messageCount, Math.max(0, one.unreadCount - unread)) };
    }),
  };
}
