import { readFacts } from '../actions/read-message.ts';
import { addSuppression } from '../actions/sends.ts';
import type { Context } from '../context.ts';
import { comparableAddress } from '../domain/address.ts';
import { refuse } from '../domain/errors.ts';
import type { Message } from '../domain/message.ts';
import {
  collectionId,
  type Interaction,
  isInteraction,
  keyOfRecord,
  type ProviderName,
  recordId,
} from '../domain/provider.ts';
import { isUrl } from '../text/url.ts';
import { queueEvents } from './events.ts';
import { putRecord, type RecordScope } from './records.ts';
import { emailData } from './send.ts';
import { DOORS } from './table.ts';

/** What the reader of a mail did, as a client tells it. */
export interface GivenInteraction {
  readonly type?: unknown;
  readonly link?: unknown;
  readonly recipient?: unknown;
}

/** What was recorded. */
export interface RecordedInteraction {
  readonly type: Interaction;
  readonly recipient: string;
  readonly link: string | null;
  /** The number of requests that tell the app. 0: no webhook of the app wants the event. */
  readonly requests: number;
}

/** The longest link that an event tells. */
const LONGEST_LINK = 8 * 1024;

/**
 * Records that a reader opened a mail that the API of a provider took, followed a link of it, unsubscribed or complained.
 * The webhooks of the app get the event. Throws `invalid_interaction`, `invalid_recipient`, and `not_by_provider` for a
 * mail that came in another way or whose email the provider no longer has.
 */
export async function recordInteraction(
  ctx: Context,
  message: Message,
  given: GivenInteraction,
): Promise<RecordedInteraction> {
  const { type, link } = given;
  if (!isInteraction(type)) throw refuse('invalid_interaction');
  const isLink = typeof link === 'string' && link.length <= LONGEST_LINK && isUrl(link);
  if (type === 'clicked' ? !isLink : link !== undefined && link !== null) throw refuse('invalid_interaction');
  const { provider } = await readFacts(ctx, message);
  if (provider === undefined) throw refuse('not_by_provider');
  const { name, id, workspaceId = message.workspaceId } = provider;
  const scope: RecordScope = { ctx, workspaceId, door: DOORS[name] };
  return ctx.store.transaction(async (tx) => {
    const record = await tx.providerRecords.get(recordId(collectionId(workspaceId, name, 'emails'), id));
    if (record === null) throw refuse('not_by_provider');
    const data = emailData(record);
    const address = readerOf(data.recipients, message.rcptTo, given.recipient);
    const after = await putRecord(scope, tx, 'emails', keyOfRecord(record), { ...data, state: type });
    const requests = await queueEvents(scope, tx, [{ type, record: after, address, ...(isLink && { link }) }]);
    if (type === 'complained') await addSuppression(ctx, tx, workspaceId, { recipient: address, reason: 'complaint' });
    return { type, recipient: address, link: isLink ? link : null, requests };
  });
}

/** Returns what a reader can do that the webhooks of a provider tell. */
export function interactionsOf(name: ProviderName): readonly Interaction[] {
  return DOORS[name].interactions ?? [];
}

/** Returns the recipient who acts: the given one, or the first whose mailbox has the message. */
function readerOf(recipients: readonly string[], own: readonly string[], given: unknown): string {
  if (given === undefined || given === null) return own[0] ?? recipients[0] ?? '';
  const wanted = typeof given === 'string' ? comparableAddress(given) : null;
  const found = recipients.find((address) => comparableAddress(address) === wanted);
  if (found === undefined) throw refuse('invalid_recipient');
  return found;
}
