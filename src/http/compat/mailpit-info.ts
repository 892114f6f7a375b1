import { countAll, countUnread } from '../../actions/search-messages.ts';
import { storeName } from '../../config/start-error.ts';
import type { Context } from '../../context.ts';
import { type EventType, feedIdOf } from '../../domain/event.ts';
import { type EventId, firstIdAt, type WorkspaceId } from '../../domain/ids.ts';
import { momentNow } from '../../ports/system.ts';
import { toMetrics } from '../local/server.ts';
import { type Anyone, type Endpoint, foreignRoute } from '../route.ts';
import { seededTags, seededWorkspaceId } from './shared.ts';

// This module answers the requests that Mailpit answers about itself: its version, its counters and its settings.

export const infoRoutes: readonly Endpoint<Anyone>[] = [
  foreignRoute('GET', '/api/v1/info', async ({ ctx }) => infoOf(ctx)),

  foreignRoute('GET', '/metrics', async ({ ctx }) => toMetrics(metricsOf(await infoOf(ctx)))),

  foreignRoute('GET', '/api/v1/webui', async ({ ctx }) => ({
    Label: ctx.config.label,
    MessageRelay: {
      Enabled: ctx.relay !== null,
      SMTPServer: ctx.relay?.name ?? '',
      ReturnPath: ctx.config.release.sender ?? '',
      AllowedRecipients: patternsOf(ctx, true),
      BlockedRecipients: patternsOf(ctx, false),
      OverrideFrom: ctx.config.release.from ?? '',
      PreserveMessageIDs: ctx.relay !== null,
      RecipientAllowlist: patternsOf(ctx, true),
    },
    SpamAssassin: ctx.spamFilter !== null,
    Rspamd: false,
    ChaosEnabled: true,
    DuplicatesIgnored: false,
    HideDeleteAllButton: false,
  })),
];

async function infoOf(ctx: Context) {
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
}

/** Writes Mailpit's metrics, sorted by their names as there. */
function metricsOf({ DatabaseSize, Messages, Unread, Tags, RuntimeStats }: Awaited<ReturnType<typeof infoOf>>): string {
  const { Uptime, Memory, MessagesDeleted, SMTPAccepted, SMTPAcceptedSize, SMTPRejected, SMTPIgnored } = RuntimeStats;
  const one = (name: string, type: 'gauge' | 'counter', help: string, value: number) =>
    `# HELP mailpit_${name} ${help}\n# TYPE mailpit_${name} ${type}\nmailpit_${name} ${value}\n`;
  const escaped = (text: string) => text.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n');
  const tags = Object.entries(Tags).map(([tag, count]) => `mailpit_tag_messages{tag="${escaped(tag)}"} ${count}\n`);
  return [
    one('database_size_bytes', 'gauge', 'Size of the database in bytes', DatabaseSize),
    one('memory_usage_bytes', 'gauge', 'Memory usage in bytes', Memory),
    one('messages', 'gauge', 'Total number of messages in the database', Messages),
    one('messages_deleted_total', 'counter', 'Total number of messages deleted', MessagesDeleted),
    one('messages_unread', 'gauge', 'Number of unread messages in the database', Unread),
    one('smtp_accepted_size_bytes_total', 'counter', 'Total size of accepted SMTP messages in bytes', SMTPAcceptedSize),
    one('smtp_accepted_total', 'counter', 'Total number of SMTP messages accepted', SMTPAccepted),
    one('smtp_ignored_total', 'counter', 'Total number of SMTP messages ignored (duplicates)', SMTPIgnored),
    one('smtp_rejected_total', 'counter', 'Total number of SMTP messages rejected', SMTPRejected),
    '# HELP mailpit_tag_messages Number of messages per tag\n# TYPE mailpit_tag_messages gauge\n',
    ...tags,
    one('uptime_seconds', 'gauge', 'Uptime of Mailpit in seconds', Uptime),
  ].join('');
}

/** Writes the patterns of recipients that may, or may not, get released mail. */
function patternsOf({ config }: Context, allows: boolean): string {
  const named = config.release.rules.filter((rule) => rule.allows === allows && rule.pattern.source !== '(?:)');
  return named.map(({ pattern }) => pattern.source).join('|');
}

/** The deletions that each server has counted so far, and the last event that it has read for that. */
const counted = new WeakMap<Context['store'], { after: EventId; count: number }>();
const DELETIONS: ReadonlySet<EventType> = new Set(['message.deleted']);
const AT_A_TIME = 500;

/** Counts the messages that were deleted since the start. It reads only the events since the last count. */
async function deletedSinceStart({ store, clock, metrics }: Context, workspaceId: WorkspaceId): Promise<number> {
  const known = counted.get(store) ?? { after: firstIdAt<EventId>(metrics.totals().startedAt), count: 0 };
  let { after, count } = known;
  for (;;) {
    const items = await store.read.events.list({ types: DELETIONS, after, limit: AT_A_TIME, now: momentNow(clock) });
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
