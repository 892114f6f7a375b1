import { saidCount } from '../../../src/text/said.ts';
import { calledMessage, saidDeleted } from '../../../src/text/wording.ts';
import { type NoticeAction, UNDO_MS } from '../../model/status.ts';
import type { ShellApi } from './api.ts';
import type { MessageListController } from './message-list-controller.ts';
import { BackendError, type Machine, type ShellClock } from './ports.ts';
import type { Route } from './route.ts';
import type { Observable, WebRow, WebState } from './state.ts';

/** The parts of the page that a deletion changes. */
export interface DeletionHost {
  readonly api: ShellApi;
  readonly clock: ShellClock;
  readonly machine: Machine;
  readonly state: Observable<WebState>;
  readonly mail: MessageListController;
  patch(change: Pick<WebState, 'deleting'>): void;
  say(text: string, tone?: 'good' | 'plain', action?: NoticeAction): void;
  /** Runs an action, and shows the error if it fails. Returns null then. */
  attempt<T>(act: () => Promise<T>): Promise<T | null>;
  openMessage(row: WebRow, replace: boolean): void;
  go(route: Route, options: { readonly replace: boolean }): void;
}

/** Messages that are out of the list, and that the server still has. */
interface UndoableDeletion {
  readonly rows: readonly WebRow[];
  /** Describes them in notices. */
  readonly what: string;
  /** The message that was open, if it is one of them. */
  readonly opened: WebRow | null;
  readonly callOff: () => void;
}

/**
 * Deletes messages. They leave the list at once, and the server after ten seconds, so that the reader can undo it. If
 * the page is left before, the server deletes them then.
 */
export class Deletions {
  readonly #shell: DeletionHost;
  readonly #pending = new Set<UndoableDeletion>();

  constructor(shell: DeletionHost) {
    this.#shell = shell;
  }

  /** Tells whether a message is being deleted. No list shows it then. */
  has(id: string): boolean {
    for (const { rows } of this.#pending) if (rows.some((row) => row.id === id)) return true;
    return false;
  }

  /** Takes messages out of the list. If the open one is among them, the next one opens, or on a phone the list. */
  begin(given: readonly WebRow[]): void {
    const [first] = given;
    if (first === undefined) return;
    const rows = this.#shell.mail.withCopies(given);
    const { clock, state, mail } = this.#shell;
    const { route } = state.value;
    const openId = route.at === 'mail' ? route.messageId : null;
    const deletion: UndoableDeletion = {
      rows,
      what: calledMessages(given, rows.length),
      opened: rows.find(({ id }) => id === openId) ?? null,
      callOff: clock.after(UNDO_MS, () => void this.#finish(deletion)),
    };
    this.#pending.add(deletion);
    this.#shell.patch({ deleting: [...state.value.deleting, ...rows] });
    const ids = new Set(rows.map(({ id }) => id));
    mail.gone((id) => ids.has(id));
    this.#shell.say(saidDeleted(deletion.what), 'good', { label: 'Undo', run: () => this.undo(), ms: UNDO_MS });
    if (deletion.opened !== null) this.#leaveOpen();
  }

  /** Puts the messages of the last deletion back. Returns false if there is nothing to undo any more. */
  undo(): boolean {
    const last = [...this.#pending].at(-1);
    if (last === undefined) return false;
    const back = this.#restore(last);
    if (last.opened !== null && back.includes(last.opened)) this.#shell.openMessage(last.opened, true);
    this.#shell.say(`${saidCount(back.length, 'message')} put back.`);
    return true;
  }

  /** Deletes at once what is being deleted, because the page is left. */
  finishAll(): void {
    for (const deletion of this.#pending) void this.#finish(deletion);
  }

  /** Forgets what is being deleted, because the server was reset. */
  clear(): void {
    for (const { callOff } of this.#pending) callOff();
    this.#pending.clear();
    this.#shell.patch({ deleting: [] });
  }

  async #finish(deletion: UndoableDeletion): Promise<void> {
    deletion.callOff();
    const deleted = await this.#shell.attempt(async () => {
      const calls = deletion.rows.map(({ id }) => this.#shell.api.deleteMessage(id).catch(unlessGone));
      const results = await Promise.allSettled(calls);
      for (const result of results) if (result.status === 'rejected') throw result.reason;
      return true;
    });
    if (deleted === null) this.#restore(deletion);
    // The feed tells of it, and with it the counts change.
    else this.#pending.delete(deletion);
  }

  /** Returns the messages that are back. Another program may have deleted some of them meanwhile. */
  #restore(deletion: UndoableDeletion): readonly WebRow[] {
    deletion.callOff();
    this.#pending.delete(deletion);
    const { deleting } = this.#shell.state.value;
    const back = deletion.rows.filter((row) => deleting.includes(row));
    this.#shell.patch({ deleting: deleting.filter((row) => !back.includes(row)) });
    this.#shell.mail.restore(back);
    return back;
  }

  #leaveOpen(): void {
    const { machine, state } = this.#shell;
    const { mail, route } = state.value;
    if (route.at !== 'mail') return;
    const next = mail?.list.rows.find(({ id }) => id === mail.list.selected);
    if (!machine.isNarrow() && next !== undefined) this.#shell.openMessage(next, true);
    else this.#shell.go({ ...route, messageId: null, tab: null, attached: null }, { replace: true });
  }
}

/** Describes messages that are deleted. Those of one row are the copies of one mail. */
function calledMessages(rows: readonly WebRow[], count: number): string {
  const [first] = rows;
  if (first === undefined || rows.length > 1) return saidCount(count, 'message');
  return count === 1 ? calledMessage(first) : `${saidCount(count, 'copy', 'copies')} of ${calledMessage(first)}`;
}

/** A 404 means that the message is deleted already, which is the goal. */
function unlessGone(error: unknown): void {
  if (!(error instanceof BackendError && error.status === 404)) throw error;
}
