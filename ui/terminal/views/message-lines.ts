import { harmlessLine, harmlessText } from '../../../src/text/harmless.ts';
import { namelessAs } from '../../../src/text/mail-type.ts';
import { saidMoment, saidSize } from '../../../src/text/said.ts';
import { cut, fill, wrapLine, wrapText } from '../../../src/text/width.ts';
import type { MailRow } from '../../model/message-list.ts';
import { bodyOf, codesToTell, type MailView, type OpenMail, type Preview, viewsOf } from '../model/mail.ts';
import type { Mail, RichText } from '../model/resources.ts';
import { harmlessRich, wrapRich } from '../text/rich.ts';
import type { Style } from '../text/style.ts';
import { type ColumnLayout, columnLines, fieldLines } from './column.ts';
import { type Canvas, STAR, subjectOf } from './mail-lines.ts';

const LABEL = 8;
const MAX_LISTED = 12;

/** Returns the lines of an open message: its summary, and its body, headers or source. `row` is its row in the list. */
export function messageLines(open: OpenMail, row: MailRow | null, column: ColumnLayout): string[] {
  const mail = open.mail ?? row;
  return columnLines(column, (room) => [
    ...outerLines(open, room),
    ...(mail === null ? [] : headLines(mail, open.mail, room)),
    ...(open.mail === null ? [] : [...viewsLines(open.view, open.mail, room), '']),
    ...contentLines(open, room),
  ]);
}

/** Returns the line above an attached mail, which names the mail around it. */
function outerLines({ outer }: OpenMail, { width, style }: ColumnLayout): string[] {
  if (outer === null) return [];
  const subject = outer.mail === null ? 'a message' : subjectOf(outer.mail);
  return [style.dim(cut(`attached to ${subject}`, width)), ''];
}

/** Returns as much of the selected message as fits beside the list. */
export function previewLines(row: MailRow, preview: Preview | null, { width, height, style, now }: Canvas): string[] {
  const lines = columnLines({ width, style, now }, (room) => {
    const mail = preview?.mail ?? null;
    const head = headLines(row, mail, room);
    if (mail === null) {
      const said = preview?.failure ?? 'enter opens it';
      return [...head, ...wrapLine(harmlessLine(said), room.width).map(style.dim)];
    }
    // Only the visible part is laid out.
    return [...head, ...bodyText(mail, bodyOf(mail), 2 * width * height, room)];
  });
  return lines.length <= height ? lines : [...lines.slice(0, height - 1), style.dim(' … enter shows it all')];
}

function headLines(row: MailRow, mail: Mail | null, { width, style, now }: ColumnLayout): string[] {
  const field = (label: string, text: string, paint = (value: string) => value) =>
    text === ''
      ? []
      : wrapLine(text, Math.max(10, width - LABEL)).map(
          (line, at) => style.dim(fill(at === 0 ? label : '', LABEL)) + paint(line),
        );
  const when = `${whenOf(row, mail, now)} · ${saidSize(row.sizeBytes)}`;
  const spf = mail?.spf == null || mail.spf === 'none' ? '' : ` · SPF ${mail.spf}`;
  const to = mail === null || hasTo(mail) ? row.to : '';
  return [
    ...wrapLine(row.starred === true ? `${STAR} ${subjectOf(row)}` : subjectOf(row), width).map(style.bold),
    '',
    ...field('from', harmlessLine(row.from, 300) || '(nobody)'),
    ...field('to', harmlessLine(to, 300) || '(no To)'),
    ...field('cc', harmlessLine(mail?.cc ?? '')),
    ...field('bcc', harmlessLine(mail?.bcc ?? '')),
    ...(mail === null ? [] : field('for', envelopeOf(mail))),
    ...field('reply', harmlessLine(mail?.replyTo ?? '')),
    ...field('when', when + spf, style.dim),
    ...field('tags', (row.tags ?? []).map((tag) => harmlessLine(tag, 100)).join(', '), style.accent),
    ...(mail === null ? [] : foundLines(mail, field, style)),
    '',
  ];
}

/** Returns when a message was received, or the date of an attached mail. */
function whenOf({ receivedAt }: MailRow, mail: Mail | null, now: number): string {
  if (!Number.isNaN(receivedAt)) return saidMoment(receivedAt, now);
  return harmlessLine(mail?.date ?? '', 80) || 'no date';
}

/** Returns whether the mail has a To header. Without one, `to` holds the envelope's recipients. */
function hasTo({ headers }: Mail): boolean {
  return headers.length === 0 || headers.some(([name]) => name.toLowerCase() === 'to');
}

