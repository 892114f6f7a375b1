import { harmlessLine } from '../../../src/text/harmless.ts';
import { holdsMail, namelessAs } from '../../../src/text/mail-type.ts';
import { saidSize } from '../../../src/text/said.ts';
import { cut, fill, shortUrl, widthOf, wrapLine } from '../../../src/text/width.ts';
import { type FocusPlace, keyName, TERMINAL_KEYS } from '../../model/keys.ts';
import type { Choice } from '../model/choice.ts';
import type { MailState } from '../model/mail.ts';
import type { AttachmentItem, LinkItem } from '../model/resources.ts';
import { filled, type Style } from '../text/style.ts';
import type { Canvas } from './mail-lines.ts';
import { type Cell, inWindow, type Mark, roomLeft, rowLine } from './row.ts';

export function mailboxLines({ mailboxes, unread, mailboxId }: MailState, canvas: Canvas): string[] {
  const { width, style } = canvas;
  const nameWidth = Math.max(8, Math.min(32, Math.floor(width * 0.3)));
  const newWidth = 8;
  return chooser({ title: 'Mailboxes' }, mailboxes, canvas, ({ id, name, address }) => {
    const count = unread.get(id) ?? 0;
    const cells: Cell[] = [
      { text: `${id === mailboxId ? '• ' : '  '}${harmlessLine(name, 100)}`, width: nameWidth },
      { text: harmlessLine(address, 200), width: roomLeft(width, [nameWidth, newWidth]), paint: style.dim },
      { text: count === 0 ? '' : `${count} new`, width: newWidth, right: true, paint: style.accent },
    ];
    return [cells];
  });
}

/** The least width at which a link and its text share a line. */
const ONE_LINE_FROM = 100;

/** Returns the links of a message with number, kind, text and address. A narrow screen has two lines for each link. */
export function linkLines(choice: Choice<LinkItem>, canvas: Canvas): string[] {
  const { width, style } = canvas;
  const numberWidth = String(choice.items.length).length + 2;
  const kindWidth = Math.max(...choice.items.map(({ kind }) => kind.length));
  const isWide = width >= ONE_LINE_FROM;
  const textWidth = isWide ? Math.min(28, Math.floor(width * 0.3)) : roomLeft(width, [numberWidth, kindWidth]);
  const urlWidth = isWide ? roomLeft(width, [numberWidth, kindWidth, textWidth]) : roomLeft(width, [numberWidth]);
  return chooser({ title: 'Links' }, choice, canvas, ({ kind, text, url, tracker }, index) => {
    const tracked = tracker === null ? '' : `(tracked by ${harmlessLine(tracker, 40)})`;
    const [said, address] = [harmlessLine(text, 100), harmlessLine(url, 8_000)];
    // A link without a text of its own has its address as text.
    const head: Cell[] = [
      { text: `[${index + 1}]`, width: numberWidth, right: true, paint: style.dim },
      { text: kind, width: kindWidth, paint: kind === 'other' ? style.dim : style.accent },
      { text: isWide || text !== url ? said : '', width: textWidth },
    ];
    const where: Cell = { text: shortUrl(address, urlWidth), width: urlWidth, paint: style.dim };
    if (isWide) {
      const room = urlWidth - widthOf(tracked) - 1;
      return [[...head, tracked === '' ? where : { ...where, text: shortUrl(address, room), end: tracked }]];
    }
    const room = textWidth - 1 - Math.min(widthOf(said), textWidth >> 1);
    return [
      head.map((cell, at) => (at === 2 && tracked !== '' ? { ...cell, end: cut(tracked, room) } : cell)),
      [{ text: '', width: numberWidth }, where],
    ];
  });
}

