// The browser stores which messages were read, for all its tabs. The server stores none of this.

/** The read messages of one mailbox. */
export interface MailboxMarks {
  /** The id up to which every message counts as read; '' if there is none. */
  readonly upTo: string;
  /** The ids of newer messages that the reader opened. */
  readonly ids: readonly string[];
}

export type ReadMarks = Readonly<Record<string, MailboxMarks>>;

/** The number of ids kept per mailbox. When there are more, the oldest ones move `upTo` forward. */
const MAX_IDS = 2_000;
const UNMARKED: MailboxMarks = { upTo: '', ids: [] };

export function isRead(marks: ReadMarks, mailboxId: string, id: string): boolean {
  const { upTo, ids } = marks[mailboxId] ?? UNMARKED;
  return id <= upTo || ids.includes(id);
}

export function markedRead(marks: ReadMarks, mailboxId: string, read: readonly string[]): ReadMarks {
  const { upTo, ids } = marks[mailboxId] ?? UNMARKED;
  const fresh = read.filter((id) => id > upTo && !ids.includes(id));
  if (fresh.length === 0) return marks;
  const all = [...ids, ...fresh].sort();
  const over = all.length - MAX_IDS;
  const next = over <= 0 ? { upTo, ids: all } : { upTo: all[over - 1] ?? upTo, ids: all.slice(over) };
  return { ...marks, [mailboxId]: next };
}

export function markedAllRead(marks: ReadMarks, mailboxId: string, newest: string): ReadMarks {
  const { ids } = marks[mailboxId] ?? UNMARKED;
  return { ...marks, [mailboxId]: { upTo: newest, ids: ids.filter((id) => id > newest) } };
}

export function markedUnread(marks: ReadMarks, mailboxId: string, unread: readonly string[]): ReadMarks {
  const mine = marks[mailboxId];
  if (mine === undefined) return marks;
  return { ...marks, [mailboxId]: { ...mine, ids: mine.ids.filter((id) => !unread.includes(id)) } };
}

/** Returns the ids that are not marked as read. */
export function unreadOf(marks: ReadMarks, mailboxId: string, ids: readonly string[]): readonly string[] {
  const { upTo, ids: read } = marks[mailboxId] ?? UNMARKED;
  const known = new Set(read);
  return ids.filter((id) => id > upTo && !known.has(id));
}

/** Parses stored marks. It returns no marks if the text is invalid. */
export function parseMarks(text: string | null): ReadMarks {
  try {
    const parsed: unknown = JSON.parse(text ?? '{}');
    if (typeof parsed !== 'object' || parsed === null) return {};
    return Object.fromEntries(
      Object.entries(parsed).filter((entry): entry is [string, MailboxMarks] => isMarks(entry[1])),
    );
  } catch {
    return {};
  }
}

function isMarks(value: unknown): value is MailboxMarks {
  if (typeof value !== 'object' || value === null || !('upTo' in value) || !('ids' in value)) return false;
  return typeof value.upTo === 'string' && Array.isArray(value.ids) && value.ids.every((id) => typeof id === 'string');
}
