import { likeBefore, searchOfSender } from '../model/likeness.ts';
import { compareRoute } from '../model/route.ts';
import { ALL_MAIL, type Summary } from './api.ts';
import { toWebRow } from './mail-desk.ts';
import type { WebRow } from './state.ts';
import type { WebShell } from './web-shell.ts';

/** The number of earlier mails of a sender among which the similar mail is searched. */
const LOOKED_AT = 200;

/**
 * Shows two messages side by side: the two selected ones, or one message and the newest earlier message that is
 * similar, from any mailbox. If there is none, the page asks for the other message.
 */
export function compareMessages(shell: WebShell, rows: readonly WebRow[]): void {
  const [one, other] = rows;
  if (one === undefined) return;
  if (rows.length > 2) shell.say('Select two messages to compare.');
  else if (other !== undefined) shell.go(compareRoute(one.id, other.id));
  else void compareWithLike(shell, one);
}

async function compareWithLike(shell: WebShell, row: WebRow): Promise<void> {
  const earlier = await shell.attempt(() => mailsOfSender(shell, row.from, row.id));
  if (earlier === null) return;
  const like = likeBefore(earlier, row);
  if (like === null) shell.go({ at: 'compare', leftId: null, rightId: row.id, tab: null });
  else shell.go(compareRoute(like.id, row.id));
}

/** Loads the mails of a sender in all mailboxes, newest first, or those before one of them. */
export async function mailsOfSender(
  shell: WebShell,
  from: string,
  before: string | null = null,
): Promise<readonly WebRow[]> {
  const query = searchOfSender(from);
  const { items } = await shell.api.messages(ALL_MAIL, { query, limit: LOOKED_AT, before });
  return items.map((item: Summary) => toWebRow(item, ''));
}
