import { setImmediate } from 'node:timers/promises';
import type { Context, Tagger } from '../context.ts';
import { refuse, there } from '../domain/errors.ts';
import type { MessageId, WorkspaceId } from '../domain/ids.ts';
import {
  changeMarks,
  type MarkChange,
  MOST_TAGS,
  MOST_WORKSPACE_TAGS,
  tagKey,
  tagsByRule,
  type WorkspaceTags,
} from '../domain/marks.ts';
import type { Message } from '../domain/message.ts';
import { QueryMatcher } from '../domain/search/match-query.ts';
import type { SearchQuery } from '../domain/search/query.ts';
import { type TagSettings, titleCase } from '../domain/tag-settings.ts';
import type { Tx } from '../ports/store.ts';
import { momentNow } from '../ports/system.ts';
import type { CancelSignal } from '../ports/waiting.ts';
import { matchesMail } from './match-message.ts';
import { readTopFields } from './read-message.ts';
import { byMailbox, recordEvent } from './record-event.ts';
import { BATCH, findInBatches, type Scope } from './search-messages.ts';

/** How many messages were marked. */
export interface MarkResult {
  /** The messages that changed. */
  readonly updated: number;
  /** The messages that stayed as they were, because each would have more than {@link MOST_TAGS} tags. */
  readonly skipped: number;
}

/** Which messages a change concerns. */
interface Within {
  /** Only messages of this workspace. Undefined admits all. */
  readonly workspaceId?: WorkspaceId | undefined;
  /** Ends when the client disconnects. */
  readonly cancelSignal: CancelSignal;
}

/** Marks a message. Returns it with its new marks. Throws `not_found` and `too_many_tags`. */
export async function markMessage(ctx: Context, tx: Tx, message: Message, change: MarkChange): Promise<Message> {
  const { updated, skipped } = await markBatch(ctx, tx, [message.id], () => change);
  if (skipped > 0) throw refuse('too_many_tags');
  const [marked] = updated;
  return marked ?? there(await tx.messages.get(message.id, momentNow(ctx.clock)));
}

/** Marks the messages with these ids, in batches. It leaves out ids without a message. Throws `too_many_tags`. */
export async function markEach(
  ctx: Context,
  ids: readonly MessageId[],
  change: MarkChange,
  { workspaceId, cancelSignal }: Within,
): Promise<MarkResult> {
  const wanted = (message: Message) =>
    workspaceId === undefined || message.workspaceId === workspaceId ? change : null;
  let updated = 0;
  let skipped = 0;
  for (let at = 0; at < ids.length && !cancelSignal.isCancelled; at += BATCH) {
    const some = ids.slice(at, at + BATCH);
    const marked = await ctx.store.transaction((tx) => markBatch(ctx, tx, some, wanted));
    updated += marked.updated.length;
    skipped += marked.skipped;
    await setImmediate();
  }
  return { updated, skipped };
}

/** Marks the messages that a search finds, in batches. Throws `too_many_tags`. */
export function markFound(
  ctx: Context,
  scope: Scope,
  query: SearchQuery,
  change: MarkChange,
  cancelSignal: CancelSignal,
): Promise<MarkResult> {
  return markWalked(ctx, scope, query, () => change, cancelSignal);
}

/** Gives a tag of a workspace another name, on all messages. */
export function renameTag(
  ctx: Context,
  workspaceId: WorkspaceId,
  { from, to }: { readonly from: string; readonly to: string },
  cancelSignal: CancelSignal,
): Promise<MarkResult> {
  const key = tagKey(from);
  const renamed = ({ tags }: Message) => ({ tags: tags.map((tag) => (tagKey(tag) === key ? to : tag)) });
  const query: SearchQuery = [{ kind: 'tag', name: from, not: false }];
  return markWalked(ctx, { workspaceId }, query, renamed, cancelSignal, tagKey(to) === key);
}

async function markWalked(
  ctx: Context,
  scope: Scope,
  query: SearchQuery,
  changeOf: (message: Message) => MarkChange,
  cancelSignal: CancelSignal,
  isNewCase = false,
): Promise<MarkResult> {
  let updated = 0;
  let skipped = 0;
  for await (const found of findInBatches(ctx, scope, query, cancelSignal)) {
    const some = found.map(({ id }) => id);
    const marked = await ctx.store.transaction((tx) => markBatch(ctx, tx, some, changeOf, isNewCase));
    updated += marked.updated.length;
    skipped += marked.skipped;
  }
  return { updated, skipped };
}

