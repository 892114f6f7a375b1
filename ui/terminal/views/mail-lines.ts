import { harmlessLine } from '../../model/harmless.ts';
import type { FoundCodes, MailState } from '../../model/mail.ts';
import { listOf } from '../../model/mail.ts';
import { onScreen, selectedIndex } from '../../model/message-list.ts';
import type { MailRow } from '../../model/resources.ts';
import { saidSize, saidTime } from '../../model/said.ts';
import type { Style } from '../text/style.ts';
import { widthOf } from '../text/width.ts';
import { type Cell, roomLeft, rowLine } from './row.ts';

export interface Canvas {
  readonly width: number;
  readonly height: number;
  readonly style: Style;
  /** Milliseconds since 1970 by the server's clock. */
  readonly now: number;
}

/** The list of messages: a line each, newest first. */
export function mailLines(mail: MailState, { width, style, now }: Canvas): string[] {
  const list = listOf(mail);
  const rows = onScreen(list);
  const selected = selectedIndex(list) - list.top;
  const domain = domainOf(mail);
  const times = rows.map(({ receivedAt }) => saidTime(receivedAt, now));
  const timeWidth = width >= 48 ? Math.max(5, ...times.map(widthOf)) : 0;
  const fromWidth = Math.max(8, Math.min(24, Math.floor(width * 0.22)));
  const toWidth = Math.max(6, Math.min(30, Math.floor(width * 0.17)));
  const sizeWidth = width >= 72 ? 6 : 0;
  const filesWidth = width >= 56 && rows.some(({ attachmentCount }) => attachmentCount > 0) ? 3 : 0;
  const subjectWidth = roomLeft(width, [fromWidth, toWidth, sizeWidth, filesWidth, timeWidth]);
  return rows.map((row, index) => {
    const isUnread = !mail.read.has(row.id);
    const strong = isUnread ? style.bold : (text: string) => text;
    const cells: Cell[] = [
      { text: nameOf(row.from), width: fromWidth, paint: strong },
      { text: recipientOf(row.to, domain), width: toWidth, paint: style.dim },
      {
        text: subjectOf(row),
        width: subjectWidth,
        paint: row.subject === '' ? style.dim : strong,
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
    return rowLine(cells, width, mark, style, isUnread);
  });
}

/** The code of a message where there is room for it, else a sign that it has one. */
function codeMark(codes: FoundCodes, width: number): string {
  const [code, another] = codes;
  if (code === undefined) return '';
  const said = another === undefined ? harmlessLine(code, 40) : `${codes.length} codes`;
  return widthOf(said) <= Math.min(14, width - 16) ? `#${said}` : '#';
}

/** What addresses of the mailbox that is shown end with. */
function domainOf({ mailboxes, mailboxId }: MailState): string {
  const address = mailboxes.items.find(({ id }) => id === mailboxId)?.address ?? '';
  return address.startsWith('*@') ? address.slice(1).toLowerCase() : '@';
}

/** Who it is to, in short: of an address in this mailbox the local part, and how many more there are. */
export function recipientOf(to: string, domain: string): string {
  const addresses = harmlessLine(to, 2_000).match(/[^\s<>,;:"]+@[^\s<>,;"]+/g) ?? [];
  const [first] = addresses;
  if (first === undefined) return harmlessLine(to, 80) || '(no To)';
  const short = first.toLowerCase().endsWith(domain) ? first.slice(0, -domain.length) : first;
  return addresses.length > 1 ? `${short} +${addresses.length - 1}` : short;
}

export function subjectOf({ subject }: Pick<MailRow, 'subject'>): string {
  return harmlessLine(subject, 400) || '(no subject)';
}

/** Who it is from, in short: the name where there is one. */
export function nameOf(from: string): string {
  const line = harmlessLine(from, 200);
  const [, name = ''] = /^"?([^"<]*?)"?\s*<[^>]*>\s*$/.exec(line) ?? [];
  return name.trim() || line.replace(/^<|>$/g, '') || '(nobody)';
}
