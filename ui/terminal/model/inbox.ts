import type { FocusPlace } from '../../model/keys.ts';
import type { ConnectionState, InboxNotice } from '../../model/status.ts';
import type { Choice } from './choice.ts';
import { type CodeState, NO_CODES } from './codes.ts';
import type { InboxEffect } from './effects.ts';
import { emptyMail, type MailState } from './mail.ts';
import type { AttachmentItem, LinkItem, ServerItem } from './resources.ts';
import type { Scroll } from './scroll.ts';
import { noWebhooks, type WebhookState } from './webhooks.ts';

export type Tab = 'mail' | 'webhooks' | 'authenticators';
export const TABS: readonly Tab[] = ['mail', 'webhooks', 'authenticators'];

/** A dialog or a list that covers the view and receives all keys. */
export type Overlay =
  | { readonly kind: 'mailboxes' }
  | { readonly kind: 'links'; readonly choice: Choice<LinkItem> }
  | { readonly kind: 'attachments'; readonly messageId: string; readonly choice: Choice<AttachmentItem> }
  | { readonly kind: 'help'; readonly scroll: Scroll }
  /** An input field. Its text filters the list, or is searched in the open text. */
  | { readonly kind: 'filter'; readonly of: 'list' | 'text'; readonly before: string }
  /** The input field for the tags of a message, with commas between them. */
  | { readonly kind: 'filter'; readonly of: 'tags'; readonly id: string; readonly text: string };

/** The whole state of the inbox. The terminal renders it, and {@link update} changes it. */
export interface Inbox {
  readonly tab: Tab;
  readonly mail: MailState;
  readonly webhooks: WebhookState;
  readonly codes: CodeState;
  readonly overlay: Overlay | null;
  /** Null until the server has answered. */
  readonly server: ServerItem | null;
  readonly connection: ConnectionState;
  readonly notice: InboxNotice | null;
}

export type InboxStep = readonly [Inbox, readonly InboxEffect[]];

/** Takes a step of the mail part. */
export function inMail(inbox: Inbox, [mail, effects]: readonly [MailState, readonly InboxEffect[]]): InboxStep {
  return [{ ...inbox, mail }, effects];
}

/** Takes a step of the webhook part. */
export function inWebhooks(
  inbox: Inbox,
  [webhooks, effects]: readonly [WebhookState, readonly InboxEffect[]],
): InboxStep {
  return [{ ...inbox, webhooks }, effects];
}

/** Tells the reader something in the line of notices. */
export function said(inbox: Inbox, text: string, tone: InboxNotice['tone'] = 'plain'): Inbox {
  return { ...inbox, notice: { text, tone } };
}

/** Returns the initial inbox and its first effects. `height` is the number of rows that a list can show. */
export function initialInbox(height: number): InboxStep {
  const inbox: Inbox = {
    tab: 'mail',
    mail: emptyMail(height),
    webhooks: noWebhooks(height),
    codes: NO_CODES,
    overlay: null,
    server: null,
    connection: { state: 'connecting' },
    notice: null,
  };
  return [inbox, [{ do: 'load-mailboxes' }]];
}

/** Returns the place that has the focus. The key table uses it to decide what a key does. */
export function focusPlace({ tab, overlay, mail, webhooks }: Inbox): FocusPlace {
  if (overlay !== null) return overlay.kind;
  switch (tab) {
    case 'mail':
      return mail.open === null ? 'messages' : 'message';
    case 'webhooks':
      if (webhooks.open !== null) return 'request';
      return webhooks.webhookId === null ? 'webhooks' : 'requests';
    case 'authenticators':
      return 'authenticators';
  }
}

/** Returns which kind of text is open, or null if none is. */
export function isReading({ overlay, tab, mail, webhooks }: Inbox): 'mail' | 'request' | 'help' | null {
  if (overlay?.kind === 'help') return 'help';
  if (tab === 'mail' && mail.open !== null) return 'mail';
  return tab === 'webhooks' && webhooks.open !== null ? 'request' : null;
}

/** Returns the scroll state of the open text. */
export function readScroll({ overlay, tab, mail, webhooks }: Inbox): Scroll | null {
  if (overlay?.kind === 'help') return overlay.scroll;
  if (tab === 'mail') return mail.open?.scroll ?? null;
  return tab === 'webhooks' ? (webhooks.open?.scroll ?? null) : null;
}

/** Changes the scroll state of the open text. It returns the same inbox if no text is open or nothing changes. */
export function withReadScroll(inbox: Inbox, change: (scroll: Scroll) => Scroll): Inbox {
  const { overlay, mail, webhooks } = inbox;
  const before = readScroll(inbox);
  if (before === null) return inbox;
  const scroll = change(before);
  if (scroll === before) return inbox;
  if (overlay?.kind === 'help') return { ...inbox, overlay: { ...overlay, scroll } };
  if (inbox.tab === 'mail' && mail.open !== null)
    return { ...inbox, mail: { ...mail, open: { ...mail.open, scroll } } };
  return webhooks.open === null ? inbox : { ...inbox, webhooks: { ...webhooks, open: { ...webhooks.open, scroll } } };
}
