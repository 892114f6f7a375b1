import type { Context } from '../context.ts';
import type { DeliveryOutcome } from '../domain/delivery.ts';
import type { SendId } from '../domain/ids.ts';
import type { Send } from '../domain/send.ts';
import { unreachable } from '../domain/unreachable.ts';
import type { Relay, RelayOutcome } from '../ports/relay.ts';

const LOST = 'No answer was recorded when the relay had been given the message: it may have been delivered';

/**
 * Hands a send to the relay for these recipients in one SMTP transaction. Returns the outcomes the caller must record.
 * It never hands a message over twice for the same recipient.
 */
export async function deliverOverRelay(
  ctx: Context,
  relay: Relay,
  send: Send,
  addresses: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, DeliveryOutcome>> {
  const given = new Set(send.recipients.filter(({ handedOver }) => handedOver).map(({ address }) => address));
  const outcomes = new Map<string, DeliveryOutcome>();
  for (const address of addresses) {
    if (given.has(address)) outcomes.set(address, { state: 'failed', reply: LOST, remote: relay.name });
  }
  const recipients = addresses.filter((address) => !given.has(address));
  if (recipients.length === 0) return outcomes;
  const { id, from } = send;
  const answered = await relay.send(
    { from, recipients, raw: () => bytesOf(ctx, id), handOver: (accepted) => recordHandOver(ctx, id, accepted) },
    signal,
  );
  for (const address of recipients) {
    const outcome = answered.get(address) ?? { kind: 'deferred', reply: 'The relay said nothing of it' };
    outcomes.set(address, { ...stateOf(outcome), remote: relay.name });
  }
  return outcomes;
}

function stateOf({ kind, reply }: RelayOutcome): DeliveryOutcome {
  switch (kind) {
    case 'accepted':
      return { state: 'delivered', reply };
    case 'refused':
      return { state: 'bounced', reply };
    case 'deferred':
      return { state: 'queued', reply };
    case 'impossible':
      return { state: 'failed', reply };
    case 'unknown':
      return { state: 'failed', reply: `No answer came to the message, which may have been delivered: ${reply}` };
    default:
      return unreachable(kind);
  }
}

/** Looks the bytes up when the relay asks for them, because they may move while the send waits for a connection. */
async function* bytesOf({ store }: Context, id: SendId): AsyncGenerator<Buffer> {
  const raw = (await store.read.sends.get(id))?.raw;
  if (raw == null) throw new Error('the send is gone');
  yield* store.blobs.stream(raw);
}

/** Records the hand-over before the relay can accept the message. These recipients get no second copy after a crash. */
async function recordHandOver({ store }: Context, id: SendId, accepted: readonly string[]): Promise<void> {
  await store.transaction(async (tx) => {
    const send = await tx.sends.get(id);
    if (send === null) throw new Error('the send is gone');
    const recipients = send.recipients.map((recipient) =>
      accepted.includes(recipient.address) ? { ...recipient, handedOver: true } : recipient,
    );
    await tx.sends.update(id, { recipients });
  });
}
