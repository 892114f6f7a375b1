import { countAll, countUnread } from '../../actions/search-messages.ts';
import type { Context } from '../../context.ts';
import type { EventType, FeedItem, RecordedEvent } from '../../domain/event.ts';
import type { WorkspaceId } from '../../domain/ids.ts';
import { changeMarks } from '../../domain/marks.ts';
import type { EventSink } from '../../ports/events.ts';
import { textFrame } from '../feed/event.ts';
import { type CompatSocket, followEvents } from './events.ts';
import { mailpitSummary } from './mailpit-message.ts';
import { seededWorkspaceId } from './shared.ts';

// Mailpit's WebSocket: {"Type", "Data"} for each change.

const TYPES: ReadonlySet<EventType> = new Set([
  'message.received',
  'message.updated',
  'message.deleted',
  'smtp.refused',
  'mailbox.deleted',
  'reset',
]);

/** More deletions than this in one event are told as one: the client lists its messages again. */
const MOST_DELETIONS = 200;
/** The time in milliseconds in which several changes cause one message with the totals. */
const STATS_MS = 250;

export const mailpitSocket: CompatSocket = {
  path: '/api/events',
  subscribe: (ctx, sink, after) => {
    const stats = createStats(ctx, sink);
    // The totals are the first thing that a client gets, as in Mailpit.
    stats.tellSoon();
    const subscription = followEvents(ctx, sink, after, TYPES, async (item, workspaceId) => {
      const told = await notificationsOf(ctx, workspaceId, item);
      if (told.some(({ Type }) => Type !== 'error')) stats.tellSoon();
      return told;
    });
    const end = () => {
      subscription.end();
      stats.end();
    };
    return { resume: () => subscription.resume(), end };
  },
};

interface Notification {
  readonly Type: 'new' | 'update' | 'delete' | 'prune' | 'truncate' | 'stats' | 'error';
  readonly Data: unknown;
}

async function notificationsOf(ctx: Context, workspaceId: WorkspaceId, item: FeedItem): Promise<Notification[]> {
  if (item.kind === 'request') return [];
  if (item.kind === 'event') return ofEvent(ctx, workspaceId, item.event);
  return (await newMailOf(ctx, item)).map((Data) => ({ Type: 'new', Data }));
}

/** Returns what is told of a new message; nothing if it was deleted meanwhile, or if this is no message. */
export async function newMailOf(ctx: Context, item: FeedItem): Promise<readonly object[]> {
  if (item.kind !== 'message') return [];
  const { message } = item;
  const summary = await mailpitSummary(ctx, message);
  if (summary === null) return [];
  // The rules tag a message after it is stored and before its 250, so the tags may come after this event.
  const byRule = (await ctx.tagger?.tagsOf(ctx, message, summary.Username || null)) ?? [];
  const Tags = changeMarks(message, { addTags: byRule })?.tags ?? message.tags;
  return [{ ...summary, Tags, Read: false, Cc: summary.Cc ?? [], Bcc: summary.Bcc ?? [] }];
}

async function ofEvent(ctx: Context, workspaceId: WorkspaceId, event: RecordedEvent): Promise<Notification[]> {
  switch (event.type) {
    case 'message.updated':
      return event.data.messages.map(({ id, read, tags }) => ({
        Type: 'update',
        Data: { ID: id, Read: read, Tags: tags },
      }));
    case 'message.deleted': {
      const { ids } = event.data;
      if (ids !== null && ids.length <= MOST_DELETIONS) return ids.map((ID) => ({ Type: 'delete', Data: { ID } }));
      const left = await countAll(ctx, { workspaceId });
      return [{ Type: left === 0 ? 'truncate' : 'prune', Data: null }];
    }
    case 'mailbox.deleted':
      return [{ Type: 'prune', Data: null }];
    case 'reset':
      return [{ Type: 'truncate', Data: null }];
    case 'smtp.refused': {
      const { reply, clientAddress } = event.data;
      const Level = reply.startsWith('4') ? 'warning' : 'error';
      return [{ Type: 'error', Data: { Level, Type: 'smtpd', IP: clientAddress, Message: reply } }];
    }
    default:
      return [];
  }
}

/** Tells a client the totals, at most four times a second. */
function createStats(ctx: Context, sink: EventSink) {
  let cancel: (() => void) | null = null;
  const tell = async (): Promise<void> => {
    const scope = { workspaceId: await seededWorkspaceId(ctx) };
    const Total = await countAll(ctx, scope);
    const Unread = await countUnread(ctx, scope);
    const Data = { Total, Unread, Version: `mailcap ${ctx.runtime.version}` };
    sink.write(textFrame(JSON.stringify({ Type: 'stats', Data } satisfies Notification)));
  };
  return {
    tellSoon: () => {
      cancel ??= ctx.clock.after(STATS_MS, () => {
        cancel = null;
        tell().catch((error: unknown) => ctx.log.warn('totals could not be read for a client', { error }));
      });
    },
    end: () => cancel?.(),
  };
}
