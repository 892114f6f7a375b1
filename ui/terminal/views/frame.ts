import { harmlessLine } from '../../../src/text/harmless.ts';
import { cutMiddle, fill, widthOf, wrapLine } from '../../../src/text/width.ts';
import { type ListRow, type MessageList, shownCount } from '../../model/message-list.ts';
import { type CodeState, secondsLeft } from '../model/codes.ts';
import { type Inbox, isReading, readScroll } from '../model/inbox.ts';
import { listOf, selectedRow } from '../model/mail.ts';
import { setOff } from '../text/find.ts';
import { clip, filled, type Style } from '../text/style.ts';
import { bottomLines } from './bottom-lines.ts';
import { headerLines } from './header-lines.ts';
import type { FrameOptions, Layout, OpenTextLines } from './layout.ts';
import { type Canvas, mailLines } from './mail-lines.ts';
import { messageLines, previewLines } from './message-lines.ts';
import { attachmentLines, helpLines, linkLines, mailboxLines } from './overlay-lines.ts';
import { inWindow } from './row.ts';
import { requestLines, requestText, webhookLines } from './webhook-lines.ts';

/** Returns the lines of the whole screen: one for each row, and none wider than the screen. */
export function frameOf(inbox: Inbox, options: FrameOptions): string[] {
  const { layout, style } = options;
  const { columns, rows, height, listWidth, detailWidth } = layout;
  const top = headerLines(inbox, layout, style);
  const bottom = bottomLines(inbox, layout, style);
  const { left, right } = openBody(inbox, options);
  // A long notice covers the last lines of the body.
  const room = Math.max(0, Math.min(height, rows - top.length - bottom.length));
  const body = Array.from({ length: room }, (_, at) =>
    right === null
      ? (left[at] ?? '')
      : `${filled(left[at] ?? '', listWidth)}${style.dim('│')}${clip(right[at] ?? '', detailWidth)}`,
  );
  return [...top, ...body, ...bottom].slice(0, rows).map((line) => clip(line, columns));
}

/** The lines between header and footer, in one pane or two. */
interface Body {
  readonly left: readonly string[];
  readonly right: readonly string[] | null;
}

function openBody(inbox: Inbox, options: FrameOptions): Body {
  const { layout, style, now, reading, directory } = options;
  const { split, height, listWidth, detailWidth, columns } = layout;
  const whole = { width: columns, height, style, now };
  const { overlay, tab, mail, webhooks } = inbox;
  if (overlay?.kind === 'help') return { left: part(inbox, reading, height, style), right: null };
  if (overlay?.kind === 'mailboxes') return { left: mailboxLines(mail, whole), right: null };
  if (tab === 'authenticators')
    return { left: orEmpty(codeLines(inbox.codes, whole), codesEmpty(inbox), whole), right: null };
  if (tab === 'webhooks' && webhooks.webhookId === null) {
    const empty = webhooks.loaded ? ['No webhooks yet.', 'Create one with `mailcap webhooks create`.'] : ['loading …'];
    return { left: orEmpty(webhookLines(webhooks, whole), empty, whole), right: null };
  }
  const detail = { width: detailWidth, height, style, now };
  const list = { ...detail, width: split ? listWidth : columns, isBeside: split };
  const open = detailOf(inbox, detail, reading, directory);
  if (!split) return { left: open ?? listLines(inbox, list), right: null };
  return { left: listLines(inbox, list), right: open ?? preview(inbox, detail) };
}

export function openTextLines(inbox: Inbox, layout: Layout, style: Style, now: number): readonly string[] {
  const column = { width: layout.detailWidth, style, now };
  const { mail, webhooks } = inbox;
  switch (isReading(inbox)) {
    case 'help':
      return helpLines(layout.columns, style);
    case 'mail': {
      const row = selectedRow(mail);
      return mail.open === null ? [] : messageLines(mail.open, row?.id === mail.open.id ? row : null, column);
    }
    case 'request':
      return webhooks.open === null ? [] : requestText(webhooks.open, webhooks, column);
    case null:
      return [];
  }
}

function listLines(inbox: Inbox, canvas: Canvas): string[] {
  const { tab, mail, webhooks } = inbox;
  if (tab === 'mail') return orEmpty(mailLines(mail, canvas), mailEmpty(inbox), canvas);
  return orEmpty(
    requestLines(webhooks, canvas),
    listEmpty(webhooks.requests, ['No request was captured yet.']),
    canvas,
  );
}

function detailOf(inbox: Inbox, canvas: Canvas, reading: OpenTextLines, directory: string): readonly string[] | null {
  const { overlay, tab, mail, webhooks } = inbox;
  if (overlay?.kind === 'links') return linkLines(overlay.choice, canvas);
  if (overlay?.kind === 'attachments') return attachmentLines(overlay.choice, directory, canvas);
  const open = tab === 'mail' ? mail.open : webhooks.open;
  return open === null ? null : part(inbox, reading, canvas.height, canvas.style);
}

