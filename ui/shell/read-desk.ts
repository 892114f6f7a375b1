import { markedAllRead, markedRead, markedUnread, parseMarks, type ReadMarks, unreadOf } from '../model/read-marks.ts';
import type { ShellApi } from './api.ts';
import { countUnread } from './news.ts';
import type { Machine, ShellClock } from './ports.ts';
import type { WebState } from './state.ts';

const MARKS = 'mailcap.read';
/** The delay before marks are stored, so that several changes in a row are stored once. */
const STORE_MS = 200;

/** The marks that the browser kept from the last visit. */
export function keptMarks(machine: Machine): ReadMarks {
  return parseMarks(machine.kept(MARKS));
}

/** The read marks and the unread counts in the state, and a function that changes them. */
export interface ReadPlace {
  get(): Pick<WebState, 'marks' | 'unread' | 'mailboxes'>;
  set(read: Partial<Pick<WebState, 'marks' | 'unread'>>): void;
}

/** Marks messages as read, counts the unread ones, and shares both with the other tabs of the browser. */
export class ReadDesk {
  readonly #api: ShellApi;
  readonly #clock: ShellClock;
  readonly #machine: Machine;
  readonly #place: ReadPlace;
  #callOffStore: (() => void) | null = null;

  constructor(api: ShellApi, clock: ShellClock, machine: Machine, place: ReadPlace) {
    this.#api = api;
    this.#clock = clock;
    this.#machine = machine;
    this.#place = place;
    machine.onKept((name) => {
      if (name !== MARKS) return;
      place.set({ marks: keptMarks(machine) });
      void this.count();
    });
  }

  /** Marks messages as read or as unread. */
  mark(rows: readonly { readonly id: string; readonly mailboxId: string }[], read: boolean): void {
    const before = this.#place.get();
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
    const { marks, unread } = this.#place.get();
    this.#set(markedAllRead(marks, mailboxId, newest), new Map(unread).set(mailboxId, 0));
  }

  /** Counts the unread messages of each mailbox again. */
  async count(): Promise<void> {
    const { mailboxes, marks } = this.#place.get();
    this.#place.set({ unread: await countUnread(this.#api, mailboxes, marks) });
  }

  #set(marks: ReadMarks, unread: ReadonlyMap<string, number>): void {
    this.#place.set({ marks, unread });
    this.#callOffStore ??= this.#clock.after(STORE_MS, () => {
      this.#callOffStore = null;
      this.#machine.keep(MARKS, JSON.stringify(this.#place.get().marks));
    });
  }
}
