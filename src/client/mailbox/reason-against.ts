import type { CallOptions } from '../transport/deadline.ts';
import { PASSED_OVER } from '../waiting/wait.ts';
import type { Arrival, Arrivals } from './arrivals.ts';
import type { Message } from './message.ts';
import { type MessageFilter, refusalsOf } from './message-filter.ts';

/** Loads the message of an arrival; null if it was deleted. */
export type Load = (arrival: Arrival, options: CallOptions) => Promise<Message | null>;

/**
 * Returns the reason why a wait does not return a message; null if nothing stands against it. It decides by the filters
 * of the wait itself.
 */
export async function reasonAgainst(
  { passedOver, returned }: Pick<Arrivals, 'passedOver' | 'returned'>,
  filter: MessageFilter,
  arrival: Arrival,
  load: Load,
  options: CallOptions,
): Promise<string | null> {
  if (passedOver.has(arrival.id)) return PASSED_OVER;
  if (returned.has(arrival.id)) return 'an earlier wait returned it';
  const refusals = await refusalsOf(arrival, filter, (o) => load(arrival, o), options, 'every');
  return refusals.length === 0 ? null : `refused, ${refusals.map(({ reason }) => reason).join('; ')}`;
}
