import { timeIn } from '../../actions/time.ts';
import type { Context } from '../../context.ts';
import type { Message } from '../../domain/message.ts';
import { keyOfRecord, type ProviderRecord } from '../../domain/provider.ts';
import type { Tx } from '../../ports/store.ts';
import { realTime } from '../../ports/system.ts';
import { addTo } from '../../text/maps.ts';
import { MAX_BODY_BYTES } from '../../webhooks/signed-webhook.ts';
import { type TriedRequest, tryEvent } from '../events.ts';
import { putRecord, type RecordScope, removeRecord, whileKept } from '../records.ts';
import { keptMessage } from '../send.ts';
import { DOORS } from '../table.ts';
import { type InboundMail, inboundMail } from './mail.ts';

// Mail for the addresses of the app on its way to the app (docs/providers.md#inbound-mail). A record names the message and
// the rule; the request is written when it is sent, so that no mail waits in memory.

/** The data of a record. */
interface InboundData extends TriedRequest {
  /** The id of the message. */
  readonly message: string;
  /** The id of the rule's record. */
  readonly rule: string;
  readonly to: readonly string[];
}

/** Finds the rules that take mail, and for which of its recipients. */
export function rulesFor(
  rules: readonly ProviderRecord[],
  recipients: readonly string[],
): ReadonlyMap<ProviderRecord, string[]> {
  const found = new Map<ProviderRecord, string[]>();
  for (const door of Object.values(DOORS)) {
    const own = rules.filter(({ provider }) => provider === door.name);
    if (own.length === 0 || door.inbound === undefined) continue;
    for (const recipient of recipients)
      for (const rule of door.inbound.rulesFor(own, recipient)) addTo(found, rule, recipient);
  }
  return found;
}

/** Writes the record by which mail goes to the app. */
export async function queueInbound(
  ctx: Context,
  tx: Tx,
  message: Message,
  rule: ProviderRecord,
  to: readonly string[],
): Promise<void> {
  const { workspaceId } = message;
  const scope: RecordScope = { ctx, workspaceId, door: DOORS[rule.provider] };
  const key = ctx.ids.next(realTime(ctx.clock));
  const data: InboundData = { id: `in_${key}`, number: 1, message: message.id, rule: rule.id, to };
  await putRecord(scope, tx, 'inbound', key, { ...data, dueAt: await timeIn(ctx, tx, workspaceId) });
}

/** Makes the next try to hand a mail to the app. If the mail or the rule is gone, it is dropped. */
export async function sendInbound(scope: RecordScope, record: ProviderRecord, signal: AbortSignal): Promise<void> {
  const { ctx, door } = scope;
  const data = record.data as unknown as InboundData; // `queueInbound` alone writes these records
  const reader = await ctx.store.readNow();
  const message = await keptMessage(ctx, reader, data.message);
  const rule = await reader.providerRecords.get(data.rule);
  const mail = message === null || rule === null ? null : await inboundMail(ctx, message, data.to);
  const drop = (tx: Tx) => removeRecord(scope, tx, 'inbound', keyOfRecord(record));
  if (mail === null || rule === null || door.inbound === undefined) return ctx.store.transaction(drop);
  const now = await timeIn(ctx, reader, record.workspaceId);
  const { write, publish } = door.inbound;
  if (write !== undefined && isTooLarge(mail)) {
    ctx.log.warn('a mail is too large for a request to the app', { provider: door.name, bytes: mail.raw.length });
    return ctx.store.transaction(drop);
  }
  if (write !== undefined) return tryEvent(scope, record, data, await write(mail, rule, now), signal);
  return whileKept(scope, record, async (tx) => {
    await publish?.(scope, tx, mail, rule, now);
    await drop(tx);
  });
}

/** Tells whether what every provider's request has makes it larger than a request may be, before one is written. */
function isTooLarge({ parsed, files }: InboundMail): boolean {
  const texts = (parsed.textBody ?? '').length + (parsed.htmlBody ?? '').length;
  return files.reduce((sum, { content }) => sum + content.length, texts) > MAX_BODY_BYTES;
}