export function attachmentLines(choice: Choice<AttachmentItem>, directory: string, canvas: Canvas): string[] {
  const { width, style } = canvas;
  const typeWidth = width >= 60 ? 26 : 0;
  const sizeWidth = 7;
  const stateWidth = choice.items.some(({ infected }) => infected) ? 8 : 0;
  const mail = choice.items.some(({ contentType }) => holdsMail(contentType.toLowerCase())) ? ', r reads a mail' : '';
  const title = { title: 'Attachments', more: `enter saves into ${directory}${mail}` };
  return chooser(title, choice, canvas, ({ name, contentType, sizeBytes, infected }) => [
    [
      {
        text: harmlessLine(name, 200) || namelessAs(contentType),
        width: roomLeft(width, [stateWidth, typeWidth, sizeWidth]),
      },
      { text: infected ? 'INFECTED' : '', width: stateWidth, paint: style.bad },
      { text: harmlessLine(contentType, 60), width: typeWidth, paint: style.dim },
      { text: saidSize(sizeBytes), width: sizeWidth, right: true, paint: style.dim },
    ],
  ]);
}

interface Title {
  readonly title: string;
  /** The result of choosing an entry, if it needs an explanation. */
  readonly more?: string;
}

function chooser<Item>(
  { title, more = '' }: Title,
  choice: Choice<Item>,
  { width, height, style }: Canvas,
  linesOf: (item: Item, index: number) => readonly (readonly Cell[])[],
): string[] {
  const told =
    more === '' ? [] : wrapLine(more, Math.max(10, width - 4)).slice(0, Math.max(0, Math.min(3, height - 4)));
  const { items, index } = choice;
  const [first] = items;
  const linesOfEach = first === undefined ? 1 : linesOf(first, 0).length;
  const room = Math.max(1, Math.floor((height - 2 - told.length) / linesOfEach));
  const rows = inWindow(choice, room).flatMap(({ item, at, isChosen }) =>
    linesOf(item, at).map((cells, line) => rowLine(cells, width, markOf(isChosen, line), style)),
  );
  const count = items.length > room ? style.dim(`  ${index + 1} of ${items.length}`) : '';
  const head = [`   ${style.bold(title)}${count}`, ...told.map((line) => `   ${style.dim(line)}`), ''];
  return [...head.slice(0, Math.max(0, height - rows.length)), ...rows];
}

/** Returns the mark of a line of an entry. Only the first line of the selected entry has the pointer. */
function markOf(isChosen: boolean, line: number): Mark {
  return !isChosen ? 'no' : line === 0 ? 'selected' : 'continued';
}

const GROUPS: readonly (readonly [title: string, places: readonly FocusPlace[]])[] = [
  ['Everywhere', ['messages', 'message', 'webhooks', 'requests', 'request', 'authenticators']],
  ['Mail', ['messages', 'message', 'mailboxes', 'links', 'attachments']],
  ['Webhooks', ['webhooks', 'requests', 'request']],
  ['Authenticators', ['authenticators']],
  ['Filter', ['filter']],
];

const SIGNS: readonly (readonly [sign: string, meaning: string])[] = [
  ['•', 'not opened yet'],
  ['#481516', 'the code in the message; # alone on a narrow screen'],
  ['+2', 'attachments'],
  ['★ [spring]', 'a star, and a tag'],
];

const KEY_WIDTH = 17;
/** The least width of a column of the help, the space between two, and the most columns. */
const [LEAST_COLUMN, BETWEEN, MOST_COLUMNS] = [56, 3, 3];

/**
 * Returns the help: every key of the key table and the symbols of the list. It has as many columns as make it short, and
 * they end at much the same line.
 */
export function helpLines(width: number, style: Style): string[] {
  const counts = Array.from({ length: MOST_COLUMNS }, (_, at) => at + 1);
  const layouts = counts
    .map((count) => ({ count, room: Math.floor((width - 3 - BETWEEN * (count - 1)) / count) }))
    .filter(({ count, room }) => count === 1 || room >= LEAST_COLUMN)
    .map(({ count, room }) => inColumns(sectionsOf(room, style), count, room));
  const [shortest = []] = layouts.sort((one, other) => one.length - other.length);
  return shortest.map(indent);
}

/** A section of the help. Its entries stay whole where a column ends. */
interface HelpSection {
  readonly title: string;
  readonly entries: readonly (readonly string[])[];
}

