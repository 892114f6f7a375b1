import type { MessageContent, MessageFacts } from '../app/api.ts';

/** A message with everything that a comparison needs. */
export interface LoadedMail {
  readonly facts: MessageFacts;
  readonly content: MessageContent;
}

// The facts of a mail in the order in which two mails are compared.

/** The facts of a mail that are compared in addition to its subject and its bodies. */
export interface ComparedMail {
  readonly from: string;
  readonly to: string;
  readonly cc: string;
  readonly replyTo: string;
  readonly size: string;
  readonly codes: readonly string[];
  readonly links: readonly string[];
  readonly attachments: readonly string[];
}

/** One fact of two mails. Each side lists only what the other does not have. */
export interface FactRow {
  readonly name: string;
  readonly left: readonly string[];
  readonly right: readonly string[];
  readonly same: boolean;
}

const NAMES: readonly (readonly [name: string, of: (mail: ComparedMail) => readonly string[]])[] = [
  ['From', ({ from }) => [from]],
  ['To', ({ to }) => [to]],
  ['Cc', ({ cc }) => [cc]],
  ['Reply to', ({ replyTo }) => [replyTo]],
  ['Codes', ({ codes }) => codes],
  ['Links', ({ links }) => links],
  ['Files', ({ attachments }) => attachments],
  ['Size', ({ size }) => [size]],
];

/** Returns the facts of two mails beside each other, without those that neither has. */
export function comparedFacts(left: ComparedMail, right: ComparedMail): readonly FactRow[] {
  return NAMES.flatMap(([name, of]) => {
    const [one, other] = [of(left).filter(isText), of(right).filter(isText)];
    if (one.length + other.length === 0) return [];
    const [mine, theirs] = [without(one, other), without(other, one)];
    return [{ name, left: mine, right: theirs, same: mine.length + theirs.length === 0 }];
  });
}

/** Removes the entries of another list. An entry is removed as often as the other list contains it. */
function without(list: readonly string[], other: readonly string[]): readonly string[] {
  const left = [...other];
  return list.filter((one) => {
    const at = left.indexOf(one);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

function isText(text: string): boolean {
  return text !== '';
}
