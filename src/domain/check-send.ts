import { comparableAddress } from './address.ts';
import { distinctAddresses, type ListedAddress, parseAddress, parseAddressList } from './address-list.ts';
import { refuse } from './errors.ts';
import type { WorkspaceId } from './ids.ts';
import type { Mailbox } from './mailbox.ts';
import { allowlistMatcher, isVerified } from './outbound.ts';
import type { Plan, Workspace } from './workspace.ts';

/** The facts that decide whether a send is accepted. */
interface SendFacts {
  readonly plan: Plan;
  readonly workspace: Workspace;
  readonly mailbox: Mailbox;
  readonly mailDomain: string;
  /** What every mailbox may send to, beside its own allowlist. */
  readonly allowedForAll: readonly string[];
  /** The verified domains of the workspace. */
  readonly identities: readonly string[];
  /** The workspace whose mailbox has the subdomain of the mail domain that `from` is under. Null if none has it. */
  readonly fromOwner: WorkspaceId | null;
  /** The recipients on the suppression list, in the form in which addresses are compared. */
  readonly suppressed: ReadonlySet<string>;
  /** The number of emails sent today (UTC). */
  readonly outboundUsed: number;
  readonly storedBytes: number;
  /** The size of the composed message. */
  readonly sizeBytes: number;
}

/**
 * Checks a send and returns the wallet after it. Throws the first refusal in the order of
 * docs/api.md#order-of-the-checks-of-a-send. The parse has already checked `invalid_body`.
 */
export function checkSend(facts: SendFacts, { from, recipients }: Email): { walletMillicents: number } {
  const { plan, workspace, mailbox, mailDomain, allowedForAll } = facts;
  if (!plan.outbound || !mailbox.outboundEnabled) throw refuse('outbound_disabled');

  const { fromOwner: owner, identities: added } = facts;
  if (!isVerified(from.domain, { workspaceId: workspace.id, mailDomain, added, owner })) {
    throw refuse('invalid_from_domain', { domain: from.domain });
  }

  const isAllowed = allowlistMatcher([...mailbox.allowlist, ...allowedForAll], mailDomain);
  const refused = recipients.filter((address) => !isAllowed(address));
  if (refused.length > 0) throw refuse('recipients_not_allowed', { recipients: refused });

  const suppressed = recipients.filter((address) => facts.suppressed.has(comparableAddress(address)));
  if (suppressed.length > 0) throw refuse('suppressed_recipients', { recipients: suppressed });

  const count = facts.outboundUsed;
  const limit = plan.outboundPerDay;
  if (workspace.limits === 'cloud' && count + recipients.length > limit) {
    throw refuse('daily_outbound_limit_reached', { count, limit });
  }

  if (facts.storedBytes + facts.sizeBytes > plan.storageBytes) {
    throw refuse('storage_limit_reached', { limit_bytes: plan.storageBytes });
  }

  return { walletMillicents: debit(workspace.walletMillicents, recipients.length) };
}

export const MAX_RECIPIENTS = 100;

/**
 * The largest sum of all header fields, in characters. It allows a hundred addresses with long names. Encoded, it stays
 * below the limit for reading a header.
 */
const MAX_HEADER_LENGTH = 48 * 1024;

/** The fields of a send request, not yet checked. */
export type SendFields = { readonly [Name in SendField]?: string | null | undefined };

type SendField = 'from' | 'to' | 'cc' | 'bcc' | 'replyTo' | 'subject' | 'textBody' | 'htmlBody';

/** A valid email, ready to be composed. */
export interface Email {
  readonly from: ListedAddress;
  /** It is empty if `to` had only empty groups, as `undisclosed-recipients:;` is. */
  readonly to: readonly ListedAddress[];
  readonly cc: readonly ListedAddress[];
  readonly replyTo: readonly ListedAddress[];
  readonly subject: string | null;
  readonly text: string | null;
  readonly html: string | null;
  /** The envelope addresses of To, Cc and Bcc in this order, each recipient once. */
  readonly recipients: readonly string[];
}

/**
 * Parses a send request. Throws `invalid_body` for a malformed address, a missing `to`, no recipient or more than 100, a
 * missing body, or a line break or NUL in a header field.
 */
export function parseSendRequest(fields: SendFields): Email {
  const { from: fromField, to: toField, cc: ccField, bcc: bccField, replyTo, subject = null } = fields;
  checkHeader([fromField, toField, ccField, bccField, replyTo, subject].join(''));
  const from = parseAddress(fromField ?? '');
  const to = listOf(toField);
  const cc = listOf(ccField);
  const recipients = distinctAddresses([...to, ...cc, ...listOf(bccField)]);
  const text = fields.textBody || null;
  const html = fields.htmlBody || null;
  if (from === null || isBlank(toField) || (text === null && html === null)) throw refuse('invalid_body');
  if (recipients.length === 0 || recipients.length > MAX_RECIPIENTS) throw refuse('invalid_body');
  return { from, to, cc, replyTo: listOf(replyTo), subject, text, html, recipients };
}

function checkHeader(fields: string): void {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  if (fields.length > MAX_HEADER_LENGTH || /[\r\n\u0000]/.test(fields)) throw refuse('invalid_body');
}

/** Parses an address field. A null, missing or blank field has no addresses. */
function listOf(field: string | null | undefined): ListedAddress[] {
  if (isBlank(field)) return [];
  const list = parseAddressList(field);
  if (list === null) throw refuse('invalid_body');
  return list;
}

function isBlank(field: string | null | undefined): field is '' | null | undefined {
  return field === null || field === undefined || field.trim() === '';
}

// The wallet counts in 1/1000 of a cent, which makes $0.50 per 1,000 emails exact (docs/api.md#outbound).

const EMAIL_MILLICENTS = 50;

/**
 * Returns the balance after this many emails. Throws `insufficient_funds` with `balance_cents`, rounded down, and
 * `required_cents`, rounded up.
 */
export function debit(balanceMillicents: number, emails: number): number {
  const required = emails * EMAIL_MILLICENTS;
  if (required > balanceMillicents) {
    throw refuse('insufficient_funds', {
      balance_cents: Math.floor(balanceMillicents / 1_000),
      required_cents: Math.ceil(required / 1_000),
    });
  }
  return balanceMillicents - required;
}