/** Marks some messages, and records what changed. `isNewCase` keeps the case of tags that the workspace has. */
async function markBatch(
  ctx: Context,
  tx: Tx,
  ids: readonly MessageId[],
  changeOf: (message: Message) => MarkChange | null,
  isNewCase = false,
): Promise<{ readonly updated: readonly Message[]; readonly skipped: number }> {
  const now = momentNow(ctx.clock);
  const changes = new Map<MessageId, MarkChange>();
  const known = new Map<WorkspaceId, WorkspaceTags>();
  const tagsOf = async (workspaceId: WorkspaceId) => {
    const tags = known.get(workspaceId) ?? (await tx.messages.tags(workspaceId, now));
    known.set(workspaceId, tags);
    return tags;
  };
  for (const message of await tx.messages.many(ids, now)) {
    const change = message && changeOf(message);
    if (message === null || change === null) continue;
    changes.set(message.id, isNewCase ? change : named(change, await tagsOf(message.workspaceId)));
  }
  const skipped = new Set<MessageId>();
  const updated = await tx.messages.mark([...changes.keys()], now, (message) => {
    const marks = changeMarks(message, changes.get(message.id) ?? {});
    const isTooMuch = marks !== null && marks.tags.length > Math.max(MOST_TAGS, message.tags.length);
    if (isTooMuch) skipped.add(message.id);
    return isTooMuch ? null : marks;
  });
  await recordMarked(ctx, tx, updated);
  return { updated, skipped: skipped.size };
}

/**
 * Writes the tags of a change as the workspace writes them already. Throws `too_many_tags` if the workspace would have
 * too many.
 */
function named(change: MarkChange, known: WorkspaceTags): MarkChange {
  const { tags, addTags } = change;
  const added = new Set<string>();
  const nameOf = (tag: string) => {
    const name = known.nameOf(tag);
    if (name === null) added.add(tagKey(tag));
    return name ?? tag;
  };
  const result = { ...change, tags: tags?.map(nameOf), addTags: addTags?.map(nameOf) };
  // The size is counted only if it matters, because that looks at every tag.
  if (added.size > 0 && known.size + added.size > MOST_WORKSPACE_TAGS) throw refuse('too_many_tags');
  return result;
}

async function recordMarked(ctx: Context, tx: Tx, messages: readonly Message[]): Promise<void> {
  for (const { mailboxId, workspaceId, messages: those } of byMailbox(messages)) {
    const marks = those.map(({ id, isRead: read, isStarred: starred, tags }) => ({ id, read, starred, tags }));
    await recordEvent(ctx, tx, 'message.updated', workspaceId, { mailboxId, messages: marks });
  }
}

/** Returns the tagger with the rules of a configuration. */
export function createTagger(rules: TagSettings): Tagger {
  const tagsFor = (ctx: Context, message: Message, user: string | null) => tagsOf(ctx, rules, message, user);
  return {
    tagsOf: tagsFor,
    tag: async (ctx, messages, user) => {
      for (const message of messages) {
        try {
          const addTags = await tagsFor(ctx, message, user);
          if (addTags.length > 0) await ctx.store.transaction((tx) => markMessage(ctx, tx, message, { addTags }));
        } catch (error) {
          ctx.log.warn('a message could not be tagged by rules', { message: message.id, error });
        }
      }
    },
  };
}

async function tagsOf(ctx: Context, tagging: TagSettings, message: Message, user: string | null): Promise<string[]> {
  const { from, to, cc, rcptTo } = message;
  const xTags = tagging.xTags ? await xTagsOf(ctx, message) : null;
  const byRule = tagsByRule({ from, to, cc, rcptTo, xTags }, tagging);
  const tags = tagging.titleCase ? byRule.map(titleCase) : byRule;
  if (tagging.user && user !== null) tags.push(...tagsByRule({ ...NOTHING, xTags: user }, BY_NAME));
  for (const { query, tags: those } of tagging.searches) {
    const matcher = new QueryMatcher(query);
    if (matcher.matchesRow(message) ?? (await matchesMail(ctx, matcher, message))) tags.push(...those);
  }
  return tags;
}

const NOTHING = { from: null, to: null, cc: null, rcptTo: [] };
const BY_NAME = { xTags: true, plusAddresses: false };

async function xTagsOf(ctx: Context, message: Message): Promise<string | null> {
  const fields = await readTopFields(ctx, message);
  return fields.find(({ name }) => name.toLowerCase() === 'x-tags')?.value.toString() ?? null;
}
