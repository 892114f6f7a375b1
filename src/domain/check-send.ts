import { comparableAddress } from './address.ts';
import { allowlistMatcher } from './allowlist.ts';
import { refuse } from './errors.ts';
import { isVerified } from './identity.ts';
import type { WorkspaceId } from './ids.ts';
import type { Mailbox } from './mailbox.ts';
import type { Plan } from './plan.ts';
import type { Email } from './send-request.ts';
import { debit } from './wallet.ts';
import type { Workspace } from './workspace.ts';

/** The facts that decide whether a send is accepted. */
export interface SendFacts {
  readonly plan: Plan;
  readonly workspace: Workspace;
  readonly mailbox: Mailbox;
  readonly mailDomain: string;
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
  const { plan, workspace, mailbox, mailDomain } = facts;
  if (!plan.outbound || !mailbox.outboundEnabled) throw refuse('outbound_disabled');

  const { fromOwner: owner, identities: added } = facts;
  if (!isVerified(from.domain, { workspaceId: workspace.id, mailDomain, added, owner })) {
    throw refuse('invalid_from_domain', { domain: from.domain });
  }

  const isAllowed = allowlistMatcher(mailbox.allowlist, mailDomain);
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
