import type { WebRow } from './state.ts';

/** The place of a row among the copies of one mail that came to several mailboxes at once. */
export interface CopyPlace {
  /** From 1. */
  readonly number: number;
  readonly count: number;
}

/** The most copies of one mail that are counted. */
const MOST_COPIES = 100;

/**
 * Returns the place of a row of the list of all mailboxes among the copies of one mail. The server stores the copies of
 * a mail for several mailboxes in one transaction, so they stand beside each other and came at the same moment. Null for
 * a mail of which the list has one copy.
 */
export function copyPlaceOf(rows: readonly WebRow[], at: number): CopyPlace | null {
  const row = rows[at];
  if (row === undefined) return null;
  // Each mailbox has one copy, so a second one in the same mailbox belongs to another mail.
  const seen = new Set([row.mailboxId]);
  const count = (step: number) => {
    let number = 0;
    for (
      let next = rows[at + step];
      seen.size < MOST_COPIES && next !== undefined;
      next = rows[at + step * (number + 1)]
    ) {
      if (seen.has(next.mailboxId) || !isCopy(row, next)) break;
      seen.add(next.mailboxId);
      number++;
    }
    return number;
  };
  const before = count(-1);
  const after = count(1);
  return before + after === 0 ? null : { number: before + 1, count: before + 1 + after };
}

function isCopy(one: WebRow, other: WebRow): boolean {
  return (
    other.receivedAt === one.receivedAt &&
    other.sizeBytes === one.sizeBytes &&
    other.subject === one.subject &&
    other.from === one.from &&
    other.to === one.to
  );
}
