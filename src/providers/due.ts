import { MailRefused } from '../actions/receive-message.ts';
import type { Context } from '../context.ts';
import type { ProviderRecord } from '../domain/provider.ts';
import type { Door } from './door.ts';
import { sendEvent } from './events.ts';
import { sendInbound } from './inbound/hand-over.ts';
import { handOverText } from './inbound/phone-texts.ts';
import { failScheduled, sendScheduled } from './send.ts';
import { doorNamed } from './table.ts';

/**
 * Does what is due for a record: sends a scheduled email, or hands an event, a mail or a text to the app. Returns false for
 * a provider that this version does not know.
 */
export async function actOnDue(ctx: Context, record: ProviderRecord, signal: AbortSignal): Promise<boolean> {
  const door = doorNamed(record.provider);
  if (door === null) return false;
  switch (record.kind) {
    case 'events':
      await sendEvent(ctx, door, record, signal);
      break;
    case 'inbound':
      await sendInbound(ctx, door, record, signal);
      break;
    case 'texts':
      await handOverText(ctx, door, record, signal);
      break;
    default:
      await sendScheduled(ctx, door, record).catch((error: unknown) => refused(ctx, door, record, error));
  }
  return true;
}

async function refused(ctx: Context, door: Door, record: ProviderRecord, error: unknown): Promise<void> {
  if (!(error instanceof MailRefused)) throw error;
  ctx.log.warn('a scheduled email was not delivered', { provider: record.provider, reason: error.reason });
  await failScheduled(ctx, door, record);
}
