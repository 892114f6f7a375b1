import { harmlessLine } from '../../../src/text/harmless.ts';
import { saidCount } from '../../../src/text/said.ts';
import { cut, widthOf, wrapLine } from '../../../src/text/width.ts';
import { footerOf } from '../../model/keys.ts';
import { focusPlace, type Inbox, isReading, readScroll } from '../model/inbox.ts';
import { listOf } from '../model/mail.ts';
import type { Style } from '../text/style.ts';
import type { Layout } from './layout.ts';

/** Returns the notice or the status line, and the footer. A long notice covers the last lines of the body. */
export function bottomLines(inbox: Inbox, { columns, rows }: Layout, style: Style): string[] {
  const lines = said(inbox, columns - 2, Math.max(1, rows >> 1), style);
  return [...lines.map((line) => ` ${line}`), footer(inbox, columns, style)];
}

function said(inbox: Inbox, width: number, room: number, style: Style): string[] {
  const { overlay, notice, mail } = inbox;
  if (overlay?.kind === 'filter' && overlay.of === 'tags') {
    const hint = '  commas between them';
    const shown = tail(harmlessLine(overlay.text, 300), width - 9 - widthOf(hint));
    return [`${style.accent('tags')} ${shown}${style.accent('▏')}${style.dim(hint)}`];
  }
  if (overlay?.kind === 'filter') {
    const isText = overlay.of === 'text';
    const typed = isText ? (readScroll(inbox)?.find?.text ?? '') : mail.filter;
    const count = isText && typed.trim() !== '' ? `  ${matches(inbox)}` : '';
    const shown = tail(harmlessLine(typed, 300), width - 4 - widthOf(count));
    return [`${style.accent('/')} ${shown}${style.accent('▏')}${style.dim(count)}`];
  }
  if (notice !== null) {
    const paint = { good: style.accent, bad: style.bad, plain: style.dim }[notice.tone];
    return told(notice.text, 8_000, width, room).map(paint);
  }
  return [standing(inbox, width, style)];
}

/** Wraps a text to the available lines and cuts the last one. */
function told(text: string, length: number, width: number, room: number): string[] {
  const lines = wrapLine(harmlessLine(text, length), width);
  return lines.length <= room ? lines : [...lines.slice(0, room - 1), cut(lines.slice(room - 1).join(' '), width)];
}

/** Returns the status line: the number of new messages, the search, the filter, and the scroll position. */
function standing(inbox: Inbox, width: number, style: Style): string {
  const { mail, tab, webhooks } = inbox;
  const waiting = tab === 'mail' ? listOf(mail).waiting : tab === 'webhooks' ? webhooks.requests.waiting : 0;
  const isList = isReading(inbox) === null;
  const newer =
    waiting === 0
      ? ''
      : style.accent(style.bold(`${waiting.toLocaleString('en-US')} new`)) +
        (isList ? style.dim('  g shows them') : style.dim(' in the list'));
  // An overlay covers the text, so the scroll position of the text is not shown.
  const scroll = inbox.overlay === null || inbox.overlay.kind === 'help' ? readScroll(inbox) : null;
  const find = scroll?.find?.text ?? '';
  const found =
    find === '' ? '' : `${style.accent(cut(harmlessLine(find), 24))} ${style.dim(`${matches(inbox)}, n N`)}`;
  const room = Math.max(8, width - 40);
  const filter =
    tab === 'mail' && isList && mail.filter !== ''
      ? style.dim('filter: ') + style.accent(cut(harmlessLine(mail.filter, 200), room)) + style.dim(', esc ends')
      : '';
  const below = scroll === null ? 0 : scroll.lines - scroll.top - scroll.height;
  const more = below > 0 ? style.dim(`${below.toLocaleString('en-US')} more ${below === 1 ? 'line' : 'lines'} ↓`) : '';
  const end = tab === 'mail' && listOf(mail).seekingEnd ? style.dim('loading the oldest messages …') : '';
  return [newer, found, filter, more, end].filter((text) => text !== '').join('   ');
}

function matches(inbox: Inbox): string {
  const find = readScroll(inbox)?.find ?? null;
  if (find === null || find.matches.length === 0) return 'not found in this text';
  return `${find.at + 1} of ${saidCount(find.matches.length, 'match', 'matches')}`;
}

/** Returns the footer with as many keys as fit. Help and quit are always there. */
function footer(inbox: Inbox, columns: number, style: Style): string {
  const words = footerOf(focusPlace(inbox));
  const keep = words.filter(({ word }) => word === 'help' || word === 'quit');
  const widthOfAll = (items: typeof words) =>
    items.reduce((sum, { key, word }) => sum + widthOf(key) + 1 + widthOf(word), 1 + 2 * (items.length - 1));
  const shown: (typeof words)[number][] = [];
  for (const item of words) {
    if (keep.includes(item)) continue;
    if (widthOfAll([...shown, item, ...keep]) <= columns) shown.push(item);
  }
  return ` ${[...shown, ...keep].map(({ key, word }) => `${style.bold(key)} ${style.dim(word)}`).join('  ')}`;
}

/** Returns the end of the typed text that fits the field. */
function tail(text: string, width: number): string {
  let shown = text;
  while (widthOf(shown) > width) shown = shown.slice(Math.max(1, shown.length - width));
  return shown;
}
