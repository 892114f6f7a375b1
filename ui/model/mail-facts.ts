// The facts of a mail in the order in which two mails are compared.

/** What is compared of a mail beside its bodies. */
export interface ComparedMail {
  readonly from: string;
  readonly to: string;
  readonly cc: string;
  readonly replyTo: string;
  readonly subject: string;
  readonly codes: readonly string[];
  readonly links: readonly string[];
  readonly attachments: readonly string[];
  readonly size: string;
}

export interface FactRow {
  readonly name: string;
  readonly left: string;
  readonly right: string;
  readonly same: boolean;
}

const NAMES: readonly (readonly [name: string, of: (mail: ComparedMail) => string])[] = [
  ['Subject', ({ subject }) => subject],
  ['From', ({ from }) => from],
  ['To', ({ to }) => to],
  ['Cc', ({ cc }) => cc],
  ['Reply to', ({ replyTo }) => replyTo],
  ['Codes', ({ codes }) => codes.join('\n')],
  ['Links', ({ links }) => links.join('\n')],
  ['Attached', ({ attachments }) => attachments.join('\n')],
  ['Size', ({ size }) => size],
];

/** Returns the facts of two mails beside each other, without those that neither has. */
export function comparedFacts(left: ComparedMail, right: ComparedMail): readonly FactRow[] {
  return NAMES.map(([name, of]) => ({ name, left: of(left), right: of(right), same: of(left) === of(right) })).filter(
    (row) => row.left !== '' || row.right !== '',
  );
}
