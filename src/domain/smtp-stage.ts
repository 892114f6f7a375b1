/** The steps of an SMTP transaction, in order: `data` is the command, `end` the end of data. */
export const SMTP_STAGES = ['connect', 'helo', 'auth', 'mail', 'rcpt', 'data', 'end'] as const;

export type SmtpStage = (typeof SMTP_STAGES)[number];

/** What a server says at a stage, `451 4.7.1 try later` taken apart. */
export interface SmtpReply {
  readonly code: number;
  readonly text: string;
}
