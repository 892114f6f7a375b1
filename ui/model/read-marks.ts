// What was read is the reader's own affair: the server keeps none of it. It stands in the browser, for all its tabs.

/** What was read of one mailbox. */
export interface MailboxMarks {
  /** Every message up to this one is read; '' where none is by that. */
  readonly upTo: string;
  /** Later ones that were opened. */
  readonly ids: readonly string[];
}

export type ReadMarks = Readonly<Record<string, MailboxMarks>>;

/** Of one mailbox as many are kept; older ones become read together. */
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

/** Of messages, those not read. */
export function unreadOf(marks: ReadMarks, mailboxId: string, ids: readonly string[]): readonly string[] {
  const { upTo, ids: read } = marks[mailboxId] ?? UNMARKED;
  const known = new Set(read);
  return ids.filter((id) => id > upTo && !known.has(id));
}

/** Marks as they were written down, none where that is no such text. */
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
