import type { Context } from '../context.ts';
import type { MessageId } from '../domain/ids.ts';
import type { Message } from '../domain/message.ts';
import { QueryMatcher } from '../domain/search/match-query.ts';
import type { SearchQuery } from '../domain/search/query.ts';
import { momentNow } from '../ports/clock.ts';
import type { Ending } from '../ports/ending.ts';
import { type Budget, type Scope, walkMessages } from './walk-messages.ts';

export interface Search {
  readonly scope: Scope;
  readonly query: SearchQuery;
  /** Lists only messages older than this one. `total` still counts the newer ones. */
  readonly before?: MessageId | undefined;
  readonly limit: number;
  /** Ends when the client disconnects. */
  readonly ending: Ending;
}

export interface SearchResult {
  /** Newest first. */
  readonly items: readonly Message[];
  /** The number of matches on all pages. */
  readonly total: number;
  /**
   * Tells whether the whole scope was searched. If false, `total` counts the matches found so far and there may be
   * more.
   */
  readonly complete: boolean;
  /** The position to continue from, or null if this page is the last. */
  readonly next: MessageId | null;
}

/**
 * The number of mails one search may read in full. It takes some seconds and stays within the parser's cache, so a
 * repeated search is fast.
 */
export const MOST_READ = 10_000;

/**
 * Finds one page of matching messages and their total number. It never blocks the event loop for more than a few
 * milliseconds.
 */
export async function searchMessages(ctx: Context, search: Search, mostRead = MOST_READ): Promise<SearchResult> {
  return search.query.length === 0 ? listAll(ctx, search) : findAll(ctx, search, mostRead);
}

/** Lists a page without conditions. The total comes from counters, not from a walk. */
async function listAll(ctx: Context, search: Search): Promise<SearchResult> {
  const total = await countAll(ctx, search.scope);
  const { items, next } = await firstPage(ctx, search, { left: 0 });
  // Messages may come or go between the count and the page. The total is never smaller than the page.
  return { items, total: Math.max(total, items.length), complete: true, next };
}

/** Counts the messages of a scope. The number comes from counters. */
export async function countAll(ctx: Context, { mailboxId, workspaceId }: Scope): Promise<number> {
  const { workspaces, mailboxes, messages } = await ctx.store.readNow();
  const now = momentNow(ctx.clock);
  if (mailboxId !== undefined) return messages.countUnexpired(mailboxId, now);
  const owners = workspaceId === undefined ? (await workspaces.list()).map(({ id }) => id) : [workspaceId];
  const lists = await Promise.all(owners.map((id) => mailboxes.list(id)));
  const counts = await Promise.all(lists.flat().map(({ id }) => messages.countUnexpired(id, now)));
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Walks only as far as the page needs. Each row matches the empty query. */
async function firstPage(
  ctx: Context,
  { scope, query, before, limit, ending }: Search,
  budget: Budget,
): Promise<Pick<SearchResult, 'items' | 'next'>> {
  const items: Message[] = [];
  const matcher = new QueryMatcher(query);
  const firstRows = limit + 1;
  for await (const { found } of walkMessages(ctx, { scope, matcher, before, firstRows, budget, ending })) {
    items.push(...found);
    if (items.length > limit) break;
  }
  return pageOf(items, limit);
}

async function findAll(
  ctx: Context,
  { scope, query, before, limit, ending }: Search,
  mostRead: number,
): Promise<SearchResult> {
  const matcher = new QueryMatcher(query);
  const budget: Budget = { left: mostRead };
  const items: Message[] = [];
  let total = 0;
  let at: MessageId | undefined = before;
  let isEnd = false;
  // The page comes first, so that counting newer messages cannot use up the budget it needs.
  for await (const stretch of walkMessages(ctx, { scope, matcher, before, budget, ending })) {
    total += stretch.found.length;
    for (const message of stretch.found) if (items.length <= limit) items.push(message);
    at = stretch.at;
    isEnd = stretch.isEnd;
  }
  let isAll = isEnd;
  if (before !== undefined) {
    const newer = { scope, matcher, before: undefined, downTo: before, budget, ending };
    isAll = false;
    for await (const stretch of walkMessages(ctx, newer)) {
      total += stretch.found.length;
      isAll = stretch.isEnd;
    }
  }
  const page = pageOf(items, limit);
  // If the budget ran out within the page, the next page continues from that point.
  return { ...page, next: page.next ?? (isEnd ? null : (at ?? null)), total, complete: isEnd && isAll };
}

/** Cuts `items` to one page. One item more than `limit` means that there is a next page. */
function pageOf(items: readonly Message[], limit: number): Pick<SearchResult, 'items' | 'next'> {
  const page = items.slice(0, limit);
  return { items: page, next: items.length > limit ? (page.at(-1)?.id ?? null) : null };
}
