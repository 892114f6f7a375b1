import { refuse } from '../../../domain/errors.ts';
import type { MailboxId, MessageId, WorkspaceId } from '../../../domain/ids.ts';
import { isExpired, type Message, type MessageKind, mayHide } from '../../../domain/message.ts';
import { claimKey, claimKeysFor } from '../../../domain/routing.ts';
import type { Moment } from '../../../domain/time.ts';
import {
  MESSAGE_MARK,
  type PackedMessages,
  type PackedQuery,
  type PageQuery,
  type Reader,
  type WalkQuery,
  type WalkStep,
} from '../../../ports/store.ts';
import { writeIdInto } from '../messages/row-view.ts';
import type { State } from '../state.ts';
import type { SortedRows } from '../table.ts';
import { type SummedTags, TagCounts } from '../tag-counts.ts';
import { arrivalsWith, countShown, erasableOf, expiredOf, shownOf, type TimedRows } from './in-time.ts';
import { counted, countOn, found, newestOf, ofWorkspace, removeEach, take, type Write, type Writes } from './rows.ts';

export function readMailboxes(state: State): Reader['mailboxes'] {
  return {
    ...ofWorkspace(state.mailboxes, state.mailboxesByWorkspace),
    bySubdomain: async (subdomain) => found(state.mailboxes, state.mailboxBySubdomain.idOf(subdomain)),
    byAddress: async (recipient) => found(state.mailboxes, claimantOf(state, recipient)),
    addresses: async (id) => state.claims.get(id)?.addresses ?? [],
    inbox: async () => found(state.mailboxes, state.inbox.idOf('inbox')),
    inboundUsed: async (id, now) => countOn(state.inbound.get(id)?.used, now),
  };
}

export function writeMailboxes(state: State, write: Write): Writes<'mailboxes'> {
  return {
    insert: async (mailbox, max) => {
      if (state.mailboxBySubdomain.idOf(mailbox.subdomain) !== undefined) throw refuse('subdomain_taken');
      if (state.mailboxesByWorkspace.of(mailbox.workspaceId).size >= max) {
        throw refuse('plan_max_mailboxes_reached', { limit: max });
      }
      write(['put', 'mailboxes', mailbox]);
    },
    update: async (mailbox) => write(['put', 'mailboxes', mailbox]),
    setAddresses: async (id, addresses) => {
      for (const address of addresses) {
        const mailboxId = state.claimants.idOf(claimKey(address)) ?? id;
        if (mailboxId !== id) throw refuse('address_taken', { address, mailboxId });
      }
      if (addresses.length > 0) write(['put', 'claims', { id, addresses }]);
      else write(['remove', 'claims', id]);
    },
    remove: async (id) => removeMailbox(state, write, id),
  };
}

function claimantOf({ claimants }: State, recipient: string): string | undefined {
  // Most servers have no claims, and this runs for every recipient.
  if (claimants.size === 0) return undefined;
  for (const key of claimKeysFor(recipient)) {
    const id = claimants.idOf(key);
    if (id !== undefined) return id;
  }
  return undefined;
}

/** Removes a mailbox with its messages, claims and sends. */
export function removeMailbox(state: State, write: Write, id: MailboxId): void {
  clearMessages(state, write, id);
  removeEach(write, 'sends', state.sendsByMailbox.of(id));
  write(['remove', 'inbound', id]);
  if (state.claims.get(id) !== undefined) write(['remove', 'claims', id]);
  write(['remove', 'mailboxes', id]);
}

export function readMessages(state: State): Reader['messages'] {
  return {
    get: async (id, now) => shown(state, state.messages.get(id), now),
    many: async (ids, now, wanted = () => true) =>
      ids.map((id, index) => {
        const row = shown(state, state.messages.peek(id), now);
        return row !== null && wanted(row, index) ? (state.messages.get(id) ?? null) : null;
      }),
    raws: async (ids, now) => ids.map((id) => shown(state, state.messages.peek(id), now)?.raw ?? null),
    page: async (mailboxId, query) => page(state, mailboxId, query),
    walk: async (query) => walk(state, query),
    packed: async (query) => packed(state, query),
    after: async (mailboxId, after, limit, now) => {
      const expiry = state.expiryOfMailbox(mailboxId, now);
      const messages: Message[] = [];
      for (const message of state.messages.of(mailboxId).ascending(after ?? undefined)) {
        if (messages.length >= limit) break;
        if (!isExpired(message.receivedAt, expiry)) messages.push(message);
      }
      return messages;
    },
    lastId: async (mailboxId) => state.inbound.get(mailboxId)?.lastId ?? null,
    count: async (mailboxId, now) => {
      const timed = inTime(state, mailboxId, now);
      return hides(timed) ? countShown(timed) : timed.rows.size;
    },
    countUnexpired: async (mailboxId, now) => countShown(inTime(state, mailboxId, now)),
    countUnread: async (mailboxId, now) => {
      let unread = state.messages.unreadOf(mailboxId);
      for (const { isRead } of expiredOf(inTime(state, mailboxId, now))) if (!isRead) unread--;
      return unread;
    },
    tags: async (workspaceId, now) => tags(state, workspaceId, now),
  };
}

/** Returns a row, or null if it is past its retention. */
function shown(state: State, row: Message | undefined, now: Moment): Message | null {
  return row === undefined || state.isExpiredMessage(row, now) ? null : row;
}

