/** What SMTP says of mail that is not taken, also where it is delivered without SMTP. The text opens with the enhanced status code (RFC 2034). */
export const MAIL_REFUSALS = {
  // docs/contract.md#plans: past the day's cap and past storage. docs/contract.md#recipients.
  no_such_mailbox: { code: 550, text: '5.1.1 No such mailbox here' },
  daily_inbound_limit_reached: { code: 452, text: '4.2.2 The mailbox has reached its daily limit' },
  storage_limit_reached: { code: 452, text: '4.3.1 The workspace has no storage left' },
} as const;
