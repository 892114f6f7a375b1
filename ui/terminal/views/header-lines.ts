import { harmlessLine } from '../../../src/text/harmless.ts';
import { cut, widthOf } from '../../../src/text/width.ts';
import { type ListRow, type MessageList, selectedIndex, shownCount } from '../../model/message-list.ts';
import { chosen } from '../model/choice.ts';
import { type Inbox, TABS, type Tab } from '../model/inbox.ts';
import { listOf } from '../model/mail.ts';
import { type Style, styledWidth } from '../text/style.ts';
import type { Layout } from './layout.ts';

const NAMES: Readonly<Record<Tab, string>> = { mail: 'Mail', webhooks: 'Webhooks', authenticators: 'Authenticators' };
const SHORT: Readonly<Record<Tab, string>> = { mail: 'Mail', webhooks: 'Webhooks', authenticators: 'Codes' };

/** Returns the header: the product name, the place of the reader, and the state of the connection. */
export function headerLines(inbox: Inbox, { columns, spacious }: Layout, style: Style): string[] {
  const isNarrow = columns < 64;
  const names = isNarrow ? SHORT : NAMES;
  const tabs = TABS.map((tab) => (tab === inbox.tab ? style.accent(style.bold(names[tab])) : style.dim(names[tab])));
  const left = ` ${isNarrow ? '' : `${style.bold('mailcap')}   `}${tabs.join('  ')}`;
  const line = apart(left, connection(inbox, style, isNarrow), columns);
  if (!spacious) return [line];
  const at = position(inbox);
  return [line, apart(` ${place(inbox, columns - widthOf(at) - 4, style)}`, style.dim(at), columns), ''];
}

function connection({ connection, server }: Inbox, style: Style, isNarrow: boolean): string {
  switch (connection.state) {
    case 'live':
      if (server?.local === false) return style.accent(isNarrow ? '● cloud' : '● cloud: no feed, no delete');
      return style.accent('● live');
    case 'connecting':
      return style.dim('○ connecting');
    case 'lost':
      return style.bad(isNarrow ? '✕ lost' : `✕ ${cut(harmlessLine(connection.reason, 60), 30)}, trying again`);
  }
}

function place(inbox: Inbox, width: number, style: Style): string {
  const { mail, webhooks, tab } = inbox;
  if (tab === 'authenticators') return style.dim('Codes, as in an authenticator app');
  if (tab === 'webhooks') {
    const webhook = webhooks.webhookId === null ? null : chosen(webhooks.all);
    if (webhook === null) return style.dim('Webhooks of this workspace');
    return titled(harmlessLine(webhook.name, 60), harmlessLine(webhook.url, 200), width, style);
  }
  const mailbox = mail.mailboxes.items.find(({ id }) => id === mail.mailboxId);
  const elsewhere = [...mail.unread.values()].reduce((sum, count) => sum + count, 0);
  const more = elsewhere === 0 ? '' : `  · ${elsewhere} new in other mailboxes`;
  if (mailbox === undefined) return '';
  return titled(harmlessLine(mailbox.name, 60), harmlessLine(mailbox.address, 200) + more, width, style);
}

function titled(name: string, more: string, width: number, style: Style): string {
  const title = cut(name, Math.min(40, width));
  return `${title}  ${style.dim(cut(more, width - widthOf(title) - 2))}`;
}

function position({ tab, mail, webhooks }: Inbox): string {
  if (tab === 'mail') return positionIn(listOf(mail));
  return tab === 'webhooks' && webhooks.webhookId !== null ? positionIn(webhooks.requests) : '';
}

function positionIn(list: MessageList<ListRow>): string {
  const count = shownCount(list);
  if (count === 0) return '';
  return `${(selectedIndex(list) + 1).toLocaleString('en-US')} of ${count.toLocaleString('en-US')}${list.complete ? '' : '+'}`;
}

/** Joins two texts, one at each end of a line. */
export function apart(left: string, right: string, width: number): string {
  return `${left}${' '.repeat(Math.max(1, width - 1 - styledWidth(left) - styledWidth(right)))}${right}`;
}