export function writeMessages(state: State, write: Write): Writes<'messages'> {
  const insert = (message: Message, received: 0 | 1): void => {
    const inbound = state.inbound.get(message.mailboxId);
    if (inbound !== undefined && inbound.lastId >= message.id)
      throw new Error(`message ${message.id} is not the newest of its mailbox`);
    write(['put', 'messages', message]);
    const used = counted(inbound?.used, message.receivedAt, received);
    write(['put', 'inbound', { id: message.mailboxId, used, lastId: message.id, ...arrivalsWith(inbound, message) }]);
  };
  return {
    insert: async (message) => insert(message, 1),
    insertOwn: async (message) => insert(message, 0),
    mark: async (ids, now, marksOf) => {
      const changed: Message[] = [];
      for (const id of ids) {
        const message = shown(state, state.messages.get(id), now);
        const marks = message === null ? null : marksOf(message);
        if (message === null || marks === null) continue;
        const marked = { ...message, ...marks };
        write(['put', 'messages', marked]);
        changed.push(marked);
      }
      return changed;
    },
    remove: async (id) => {
      const there = state.messages.get(id) !== undefined;
      if (there) write(['remove', 'messages', id]);
      return there;
    },
    removeAll: async (mailboxId) => clearMessages(state, write, mailboxId),
    removeExpired: async (mailboxId, now, limit) => {
      const expired = erasableOf(inTime(state, mailboxId, now), limit);
      for (const id of expired) write(['remove', 'messages', id, true]);
      return expired;
    },
  };
}

/** Removes every message of a mailbox and returns their number. */
export function clearMessages(state: State, write: Write, mailboxId: MailboxId): number {
  const rows = state.messages.of(mailboxId);
  const count = rows.size;
  const upTo = newestOf(rows);
  if (upTo !== null) write(['clear', mailboxId, upTo]);
  return count;
}

function inTime(state: State, mailboxId: MailboxId, now: Moment): TimedRows<SortedRows<Message>> {
  return {
    rows: state.messages.of(mailboxId),
    steps: state.inbound.get(mailboxId)?.steps,
    expiry: state.expiryOfMailbox(mailboxId, now),
  };
}

function hides({ expiry, steps }: TimedRows<unknown>): boolean {
  return mayHide(expiry, steps !== undefined);
}

function tags(state: State, workspaceId: WorkspaceId, now: Moment): SummedTags {
  const all = state.messages.tagsOf(workspaceId);
  const expired = new TagCounts();
  for (const { id } of state.mailboxesByWorkspace.of(workspaceId).ascending()) {
    const timed = inTime(state, id, now);
    if (hides(timed)) for (const message of expiredOf(timed)) expired.add(message.tags, -1);
  }
  return expired.size === 0 ? all : all.with(expired);
}

function page(state: State, mailboxId: MailboxId, { kind, before, since, limit, now }: PageQuery): Message[] {
  const rows = kind === undefined ? state.messages.of(mailboxId) : state.messages.ofKind(mailboxId, kind);
  return take(shownOf({ ...inTime(state, mailboxId, now), rows }, { before, since }), limit);
}

function walk(state: State, { mailboxId, workspaceId, kind, before, rows, now, wanted }: WalkQuery): WalkStep {
  const ids: MessageId[] = [];
  let left = rows;
  let next: MessageId | null = null;
  for (const row of glimpsed(state, mailboxId, kind, before, now)) {
    if (left === 0) return { messages: read(state, ids), next };
    if (--left === 0) next = row.id;
    if (workspaceId !== undefined && row.workspaceId !== workspaceId) continue;
    if (shown(state, row, now) !== null && wanted(row)) ids.push(row.id);
  }
  return { messages: read(state, ids), next: null };
}

const ID_BYTES = 26;

function packed(state: State, { mailboxId, before, rows, now }: PackedQuery): PackedMessages {
  const expiry = state.expiryOfMailbox(mailboxId, now);
  const most = Math.min(rows, state.messages.of(mailboxId).size);
  const ids = Buffer.allocUnsafeSlow(most * ID_BYTES);
  const marks = new Uint8Array(most);
  const sizes = new Float64Array(most);
  const times = new Float64Array(most);
  const tags = new Map<MessageId, readonly string[]>();
  // The rows come the newest first, so the lists are filled from their end.
  let at = most;
  let next: MessageId | null = null;
  for (const row of glimpsed(state, mailboxId, 'email', before, now)) {
    if (at === 0) {
      next = ids.toString('latin1', 0, ID_BYTES) as MessageId; // the id of the last row
      break;
    }
    const { receivedAt } = row;
    if (isExpired(receivedAt, expiry)) continue;
    at--;
    writeIdInto(row, ids, at * ID_BYTES);
    marks[at] = (row.isRead ? MESSAGE_MARK.read : 0) | (row.isStarred ? MESSAGE_MARK.starred : 0);
    sizes[at] = row.sizeBytes;
    times[at] = receivedAt;
    const names = row.tags;
    if (names.length > 0) tags.set(row.id, names);
  }
  return {
    ids: ids.subarray(at * ID_BYTES),
    marks: marks.subarray(at),
    sizes: sizes.subarray(at),
    times: times.subarray(at),
    tags,
    next,
  };
}

/** Yields the rows of a walk. Within a mailbox it passes over hidden rows, because a shifted clock may hide many. */
function glimpsed(
  state: State,
  mailboxId: MailboxId | undefined,
  kind: MessageKind | undefined,
  before: MessageId | undefined,
  now: Moment,
): Iterable<Message> {
  if (mailboxId === undefined) return state.messages.glimpse(undefined, before);
  const timed = inTime(state, mailboxId, now);
  if (!hides(timed)) return state.messages.glimpse(mailboxId, before, kind);
  const rows = { descending: (from?: string) => state.messages.glimpse(mailboxId, from, kind) };
  return shownOf({ ...timed, rows }, { before });
}

function read(state: State, ids: readonly MessageId[]): Message[] {
  return ids.map((id) => state.messages.get(id)).filter((message) => message !== undefined);
}
