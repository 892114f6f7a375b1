import { saidCount } from '../../src/text/said.ts';
import { NO_SUBJECT } from '../model/words.ts';
import type { Machine } from './ports.ts';
import type { WebRow } from './state.ts';

/** Notifies the reader of new messages. A click on the notification opens the first of them. */
export function notifyOf(machine: Machine, rows: readonly WebRow[], open: (row: WebRow) => void): void {
  const [first] = rows;
  if (first === undefined) return;
  const title = rows.length === 1 ? first.subject || NO_SUBJECT : saidCount(rows.length, 'new message');
  machine.notify(title, rows.length === 1 ? first.from : '', () => open(first));
}
