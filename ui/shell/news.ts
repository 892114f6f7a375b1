import { type ReadMarks, unreadOf } from '../model/read-marks.ts';
import { SAID } from '../model/words.ts';
import type { ShellApi } from './api.ts';
import type { FeedEvent } from './ports.ts';
import type { MailboxEntry, WebRow, WebState } from './state.ts';

// Functions that turn feed events into changes of the state.

/** The largest number of mailboxes whose unread messages are counted when the page starts. */
const COUNTED = 60;
const NEWEST = 200;

/** Counts the unread messages of each mailbox. For partly read mailboxes, it looks only at the newest messages. */
export async function countUnread(
  api: ShellApi,
  mailboxes: readonly MailboxEntry[],
  marks: ReadMarks,
): Promise<ReadonlyMap<string, number>> {
  const unread = new Map<string, number>();
  for (const { id, messageCount } of mailboxes) {
    const mine = marks[id];
    if (messageCount === 0) unread.set(id, 0);
    else if (mine === undefined || (mine.upTo === '' && mine.ids.length === 0)) unread.set(id, messageCount);
  }
  const left = mailboxes.filter(({ id, gone }) => !gone && !unread.has(id)).slice(0, COUNTED);
  await Promise.all(
    left.map(async ({ id, messageCount }) => {
      const page = await api.messages(id, { limit: NEWEST, before: null }).catch(() => null);
      const newest = (page?.items ?? []).map((row) => row.id);
      // An older message counts as read only if `upTo` covers it.
      const upTo = marks[id]?.upTo ?? '';
      const beyond = newest.length === NEWEST && upTo === '' ? messageCount - newest.length : 0;
      unread.set(id, unreadOf(marks, id, newest).length + beyond);
    }),
  );
  return unread;
}

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
