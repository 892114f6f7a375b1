/** The fields by which the same mail is recognised in another test run. */
export interface Likeable {
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
export function isLike(one: Likeable, other: Likeable): boolean {
  return (
    senderAddress(one.from) === senderAddress(other.from) && subjectShape(one.subject) === subjectShape(other.subject)
  );
}

/** Returns the newest mail before another one that is like it, or null. `mails` are sorted newest first. */
export function likeBefore<Mail extends Likeable>(mails: readonly Mail[], mail: Likeable): Mail | null {
  return mails.find((other) => other.id < mail.id && isLike(other, mail)) ?? null;
}

/** Returns the search words that find all mails of a sender. */
export function searchOfSender(from: string): string {
  const address = senderAddress(from);
  return address === '' ? '' : `from:"${address.replace(/["\\]/g, '\\$&')}"`;
}
