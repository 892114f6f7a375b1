import { harmlessLine, harmlessText } from '../../model/harmless.ts';
import type { OpenMail } from '../../model/mail.ts';
import type { Mail, MailRow } from '../../model/resources.ts';
import { saidMoment, saidSize } from '../text/said.ts';
import type { Style } from '../text/style.ts';
import { fill, wrapLine, wrapText } from '../text/width.ts';
import { type Column, columnLines, fieldLines } from './column.ts';
import { subjectOf } from './mail-lines.ts';

const LABEL = 8;
const MAX_LISTED = 12;

/** A message as it is read: what it is, and its body, headers or source. `row` is what the list knows of it. */
export function messageLines(open: OpenMail, row: MailRow | null, column: Column): string[] {
  const mail = open.mail ?? row;
  return columnLines(column, (room) => [
    ...(mail === null ? [] : headLines(mail, open.mail, room)),
    ...(open.mail === null ? [] : [viewsLine(open, open.mail, room.style), '']),
    ...contentLines(open, room),
  ]);
}

/** What the list alone knows of a message. */
export function previewLines(row: MailRow, column: Column): string[] {
  return columnLines(column, (room) => [...headLines(row, null, room), room.style.dim('enter opens it')]);
}

function headLines(row: MailRow, mail: Mail | null, { width, style, now }: Column): string[] {
  const field = (label: string, text: string, paint = (value: string) => value) =>
    text === ''
      ? []
      : wrapLine(text, Math.max(10, width - LABEL)).map(
          (line, at) => style.dim(fill(at === 0 ? label : '', LABEL)) + paint(line),
        );
  const when = `${saidMoment(row.receivedAt, now)} · ${saidSize(row.sizeBytes)}`;
  const spf = mail?.spf == null || mail.spf === 'none' ? '' : ` · SPF ${mail.spf}`;
  return [
    ...wrapLine(subjectOf(row), width).map(style.bold),
    '',
    ...field('from', harmlessLine(row.from, 300)),
    ...field('to', harmlessLine(row.to, 300)),
    ...field('cc', harmlessLine(mail?.cc ?? '')),
    ...field('bcc', harmlessLine(mail?.bcc ?? '')),
    ...field('reply', harmlessLine(mail?.replyTo ?? '')),
    ...field('when', when + spf, style.dim),
    ...(mail === null ? [] : foundLines(mail, field, style)),
    '',
  ];
}

type Field = (label: string, text: string, paint?: (value: string) => string) => string[];

function foundLines(mail: Mail, field: Field, style: Style): string[] {
  const [code] = mail.codes;
  const codes = code?.ambiguous ? mail.codes.filter(({ ambiguous }) => ambiguous) : mail.codes.slice(0, 1);
  const said = codes.map((one) => harmlessLine(one.code, 60)).join('  ');
  const files = mail.attachments.map(
    ({ name, sizeBytes, infected }) =>
      `${harmlessLine(name, 100) || 'unnamed'} (${saidSize(sizeBytes)}${infected ? ', INFECTED' : ''})`,
  );
  const links = mail.links.filter(({ kind }) => kind !== 'other').slice(0, 2);
  return [
    ...field('code', said, (text) => style.accent(style.bold(text))),
    ...links.flatMap(({ kind, url }) =>
      field(kind === 'unsubscribe' ? 'unsub' : kind, harmlessLine(url, 200), style.accent),
    ),
    ...field('files', shortList(files)),
    ...field('parse', harmlessLine(mail.parseError ?? ''), style.bad),
  ];
}

function shortList(items: readonly string[]): string {
  const rest = items.length - MAX_LISTED;
  return items.slice(0, MAX_LISTED).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}

function viewsLine({ view }: OpenMail, mail: Mail, style: Style): string {
  const bodies = [...(mail.text === null ? [] : ['text']), ...(mail.htmlText === null ? [] : ['html'])];
  return [...bodies, 'headers', 'source']
    .map((name) =>
      name === view
        ? style.accent(style.bold(name === 'html' ? 'HTML' : name))
        : style.dim(name === 'html' ? 'HTML' : name),
    )
    .join('  ');
}

function contentLines(open: OpenMail, { width, style }: Column): string[] {
  const { mail, view, failure } = open;
  if (failure !== null) return wrapLine(harmlessLine(failure), width).map(style.bad);
  if (mail === null) return [style.dim('loading …')];
  switch (view) {
    case 'text':
    case 'html': {
      const text = (view === 'html' ? mail.htmlText : mail.text) ?? '';
      return text.trim() === '' ? [style.dim('(no text)')] : wrapText(tidied(harmlessText(text)), width);
    }
    case 'headers':
      return fieldLines(mail.headers, { width, style });
    case 'source':
      return open.source === null ? [style.dim('loading …')] : wrapText(harmlessText(open.source), width);
  }
}

/** No more than one empty line in a row: layout by tables leaves many. */
function tidied(text: string): string {
  return text
    .replace(/[ \t]+$/gm, '')
    .replace(/\n{3,}/g, '\n\n')
    .replace(/^\n+|\n+$/g, '');
}
