import { harmlessLine } from '../../model/harmless.ts';
import type { MailState } from '../../model/mail.ts';
import { listOf } from '../../model/mail.ts';
import { onScreen, selectedIndex } from '../../model/message-list.ts';
import type { MailRow } from '../../model/resources.ts';
import { saidSize, saidTime } from '../text/said.ts';
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
  const times = rows.map(({ receivedAt }) => saidTime(receivedAt, now));
  const timeWidth = Math.max(5, ...times.map(widthOf));
  const fromWidth = Math.max(8, Math.min(26, Math.floor(width * 0.24)));
  const toWidth = width >= 96 ? Math.min(34, Math.floor(width * 0.2)) : 0;
  const sizeWidth = width >= 60 ? 6 : 0;
  const filesWidth = width >= 50 && rows.some(({ attachmentCount }) => attachmentCount > 0) ? 3 : 0;
  const subjectWidth = roomLeft(width, [fromWidth, toWidth, sizeWidth, filesWidth, timeWidth]);
  return rows.map((row, index) => {
    const cells: Cell[] = [
      { text: nameOf(row.from), width: fromWidth },
      { text: subjectOf(row), width: subjectWidth, ...(row.subject === '' ? { paint: style.dim } : {}) },
      { text: harmlessLine(row.to, 80), width: toWidth, paint: style.dim },
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
    return rowLine(cells, width, mark, style);
  });
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
