import type { Writable } from 'node:stream';
import { harmlessLine } from '../model/harmless.ts';
import { saidSize, saidTime } from '../model/said.ts';
import { now } from './environment.ts';
import type { Backend } from './shell/backend.ts';
import { loadMessages } from './shell/load-messages.ts';
import { fill, fillRight } from './text/width.ts';
import { nameOf, subjectOf } from './views/mail-lines.ts';

const PIPED_WIDTH = 120;

/** Prints the newest messages, one a line. The inbox does this when its output is not a terminal. */
export async function printTable(
  backend: Backend,
  openId: string | null,
  stdout: Writable & { readonly columns?: number },
): Promise<number> {
  const mailboxId = openId ?? backend.mailboxId;
  if (mailboxId === null) return 0;
  const loaded = await loadMessages(backend, { do: 'load-messages', mailboxId, before: null, query: '' });
  const rows = loaded.is === 'messages' ? loaded.rows : [];
  const width = stdout.columns || PIPED_WIDTH;
  const subject = Math.max(10, width - 60);
  for (const row of rows) {
    const cells = [
      fill(saidTime(row.receivedAt, now()), 11),
      fill(nameOf(row.from), 22),
      fill(harmlessLine(row.to, 100), 14),
      fill(subjectOf(row), subject),
      fillRight(saidSize(row.sizeBytes), 6),
    ];
    stdout.write(`${cells.join(' ').trimEnd()}\n`);
  }
  return 0;
}
