import { MailRefused } from '../actions/receive-message.ts';
import type { Context } from '../context.ts';
import type { ProviderRecord } from '../domain/provider.ts';
import { sendEvent } from './events.ts';
import { sendInbound } from './inbound/hand-over.ts';
import { handOverText } from './inbound/phone-texts.ts';
import type { RecordScope } from './records.ts';
import { failScheduled, sendScheduled } from './send.ts';
import { doorNamed } from './table.ts';

/**
 * Does what is due for a record: sends a scheduled email, or hands an event, a mail or a text to the app. Returns false for
 * a provider that this version does not know.
 */
export async function actOnDue(ctx: Context, record: ProviderRecord, signal: AbortSignal): Promise<boolean> {
  const door = doorNamed(record.provider);
  if (door === null) return false;
  const scope: RecordScope = { ctx, workspaceId: record.workspaceId, door };
  switch (record.kind) {
    case 'events':
      await sendEvent(scope, record, signal);
      break;
    case 'inbound':
      await sendInbound(scope, record, signal);
      break;
    case 'texts':
      await handOverText(scope, record, signal);
      break;
    default:
      await sendScheduled(scope, record).catch((error: unknown) => refused(scope, record, error));
  }
  return true;
}

async function refused(scope: RecordScope, record: ProviderRecord, error: unknown): Promise<void> {
  if (!(error instanceof MailRefused)) throw error;
  scope.ctx.log.warn('a scheduled email was not delivered', { provider: record.provider, reason: error.reason });
  await failScheduled(scope, record);
}
