import { harmlessLine } from '../../../src/text/harmless.ts';
import { nameOfMessage } from '../../../src/text/wording.ts';
import { ALL_MAIL } from './api.ts';
import type { OutboundPart, Route, ToolPage } from './route.ts';
import { shownMailbox, unreadInAll, type WebState } from './state.ts';

/** The name of all mailboxes together. */
export const ALL_NAME = 'All mailboxes';

/** The names of the pages, in the sidebar, the palette and the title of the tab. */
export const PAGE_NAMES: Readonly<Record<Route['at'], string>> = {
  mail: 'Mail',
  message: 'Mail',
  compare: 'Side by side',
  webhooks: 'Webhooks',
  timeline: 'Timeline',
  outbound: 'Outbound',
  authenticators: 'Authenticators',
  tools: 'Tools',
  waiting: 'Waiting tests',
  runs: 'Runs',
  why: 'Why did no mail arrive?',
};

export const OUTBOUND_NAMES: Readonly<Record<OutboundPart, string>> = {
  sends: 'Sends',
  compose: 'Compose',
  suppression: 'Suppression',
  wallet: 'Wallet and domains',
};

export const TOOL_NAMES: Readonly<Record<ToolPage, string>> = {
  use: 'Use it',
  faults: 'Faults',
  clock: 'Clock',
  keys: 'API keys',
  workspaces: 'Workspaces',
  server: 'Server',
};

/** Returns the title of the browser's tab: the number of unread messages, and what the page shows. */
export function pageTitle(state: WebState): string {
  const unread = unreadInAll(state);
  const count = unread === 0 ? '' : `(${unread.toLocaleString('en-US')}) `;
  return `${count}${shownName(state)} · mailcap`;
}

function shownName(state: WebState): string {
  const { route, open, attached, named } = state;
  switch (route.at) {
    case 'mail': {
      if (route.messageId === null) return listName(state, route.query);
      const mail = route.attached === null ? open?.content : attached?.mail;
      if (!mail) return PAGE_NAMES.mail;
      return nameOfMessage(
        { subject: mail.subject, kind: route.attached === null ? open?.facts?.kind : undefined },
        100,
      );
    }
    case 'outbound':
      return OUTBOUND_NAMES[route.part];
    case 'tools':
      return TOOL_NAMES[route.tool];
    default:
      return named ?? PAGE_NAMES[route.at];
  }
}

function listName(state: WebState, query: string): string {
  const id = shownMailbox(state);
  const mailbox = state.mailboxes.find((one) => one.id === id);
  const name = mailbox === undefined ? null : harmlessLine(mailbox.name || mailbox.subdomain, 80);
  const list = name ?? (id === ALL_MAIL ? ALL_NAME : PAGE_NAMES.mail);
  return query === '' ? list : `${harmlessLine(query, 60)} · ${list}`;
}
