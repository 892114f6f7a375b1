import type { Context } from '../context.ts';
import type { DeliveryOutcome, Lane } from '../domain/delivery.ts';
import type { Send } from '../domain/send.ts';
import { deliverHere } from './deliver-here.ts';
import { deliverOverRelay } from './deliver-over-relay.ts';

/**
 * Makes one attempt to deliver a send to these recipients, all of one lane. {@link concludeAttempt} records the
 * outcomes.
 */
export function deliverSend(
  ctx: Context,
  send: Send,
  lane: Lane,
  addresses: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, DeliveryOutcome>> {
  return lane === 'relay' && ctx.relay !== null
    ? deliverOverRelay(ctx, ctx.relay, send, addresses, signal)
    : deliverHere(ctx, send, addresses);
}
