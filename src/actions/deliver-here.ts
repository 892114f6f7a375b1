import type { Context } from '../context.ts';
import { type DeliveryOutcome, isLocalRecipient } from '../domain/delivery.ts';
import type { Send } from '../domain/send.ts';
import { simulated } from '../domain/simulator.ts';
import { deliverCopies } from './deliver-copies.ts';

const NO_RELAY = 'Kept here: no relay is set';
const NO_LONGER_CLAIMED = 'Kept here: the mailbox that claimed the address no longer does';

/**
 * Delivers to recipients that this server handles itself: local mailboxes, the simulator, and recipients that are
 * captured because no relay is set. Returns the outcomes the caller must record; the copy in a mailbox is already
 * recorded.
 */
export async function deliverHere(
  ctx: Context,
  send: Send,
  addresses: readonly string[],
): Promise<ReadonlyMap<string, DeliveryOutcome>> {
  const { mailDomain } = ctx.config;
  const read = await ctx.store.readNow();
  const outcomes = new Map<string, DeliveryOutcome>();
  const local: string[] = [];
  for (const address of addresses) {
    const outcome = simulatedOutcome(address, mailDomain);
    if (outcome !== null) outcomes.set(address, outcome);
    else if (isLocalRecipient(address, mailDomain) || (await read.mailboxes.byAddress(address)) !== null)
      local.push(address);
    else outcomes.set(address, { state: 'captured', reply: ctx.relay === null ? NO_RELAY : NO_LONGER_CLAIMED });
  }
  if (local.length === 0) return outcomes;
  return new Map([...outcomes, ...(await deliverCopies(ctx, send, local))]);
}

function simulatedOutcome(address: string, mailDomain: string): DeliveryOutcome | null {
  const remote = `simulator.${mailDomain}`;
  switch (simulated(address, mailDomain)) {
    case 'bounce':
      return { state: 'bounced', reply: '550 5.1.1 The simulator knows no such user', remote };
    case 'complaint':
      return { state: 'complained', reply: '250 2.0.0 Ok, and then complained about', remote };
    case 'success':
      return { state: 'delivered', reply: '250 2.0.0 Ok, and dropped', remote };
    case null:
      return null;
  }
}
