import { z } from 'zod';
import { countAll, countUnread } from '../../actions/search-messages.ts';
import { storeName } from '../../config/start-error.ts';
import type { Context } from '../../context.ts';
import { type EventType, feedIdOf } from '../../domain/event.ts';
import { type EventId, firstIdAt, type WorkspaceId } from '../../domain/ids.ts';
import { momentNow } from '../../ports/system.ts';
import { type Anyone, type Endpoint, foreignRoute } from '../route.ts';
import { seededTags, seededWorkspaceId } from './shared.ts';

// What Mailpit tells about itself.

export const infoRoutes: readonly Endpoint<Anyone>[] = [
  foreignRoute('GET', '/api/v1/info', {
    returns: { 200: z.object({}).loose() },
    handle: async ({ ctx }) => {
      const workspaceId = await seededWorkspaceId(ctx);
      const Version = `mailcap ${ctx.runtime.version}`;
      const { store } = ctx.config;
      const { uptimeSeconds, memoryBytes, mails, mailBytes, refusals } = ctx.metrics.totals();
      return {
        Version,
        // No newer version is looked for.
        LatestVersion: Version,
        Database: store.kind === 'file' ? store.directory : storeName(store),
        DatabaseSize: (await ctx.store.read.counts()).storedBytes,
        Messages: await countAll(ctx, { workspaceId }),
        Unread: await countUnread(ctx, { workspaceId }),
        Tags: Object.fromEntries((await seededTags(ctx)).list().map(({ name, count }) => [name, count])),
        RuntimeStats: {
          Uptime: uptimeSeconds,
          Memory: memoryBytes,
          MessagesDeleted: await deletedSinceStart(ctx, workspaceId),
          SMTPAccepted: mails,
          SMTPAcceptedSize: mailBytes,
          SMTPRejected: refusals,
          SMTPIgnored: 0,
        },
      };
    },
  }),

  foreignRoute('GET', '/api/v1/webui', {
    returns: { 200: z.object({}).loose() },
    handle: async ({ ctx }) => ({
      Label: ctx.config.label,
      MessageRelay: {
        Enabled: ctx.relay !== null,
        SMTPServer: ctx.relay?.name ?? '',
        ...{ ReturnPath: '', AllowedRecipients: '', BlockedRecipients: '', OverrideFrom: '' },
        PreserveMessageIDs: ctx.relay !== null,
        RecipientAllowlist: '',
      },
      SpamAssassin: ctx.spamFilter !== null,
      ChaosEnabled: true,
      DuplicatesIgnored: false,
      HideDeleteAllButton: false,
    }),
  }),
];

/** The deletions that each server has counted so far, and the last event that it has read for that. */
const counted = new WeakMap<Context['store'], { after: EventId; count: number }>();
const DELETIONS: ReadonlySet<EventType> = new Set(['message.deleted']);
const AT_A_TIME = 500;

/** Counts the messages that were deleted since the start. It reads only the events since the last count. */
async function deletedSinceStart({ store, clock, metrics }: Context, workspaceId: WorkspaceId): Promise<number> {
  const known = counted.get(store) ?? { after: firstIdAt<EventId>(metrics.totals().startedAt), count: 0 };
  let { after, count } = known;
  for (;;) {
    const items = await store.read.events.after({ types: DELETIONS, after, limit: AT_A_TIME, now: momentNow(clock) });
    for (const item of items) {
      after = feedIdOf(item);
      if (item.kind !== 'event' || item.event.type !== 'message.deleted') continue;
      if (item.event.workspaceId === workspaceId) count += item.event.data.count;
    }
    if (items.length < AT_A_TIME) break;
  }
  // Another request may have counted as far meanwhile; both counts are right then.
  counted.set(store, { after, count });
  return count;
}
