import { ALL_MAIL, type Summary } from './api.ts';
import { compareRoute } from './route.ts';
import type { WebRow } from './state.ts';
import { toWebRow } from './state.ts';
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

/** The fields by which the same mail is recognised in another test run. */
export interface MessageFingerprint {
  /** A ULID. The id of a later message sorts after it. */
  readonly id: string;
  readonly from: string;
  readonly subject: string;
}

/**
 * Returns a subject without the parts that change from run to run: numbers, codes and ids. Two mails of one template
 * have the same result.
 */
export function subjectShape(subject: string): string {
  return subject
    .toLowerCase()
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '#')
    .split(/\s+/)
    .filter((word) => word !== '')
    .map((word) => word.replace(/(?<![\p{L}\p{N}_-])[\p{L}\p{N}_-]*\d[\p{L}\p{N}_.,:-]*/gu, '#'))
    .join(' ');
}

/** Returns the address of a sender without its name, in lower case. */
export function senderAddress(from: string): string {
  return (/<([^<>]*)>\s*$/.exec(from)?.[1] ?? from).trim().toLowerCase();
}

/** Returns whether two mails look like the same mail in two test runs: equal senders, and subjects of equal shape. */
export function isLike(one: MessageFingerprint, other: MessageFingerprint): boolean {
  return (
    senderAddress(one.from) === senderAddress(other.from) && subjectShape(one.subject) === subjectShape(other.subject)
  );
}

/** Returns the newest mail before another one that is like it, or null. `mails` are sorted newest first. */
export function likeBefore<Mail extends MessageFingerprint>(
  mails: readonly Mail[],
  mail: MessageFingerprint,
): Mail | null {
  return mails.find((other) => other.id < mail.id && isLike(other, mail)) ?? null;
}

/** Returns the search words that find all mails of a sender. */
export function searchOfSender(from: string): string {
  const address = senderAddress(from);
  return address === '' ? '' : `from:"${address.replace(/["\\]/g, '\\$&')}"`;
}
