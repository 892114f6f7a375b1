import type { Choice } from './choice.ts';
import { type CodeState, NO_CODES } from './codes.ts';
import type { Effect } from './effects.ts';
import { type HookState, noHooks } from './hooks.ts';
import type { Place } from './keys.ts';
import { emptyMail, type MailState } from './mail.ts';
import type { AttachmentItem, LinkItem, ServerItem } from './resources.ts';
import type { Scroll } from './scroll.ts';

export type Tab = 'mail' | 'webhooks' | 'authenticators';
export const TABS: readonly Tab[] = ['mail', 'webhooks', 'authenticators'];

/** Whether what is shown is what the server has. */
export type Connection =
  | { readonly state: 'connecting' }
  | { readonly state: 'live' }
  /** Tried again by the shell; what is shown is as of then. */
  | { readonly state: 'lost'; readonly reason: string };

/** What lies over the view and takes the keys. */
export type Overlay =
  | { readonly kind: 'mailboxes' }
  | { readonly kind: 'links'; readonly choice: Choice<LinkItem> }
  | { readonly kind: 'attachments'; readonly messageId: string; readonly choice: Choice<AttachmentItem> }
  | { readonly kind: 'help'; readonly scroll: Scroll }
  | { readonly kind: 'confirm'; readonly question: string; readonly yes: Effect }
  /** A text being typed; the list follows it, or what is looked for in the text that is read. */
  | { readonly kind: 'filter'; readonly of: 'list' | 'text'; readonly before: string };

/** One line for the reader, until something else is to be said. */
export interface Notice {
  readonly text: string;
  readonly tone: 'good' | 'bad' | 'plain';
}

/** An inbox as a state machine: shared by whatever shows it. */
export interface Inbox {
  readonly tab: Tab;
  readonly mail: MailState;
  readonly hooks: HookState;
  readonly codes: CodeState;
  readonly overlay: Overlay | null;
  /** Null until it has answered. */
  readonly server: ServerItem | null;
  readonly connection: Connection;
  readonly notice: Notice | null;
}

export type Step = readonly [Inbox, readonly Effect[]];

/** An inbox before anything is known, and what it asks for first. `height` is the rows a list has room for. */
export function openInbox(height: number): Step {
  const inbox: Inbox = {
    tab: 'mail',
    mail: emptyMail(height),
    hooks: noHooks(height),
    codes: NO_CODES,
    overlay: null,
    server: null,
    connection: { state: 'connecting' },
    notice: null,
  };
  return [inbox, [{ do: 'load-mailboxes' }]];
}

/** Where the reader is: what decides which keys do what. */
export function placeOf({ tab, overlay, mail, hooks }: Inbox): Place {
  if (overlay !== null) return overlay.kind;
  switch (tab) {
    case 'mail':
      return mail.open === null ? 'messages' : 'message';
    case 'webhooks':
      if (hooks.open !== null) return 'request';
      return hooks.webhookId === null ? 'webhooks' : 'requests';
    case 'authenticators':
      return 'authenticators';
  }
}
