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

/**
 * The SMTP replies for refused mail. Deliveries without SMTP use them too. Their texts start with the enhanced status
 * code (RFC 2034).
 */
export const MAIL_REFUSALS = {
  // See docs/contract.md#recipients for the first, and docs/contract.md#plans for the daily limit and the storage
  // limit.
  no_such_mailbox: { code: 550, text: '5.1.1 No such mailbox here' },
  daily_inbound_limit_reached: { code: 452, text: '4.2.2 The mailbox has reached its daily limit' },
  storage_limit_reached: { code: 452, text: '4.3.1 The workspace has no storage left' },
} as const;

/** Tells whether a text is an SMTP reply rather than a description of a connection problem. */
export function isReply(text: string): boolean {
  return /^[2-5]\d{2}(?:[ -]|$)/.test(text);
}

/**
 * Returns the enhanced status code (RFC 3463) of a reply. If it has none of its class (RFC 2034 4), the result is the
 * class, such as 5.0.0. Returns null if the text is no reply.
 */
export function enhancedStatusOf(reply: string): string | null {
  const [, , written] = /^([245])\d{2}[ -](\1\.\d{1,3}\.\d{1,3})(?:\s|$)/.exec(reply) ?? [];
  return written ?? (isReply(reply) ? `${reply.charAt(0)}.0.0` : null);
}
