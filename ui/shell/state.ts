import type { Connection, Notice } from '../model/inbox.ts';
import { emptyList, type MessageList } from '../model/message-list.ts';
import type { ReadMarks } from '../model/read-marks.ts';
import type { MailRow } from '../model/resources.ts';
import { HOME, type Route } from '../model/route.ts';
import { NONE, type Selection } from '../model/selection.ts';
import type { Glance, Info, MailboxOverview, MessageContent, MessageFacts, Workspace } from './api.ts';

/** A row of the web inbox: a list may be over all mailboxes. */
export interface WebRow extends MailRow {
  readonly mailboxId: string;
}

/** A mailbox of the sidebar. One that is deleted while the page is open stays, greyed. */
export interface MailboxEntry extends MailboxOverview {
  readonly gone: boolean;
}

export interface ListState {
  readonly mailboxId: string;
  readonly query: string;
  readonly list: MessageList<WebRow>;
  readonly failure: string | null;
  /** How many the search finds, where the server tells. */
  readonly total: number | null;
  readonly glances: ReadonlyMap<string, Glance>;
  readonly selection: Selection;
  /** Counts up when what is selected is to be scrolled to. */
  readonly reveal: number;
}

export interface OpenState {
  readonly id: string;
  readonly facts: MessageFacts | null;
  readonly content: MessageContent | null;
  readonly failure: string | null;
}

/** What lies over the page. */
export type WebOverlay =
  | { readonly kind: 'help' }
  | { readonly kind: 'palette' }
  | { readonly kind: 'mailboxes' }
  | {
      readonly kind: 'confirm';
      readonly question: string;
      readonly detail: string;
      readonly yes: string;
      readonly act: () => void;
    }
  | { readonly kind: 'as-test' }
  | { readonly kind: 'release'; readonly messageId: string; readonly to: string };

export type Scheme = 'auto' | 'light' | 'dark';

/** All the web inbox shows of the mail side, and what is common to its parts. */
export interface WebState {
  readonly route: Route;
  readonly connection: Connection;
  /** Off loopback a server wants its admin token. */
  readonly access: 'open' | 'token wanted' | 'token wrong';
  readonly info: Info | null;
  readonly workspaces: readonly Workspace[];
  readonly mailboxes: readonly MailboxEntry[];
  /** Why the mailboxes could not be loaded, null where they were. */
  readonly failure: string | null;
  readonly unread: ReadonlyMap<string, number>;
  readonly marks: ReadMarks;
  readonly mail: ListState | null;
  readonly open: OpenState | null;
  /** Milliseconds the server's clock is ahead of the browser's. */
  readonly offsetMs: number;
  /** Seconds the server's clock was set off real time. */
  readonly shiftedSeconds: number;
  readonly notice: Notice | null;
  readonly overlay: WebOverlay | null;
  readonly scheme: Scheme;
  readonly compact: boolean;
  /** Counts up with each reset: whatever was loaded before is gone. */
  readonly generation: number;
}

export const START: WebState = {
  route: HOME,
  connection: { state: 'connecting' },
  access: 'open',
  info: null,
  workspaces: [],
  mailboxes: [],
  failure: null,
  unread: new Map(),
  marks: {},
  mail: null,
  open: null,
  offsetMs: 0,
  shiftedSeconds: 0,
  notice: null,
  overlay: null,
  scheme: 'auto',
  compact: false,
  generation: 0,
};

export function emptyMailList(mailboxId: string, query: string, height: number): ListState {
  return {
    mailboxId,
    query,
    list: emptyList(height),
    failure: null,
    total: null,
    glances: new Map(),
    selection: NONE,
    reveal: 0,
  };
}

/** The mailbox that is shown: the one of the route, else the one that takes what is for nobody. */
export function shownMailbox({ route, info }: WebState): string | null {
  if (route.at !== 'mail') return null;
  return route.mailboxId ?? info?.mailboxId ?? null;
}

/** Unread messages of all mailboxes that are there. */
export function unreadInAll({ unread, mailboxes }: WebState): number {
  return mailboxes.reduce((sum, { id, gone }) => sum + (gone ? 0 : (unread.get(id) ?? 0)), 0);
}
