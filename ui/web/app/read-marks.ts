import type { ShellApi } from './api.ts';
import type { Machine, ShellClock } from './ports.ts';

// The browser stores which messages were read, for all its tabs. The server stores none of this.

/** The read messages of one mailbox. */
export interface MailboxMarks {
  /** The id up to which every message counts as read; '' if there is none. */
  readonly upTo: string;
  /** The ids of newer messages that the reader opened. */
  readonly ids: readonly string[];
}

/** The read messages of each mailbox, by its id. */
export type MarksByMailbox = Readonly<Record<string, MailboxMarks>>;

/** The number of ids kept per mailbox. When there are more, the oldest ones move `upTo` forward. */
const MAX_IDS = 2_000;
const UNMARKED: MailboxMarks = { upTo: '', ids: [] };

export function isRead(marks: MarksByMailbox, mailboxId: string, id: string): boolean {
  const { upTo, ids } = marks[mailboxId] ?? UNMARKED;
  return id <= upTo || ids.includes(id);
}

export function markedRead(marks: MarksByMailbox, mailboxId: string, read: readonly string[]): MarksByMailbox {
  const { upTo, ids } = marks[mailboxId] ?? UNMARKED;
  const fresh = read.filter((id) => id > upTo && !ids.includes(id));
  if (fresh.length === 0) return marks;
  const all = [...ids, ...fresh].sort();
  const over = all.length - MAX_IDS;
  const next = over <= 0 ? { upTo, ids: all } : { upTo: all[over - 1] ?? upTo, ids: all.slice(over) };
  return { ...marks, [mailboxId]: next };
}

export function markedAllRead(marks: MarksByMailbox, mailboxId: string, newest: string): MarksByMailbox {
  const { ids } = marks[mailboxId] ?? UNMARKED;
  return { ...marks, [mailboxId]: { upTo: newest, ids: ids.filter((id) => id > newest) } };
}

export function markedUnread(marks: MarksByMailbox, mailboxId: string, unread: readonly string[]): MarksByMailbox {
  const mine = marks[mailboxId];
  if (mine === undefined) return marks;
  return { ...marks, [mailboxId]: { ...mine, ids: mine.ids.filter((id) => !unread.includes(id)) } };
}

/** Returns the ids that are not marked as read. */
export function unreadOf(marks: MarksByMailbox, mailboxId: string, ids: readonly string[]): readonly string[] {
  const { upTo, ids: read } = marks[mailboxId] ?? UNMARKED;
  const known = new Set(read);
  return ids.filter((id) => id > upTo && !known.has(id));
}

/** Parses stored marks. It returns no marks if the text is invalid. */
export function parseMarks(text: string | null): MarksByMailbox {
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

const MARKS = 'mailcap.read';
/** The delay before marks are stored, so that several changes in a row are stored once. */
const STORE_MS = 200;
/** The largest number of mailboxes whose unread messages are counted when the page starts. */
const COUNTED = 60;
/** The number of newest messages that are looked at in a partly read mailbox. */
const NEWEST = 200;

/** The marks that the browser kept from the last visit. */
export function keptMarks(machine: Machine): MarksByMailbox {
  return parseMarks(machine.kept(MARKS));
}

/** What the page shows of read messages. */
interface ReadState {
  readonly marks: MarksByMailbox;
  /** The number of unread messages in each mailbox. */
  readonly unread: ReadonlyMap<string, number>;
}

/** A mailbox, as far as its unread messages depend on it. */
interface CountedMailbox {
  readonly id: string;
  readonly messageCount: number;
  readonly gone: boolean;
}

/** The part of the page that stores the read marks and the unread counts. */
export interface ReadMarksHost {
  get(): ReadState & { readonly mailboxes: readonly CountedMailbox[] };
  set(read: Partial<ReadState>): void;
}

/** Marks messages as read, counts the unread ones, and shares both with the other tabs of the browser. */
export class ReadMarks {
  readonly #api: ShellApi;
  readonly #clock: ShellClock;
  readonly #machine: Machine;
  readonly #host: ReadMarksHost;
  #callOffStore: (() => void) | null = null;

  constructor(api: ShellApi, clock: ShellClock, machine: Machine, host: ReadMarksHost) {
    this.#api = api;
    this.#clock = clock;
    this.#machine = machine;
    this.#host = host;
    machine.onKept((name) => {
      if (name !== MARKS) return;
      host.set({ marks: keptMarks(machine) });
      void this.count();
    });
  }

  /** Marks messages as read or as unread. */
  mark(rows: readonly { readonly id: string; readonly mailboxId: string }[], read: boolean): void {
    const before = this.#host.get();
    let { marks } = before;
    for (const { id, mailboxId } of rows)
      marks = read ? markedRead(marks, mailboxId, [id]) : markedUnread(marks, mailboxId, [id]);
    const unread = new Map(before.unread);
    for (const { id, mailboxId } of rows) {
      const was = unreadOf(before.marks, mailboxId, [id]).length;
      const is = unreadOf(marks, mailboxId, [id]).length;
      unread.set(mailboxId, Math.max(0, (unread.get(mailboxId) ?? 0) + is - was));
    }
    this.#set(marks, unread);
  }

  /** Marks all messages of a mailbox up to the newest one as read. */
  markAll(mailboxId: string, newest: string): void {
    const { marks, unread } = this.#host.get();
    this.#set(markedAllRead(marks, mailboxId, newest), new Map(unread).set(mailboxId, 0));
  }

  /** Counts the unread messages of each mailbox again. */
  async count(): Promise<void> {
    const { mailboxes, marks } = this.#host.get();
    this.#host.set({ unread: await countUnread(this.#api, mailboxes, marks) });
  }

  #set(marks: MarksByMailbox, unread: ReadonlyMap<string, number>): void {
    this.#host.set({ marks, unread });
    this.#callOffStore ??= this.#clock.after(STORE_MS, () => {
      this.#callOffStore = null;
      this.#machine.keep(MARKS, JSON.stringify(this.#host.get().marks));
    });
  }
}

/** Counts the unread messages of each mailbox. For partly read mailboxes, it looks only at the newest messages. */
async function countUnread(
  api: ShellApi,
  mailboxes: readonly CountedMailbox[],
  marks: MarksByMailbox,
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
