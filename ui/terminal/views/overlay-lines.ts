import type { Choice } from '../../model/choice.ts';
import { harmlessLine } from '../../model/harmless.ts';
import { KEYS, nameOf, type Place } from '../../model/keys.ts';
import type { MailState } from '../../model/mail.ts';
import type { AttachmentItem, LinkItem } from '../../model/resources.ts';
import { saidSize } from '../text/said.ts';
import type { Style } from '../text/style.ts';
import { fill, widthOf } from '../text/width.ts';
import type { Canvas } from './mail-lines.ts';
import { type Cell, roomLeft, rowLine, windowTop } from './row.ts';

export function mailboxLines({ mailboxes, unread, mailboxId }: MailState, canvas: Canvas): string[] {
  const { width, style } = canvas;
  const nameWidth = Math.max(8, Math.min(32, Math.floor(width * 0.3)));
  const newWidth = 8;
  return chooser('Mailboxes', mailboxes, canvas, ({ id, name, address }) => {
    const count = unread.get(id) ?? 0;
    return [
      { text: `${id === mailboxId ? '• ' : '  '}${harmlessLine(name, 100)}`, width: nameWidth },
      { text: harmlessLine(address, 200), width: roomLeft(width, [nameWidth, newWidth]), paint: style.dim },
      { text: count === 0 ? '' : `${count} new`, width: newWidth, right: true, paint: style.accent },
    ];
  });
}

export function linkLines(choice: Choice<LinkItem>, canvas: Canvas): string[] {
  const { width, style } = canvas;
  const kindWidth = 11;
  const textWidth = width >= 60 ? Math.min(28, Math.floor(width * 0.3)) : 0;
  return chooser('Links', choice, canvas, ({ kind, text, url, tracker }) => [
    { text: kind === 'other' ? '' : kind, width: kindWidth, paint: style.accent },
    { text: harmlessLine(text, 100), width: textWidth },
    {
      text: harmlessLine(url, 400) + (tracker === null ? '' : ` (tracked by ${harmlessLine(tracker, 40)})`),
      width: roomLeft(width, [kindWidth, textWidth]),
      paint: style.dim,
    },
  ]);
}

export function attachmentLines(choice: Choice<AttachmentItem>, canvas: Canvas): string[] {
  const { width, style } = canvas;
  const typeWidth = width >= 60 ? 26 : 0;
  const sizeWidth = 7;
  const stateWidth = choice.items.some(({ infected }) => infected) ? 8 : 0;
  return chooser('Attachments', choice, canvas, ({ name, contentType, sizeBytes, infected }) => [
    {
      text: harmlessLine(name, 200) || 'unnamed',
      width: roomLeft(width, [stateWidth, typeWidth, sizeWidth]),
    },
    { text: infected ? 'INFECTED' : '', width: stateWidth, paint: style.bad },
    { text: harmlessLine(contentType, 60), width: typeWidth, paint: style.dim },
    { text: saidSize(sizeBytes), width: sizeWidth, right: true, paint: style.dim },
  ]);
}

function chooser<Item>(
  title: string,
  { items, index }: Choice<Item>,
  { width, height, style }: Canvas,
  cells: (item: Item) => readonly Cell[],
): string[] {
  const room = Math.max(1, height - 2);
  const top = windowTop(index, items.length, room);
  const rows = items
    .slice(top, top + room)
    .map((item, at) => rowLine(cells(item), width, top + at === index ? 'selected' : 'no', style));
  const count = items.length > room ? style.dim(`  ${index + 1} of ${items.length}`) : '';
  return [`  ${style.bold(title)}${count}`, '', ...rows];
}

const GROUPS: readonly (readonly [title: string, places: readonly Place[]])[] = [
  ['Everywhere', ['messages', 'message', 'webhooks', 'requests', 'request', 'authenticators']],
  ['Mail', ['messages', 'message']],
  ['Webhooks', ['webhooks', 'requests', 'request']],
  ['Asking', ['confirm', 'filter']],
];

/** Every key, from the one table. Two columns where there is room. */
export function helpLines(width: number, style: Style): string[] {
  const told = new Set<object>();
  const groups = GROUPS.map(([title, places], at) => {
    const rows = KEYS.filter((row) => !told.has(row) && belongs(row.in, places, at === 0));
    for (const row of rows) told.add(row);
    return rows.length === 0 ? [] : [style.accent(style.bold(title)), ...rows.map((row) => helpLine(row, style)), ''];
  });
  if (width < 90) return groups.flat().map(indent);
  const [everywhere = [], ...others] = groups;
  const right = others.flat();
  const column = Math.floor((Math.min(width, 130) - 4) / 2);
  return Array.from({ length: Math.max(everywhere.length, right.length) }, (_, at) => {
    const left = everywhere[at] ?? '';
    return indent(left + ' '.repeat(Math.max(1, column - widthOf(left))) + (right[at] ?? ''));
  });
}

function belongs(rows: readonly Place[], places: readonly Place[], all: boolean): boolean {
  return all
    ? places.every((place) => rows.includes(place)) || rows.includes('help')
    : rows.some((place) => places.includes(place));
}

function helpLine({ keys, help }: (typeof KEYS)[number], style: Style): string {
  return style.bold(fill(keys.map(nameOf).join(' '), 18)) + help;
}

function indent(line: string): string {
  return line === '' ? '' : `  ${line}`;
}
