import type { WebRow } from './state.ts';

/** What the copies of one mail have in common. */
const COMMON = ['receivedAt', 'sizeBytes', 'subject', 'from', 'to'] as const;
/** The most copies of one mail that are counted. */
const MOST_COPIES = 100;

/**
 * Returns the place of a row of the list of all mailboxes among the copies of one mail, from 1, and their number. The
 * server stores the copies of a mail for several mailboxes in one transaction, so they stand beside each other and came
 * at the same moment. A mail of which the list has one copy is the first of one.
 */
export function copyPlaceOf(rows: readonly WebRow[], at: number): readonly [number: number, count: number] {
  const row = rows[at];
  // Each mailbox has one copy, so a second one in the same mailbox belongs to another mail.
  const seen = new Set([row?.mailboxId]);
  const reach = (step: number) => {
    let next = at + step;
    for (
      let copy = rows[next];
      seen.size < MOST_COPIES && copy && row && !seen.has(copy.mailboxId);
      copy = rows[next]
    ) {
      if (COMMON.some((name) => copy?.[name] !== row[name])) break;
      seen.add(copy.mailboxId);
      next += step;
    }
    return Math.abs(next - at);
  };
  const place = reach(-1);
  reach(1);
  return [place, seen.size];
}
