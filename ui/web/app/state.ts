import { TEXT_MESSAGE } from '../../../src/text/wording.ts';
import type { FocusPlace } from '../../model/keys.ts';
import type { MailRow, MessageList } from '../../model/message-list.ts';
import type { ConnectionState, InboxNotice } from '../../model/status.ts';
import {
  ALL_MAIL,
  type AttachedMail,
  type Info,
  type MailboxSettings,
  type MessageContent,
  type MessageFacts,
  type MessagePreview,
  type Summary,
  type Workspace,
} from './api.ts';
import { HOME, type Route } from './route.ts';
import type { Selection } from './selection.ts';

/** The marks of a message, as its row shows them. */
export interface RowMarks {
  readonly read: boolean;
  readonly starred: boolean;
  readonly tags: readonly string[];
}

/** The marks of a message that just came. */
export const NO_MARKS: RowMarks = { read: false, starred: false, tags: [] };

/** A row of the web inbox. It names its mailbox, because a list can show all mailboxes. */
export interface WebRow extends Omit<MailRow, keyof RowMarks>, RowMarks {
  /** Absent for an email. */
  readonly kind?: 'sms';
  readonly mailboxId: string;
  /** The same for all copies of one mail. */
  readonly copyKey: string;
  /** The older copies that are folded under this one, newest first. */
  readonly copies?: readonly WebRow[];
}

/** Returns the row of a message. `mailboxId` is the mailbox of a summary that names none. */
export function toWebRow(row: Summary, mailboxId: string): WebRow {
  return {
    id: row.id,
    mailboxId: row.mailboxId ?? mailboxId,
    copyKey: row.copyKey ?? row.id,
    from: row.from ?? '',
    to: row.to ?? '',
    subject: row.subject ?? (row.kind === 'sms' ? TEXT_MESSAGE : ''),
    ...(row.kind === 'sms' && { kind: row.kind }),
    receivedAt: Date.parse(row.receivedAt),
    sizeBytes: row.sizeBytes,
    attachmentCount: row.attachmentCount,
    ...(row.matches !== undefined && { matches: row.matches }),
    read: row.read ?? NO_MARKS.read,
    starred: row.starred ?? NO_MARKS.starred,
    tags: row.tags ?? NO_MARKS.tags,
  };
}

/** Returns the row of a loaded message, which may stand in no list. */
export function rowOfMessage(facts: MessageFacts, content: MessageContent): WebRow {
  const { from, to, subject, attachments } = content;
  return toWebRow(
    { ...facts, copyKey: facts.id, from, to, subject, attachmentCount: attachments.length },
    facts.mailboxId,
  );
}

/** Returns the message of a row and the copies that are folded under it, newest first. */
export function copiesOf(row: WebRow): readonly WebRow[] {
  const { copies, ...own } = row;
  return copies === undefined ? [row] : [own, ...copies];
}

/** Returns all messages of rows, with those that are folded. */
export function messagesOf(rows: readonly WebRow[]): readonly WebRow[] {
  return rows.flatMap(copiesOf);
}

/** Tells whether a message of a row is one of these. */
export function isOneOf(row: WebRow, ids: { has(id: string): boolean }): boolean {
  return ids.has(row.id) || row.copies?.some(({ id }) => ids.has(id)) === true;
}

/** A mailbox in the sidebar. One that is deleted while the page is open stays there in grey. */
export interface MailboxEntry extends MailboxSettings {
  readonly gone: boolean;
}

export interface ListState {
  readonly mailboxId: string;
  readonly query: string;
  readonly list: MessageList<WebRow>;
  readonly failure: string | null;
  /** True if the search itself is wrong, so that another try would fail too. */
  readonly isWrong: boolean;
  /** The position at which the search stopped and from which the reader can continue it; null if it is complete. */
  readonly cutOffAt: string | null;
  /** The number of messages in the list with those that are not loaded. Null until the server has counted them. */
  readonly total: number | null;
  readonly previews: ReadonlyMap<string, MessagePreview>;
  readonly selection: Selection;
  /** The keys of the mails whose copies the reader has unfolded. */
  readonly unfolded: ReadonlySet<string>;
  /** A counter. Each increase makes the list scroll to the selected row. */
  readonly reveal: number;
}

export interface OpenState {
  readonly id: string;
  readonly facts: MessageFacts | null;
  readonly content: MessageContent | null;
  readonly failure: string | null;
  /** True if the message no longer exists, so that another try would not find it. */
  readonly gone?: boolean;
}

/** A message that is loaded, and drawn where nobody sees it, before its click. */
export interface MessageAhead {
  readonly id: string;
  readonly loading: Promise<OpenState>;
  /** Null until it is loaded. */
  readonly loaded: OpenState | null;
}

/** The attached mail that is shown instead of the open message. */
export interface AttachedState {
  readonly messageId: string;
  readonly id: string;
  readonly mail: AttachedMail | null;
  readonly failure: string | null;
}

