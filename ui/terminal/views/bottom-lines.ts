import { harmlessLine } from '../../model/harmless.ts';
import { type Inbox, placeOf } from '../../model/inbox.ts';
import { footerOf } from '../../model/keys.ts';
import { listOf } from '../../model/mail.ts';
import type { Style } from '../text/style.ts';
import { cut, widthOf } from '../text/width.ts';
import type { Layout } from './layout.ts';

/** What is to be said now, and the keys that do something here. */
export function bottomLines(inbox: Inbox, { columns }: Layout, style: Style): string[] {
  return [` ${said(inbox, columns - 2, style)}`, footer(inbox, columns, style)];
}

function said(inbox: Inbox, width: number, style: Style): string {
  const { overlay, notice, mail, tab } = inbox;
  if (overlay?.kind === 'confirm') return style.accent(style.bold(cut(harmlessLine(overlay.question, 300), width)));
  if (overlay?.kind === 'filter')
    return `${style.accent('/')} ${tail(harmlessLine(mail.filter, 300), width - 4)}${style.accent('▏')}`;
  if (notice !== null) {
    const paint = { good: style.accent, bad: style.bad, plain: style.dim }[notice.tone];
    return paint(cut(harmlessLine(notice.text, 400), width));
  }
  const waiting = tab === 'mail' ? listOf(mail).waiting : tab === 'webhooks' ? inbox.hooks.requests.waiting : 0;
  const newer =
    waiting === 0
      ? ''
      : style.accent(style.bold(`${waiting.toLocaleString('en-US')} new`)) + style.dim('  g shows them');
  const filter =
    tab === 'mail' && mail.filter !== ''
      ? style.dim('only what contains ') + style.accent(cut(harmlessLine(mail.filter, 200), Math.max(8, width - 40)))
      : '';
  const end = tab === 'mail' && listOf(mail).seekingEnd ? style.dim('on the way to the oldest …') : '';
  return [newer, filter, end].filter((text) => text !== '').join('   ');
}

/** As many words as there is room for, the last of them, help and quit, always. */
function footer(inbox: Inbox, columns: number, style: Style): string {
  const words = footerOf(placeOf(inbox));
  const keep = words.filter(({ word }) => word === 'help' || word === 'quit');
  const widthOfAll = (items: typeof words) =>
    items.reduce((sum, { key, word }) => sum + widthOf(key) + word.length + 3, 0);
  const shown: (typeof words)[number][] = [];
  for (const item of words) {
    if (keep.includes(item)) continue;
    if (widthOfAll([...shown, item, ...keep]) <= columns) shown.push(item);
  }
  return ` ${[...shown, ...keep].map(({ key, word }) => `${style.bold(key)} ${style.dim(word)}`).join('  ')}`;
}

/** The end of what is typed. */
function tail(text: string, width: number): string {
  let shown = text;
  while (widthOf(shown) > width) shown = shown.slice(Math.max(1, shown.length - width));
  return shown;
}