/** Returns the envelope's recipients that no header names. */
function envelopeOf(mail: Mail): string {
  const named = [hasTo(mail) ? mail.to : '', mail.cc, mail.bcc].join(' ').toLowerCase();
  const others = (mail.envelope?.rcptTo ?? []).filter((address) => !named.includes(address.toLowerCase()));
  return shortList(others.map((address) => harmlessLine(address, 200)));
}

type Field = (label: string, text: string, paint?: (value: string) => string) => string[];

function foundLines(mail: Mail, field: Field, style: Style): string[] {
  const said = codesToTell(mail).map((code) => harmlessLine(code, 60));
  const files = mail.attachments.map(
    ({ name, contentType, sizeBytes, infected }) =>
      `${harmlessLine(name, 100) || namelessAs(contentType)} (${saidSize(sizeBytes)}${infected ? ', INFECTED' : ''})`,
  );
  const links = mail.links.filter(({ kind }) => kind !== 'other' && kind !== 'unsubscribe').slice(0, 2);
  return [
    ...field('code', said.join('  '), (text) => style.accent(style.bold(text))),
    ...links.flatMap(({ kind, url }) => field(kind, harmlessLine(url, 200), style.accent)),
    ...field('links', countOfLinks(mail)),
    ...field('files', shortList(files)),
    ...field('parse', harmlessLine(mail.parseError ?? ''), style.bad),
  ];
}

/** Returns the number of links of each kind. */
function countOfLinks({ links }: Mail): string {
  if (links.length === 0) return '';
  const counts = new Map<string, number>();
  for (const { kind } of links) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const kinds = [...counts].sort(([a], [b]) => Number(a === 'other') - Number(b === 'other'));
  const only = kinds.length === 1 && kinds[0]?.[0] === 'other';
  return only
    ? String(links.length)
    : `${links.length}: ${kinds.map(([kind, count]) => `${count} ${kind}`).join(', ')}`;
}

function shortList(items: readonly string[]): string {
  const rest = items.length - MAX_LISTED;
  return items.slice(0, MAX_LISTED).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}

const VIEWS: Readonly<Record<MailView, string>> = { text: 'text', html: 'HTML', headers: 'headers', source: 'source' };

/** Returns the names of the views with the current one highlighted. Tab switches to the next. */
function viewsLines(view: MailView, mail: Mail, { width, style }: ColumnLayout): string[] {
  const views = viewsOf(mail).map((name) => {
    const said = name === view ? `[${VIEWS[name]}]` : ` ${VIEWS[name]} `;
    return name === view ? style.accent(style.bold(said)) : style.dim(said);
  });
  return [views.join(' '), style.dim('─'.repeat(width))];
}

function contentLines(open: OpenMail, column: ColumnLayout): string[] {
  const { mail, view, failure } = open;
  const { width, style } = column;
  if (failure !== null) return wrapLine(harmlessLine(failure), width).map(style.bad);
  if (mail === null) return [style.dim('loading …')];
  switch (view) {
    case 'text':
    case 'html':
      return bodyText(mail, view, Number.POSITIVE_INFINITY, column);
    case 'headers':
      return fieldLines(mail.headers, { width, style });
    case 'source':
      return open.source === null ? [style.dim('loading …')] : wrapText(harmlessText(open.source), width);
  }
}

/** Lays out the first `length` characters of a body. */
function bodyText(mail: Mail, view: 'text' | 'html', length: number, { width, style }: ColumnLayout): string[] {
  if (view === 'html' && mail.html !== null && mail.html.text.trim() !== '') {
    const { text, spans, links } = mail.html;
    const shown = harmlessRich({ text: text.slice(0, length), spans: spans.filter(({ end }) => end <= length), links });
    const targets = text.length > length ? [] : linkTargets(mail, links, width, style);
    return [...wrapRich(shown, width, style), ...targets];
  }
  const text = view === 'html' ? '' : (mail.text ?? '').slice(0, length);
  return text.trim() === '' ? [style.dim('(no text)')] : wrapText(tidied(harmlessText(text)), width);
}

/** Returns the targets of the links that a text refers to by number. */
function linkTargets({ links }: Mail, numbers: RichText['links'], width: number, style: Style): string[] {
  const lines = numbers.flatMap((number) => {
    const url = links[number - 1]?.url;
    return url === undefined
      ? []
      : wrapRich({ text: `[${number}] ${harmlessLine(url, 2_000)}`, spans: [] }, width, style);
  });
  return lines.length === 0 ? [] : ['', ...lines.map(style.dim)];
}

/** Removes repeated empty lines, which table layouts leave behind. */
function tidied(text: string): string {
  return text
    .replace(/(?<![ \t])[ \t]+$/gm, '')
    .replace(/\n{3,}/g, '\n\n')
    .replace(/^\n+|(?<!\n)\n+$/g, '');
}
