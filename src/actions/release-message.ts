import type { Context } from '../context.ts';
import { distinctAddresses, parseAddressList } from '../domain/address-list.ts';
import { refuse } from '../domain/errors.ts';
import type { Message } from '../domain/message.ts';
import { MAX_RECIPIENTS } from '../domain/send-request.ts';
import { withoutBcc } from '../mail/without-bcc.ts';
import type { Ending } from '../ports/ending.ts';
import type { RelayOutcome } from '../ports/relay.ts';
import { readRaw } from './read-message.ts';

export interface Released {
  /** The name of the relay in reports. */
  readonly relay: string;
  readonly from: string;
  readonly outcomes: ReadonlyMap<string, RelayOutcome>;
}

/**
 * Hands a captured message to the relay, unchanged but without Bcc, in one attempt for these recipients. Nothing about
 * it is stored. Throws `no_relay`, and `invalid_to` unless `to` is an address list of 1 to 100 recipients.
 */
export async function releaseMessage(ctx: Context, message: Message, to: unknown, ending: Ending): Promise<Released> {
  const recipients = requireRecipients(to);
  const { relay } = ctx;
  if (relay === null) throw refuse('no_relay');
  const cut = new AbortController();
  const calledOff = ending.onEnd(() => cut.abort());
  try {
    const outcomes = await relay.send(
      { from: message.mailFrom, recipients, raw: () => withoutBcc(readRaw(ctx, message)), handOver: async () => {} },
      cut.signal,
    );
    return { relay: relay.name, from: message.mailFrom, outcomes };
  } finally {
    calledOff();
  }
}

function requireRecipients(to: unknown): string[] {
  const list = typeof to === 'string' ? parseAddressList(to) : null;
  if (list === null || list.length === 0) throw refuse('invalid_to');
  const recipients = distinctAddresses(list);
  if (recipients.length > MAX_RECIPIENTS) throw refuse('invalid_to');
  return recipients;
}
