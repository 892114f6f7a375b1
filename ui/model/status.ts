// Both inboxes show the state of the connection, and the result of the reader's last action.

/** The state of the connection to the server. */
export type ConnectionState =
  | { readonly state: 'connecting' }
  | { readonly state: 'live' }
  /** The connection failed. The shell retries it, and the view keeps the data from before the failure. */
  | { readonly state: 'lost'; readonly reason: string };

/** An action beside a notice. */
export interface NoticeAction {
  readonly label: string;
  readonly run: () => void;
  /** The time in milliseconds in which it can be taken. The notice stays as long. */
  readonly ms: number;
}

/** The time in milliseconds in which a deletion can be undone. */
export const UNDO_MS = 10_000;

/** A one-line message to the reader. The next command or notice replaces it. */
export interface InboxNotice {
  readonly text: string;
  readonly tone: 'good' | 'bad' | 'plain';
  /** The action that the reader can take. Only the web inbox has such actions. */
  readonly action?: NoticeAction;
}