function sectionsOf(room: number, style: Style): HelpSection[] {
  const told = new Set<object>();
  const groups = GROUPS.map(([title, places], at) => {
    const rows = TERMINAL_KEYS.filter((row) => !told.has(row) && belongs(row.in, places, at === 0));
    for (const row of rows) told.add(row);
    return { title, rows: rows.map((row) => [row.keys.map(keyName).join(' '), row.help + whereOf(row.in)] as const) };
  });
  return [...groups, { title: 'In the list', rows: SIGNS }].map(({ title, rows }) => ({
    title: style.accent(style.bold(title)),
    entries: rows.map(([term, meaning]) => entry(term, meaning, room, style)),
  }));
}

/** Lays out sections in columns of the least height that holds them all. */
function inColumns(sections: readonly HelpSection[], count: number, room: number): string[] {
  const total = columnsOf(sections, Number.POSITIVE_INFINITY).flat().length;
  for (let height = Math.ceil(total / count); ; height += 1) {
    const columns = columnsOf(sections, height);
    if (columns.length > count) continue;
    return Array.from({ length: Math.max(...columns.map(({ length }) => length)) }, (_, at) =>
      columns
        .map((lines) => filled(lines[at] ?? '', room))
        .join(' '.repeat(BETWEEN))
        .trimEnd(),
    );
  }
}

/** Breaks sections into columns of at most `height` lines. A section that goes on repeats its title. */
function columnsOf(sections: readonly HelpSection[], height: number): string[][] {
  const columns: string[][] = [[]];
  for (const { title, entries } of sections) {
    const last = columns.at(-1) ?? [];
    const begins = (columns.at(-1)?.length ?? 0) > 0 ? ['', title] : [title];
    const [first = []] = entries;
    if (last.length > 0 && last.length + begins.length + first.length > height) columns.push([title]);
    else last.push(...begins);
    for (const lines of entries) {
      const column = columns.at(-1) ?? [];
      if (column.length > 1 && column.length + lines.length > height) columns.push([title, ...lines]);
      else column.push(...lines);
    }
  }
  return columns;
}

/** The names in the help of the views that are not named as their place. */
const VIEWS: Readonly<Partial<Record<FocusPlace, string>>> = { messages: 'list', filter: 'a filter or search' };
const OF_READER: readonly FocusPlace[] = [
  ...(['messages', 'message', 'mailboxes', 'links', 'attachments'] as const),
  ...(['webhooks', 'requests', 'request', 'authenticators', 'help'] as const),
];
/** The number of views up to which the help names the views without a key instead of those with it. */
const MOST_EXCEPTIONS = 2;

/** Returns the views in which a key works, as ` (list, message)`; empty if it works in all. */
export function whereOf(places: readonly FocusPlace[]): string {
  const named = (all: readonly FocusPlace[]) => all.map((place) => VIEWS[place] ?? place).join(', ');
  const others = OF_READER.filter((place) => !places.includes(place));
  if (others.length === 0) return '';
  const isShorter = others.length <= MOST_EXCEPTIONS && places.length > others.length;
  return isShorter ? ` (not in: ${named(others)})` : ` (${named(places)})`;
}

function belongs(rows: readonly FocusPlace[], places: readonly FocusPlace[], all: boolean): boolean {
  return all
    ? places.every((place) => rows.includes(place)) || rows.includes('help')
    : rows.some((place) => places.includes(place));
}

/** Returns a term and its meaning. The meaning continues on indented lines. */
function entry(term: string, meaning: string, width: number, style: Style): string[] {
  const termWidth = Math.min(KEY_WIDTH, Math.floor(width / 2));
  const terms = wrapLine(term, termWidth - 1);
  const meanings = wrapLine(meaning, width - termWidth);
  return Array.from({ length: Math.max(terms.length, meanings.length) }, (_, at) =>
    `${style.bold(fill(terms[at] ?? '', termWidth))}${meanings[at] ?? ''}`.trimEnd(),
  );
}

function indent(line: string): string {
  return line === '' ? '' : `  ${line}`;
}
