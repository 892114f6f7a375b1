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
