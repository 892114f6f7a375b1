import { aroundMatch, hiddenMatch, type MatchedSnippet } from '../../../src/text/around-match.ts';
import { harmlessLine } from '../../../src/text/harmless.ts';
import { saidSize, saidTime } from '../../../src/text/said.ts';
import { cutAtWord, widthOf } from '../../../src/text/width.ts';
import { nameOfMessage } from '../../../src/text/wording.ts';
import { type MailRow, onScreen, selectedIndex } from '../../model/message-list.ts';
import { type FoundCodes, isUnread, listOf, type MailState } from '../model/mail.ts';
import type { ColumnLayout } from './column.ts';
import { type Cell, roomLeft, rowLine } from './row.ts';

/** The room of a list. */
export interface Canvas extends ColumnLayout {
  readonly height: number;
  /** True for a list beside which the selected message stands. */
  readonly isBeside?: boolean;
}

/** Returns the list of messages, one a line, newest first. */
export function mailLines(mail: MailState, { width, style, now, isBeside = false }: Canvas): string[] {
  const list = listOf(mail);
  const rows = onScreen(list);
  const selected = selectedIndex(list) - list.top;
  const domain = domainOf(mail);
  const times = rows.map(({ receivedAt }) => saidTime(receivedAt, now));
  const marks = rows.map(({ id }) => widthOf(codeMark(mail.codes.get(id) ?? [], width)));
  const widths = columnsFor(
    width,
    {
      from: Math.max(8, Math.min(24, Math.floor(width * 0.22))),
      to: Math.max(6, Math.min(30, Math.floor(width * 0.17))),
      size: width >= 72 ? 6 : 0,
      files: width >= 56 && rows.some(({ attachmentCount }) => attachmentCount > 0) ? 3 : 0,
      time: width >= 48 ? Math.max(5, ...times.map(widthOf)) : 0,
    },
    Math.max(0, ...marks),
    isBeside,
  );
  const { from: fromWidth, to: toWidth, size: sizeWidth, files: filesWidth, time: timeWidth } = widths;
  const subjectWidth = roomLeft(width, [fromWidth, toWidth, sizeWidth, filesWidth, timeWidth]);
  return rows.map((row, index) => {
    const isNew = isUnread(mail, row);
    const strong = isNew ? style.bold : (text: string) => text;
    const cells: Cell[] = [
      { text: senderName(row.from), width: fromWidth, paint: strong },
      { text: recipientOf(row.to, domain), width: toWidth, paint: style.dim },
      {
        ...subjectWithMatch(row, mail.snippets.get(row.id) ?? '', subjectWidth),
        paintStressed: (text) => style.accent(style.bold(text)),
        width: subjectWidth,
        paint: row.subject === '' && row.kind !== 'sms' ? style.dim : strong,
        end: codeMark(mail.codes.get(row.id) ?? [], subjectWidth),
        paintEnd: style.accent,
      },
      {
        text: row.attachmentCount > 0 ? `+${row.attachmentCount}` : '',
        width: filesWidth,
        right: true,
        paint: style.dim,
      },
      { text: saidSize(row.sizeBytes), width: sizeWidth, right: true, paint: style.dim },
      { text: times[index] ?? '', width: timeWidth, right: true, paint: style.dim },
    ];
    const mark = index !== selected ? 'no' : mail.open === null ? 'selected' : 'open';
    return rowLine(cells, width, mark, style, isNew);
  });
}

/** The characters of a subject that are worth more than the columns beside it. */
const SUBJECT = 30;

type ColumnWidths = Readonly<Record<'from' | 'to' | 'size' | 'files' | 'time', number>>;

/** The widths to which columns shrink for the subject, one after another. */
const SHORTER = [
  ['from', 10],
  ['to', 8],
  ['size', 0],
] as const;
/** The columns that go after that, because the message beside the list shows what they show. */
const TOLD_BESIDE = ['to', 'files', 'time'] as const;

/**
 * Returns the widths of the columns beside the subject. They shrink or go until the beginning of a subject and a code
 * fit. Without the message beside the list the recipient stays: mails of several tests would look the same.
 */