/** The dialog or panel that covers the page. */
export type WebOverlay =
  | { readonly kind: 'help' }
  /** `typed` is what was typed before the palette was there. `place` is where its actions act. */
  | { readonly kind: 'palette'; readonly typed: string; readonly place: FocusPlace }
  | { readonly kind: 'mailboxes' }
  /** On a small screen: what the bar at the bottom has no room for. */
  | { readonly kind: 'more' }
  | {
      readonly kind: 'confirm';
      readonly question: string;
      readonly detail: string;
      readonly yes: string;
      /** The function that is called after the dialog has closed. */
      readonly act: () => void;
    }
  | { readonly kind: 'as-test' }
  /** The settings of a mailbox. Null for a new one. */
  | { readonly kind: 'mailbox'; readonly id: string | null }
  | { readonly kind: 'release'; readonly messageId: string; readonly to: string }
  /** Tells the app what the reader of the open message did. */
  | { readonly kind: 'tell-app' };

export type ColourScheme = 'auto' | 'light' | 'dark';

/** The state of the web inbox: the mail part, and the data that all its pages share. */
export interface WebState {
  readonly route: Route;
  readonly connection: ConnectionState;
  /**
   * Tells whether the page may use the server. A server that is reached from another machine requires its admin token.
   */
  readonly access: 'open' | 'token wanted' | 'token wrong';
  readonly info: Info | null;
  readonly workspaces: readonly Workspace[];
  readonly mailboxes: readonly MailboxEntry[];
  /** The reason why the mailboxes could not be loaded; null if they were. */
  readonly failure: string | null;
  readonly mail: ListState | null;
  /** The messages that are being deleted. No list shows them, and the server still counts them. */
  readonly deleting: readonly WebRow[];
  readonly open: OpenState | null;
  /** The message that the mouse will probably open next. Null if there is none. */
  readonly ahead: MessageAhead | null;
  readonly attached: AttachedState | null;
  /** The milliseconds by which the server's clock is ahead of the browser's. */
  readonly offsetMs: number;
  /** The seconds by which the server's clock was shifted from real time. */
  readonly shiftedSeconds: number;
  readonly notice: InboxNotice | null;
  readonly overlay: WebOverlay | null;
  readonly scheme: ColourScheme;
  readonly compact: boolean;
  /** A counter that increases with each reset. All data loaded before it is invalid. */
  readonly generation: number;
  /** The name of what the page shows, such as a webhook. Null if the page has no more than its own name. */
  readonly named: string | null;
}

export const START: WebState = {
  route: HOME,
  connection: { state: 'connecting' },
  access: 'open',
  info: null,
  workspaces: [],
  mailboxes: [],
  failure: null,
  mail: null,
  deleting: [],
  open: null,
  ahead: null,
  attached: null,
  offsetMs: 0,
  shiftedSeconds: 0,
  notice: null,
  overlay: null,
  scheme: 'auto',
  compact: false,
  generation: 0,
  named: null,
};

/** Returns the visible mailbox: the one in the route, or else the catch-all mailbox. */
export function shownMailbox({ route, info }: WebState): string | null {
  if (route.at !== 'mail') return null;
  return route.mailboxId ?? info?.mailboxId ?? null;
}

/** Returns the mailbox of the list beside an open message: its own, or all mailboxes if the reader looks at all. */
export function listBeside({ route }: WebState, mailboxId: string): string {
  return route.at === 'mail' && route.mailboxId === ALL_MAIL ? ALL_MAIL : mailboxId;
}

/** Returns the number of unread messages in all mailboxes that exist. */
export function unreadInAll({ mailboxes }: WebState): number {
  return mailboxes.reduce((sum, { unreadCount, gone }) => sum + (gone ? 0 : unreadCount), 0);
}

/** Returns the number of messages in a mailbox, without those that are being deleted. */
export function messagesIn({ deleting }: WebState, { id, messageCount }: MailboxEntry): number {
  return Math.max(0, messageCount - deleting.filter(({ mailboxId }) => mailboxId === id).length);
}

/** Returns the number of messages in all mailboxes that exist. */
export function messagesInAll(state: WebState): number {
  return state.mailboxes.reduce((sum, mailbox) => sum + (mailbox.gone ? 0 : messagesIn(state, mailbox)), 0);
}

/** Parses a stored colour scheme. Any other text means the scheme of the system. */
export function readColourScheme(text: string | null): ColourScheme {
  return text === 'light' || text === 'dark' ? text : 'auto';
}

/** Returns the colour scheme that follows another one. */
export function nextScheme(scheme: ColourScheme): ColourScheme {
  return scheme === 'auto' ? 'light' : scheme === 'light' ? 'dark' : 'auto';
}

/** A value with listeners. It is replaced as a whole, and the listeners run when it changes. */
export class Observable<T> {
  #value: T;
  readonly #listeners = new Set<() => void>();

  constructor(value: T) {
    this.#value = value;
  }

  get value(): T {
    return this.#value;
  }

  /** Replaces the value. The listeners run only if the value is a different one. */
  set(value: T): void {
    if (value === this.#value) return;
    this.#value = value;
    for (const listener of [...this.#listeners]) listener();
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
}
