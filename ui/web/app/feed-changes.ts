import { SAID } from '../../../src/text/wording.ts';
import type { FeedEvent } from './ports.ts';
import { unreadOf } from './read-marks.ts';
import type { MailboxEntry, WebRow, WebState } from './state.ts';

// Functions that turn feed events into changes of the state.

export function withArrivals(state: WebState, rows: readonly WebRow[]): Partial<WebState> {
  const counts = new Map<string, number>();
  for (const { mailboxId } of rows) counts.set(mailboxId, (counts.get(mailboxId) ?? 0) + 1);
  const unread = new Map(state.unread);
  for (const [id, count] of counts) unread.set(id, (unread.get(id) ?? 0) + count);
  const mailboxes = state.mailboxes.map((one) => {
    const count = counts.get(one.id);
    return count === undefined ? one : { ...one, messageCount: one.messageCount + count };
  });
  return { unread, mailboxes };
}

/** Counts the messages that were added to the mailboxes, and adds their number to the unread counts. */
export function countArrived(
  before: readonly MailboxEntry[],
  now: Pick<WebState, 'mailboxes' | 'unread'>,
): { readonly arrived: number; readonly unread: ReadonlyMap<string, number> } {
  const known = new Map(before.map(({ id, messageCount }) => [id, messageCount]));
  const unread = new Map(now.unread);
  let arrived = 0;
  for (const { id, messageCount } of now.mailboxes) {
    const more = messageCount - (known.get(id) ?? 0);
    if (more <= 0) continue;
    arrived += more;
    unread.set(id, (unread.get(id) ?? 0) + more);
  }
  return { arrived, unread };
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

/** Closes the open message if it was deleted. */
export function withoutOpen({ open }: WebState, { mailboxId, isGone }: Deletion): Partial<WebState> {
  const isOpenGone = open !== null && open.facts?.mailboxId === mailboxId && isGone(open.id);
  return isOpenGone ? { open: { ...open, facts: null, content: null, failure: SAID.openGone } } : {};
}

/** Takes deleted messages off the counts. */
export function withDeletion(state: WebState, { mailboxId, ids, count }: Deletion): Partial<WebState> {
  const { unread, marks } = state;
  const lost = ids === null ? Number.POSITIVE_INFINITY : unreadOf(marks, mailboxId, [...ids]).length;
  return {
    unread: new Map(unread).set(mailboxId, Math.max(0, (unread.get(mailboxId) ?? 0) - lost)),
    mailboxes: state.mailboxes.map((one) =>
      one.id === mailboxId ? { ...one, messageCount: Math.max(0, one.messageCount - count) } : one,
    ),
  };
}
