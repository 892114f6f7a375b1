import type { Context } from '../context.ts';
import { comparableAddress } from '../domain/address.ts';
import { parseAddressList } from '../domain/address-list.ts';
import { refuse } from '../domain/errors.ts';
import type { Message } from '../domain/message.ts';
import { MAX_RECIPIENTS } from '../domain/send-request.ts';
import type { Ending } from '../ports/ending.ts';
import type { RelayOutcome } from '../ports/relay.ts';
import { readRaw } from './read-message.ts';

export interface Released {
  /** As reports call the relay. */
  readonly relay: string;
  readonly from: string;
  readonly outcomes: ReadonlyMap<string, RelayOutcome>;
}

/**
 * Hands a captured message to the relay as it is, for these recipients, in one attempt. Nothing of it is kept, and it is asked
 * for each time. Throws `no_relay`, and `invalid_to` for what is no address list of 1 to 100 recipients.
 */
export async function releaseMessage(ctx: Context, message: Message, to: unknown, ending: Ending): Promise<Released> {
  const recipients = requireRecipients(to);
  const { relay } = ctx;
  if (relay === null) throw refuse('no_relay');
  const cut = new AbortController();
  const calledOff = ending.onEnd(() => cut.abort());
  try {
    const outcomes = await relay.send(
      { from: message.mailFrom, recipients, raw: () => readRaw(ctx, message), handOver: async () => {} },
      cut.signal,
    );
    return { relay: relay.name, from: message.mailFrom, outcomes };
  } finally {
    calledOff();
  }
}

function requireRecipients(to: unknown): string[] {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  const list = typeof to === 'string' && !/[\r\n\u0000]/.test(to) ? parseAddressList(to) : null;
  if (list === null || list.length === 0) throw refuse('invalid_to');
  const byForm = new Map<string, string>();
  for (const { address } of list) {
    const form = comparableAddress(address);
    if (!byForm.has(form)) byForm.set(form, address);
  }
  if (byForm.size > MAX_RECIPIENTS) throw refuse('invalid_to');
  return [...byForm.values()];
}