function columnsFor(width: number, ideal: ColumnWidths, markWidth: number, isBeside: boolean): ColumnWidths {
  const needed = SUBJECT + (markWidth === 0 ? 0 : markWidth + 1);
  const lacking = (widths: ColumnWidths) => Math.max(0, needed - roomLeft(width, Object.values(widths)));
  let widths = ideal;
  for (const [name, least] of SHORTER) {
    // A column of size that does not fit whole is left out.
    const shorter = least === 0 ? (lacking(widths) > 0 ? 0 : widths[name]) : widths[name] - lacking(widths);
    widths = { ...widths, [name]: Math.max(Math.min(least, widths[name]), shorter) };
  }
  for (const name of isBeside ? TOLD_BESIDE : []) if (lacking(widths) > 0) widths = { ...widths, [name]: 0 };
  return widths;
}

/** The number of characters before a match that a row shows. */
const BEFORE = 12;

/** Returns the subject, or the words of a text message, and after it what a search found in the mail. */
function subjectWithMatch(row: MailRow, snippet: string, width: number): Pick<Cell, 'text' | 'stressed'> {
  const words = row.kind === 'sms' && snippet !== '' ? harmlessLine(snippet, 400) : subjectOf(row);
  const subject = `${row.starred === true ? `${STAR} ` : ''}${words}${saidTags(row)}`;
  const match = hiddenMatch(row.matches);
  if (match === null) {
    const found = row.matches?.find(({ field }) => field === 'subject');
    return found === undefined ? { text: subject } : { text: subject, stressed: partOf(found) };
  }
  const { before, text, after } = aroundMatch(match, BEFORE);
  const field = match.field === 'body' || match.field === 'header' ? '' : `${match.field}: `;
  const around = harmlessLine(`${field}${before}${text}${after}`);
  return { text: `${cutAtWord(subject, Math.floor(width / 2))} · ${around}`, stressed: partOf(match) };
}

export const STAR = '★';

/** Returns the tags of a message as its row shows them. */
function saidTags({ tags = [] }: MailRow): string {
  return tags.map((tag) => ` [${harmlessLine(tag, 100)}]`).join('');
}

function partOf(match: MatchedSnippet): string {
  return harmlessLine(aroundMatch(match, BEFORE).text, 100);
}

/** Returns the code of a message, or only a `#` if the code does not fit. */
function codeMark(codes: FoundCodes, width: number): string {
  const [code, another] = codes;
  if (code === undefined) return '';
  const said = another === undefined ? harmlessLine(code, 40) : `${codes.length} codes`;
  return widthOf(said) <= Math.min(14, width - 16) ? `#${said}` : '#';
}

/** Returns the common ending of the addresses of the visible mailbox. */
function domainOf({ mailboxes, mailboxId }: MailState): string {
  const address = mailboxes.items.find(({ id }) => id === mailboxId)?.address ?? '';
  return address.startsWith('*@') ? address.slice(1).toLowerCase() : '@';
}

/**
 * Returns a short form of the recipients: the first one, and the number of others. An address of this mailbox is
 * shortened to its local part.
 */
export function recipientOf(to: string, domain: string): string {
  const addresses = harmlessLine(to, 2_000).match(/(?<![^\s<>,;:"])[^\s<>,;:"]+@[^\s<>,;"]+/g) ?? [];
  const [first] = addresses;
  if (first === undefined) return harmlessLine(to, 80) || '(no To)';
  const short = first.toLowerCase().endsWith(domain) ? first.slice(0, -domain.length) : first;
  return addresses.length > 1 ? `${short} +${addresses.length - 1}` : short;
}

export function subjectOf(row: Pick<MailRow, 'kind' | 'subject'>): string {
  return nameOfMessage(row, 400);
}

/** Returns the display name of the sender, or else the address. */
export function senderName(from: string): string {
  const line = harmlessLine(from, 200);
  const [, name = ''] = /^"?([^"<]*?)"?\s*<[^>]*>\s*$/.exec(line) ?? [];
  return name.trim() || line.replace(/^<|>$/g, '') || '(nobody)';
}
