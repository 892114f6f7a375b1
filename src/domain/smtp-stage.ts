/** The steps of an SMTP transaction, in order: `data` is the command, `end` the end of data. */
export const SMTP_STAGES = ['connect', 'helo', 'auth', 'mail', 'rcpt', 'data', 'end'] as const;

export type SmtpStage = (typeof SMTP_STAGES)[number];

/** A reply such as `451 4.7.1 try later` in its parts. */
export interface SmtpReply {
  readonly code: number;
  readonly text: string;
}

/** A refused command or mail, as events and the journal report it. Long texts are cut. */
export interface SmtpRefusalFacts {
  readonly stage: SmtpStage;
  readonly reply: string;
  /** The reason from a small fixed set. The metrics count by it. */
  readonly reason: string;
  readonly mailFrom: string | null;
  /** The refused recipient, or the first recipient of a refused mail. */
  readonly recipient: string | null;
  readonly recipientCount: number;
  readonly clientAddress: string;
}
