/** The steps of an SMTP transaction, in order: `data` is the command, `end` the end of data. */
export const SMTP_STAGES = ['connect', 'helo', 'auth', 'mail', 'rcpt', 'data', 'end'] as const;

export type SmtpStage = (typeof SMTP_STAGES)[number];

/** What a server says at a stage, `451 4.7.1 try later` taken apart. */
export interface SmtpReply {
  readonly code: number;
  readonly text: string;
}

/** A command or a mail that SMTP refused, as it is told. Texts are cut. */
export interface SmtpRefusalFacts {
  readonly stage: SmtpStage;
  readonly reply: string;
  /** One of a few, as the metrics count it. */
  readonly reason: string;
  readonly mailFrom: string | null;
  /** The one refused, or the first of the mail that was. */
  readonly recipient: string | null;
  readonly recipientCount: number;
  readonly clientAddress: string;
}