/** Returns the visible lines of the open text with highlighted matches. */
function part(inbox: Inbox, { lines, matches }: OpenTextLines, height: number, style: Style): readonly string[] {
  const scroll = readScroll(inbox);
  const top = scroll?.top ?? 0;
  const shown = lines.slice(top, top + height);
  if (matches.length === 0) return shown;
  const found = matches.flat();
  return shown.map((line, at) =>
    setOff(
      line,
      found.filter((one) => one.line === top + at),
      style.selected,
    ),
  );
}

function mailEmpty({ mail, connection, notice }: Inbox): string[] {
  // While the reader types a filter, the line of notices is the filter's.
  if (mail.filter !== '' && listOf(mail).failed && notice?.tone === 'bad')
    return [harmlessLine(notice.text, 400), 'esc removes the filter.'];
  if (mail.filter !== '')
    return listEmpty(listOf(mail), [
      `No message contains “${harmlessLine(mail.filter, 60)}”.`,
      'esc removes the filter.',
    ]);
  const mailbox = mail.mailboxes.items.find(({ id }) => id === mail.mailboxId);
  // The mailboxes are unknown until the connection is established.
  if (mailbox === undefined) return [connection.state === 'live' ? 'There is no mailbox.' : 'loading …'];
  return listEmpty(listOf(mail), ['No mail yet.', `Mail to ${mailbox.address} appears here.`]);
}

function listEmpty(list: MessageList<ListRow>, empty: string[]): string[] {
  if (list.failed) return ['The list could not be loaded.', 'ctrl-l tries again.'];
  return list.complete || shownCount(list) > 0 ? empty : ['loading …'];
}

function codesEmpty({ codes, server }: Inbox): string[] {
  if (!codes.loaded) return ['loading …'];
  if (server?.local === false) return ['The cloud API has no list of authenticators.'];
  return ['No authenticators yet.', 'Store one with `mailcap totp add`.'];
}

function orEmpty(lines: string[], empty: readonly string[], { width, height, style }: Canvas): string[] {
  if (lines.length > 0) return lines;
  const said = empty.flatMap((line) => wrapLine(line, Math.max(10, width - 4)));
  const above = Math.max(0, Math.floor((height - said.length) / 3));
  return [...Array<string>(above).fill(''), ...said.map((line, at) => `  ${at === 0 ? line : style.dim(line)}`)];
}

/** Returns the lines of the preview beside the list. */
function preview({ tab, mail, webhooks }: Inbox, canvas: Canvas): readonly string[] {
  const row = tab === 'mail' ? selectedRow(mail) : null;
  if (row !== null) return previewLines(row, mail.preview?.id === row.id ? mail.preview : null, canvas);
  return tab === 'webhooks' && webhooks.requests.rows.length > 0 ? [canvas.style.dim(' enter opens it')] : [];
}

/** A code with fewer seconds left may expire before a person has typed it. */
const NEARLY_OVER = 5;

/** Returns the authenticators with their codes and a bar for the remaining time of each. */
export function codeLines({ authenticators }: CodeState, { width, height, style, now }: Canvas): string[] {
  const longest = Math.max(8, ...authenticators.items.map(({ name }) => widthOf(harmlessLine(name, 100))));
  const nameWidth = Math.min(longest, Math.max(8, width - 2 - 11 - 6 - 2));
  const barWidth = Math.max(0, Math.min(30, width - nameWidth - 23));
  return inWindow(authenticators, height).map(({ item, isChosen }) => {
    const left = secondsLeft(item, now);
    // Names often differ in their last word.
    const name = fill(cutMiddle(harmlessLine(item.name, 100), nameWidth), nameWidth);
    const code = fill(item.code === null ? '––– –––' : grouped(item.code), 9);
    const seconds = `${String(left).padStart(3)} s`;
    const full = Math.round((barWidth * Math.min(left, item.periodSeconds)) / item.periodSeconds);
    const paint = left <= NEARLY_OVER ? style.bad : style.accent;
    const bar = paint('━'.repeat(full)) + style.dim('─'.repeat(Math.max(0, barWidth - full)));
    const mark = isChosen ? style.accent('❯') : ' ';
    const shown = isChosen ? style.accent(style.selected(` ${code}`)) : ` ${style.bold(code)}`;
    return `${mark} ${isChosen ? style.bold(name) : name} ${shown} ${bar} ${style.dim(seconds)}`;
  });
}

/** Splits a code into two groups for reading aloud, such as `481 516` or `4815 1623`. */
function grouped(code: string): string {
  const half = code.length / 2;
  return Number.isInteger(half) && half >= 3 ? `${code.slice(0, half)} ${code.slice(half)}` : code;
}
